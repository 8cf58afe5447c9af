// Lines over an axis, with a mark that can be moved; every line has its own dash, not only its own colour.
import { css, html, nothing, svg } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { scaleLinear } from "d3-scale";
import { DASHES, LINES } from "../drawing/colour";
import { standalone } from "../drawing/svg";
import type { Exported } from "../exporting";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { theme } from "../theme";
import type { About } from "../about";
import "./export-menu";
import "./table-twin";

export interface Series { name: string; points: [number, number][]; dots?: boolean }

const LEFT = 52;
const RIGHT = 20;
const HEIGHT = 230;
const BASE = HEIGHT - 40;

@customElement("curve-chart")
export class CurveChart extends Piece {
  static override styles = [shared, css`
    :host(:not(:first-child)) { margin-top: 0.8rem; }
    .bar { justify-content: space-between; }
    svg { display: block; width: 100%; height: ${HEIGHT}px; }
    text { font: 12px var(--sans); fill: var(--quiet); }
    svg.slides { cursor: ew-resize; touch-action: pan-y; }
    .grid { stroke: var(--line); stroke-width: 1; }
    .mark { stroke: var(--focus); stroke-width: 2; }
    path { fill: none; stroke-width: 2; }
    ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.2rem 0; padding: 0; font-size: 0.85rem; }
    li { display: flex; gap: 0.4rem; align-items: center; }
    li svg { width: 30px; height: 10px; }
  `];
  @property() label = "";
  @property() xName = "";
  /** What a place on the axis stands for, where the axis is not even: 64 for the sixth power of 2. */
  @property({ attribute: false }) xScale: (at: number) => number = (at) => at;
  @property({ attribute: false }) series: Series[] = [];
  /** Where the axis begins, if not just under the smallest value. */
  @property({ type: Number }) least: number | null = null;
  /** The largest value there can be, such as 100 for percentages; the axis ends there. */
  @property({ type: Number }) most = Infinity;
  /** The mark follows the pointer while it is pressed. */
  @property({ type: Boolean }) slides = false;
  @property({ attribute: false }) mark: number | null = null;
  @property({ attribute: false }) about: About | null = null;
  @state() private width = 560;
  @query("svg.chart") private drawn!: SVGSVGElement;
  private readonly resized = new ResizeObserver(([entry]) => {
    this.width = Math.max(220, Math.round(entry!.contentRect.width));
  });

  override firstUpdated(): void {
    this.resized.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private scales() {
    const points = this.series.flatMap((one) => one.points);
    const xs = points.map(([x]) => x);
    const ys = points.map(([, y]) => y);
    if (this.mark !== null) xs.push(this.mark);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const room = (high - low || 1) * 0.06;
    const x = scaleLinear().domain([Math.min(...xs), Math.max(...xs)]).range([LEFT, this.width - RIGHT]);
    // Numbers that are never negative get no negative axis.
    const floor = low >= 0 ? Math.max(0, low - room) : low - room;
    const y = scaleLinear().domain([this.least ?? floor, this.most < Infinity && this.least !== null ? this.most : high + room]).range([BASE, 10]).nice(5);
    const [bottom = 0, top = 1] = y.domain();
    return { x, y: y.domain([bottom, Math.min(top, this.most)]) };
  }

  private slide(event: PointerEvent): void {
    if (!this.slides || event.buttons !== 1) return;
    if (event.type === "pointerdown") this.drawn.setPointerCapture(event.pointerId);
    this.pick(event);
  }

  private pick(event: MouseEvent): void {
    const box = this.drawn.getBoundingClientRect();
    const at = this.scales().x.invert(((event.clientX - box.left) / box.width) * this.width);
    this.dispatchEvent(new CustomEvent<number>("pick", { detail: at }));
  }

  override render() {
    const shown = this.series.filter((one) => one.points.length > 0);
    if (shown.length === 0) return html`<h3>${this.label}</h3><p class="quiet small">${t("chart.empty")}</p>`;
    const { x, y } = this.scales();
    const name = y.tickFormat(5);
    const colours = LINES[theme.now];
    const columns = [t("chart.series"), this.xName, t("chart.value")];
    const rows = shown.flatMap((one) => one.points.map(([at, value]) => [one.name, this.xScale(at), value]));
    return html`<div class="row bar"><h3>${this.label}</h3>${this.about ? html`<export-menu .make=${() => this.exported(columns, rows)}></export-menu>` : nothing}</div>
      <svg class=${`chart ${this.slides ? "slides" : ""}`} viewBox="0 0 ${this.width} ${HEIGHT}" role="img" aria-label=${`${this.label}: ${shown.map((one) => one.name).join(", ")}`} @click=${this.pick}
        @pointerdown=${this.slide} @pointermove=${this.slide}>
        ${y.ticks(5).map((at) => svg`<line class="grid" x1=${LEFT} x2=${this.width - RIGHT} y1=${y(at)} y2=${y(at)}></line>
          <text x=${LEFT - 6} y=${y(at) + 4} text-anchor="end">${name(at)}</text>`)}
        ${x.ticks(Math.max(2, Math.floor(this.width / 110))).filter(Number.isInteger).map((at) => svg`<text x=${x(at)} y=${BASE + 18} text-anchor="middle">${this.xScale(at)}</text>`)}
        ${shown.map((one, i) => one.dots || one.points.length === 1
          ? one.points.map(([a, b]) => svg`<circle cx=${x(a)} cy=${y(b)} r="4" fill=${colours[i % colours.length]!}></circle>`)
          : svg`<path d=${`M${one.points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`}
            stroke=${colours[i % colours.length]!} stroke-dasharray=${DASHES[i % DASHES.length]!}></path>`)}
        ${this.mark === null ? nothing : svg`<line class="mark" x1=${x(this.mark)} x2=${x(this.mark)} y1="6" y2=${BASE}></line>`}
        <text x=${this.width - RIGHT} y=${HEIGHT - 2} text-anchor="end">${this.xName}</text>
      </svg>
      <ul aria-hidden="true">${shown.map((one, i) => html`<li><svg viewBox="0 0 30 10">${one.dots ? svg`<circle cx="15" cy="5" r="4" fill=${colours[i % colours.length]!}></circle>`
        : svg`<path d="M0 5H30" stroke=${colours[i % colours.length]!} stroke-dasharray=${DASHES[i % DASHES.length]!}></path>`}</svg>${one.name}</li>`)}</ul>
      <table-twin .label=${this.label} .columns=${columns} .rows=${rows}></table-twin>`;
  }

  private exported(columns: string[], rows: (string | number)[][]): Exported | null {
    if (!this.about) return null;
    const background = getComputedStyle(this).getPropertyValue("--card").trim();
    return { title: this.label, ...this.about, columns, rows, view: { kind: "table", columns, rows: rows.slice(0, 4000) },
      svg: () => standalone(this.drawn, background) };
  }
}
