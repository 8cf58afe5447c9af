// Numbers of a vector or matrix that can be typed, stepped with the arrow keys, or dragged sideways.
import { css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import { Piece, shared } from "../piece";

const PIXELS = 10;
const START = 5;

@customElement("number-grid")
export class NumberGrid extends Piece {
  static override styles = [shared, css`
    :host { display: inline-block; vertical-align: middle; }
    .grid { display: inline-grid; gap: 3px; padding: 3px 5px; border: solid var(--ink); border-width: 0 2px; border-radius: 7px; }
    input { font: inherit; font-variant-numeric: tabular-nums; width: 3.4rem; min-height: 2rem; padding: 0.1rem 0.2rem; text-align: center; cursor: ew-resize;
      color: var(--accent); background: var(--field); border: 1px solid var(--edge); border-radius: 5px; touch-action: pan-y; appearance: textfield; }
    input::-webkit-inner-spin-button, input::-webkit-outer-spin-button { appearance: none; margin: 0; }
    input[readonly] { color: var(--ink); border-color: transparent; background: none; cursor: default; }
    @media (max-width: 30rem) { input { width: 2.9rem; } }
  `];
  @property() label = "";
  @property({ attribute: false }) values: number[][] = [];
  @property({ type: Number }) step = 1;
  /** Places whose number is part of the definition and cannot be changed. */
  @property({ attribute: false }) fixed: (row: number, col: number) => boolean = () => false;
  private held: { x: number; from: number; row: number; col: number; moved: boolean } | null = null;

  private tell(row: number, col: number, value: number): void {
    if (!Number.isFinite(value) || Math.abs(value) > 1e4) return;
    const detail = this.values.map((line, r) => line.map((old, c) => (r === row && c === col ? Number(value.toFixed(4)) : old)));
    this.dispatchEvent(new CustomEvent<number[][]>("edited", { detail }));
  }

  private press(event: PointerEvent, row: number, col: number): void {
    this.held = { x: event.clientX, from: this.values[row]![col]!, row, col, moved: false };
  }

  private move(event: PointerEvent): void {
    const { held } = this;
    if (!held || event.buttons === 0) return;
    const by = event.clientX - held.x;
    if (!held.moved && Math.abs(by) < START) return;
    held.moved = true;
    const field = event.target as HTMLInputElement;
    field.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.tell(held.row, held.col, held.from + Math.round(by / PIXELS) * this.step);
  }

  override render() {
    const columns = this.values[0]?.length ?? 0;
    return html`<span class="grid" role="group" aria-label=${this.label} .style=${`grid-template-columns:repeat(${columns},auto)`}>
      ${this.values.map((line, r) => line.map((value, c) => html`<input type="number" step=${this.step} .value=${String(value)} ?readonly=${this.fixed(r, c)}
        aria-label=${this.values.length > 1 ? `${this.label} ${r + 1}, ${c + 1}` : `${this.label} ${c + 1}`}
        @input=${(e: Event) => { const { value: typed } = e.target as HTMLInputElement; if (typed !== "" && !this.fixed(r, c)) this.tell(r, c, Number(typed)); }}
        @change=${() => this.requestUpdate()}
        @pointerdown=${(e: PointerEvent) => { if (!this.fixed(r, c)) this.press(e, r, c); }} @pointermove=${this.move}
        @pointerup=${() => (this.held = null)} @pointercancel=${() => (this.held = null)} />`))}</span>`;
  }
}
