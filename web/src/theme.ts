// Light or dark: what the system asks for, unless the reader chose.
import type { Theme } from "./drawing/colour";

export type ThemeChoice = "auto" | Theme;

class ThemeState extends EventTarget {
  choice: ThemeChoice = "auto";
  private readonly dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

  constructor() {
    super();
    this.dark?.addEventListener("change", () => this.dispatchEvent(new Event("change")));
  }

  get now(): Theme {
    if (this.choice !== "auto") return this.choice;
    return this.dark?.matches ? "dark" : "light";
  }

  set(choice: ThemeChoice): void {
    this.choice = choice;
    if (choice === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    this.dispatchEvent(new Event("change"));
  }
}

export const theme = new ThemeState();

export function reducedMotion(): boolean {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}
