// An attention map: zoom, values under the pointer, keyboard, gold links, and its table.
import { css, html, nothing, type PropertyValues } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { About } from "../about";
import { cellAt, clamped, columnPlace, frameFor, legendStops, paint, pixels, type Frame, type Inks } from "../drawing/heat";
import { walk } from "../drawing/keys";
import { matrixSvg } from "../drawing/svg";
import type { Scale } from "../drawing/colour";
import type { Exported } from "../exporting";
import { number, signed } from "../format";
import { t } from "../i18n";
import { at, largest } from "../matrix";
import { emptyPicture, rowSums, type Picture } from "../picture";
import { Piece, shared } from "../piece";
import { studio, type Look } from "../studio";
import { theme } from "../theme";
import "./export-menu";
import "./table-twin";

/** A weight that is being dragged: where it is, what it was and what it would be. */
export interface Weighing { row: number; col: number; from: number; value: number }

/** Pixels of dragging that take a weight from 0 to 1. */
const FULL = 160;

@customElement("heat-map")
export class HeatMap extends Piece {
  static override styles = [shared, css`
    .stage { position: relative; touch-action: pan-y; contain: layout paint style; }
    .stage.zoomed { touch-action: none; cursor: grab; }
    .stage.weighable { cursor: ns-resize; }
    canvas { display: block; width: 100%; }
    .tip { position: absolute; pointer-events: none; background: var(--ink); color: var(--card); border-radius: 6px;
      padding: 0.1rem 0.5rem; font-size: 0.85rem; white-space: nowrap; z-index: 3; }
    .bar { justify-content: space-between; margin-bottom: 0.3rem; flex-wrap: nowrap; align-items: flex-start; }
    .zoom { flex: 0 0 auto; flex-wrap: nowrap; gap: 0.35rem; }
    .readout { min-height: 1.5rem; margin: 0.2rem 0; }
    .legend { display: inline-flex; align-items: center; gap: 0.25rem; }
    .swatch { width: 1.1rem; height: 0.8rem; border: 1px solid var(--line); }
    .zoom button { min-width: 2rem; padding: 0 0.4rem; }
    h3 { margin: 0.2rem 0 0; }
    :host(:not(:first-child)) { margin-top: 1rem; }
  `];
  @property({ attribute: false }) picture: Picture = emptyPicture();
  @property() label = "";
  @property() scale: Scale = "weights";
  /** Largest value of the scale; 0 takes it from the map. */
  @property({ type: Number }) most = 1;
  /** Linked maps share the pointer and the selection of the page. */
  @property({ type: Boolean }) linked = false;
  @property({ type: Boolean }) plain = false;
  /** Cells can be dragged: up (or to the right) for more weight. The owner of the picture changes it on `weighing`. */
  @property({ type: Boolean }) weighable = false;
  /** What is marked while nothing is pointed at. */
  @property({ attribute: false }) marked: Look | null = null;
  @property({ attribute: false }) about: About | null = null;
  @state() private zoom = 1;
  @state() private own: Look = { row: null, col: null };
  @query("canvas") private canvas!: HTMLCanvasElement;
  @query(".stage") private stage!: HTMLElement;
  @query(".readout") private readout!: HTMLElement;
  @query(".tip") private tip!: HTMLElement;
  private frame: Frame = { width: 0, height: 0, left: 0, top: 0, cell: 1, x: 0, y: 0 };
  private image: HTMLCanvasElement | null = null;
  private painted: Inks | null = null;
  private fitted: { width: number; zoom: number; picture: Picture; frame: Frame } | null = null;
  private shift = { x: 0, y: 0 };
  private drag: { x: number; y: number; moved: boolean } | null = null;
  private weighed: { row: number; col: number; from: number; value: number } | null = null;
  private settle = 0;
  private readonly resized = new ResizeObserver(() => this.draw());

  override firstUpdated(): void {
    this.resized.observe(this.stage);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  override updated(changed: PropertyValues): void {
    if (changed.has("picture") || changed.has("scale") || changed.has("most")) this.image = null;
    this.draw();
  }

  protected override looked(): void {
    if (this.linked) this.draw();
  }

  protected override themed(): void {
    this.image = null;
    this.painted = null;
    this.fitted = null;
    this.requestUpdate();
  }

  private get focused(): Look {
    if (this.linked) return studio.focus;
    return this.marked && this.own.row === null && this.own.col === null ? this.marked : this.own;
  }

  private get top(): number {
    return this.most > 0 ? this.most : largest(this.picture.map) || 1;
  }

  private inks(): Inks {
    const style = getComputedStyle(this);
    const read = (name: string) => style.getPropertyValue(name).trim();
    return { ink: read("--ink"), quiet: read("--quiet"), card: read("--card"), line: read("--line"),
      gold: read("--gold"), focus: read("--focus"), font: read("--sans") || "sans-serif" };
  }

  private draw(): void {
    const width = this.stage?.clientWidth ?? 0;
    if (width === 0 || !this.canvas || this.picture.map.rows === 0) return;
    const context = this.canvas.getContext("2d")!;
    const inks = (this.painted ??= this.inks());
    if (this.fitted?.width !== width || this.fitted.zoom !== this.zoom || this.fitted.picture !== this.picture) {
      context.font = `14px ${inks.font}`;
      const frame = frameFor(this.picture, width, this.zoom, (text) => context.measureText(text).width);
      this.fitted = { width, zoom: this.zoom, picture: this.picture, frame };
    }
    this.frame = clamped({ ...this.fitted.frame, ...this.shift }, this.picture);
    const ratio = Math.min(2, devicePixelRatio || 1);
    const [w, h] = [Math.round(width * ratio), Math.round(this.frame.height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.height = `${this.frame.height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.image ??= pixels(this.picture.map, this.scale, theme.now, this.top, this.picture.colsRtl);
    paint(context, { picture: this.picture, frame: this.frame, image: this.image, scale: this.scale, most: this.top,
      theme: theme.now, inks, focus: this.focused, digits: 2 });
    this.tell();
  }

  private sentence(look: Look): string {
    const { row, col } = look;
    const { rows, cols, map } = this.picture;
    if (row === null || col === null || row >= map.rows || col >= map.cols) return "";
    const value = at(map, row, col);
    const shown = this.scale === "difference" ? signed(value, 4) : number(value, 4);
    const gold = this.picture.gold?.some(([s, r]) => s === col && r === row) ? ` · ${t("map.gold")}` : "";
    return `\u2068${rows[row]}\u2069 ← \u2068${cols[col]}\u2069  ${shown}${gold}`;
  }

  private tell(): void {
    const text = this.sentence(this.focused);
    if (this.readout && this.readout.textContent !== text) this.readout.textContent = text;
    const { row, col } = this.linked ? studio.look : this.own;
    this.tip.hidden = text === "" || row === null || col === null;
    if (this.tip.hidden) return;
    this.tip.textContent = text;
    const x = this.frame.left - this.frame.x + (columnPlace(this.picture, col!) + 1) * this.frame.cell;
    const y = this.frame.top - this.frame.y + row! * this.frame.cell;
    // On whichever side there is more room; its own width is not asked for, which would lay the page out again.
    const right = x > this.frame.width * 0.6;
    this.tip.style.left = right ? "auto" : `${x + 6}px`;
    this.tip.style.right = right ? `${this.frame.width - x + this.frame.cell + 6}px` : "auto";
    this.tip.style.top = `${Math.max(0, y - 26)}px`;
  }

  private point(event: PointerEvent): Look {
    const box = this.canvas.getBoundingClientRect();
    return cellAt(this.frame, this.picture, event.clientX - box.left, event.clientY - box.top);
  }

  private look(look: Look): void {
    if (this.linked) studio.hover(look);
    else this.own = look;
  }

  private moved(event: PointerEvent): void {
    if (this.drag && this.weighed && event.buttons === 1) {
      const by = (event.clientX - this.drag.x) + (this.drag.y - event.clientY);
      if (!this.drag.moved && Math.abs(by) < 3) return;
      this.drag.moved = true;
      return this.weigh(this.weighed.from + by / FULL);
    }
    if (this.drag && this.zoom > 1 && event.buttons === 1) {
      const [dx, dy] = [event.clientX - this.drag.x, event.clientY - this.drag.y];
      if (!this.drag.moved && Math.hypot(dx, dy) < 4) return;
      this.drag = { x: event.clientX, y: event.clientY, moved: true };
      this.shift = { x: this.frame.x - dx, y: this.frame.y - dy };
      this.draw();
      return;
    }
    this.look(this.point(event));
  }

  private pressed(event: PointerEvent): void {
    this.drag = { x: event.clientX, y: event.clientY, moved: false };
    const { row, col } = this.point(event);
    if (this.weighable && row !== null && col !== null) this.take(row, col);
    if (this.zoom > 1 || this.weighed) this.stage.setPointerCapture(event.pointerId);
  }

  private take(row: number, col: number): void {
    const from = at(this.picture.map, row, col);
    this.weighed = { row, col, from, value: from };
  }

  /** Says what the weight under the hand would be; the owner draws the row again. */
  private weigh(value: number): void {
    const { weighed } = this;
    if (!weighed) return;
    weighed.value = Math.min(1, Math.max(0, Math.round(value * 100) / 100));
    this.dispatchEvent(new CustomEvent<Weighing>("weighing", { detail: { ...weighed } }));
  }

  private weighedOut(): void {
    clearTimeout(this.settle);
    const { weighed } = this;
    this.weighed = null;
    if (weighed) this.dispatchEvent(new CustomEvent<Weighing>("weigh", { detail: { ...weighed } }));
  }

  private released(event: PointerEvent): void {
    const moved = this.drag?.moved;
    this.drag = null;
    this.weighedOut();
    if (!moved) this.pick(this.point(event));
  }

  /** The browser took the pointer for itself, to scroll: nothing was meant. */
  private dropped(): void {
    this.drag = null;
    if (this.weighed) this.weighed.value = this.weighed.from;
    this.weighedOut();
  }

  private pick(look: Look): void {
    if (this.linked) studio.set({ row: look.row, col: look.col });
    else this.own = look;
    this.dispatchEvent(new CustomEvent("pick", { detail: look }));
  }

  private wheeled(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoomTo(this.zoom * (event.deltaY < 0 ? 1.25 : 0.8));
  }

  private zoomTo(zoom: number): void {
    this.zoom = Math.min(8, Math.max(1, zoom));
    if (this.zoom === 1) this.shift = { x: 0, y: 0 };
    this.requestUpdate();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "+" || event.key === "=") return this.zoomTo(this.zoom * 1.25);
    if (event.key === "-") return this.zoomTo(this.zoom * 0.8);
    if (event.key === "0") return this.zoomTo(1);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.pick(this.focused);
    }
    if (event.key === "Escape") return this.look({ row: null, col: null });
    if (this.weighable && event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      return this.nudge(event.key === "ArrowUp" ? 0.05 : -0.05);
    }
    const next = walk(event.key, this.focused, this.picture.map.rows, this.picture.map.cols, this.picture.colsRtl);
    if (!next) return;
    event.preventDefault();
    this.show(next);
    this.look(next);
  }

  /** The keyboard's drag: each press moves the weight a little, and the model writes again once the hand rests. */
  private nudge(by: number): void {
    const { row, col } = this.focused;
    if (row === null || col === null) return;
    if (this.weighed?.row !== row || this.weighed.col !== col) this.take(row, col);
    this.weigh(this.weighed!.value + by);
    clearTimeout(this.settle);
    this.settle = window.setTimeout(() => this.weighedOut(), 600);
  }

  /** Shifts a zoomed map so that a cell can be seen. */
  private show({ row, col }: Look): void {
    const { cell, left, top, width, height } = this.frame;
    const into = (place: number, from: number, room: number) => Math.min(place * cell, Math.max(from, (place + 1) * cell - room));
    this.shift = { x: into(columnPlace(this.picture, col ?? 0), this.frame.x, width - left - 4),
      y: into(row ?? 0, this.frame.y, height - top - 4) };
  }

  /** What must be said of weights that do not sum to one; nothing where they do. */
  private sums(): string {
    if (!this.picture.whole || this.scale !== "weights" || this.picture.map.rows === 0) return "";
    const [least, most] = rowSums(this.picture);
    if (least > 0.985 && most < 1.015) return "";
    const range = t("map.sums", { least: number(least, 2), most: number(most, 2) });
    const run = studio.runs.find((one) => one.id === this.about?.run?.id);
    return run?.mechanism?.scope === "local_p" ? `${range} ${t("map.sums.local")}` : range;
  }

  private columns(): string[] {
    return [t("table.rows"), ...this.picture.cols];
  }

  private cells(): (string | number | null)[][] {
    return this.picture.rows.map((row, r) => [row, ...this.picture.cols.map((_, c) => at(this.picture.map, r, c))]);
  }

  private exported(): Exported | null {
    if (!this.about) return null;
    const { rows, cols: columns, map, gold } = this.picture;
    const values = Array.from(map.values, (value) => (Number.isFinite(value) ? value : null));
    return { title: this.label, note: this.sums(), ...this.about, view: { kind: "matrix", rows, columns, values, gold, rtl: this.picture.colsRtl },
      svg: () => matrixSvg(this.picture, this.scale, this.top), columns: this.columns(), rows: this.cells() };
  }

  override render() {
    const { map } = this.picture;
    const size = t("map.size", { rows: map.rows, cols: map.cols });
    return html`
      <div class="row bar">
        <h3>${this.label}</h3>
        <span class="row zoom">
          <button type="button" @click=${() => this.zoomTo(this.zoom * 0.8)} aria-label=${t("map.smaller")}
            ?disabled=${this.zoom <= 1}>−</button>
          <button type="button" @click=${() => this.zoomTo(this.zoom * 1.25)} aria-label=${t("map.larger")}>+</button>
          ${this.about ? html`<export-menu .make=${() => this.exported()}></export-menu>` : nothing}
        </span>
      </div>
      <div class="stage ${this.zoom > 1 ? "zoomed" : ""} ${this.weighable ? "weighable" : ""}" tabindex="0" role="group"
        aria-label=${`${this.label}. ${size}. ${t("map.keys")} ${this.weighable ? t("map.weighkeys") : ""}`}
        @keydown=${this.key} @pointermove=${this.moved} @pointerdown=${this.pressed} @pointerup=${this.released}
        @pointercancel=${this.dropped}
        @pointerleave=${() => this.look({ row: null, col: null })} @wheel=${this.wheeled}>
        <canvas role="img" aria-label=${`${this.label}. ${size}`}></canvas>
        <div class="tip" dir="auto" hidden></div>
      </div>
      <p class="readout num small" aria-live="polite" dir="auto"></p>
      ${this.plain ? nothing : this.legend()}
      ${this.sums() === "" ? nothing : html`<p class="small" data-testid="sums">${this.sums()}</p>`}
      <table-twin .label=${this.label} .columns=${this.columns()} .rows=${() => this.cells()}></table-twin>`;
  }

  private legend() {
    const stops = legendStops(this.scale, theme.now, this.top);
    return html`<p class="small quiet legend num" aria-hidden="true">
      ${stops.map((stop) => html`<span class="swatch" .style=${`background:${stop.colour}`}></span>${number(stop.value, 2)}`)}
    </p>`;
  }
}
