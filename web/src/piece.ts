// Every component of the page is a piece: it redraws when the studio or the language changes, or a font has come.
import { css, LitElement, type CSSResultGroup } from "lit";
import { language } from "./i18n";
import { studio } from "./studio";
import { theme } from "./theme";

export class Piece extends LitElement {
  private readonly redraw = () => this.requestUpdate();
  private readonly relook = () => this.looked();
  private readonly repaint = () => this.themed();

  private readonly heard: [EventTarget, string, () => void][] = [
    [studio, "change", this.redraw], [studio, "look", this.relook], [language, "change", this.redraw], [theme, "change", this.repaint],
    [document.fonts, "loadingdone", this.repaint], // a canvas drew boxes in place of Hangul, and widths have changed
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    for (const [target, event, react] of this.heard) target.addEventListener(event, react);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const [target, event, react] of this.heard) target.removeEventListener(event, react);
  }

  /** The pointer moved over another place; pieces that follow it override this. */
  protected looked(): void {}

  /** Light became dark or dark light, or letters came for which there was no font. */
  protected themed(): void {
    this.requestUpdate();
  }

  static override styles: CSSResultGroup = [];
}

export const shared = css`
  sub { line-height: 0; }
  :host { display: block; color: var(--ink); }
  :host([hidden]) { display: none; }
  *, *::before, *::after { box-sizing: border-box; }
  h2 { font-size: 1.15rem; margin: 0 0 0.5rem; line-height: 1.3; }
  h3 { font-size: 1rem; margin: 0 0 0.4rem; line-height: 1.3; }
  p { margin: 0 0 0.6rem; max-width: 46rem; }
  .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.9rem 1rem; margin: 0 0 1rem; min-width: 0; }
  .row { display: flex; flex-wrap: wrap; gap: 0.5rem 0.9rem; align-items: center; }
  .quiet { color: var(--quiet); }
  .small { font-size: 0.85rem; }
  .num { font-variant-numeric: tabular-nums; }
  td.num, th.num, label .num { white-space: nowrap; }
  button, select, input[type="text"], textarea {
    font: inherit; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: 7px;
    padding: 0.3rem 0.65rem; min-height: 2rem;
  }
  button { cursor: pointer; }
  button:hover:not(:disabled) { border-color: var(--accent); }
  button:disabled { color: var(--quiet); cursor: default; }
  button.primary { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  label { display: inline-flex; gap: 0.4rem; align-items: center; max-width: 100%; }
  select, input { max-width: 100%; min-width: 0; }
  :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
  .error { color: var(--bad); }
  .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.2rem 0.55rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
  details > summary { cursor: pointer; min-height: 1.6rem; }
  input[type="range"] { accent-color: var(--accent); min-height: 1.6rem; }
  @media (max-width: 36rem) { .card { padding: 0.7rem 0.75rem; margin-bottom: 0.7rem; } }
  @media (prefers-reduced-motion: no-preference) { button { transition: border-color 0.12s; } }
`;
