// The two sentences with links between their words; thicker is more weight.
import { css, html, nothing, svg, type PropertyValues } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { walk } from "../drawing/keys";
import { standalone } from "../drawing/svg";
import type { Exported } from "../exporting";
import { number, short } from "../format";
import { at } from "../matrix";
import { emptyPicture, type Picture } from "../picture";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { taskText as t } from "../task-text";
import type { About } from "../about";
import "./export-menu";
import "./table-twin";

const GAP = 18;
const TOP = 26;
const BOTTOM = 150;
const FAINTEST = 0.04;
/** How small the drawing gets on a narrow screen before it scrolls instead. */
const SMALLEST = 0.58;

interface Place { label: string; x: number; width: number }
interface Parts { rows: SVGPathElement[][]; cols: SVGPathElement[][]; words: Record<"row" | "col", SVGGElement[]> }
interface Layout { width: number; sources: Place[]; targets: Place[] }

@customElement("sentence-links")
export class SentenceLinks extends Piece {
  static override styles = [shared, css`
    .bar { justify-content: space-between; }
    .scroll { overflow-x: auto; padding: 0.2rem; contain: layout paint style; }
    svg { display: block; margin: 0 auto; width: 100%; height: auto; }
    text { fill: var(--ink); font: 16px var(--sans); text-anchor: middle; cursor: pointer; unicode-bidi: plaintext; }
    svg.some text { fill: var(--quiet); }
    svg text.lit { font-weight: 700; fill: var(--ink); }
    text.side { font-size: 12px; fill: var(--quiet); text-anchor: start; cursor: default; }
    rect { fill: transparent; cursor: pointer; }
    g.own rect { fill: var(--accent-soft); }
    path { fill: none; stroke: var(--accent); stroke-linecap: round; }
    svg.some path { opacity: 0.12; }
    svg.some path.lit { opacity: 1; }
    path.gold { stroke: var(--gold); stroke-dasharray: 4 3; stroke-width: 1.5; }
  `];
  @property({ attribute: false }) picture: Picture = emptyPicture();
  @property() label = "";
  @property({ attribute: false }) about: About | null = null;
  @query("svg") private drawn!: SVGSVGElement;
  private placed: Layout | null = null;
  private parts: Parts | null = null;
  private lit: Element[] = [];

  protected override looked(): void {
    this.light();
  }

  override updated(): void {
    this.parts = this.collect();
    for (const one of this.lit) one.classList.remove("lit"); // elements are used again for the next picture's words
    this.lit = [];
    this.light();
  }

  /** The drawn elements by what they show, so that the pointer need not draw anything again. */
  private collect(): Parts {
    const { rows, cols } = this.picture.map;
    const parts: Parts = { rows: Array.from({ length: rows }, () => []), cols: Array.from({ length: cols }, () => []), words: { row: [], col: [] } };
    for (const path of this.drawn.querySelectorAll<SVGPathElement>("path")) {
      parts.rows[Number(path.dataset.row)]?.push(path);
      parts.cols[Number(path.dataset.col)]?.push(path);
    }
    for (const word of this.drawn.querySelectorAll<SVGGElement>("g[data-kind]")) parts.words[word.dataset.kind as "row" | "col"].push(word);
    return parts;
  }

  /** Lights what belongs to the word in focus. */
  private light(): void {
    const { parts } = this;
    if (!parts) return;
    const { row, col } = studio.focus;
    this.drawn.classList.toggle("some", row !== null || col !== null);
    const words = (["row", "col"] as const).flatMap((kind) => parts.words[kind].flatMap((word, i) => {
      word.classList.toggle("own", studio.focus[kind] === i);
      return studio.focus[kind] === i || this.strength(i, kind) > 0.3 ? [word.lastElementChild!] : [];
    }));
    const paths = row !== null ? (parts.rows[row] ?? []) : col !== null ? (parts.cols[col] ?? []) : [];
    const lit = [...paths, ...words];
    for (const one of this.lit) one.classList.remove("lit");
    for (const one of lit) one.classList.add("lit");
    this.lit = lit;
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("picture") || this.placed === null) this.placed = this.layout();
  }

  /** Where all words stand; it depends on the picture only, not on the pointer. */
  private layout(): Layout {
    const { picture } = this;
    const pen = document.createElement("canvas").getContext("2d")!;
    pen.font = `16px ${getComputedStyle(this).getPropertyValue("--sans") || "sans-serif"}`;
    const top = this.places(pen, picture.cols, picture.colsRtl);
    const bottom = this.places(pen, picture.rows, picture.rowsRtl);
    const width = Math.max(top.total, bottom.total, 40) + 24;
    const centre = (line: { places: Place[]; total: number }) =>
      line.places.map((place) => ({ ...place, x: place.x + (width - line.total) / 2 }));
    return { width, sources: centre(top), targets: centre(bottom) };
  }

  private places(pen: CanvasRenderingContext2D, labels: string[], mirrored: boolean): { places: Place[]; total: number } {
    let x = 0;
    const order = mirrored ? [...labels.keys()].reverse() : [...labels.keys()];
    const places: Place[] = new Array<Place>(labels.length);
    for (const i of order) {
      const label = short(labels[i]!, 24);
      const width = Math.max(14, pen.measureText(label).width + 6);
      places[i] = { label, x: x + width / 2, width };
      x += width + GAP;
    }
    return { places, total: Math.max(0, x - GAP) };
  }

  private key(event: KeyboardEvent): void {
    const { map, colsRtl } = this.picture;
    const { row, col } = studio.focus;
    // Up is the source, down the target: left and right walk through the one that was looked at last.
    const next = walk(event.key, { row, col }, map.rows, map.cols, colsRtl);
    if (!next) return;
    event.preventDefault();
    studio.hover(next);
  }

  override render() {
    const { width, sources, targets } = this.placed!;
    const columns = [t("links.target"), t("links.source"), t("links.weight")];
    return html`
      <div class="row bar"><h3>${this.label}</h3>
        ${this.about ? html`<export-menu .make=${() => this.exported(columns)}></export-menu>` : nothing}</div>
      <div class="scroll" tabindex="0" role="group" aria-label=${`${this.label}. ${t("links.keys")}`}
        @keydown=${this.key} @pointerleave=${() => studio.hover({ row: null, col: null })}>
        <svg viewBox="0 0 ${width} ${BOTTOM + 40}" role="img" .style=${`max-width:${width}px;min-width:${width * SMALLEST}px`}
          aria-label=${this.label}>
          ${this.links(sources, targets)}
          ${sources.map((place, i) => this.word(place, i, "col"))}
          ${targets.map((place, i) => this.word(place, i, "row"))}
        </svg>
      </div>
      <table-twin .label=${this.label} .columns=${columns} .rows=${() => this.rows()}></table-twin>`;
  }

  private links(sources: Place[], targets: Place[]) {
    const { map, gold } = this.picture;
    const curve = (s: Place, r: Place) => {
      const [y1, y2, bend] = [TOP + 13, BOTTOM - 20, (BOTTOM - TOP) * 0.45];
      return `M${s.x} ${y1}C${s.x} ${y1 + bend} ${r.x} ${y2 - bend} ${r.x} ${y2}`;
    };
    const drawn = [];
    for (let r = 0; r < map.rows; r++) {
      for (let c = 0; c < map.cols; c++) {
        const weight = at(map, r, c);
        const [from, to] = [sources[c], targets[r]];
        if (!(weight >= FAINTEST) || !from || !to) continue;
        drawn.push(svg`<path data-row=${r} data-col=${c} d=${curve(from, to)} stroke-width=${1 + weight * 6}
          stroke-opacity=${0.2 + weight * 0.75}><title>${this.describe(r, c)}</title></path>`);
      }
    }
    const golden = (gold ?? []).filter(([s, r]) => sources[s] && targets[r])
      .map(([s, r]) => svg`<path class="gold" data-row=${r} data-col=${s} d=${curve(sources[s]!, targets[r]!)}></path>`);
    return [drawn, golden];
  }

  private describe(row: number, col: number): string {
    return `${this.picture.rows[row]} ← ${this.picture.cols[col]}: ${number(at(this.picture.map, row, col))}`;
  }

  private word(place: Place, i: number, kind: "row" | "col") {
    const y = kind === "col" ? TOP : BOTTOM;
    const look = () => studio.hover(kind === "row" ? { row: i, col: null } : { row: null, col: i });
    const pick = () => studio.set(kind === "row" ? { row: i, col: null } : { row: studio.state.row, col: i });
    return svg`<g data-kind=${kind} @pointerenter=${look} @click=${pick}>
      <rect x=${place.x - place.width / 2 - 3} y=${y - 17} width=${place.width + 6} height="26" rx="5"></rect>
      <text x=${place.x} y=${y}>${place.label}</text></g>`;
  }

  /** How much the word in focus and this one have to do with each other. */
  private strength(i: number, kind: "row" | "col"): number {
    const { row, col } = studio.focus;
    if (kind === "col" && row !== null) return at(this.picture.map, row, i);
    if (kind === "row" && row === null && col !== null) return at(this.picture.map, i, col);
    return 0;
  }

  private rows(): (string | number)[][] {
    const { rows, cols, map } = this.picture;
    return rows.flatMap((row, r) => cols.map((col, c) => [row, col, at(map, r, c)] as [string, string, number]))
      .filter(([, , weight]) => weight >= FAINTEST);
  }

  private exported(columns: string[]): Exported | null {
    if (!this.about) return null;
    const rows = this.rows();
    const background = getComputedStyle(this).getPropertyValue("--card").trim();
    return { title: this.label, ...this.about, view: { kind: "table", columns, rows }, columns, rows,
      svg: () => standalone(this.drawn, background) };
  }
}
