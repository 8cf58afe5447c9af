// A named number, vector or matrix of the arithmetic, with the name it has in the code.
import { css, html, nothing, type PropertyValues } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { Term } from "../contract";
import { pixels } from "../drawing/heat";
import { number } from "../format";
import { both, t } from "../i18n";
import { grid, largest, type Grid } from "../matrix";
import { Piece, shared } from "../piece";
import { termName } from "../term-names";
import { theme } from "../theme";
import { written } from "../written";
import "./table-twin";

const FIRST = 6;

export interface Slice { map: Grid; rowAxis: "source" | "unit" | "none"; colAxis: "source" | "unit" }

/** A term as rows and columns; of several heads, the chosen one. */
export function sliceOf(term: Term, head: number): Slice {
  let shape = term.shown;
  let axes = term.axes;
  let data = term.data;
  if (axes[0] === "head" && shape.length > 1) {
    const size = shape.slice(1).reduce((a, b) => a * b, 1);
    const which = Math.min(head, (shape[0] ?? 1) - 1);
    data = data.slice(which * size, (which + 1) * size);
    shape = shape.slice(1);
    axes = axes.slice(1);
  }
  const cols = shape.at(-1) ?? 1;
  const rows = cols > 0 ? Math.round(data.length / cols) : 0;
  const last = axes.at(-1) === "source" ? "source" : "unit";
  const before = shape.length > 1 ? (axes.at(-2) === "source" ? "source" : "unit") : "none";
  return { map: grid(rows, cols, data), rowAxis: before, colAxis: last };
}

@customElement("term-view")
export class TermView extends Piece {
  static override styles = [shared, css`
    :host { border-inline-start: 3px solid var(--line); padding-inline-start: 0.7rem; margin: 0.5rem 0; min-width: 0; }
    .name { font-weight: 600; }
    code { color: var(--quiet); font-size: 0.85rem; }
    canvas { image-rendering: pixelated; display: block; width: 100%; max-width: 40rem; border: 1px solid var(--line); margin: 0.25rem 0; }
    ul { list-style: none; margin: 0.2rem 0; padding: 0; display: grid; gap: 2px; max-width: 34rem; }
    li { display: grid; grid-template-columns: minmax(4rem, 9rem) 4.5rem 1fr; gap: 0.5rem; align-items: center; }
    li.lit { background: var(--accent-soft); }
    .fill { height: 0.7rem; background: var(--bar); border-radius: 2px; min-width: 1px; }
    .fill.minus { background: var(--gold); }
    .word { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  `];
  @property({ attribute: false }) term: Term | null = null;
  @property({ attribute: false }) tokens: string[] = [];
  @property({ type: Number }) head = 0;
  /** How the source lies where it is a picture: numbers over it are then drawn in its rows and columns. */
  @property({ attribute: false }) lay: { rows: number; columns: number } | null = null;
  @query("canvas") private canvas!: HTMLCanvasElement | null;

  override updated(_changed: PropertyValues): void {
    if (!this.canvas || !this.term) return;
    const slice = sliceOf(this.term, this.head);
    const lies = this.lies(slice);
    const map = lies ? grid(this.lay!.rows, this.lay!.columns, slice.map.values) : slice.map;
    const image = pixels(map, "difference", theme.now, largest(map) || 1, false);
    this.canvas.width = image.width;
    this.canvas.height = image.height;
    this.canvas.style.height = lies ? "auto" : `${Math.min(160, Math.max(14, map.rows * 12))}px`;
    this.canvas.style.width = lies ? "10rem" : "";
    this.canvas.getContext("2d")!.drawImage(image, 0, 0);
  }

  override render() {
    const term = this.term;
    if (!term) return nothing;
    const slice = sliceOf(term, this.head);
    const named = termName(term.name);
    const several = term.axes[0] === "head" && (term.shape[0] ?? 1) > 1 && term.shape.length > 1;
    const cut = term.shown.join() !== term.shape.join();
    return html`<div><span class="name" data-symbol=${term.label}>${written(term.label)}</span>
        ${named ? html`<span class="small">${both(named)}</span>` : term.name === term.label ? nothing : html`<code>${term.name}</code>`}
        <span class="small quiet num">${term.shape.length ? `[${term.shape.join(" × ")}]` : ""}
          ${several ? t("term.head", { n: this.head + 1 }) : ""}${cut ? t("term.cut", { n: term.shown.at(-1) ?? 0 }) : ""}</span>
      </div>
      ${this.body(slice, term)}`;
  }

  private body({ map, rowAxis, colAxis }: Slice, term: Term) {
    if (map.values.length === 1) return html`<p class="num">${number(map.values[0], 4)}</p>`;
    if (map.rows === 1 && colAxis === "source" && !this.lies({ map, rowAxis, colAxis })) return this.bars(map);
    const first = Array.from(map.values.slice(0, FIRST), (value) => number(value)).join(", ");
    return html`<canvas role="img" aria-label=${t("term.picture", { name: term.label })}></canvas>
      ${map.rows === 1 && colAxis === "unit" ? html`<p class="small num quiet">[${first}${map.values.length > FIRST ? ", …" : ""}]</p>` : nothing}
      <table-twin .label=${term.label} .columns=${this.columns(map, colAxis)} .rows=${this.rows(map, rowAxis)}></table-twin>`;
  }

  /** Whether there is one number for each region of a picture. */
  private lies({ map, colAxis }: Slice): boolean {
    return this.lay !== null && map.rows === 1 && colAxis === "source" && map.cols === this.lay.rows * this.lay.columns;
  }

  private bars(map: Grid) {
    const most = largest(map) || 1;
    return html`<ul>${Array.from(map.values, (value, i) => html`<li>
      <span class="word" dir="auto">${this.tokens[i] ?? i}</span><span class="num small">${number(value, 4)}</span>
      <span class="fill ${value < 0 ? "minus" : ""}" .style=${`width:${Number.isNaN(value) ? 0 : (Math.abs(value) / most) * 100}%`}></span></li>`)}</ul>`;
  }

  private columns(map: Grid, axis: "source" | "unit"): string[] {
    return [t("table.name"), ...Array.from({ length: map.cols }, (_, c) => (axis === "source" ? (this.tokens[c] ?? String(c)) : String(c)))];
  }

  private rows(map: Grid, axis: "source" | "unit" | "none"): (string | number | null)[][] {
    return Array.from({ length: map.rows }, (_, r) => [
      axis === "source" ? (this.tokens[r] ?? String(r)) : axis === "none" ? (this.term?.label ?? "") : String(r),
      ...Array.from(map.values.subarray(r * map.cols, (r + 1) * map.cols), (v) => (Number.isNaN(v) ? null : v)),
    ]);
  }
}
