// The page's two languages. English is the source; a test finds what Korean lacks.
import { en, type Key } from "./i18n/en";
import { ko } from "./i18n/ko";
import type { Both } from "./contract";

export type Lang = "en" | "ko";
export type { Key };
const texts: Record<Lang, Record<Key, string>> = { en, ko };

class Language extends EventTarget {
  lang: Lang = "en";

  set(lang: Lang): void {
    this.lang = lang;
    document.documentElement.lang = lang;
    document.title = t("app.title");
    this.dispatchEvent(new Event("change"));
  }
}

export const language = new Language();

/** A text of the page; `{name}` is filled in as text. */
export function t(key: Key, values: Filled = {}): string {
  return fill(texts[language.lang][key], values);
}

export type Filled = Record<string, string | number>;

/** A text with its `{names}` filled in. */
export function fill(text: string, values: Filled): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function both(text: Both): string {
  return text[language.lang];
}

/** The language to start with: the address, what was chosen last, or what the browser asks for. */
export function firstLanguage(search: string, stored: string | null, wanted: readonly string[]): Lang {
  const asked = new URLSearchParams(search).get("lang") ?? stored;
  if (asked === "ko" || asked === "en") return asked;
  return wanted.some((tag) => tag.toLowerCase().startsWith("ko")) ? "ko" : "en";
}
