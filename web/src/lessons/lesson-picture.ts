// What the pictures that are computed in the page have in common: formulas, sums written out, buttons for choices.
import { css, html, type TemplateResult } from "lit";
import { property } from "lit/decorators.js";
import type { Formula } from "../contract";
import { Piece, shared } from "../piece";
import { written } from "../written";
import "../components/math-formula";
import { play } from "./playing";

export const worked = css`
  .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17.5rem), 1fr)); gap: 0.8rem; align-items: start; margin: 0.8rem 0; }
  .box { border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem 0.75rem; min-width: 0; }
  .box p:last-child { margin-bottom: 0; }
  .sum { font-variant-numeric: tabular-nums; margin: 0.25rem 0; overflow-wrap: normal; padding-inline-start: 1.2rem; text-indent: -1.2rem; }
  sub { line-height: 0; }
  .sum span, .whole { white-space: nowrap; }
  .result { font-weight: 700; font-size: 1.15rem; color: var(--accent); }
  .formulas { display: flex; flex-wrap: wrap; gap: 0 1.6rem; align-items: center; margin-bottom: 0.3rem; }
  .scroll { overflow-x: auto; }
  .fill { display: block; height: 0.7rem; background: var(--bar); border-radius: 2px; min-width: 1px; }
  .choices { margin: 0.6rem 0; }
  input[type="range"] { width: 14rem; max-width: 50vw; }
  svg[role] { display: block; width: 100%; height: auto; }
  svg text { font: 13px var(--sans); fill: var(--ink); }
`;

export class LessonPicture extends Piece {
  static override styles = [shared, worked];
  @property({ attribute: false }) formulas: Record<string, Formula> = {};

  protected formula(name: string): TemplateResult {
    return html`<math-formula .formula=${this.formulas[name] ?? null}></math-formula>`;
  }

  /** Several formulas side by side where there is room. */
  protected formulaRow(...names: string[]): TemplateResult {
    return html`<div class="formulas">${names.map((name) => this.formula(name))}</div>`;
  }

  /** A line of a sum; each part stays in one piece when the line is broken. */
  protected sum(...parts: (string | TemplateResult)[]): TemplateResult {
    return html`<p class="sum">${parts.map((part) => html`<span>${part}</span> `)}</p>`;
  }

  /** A slider with its number beside it. */
  protected slider(name: string, label: string, value: number, { least, most, step, shown }: Bounds): TemplateResult {
    return html`<label><span>${written(label)}</span> <input type="range" name=${name} min=${least} max=${most} step=${step} .value=${String(value)} aria-valuetext=${shown}
      @input=${(e: Event) => play(name, (e.target as HTMLInputElement).value)} /><span class="num" data-testid=${`${name}-shown`}>${shown}</span></label>`;
  }

  /** One button for each choice, the chosen one pressed. */
  protected choices<C extends string>(name: string, label: string, choices: readonly C[], chosen: C, text: (choice: C) => string): TemplateResult {
    return html`<div class="row choices" role="group" aria-label=${label}>${choices.map((one) => html`<button type="button" data-choice=${one}
      aria-pressed=${one === chosen} @click=${() => play(name, one)}>${text(one)}</button>`)}</div>`;
  }
}

export interface Bounds { least: number; most: number; step: number; shown: string }
