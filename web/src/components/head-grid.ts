// Layers × heads of a Transformer as small maps; choosing one shows it large.
import { css, html, nothing, type PropertyValues } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MapKind, Matrix, Reading } from "../contract";
import { pixels } from "../drawing/heat";
import { gridSvg } from "../drawing/sheet";
import type { Exported } from "../exporting";
import { t } from "../i18n";
import { entropy, headOf, heads, meanOf, meanOverHeads, rowOf, type Grid } from "../matrix";
import { ALL_LAYERS, axesOf } from "../picture";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { theme } from "../theme";
import type { About } from "../about";
import "./export-menu";
import "./table-twin";

@customElement("head-grid")
export class HeadGrid extends Piece {
  static override styles = [shared, css`
    .grid { display: grid; gap: 5px; overflow-x: auto; padding: 3px; contain: layout paint style; }
    .line { display: flex; gap: 5px; align-items: center; }
    .bar { justify-content: space-between; }
    .name { flex: 0 0 3.6rem; font-size: 0.8rem; color: var(--quiet); }
    button { padding: 2px; border-width: 2px; border-radius: 5px; min-height: 0; position: relative; line-height: 0; flex: 0 0 auto; }
    button.mean { margin-inline-end: 8px; }
    button[aria-pressed="true"] { border-color: var(--focus); background: var(--focus); }
    canvas { width: var(--thumb); height: var(--thumb); image-rendering: pixelated; }
    .mark { position: absolute; left: 2px; right: 2px; height: 2px; background: var(--focus); pointer-events: none; display: none;
      top: 2px; transform: translateY(calc(var(--thumb) * var(--look))); }
    .looking .mark { display: block; }
  `];
  @property({ attribute: false }) reading: Reading | null = null;
  @property() kind: MapKind = "cross";
  @property({ attribute: false }) about: About | null = null;
  private drawn = "";

  protected override looked(): void {
    const grid = this.renderRoot.querySelector<HTMLElement>(".grid");
    const rows = this.layers[0]?.shape[1] ?? 0;
    const shown = studio.shown();
    const row = studio.focus.row;
    const token = row === null ? null : (shown?.rowTokens[row]?.[0] ?? null);
    grid?.classList.toggle("looking", token !== null);
    if (token !== null && rows > 0) grid?.style.setProperty("--look", String((token + 0.5) / rows));
  }

  protected override themed(): void {
    this.drawn = "";
    this.requestUpdate();
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("reading") || changed.has("kind")) this.drawn = "";
  }

  private get layers(): Matrix[] {
    return this.reading?.attention[this.kind] ?? [];
  }

  override updated(): void {
    if (this.drawn !== "") return this.looked();
    this.drawn = "yes";
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) this.thumb(canvas, this.mapOfCanvas(canvas), this.mirrored);
    this.looked();
  }

  private get mirrored(): boolean {
    return this.reading !== null && axesOf(this.reading, this.kind, "token").cols.rtl;
  }

  private mapOfCanvas({ dataset: { layer, head } }: HTMLCanvasElement): Grid {
    return this.mapOf(Number(layer), head === "mean" ? null : Number(head));
  }

  private mapOf(layer: number, head: number | null): Grid {
    if (layer === ALL_LAYERS) return meanOf(this.layers.map((one) => meanOverHeads(one)));
    const matrix = this.layers[layer]!;
    return head === null ? meanOverHeads(matrix) : headOf(matrix, head);
  }

  private thumb(canvas: HTMLCanvasElement, map: Grid, mirrored: boolean): void {
    const image = pixels(map, "weights", theme.now, 1, mirrored);
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0);
  }

  private choose(layer: number, head: number | null): void {
    studio.set({ layer, head });
  }

  private walk(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const step = steps[event.key];
    const button = (event.target as Element).closest("button");
    if (!step || !button) return;
    const lines = [...this.renderRoot.querySelectorAll(".line")].map((line) => [...line.querySelectorAll("button")]);
    const line = lines.findIndex((one) => one.includes(button));
    const place = lines[line]!.indexOf(button);
    const to = lines[line + step[0]];
    const next = to?.[step[0] === 0 ? place + step[1] : Math.min(place, to.length - 1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  override render() {
    const { layer, head } = studio.state;
    const across = heads(this.layers[0] ?? { shape: [0], data: [] }) + 1; // the mean and each head
    const small = this.layers.length * across > 24;
    return html`
      <div class="row bar"><h3>${t("grid.title")}</h3>
        ${this.about ? html`<export-menu .make=${() => this.exported()}></export-menu>` : nothing}</div>
      <p class="small quiet">${t("grid.help")}</p>
      <div class="grid" role="group" aria-label=${t("grid.title")} .style=${`--thumb:max(28px, min(${small ? 52 : 76}px, calc((100vw - 8.2rem) / ${across} - 12px)))`} @keydown=${this.walk}>
        ${this.layers.length > 1 ? html`<div class="line"><span class="name">${t("grid.all")}</span>
          ${this.button(ALL_LAYERS, null, layer === ALL_LAYERS)}</div>` : nothing}
        ${this.layers.map((matrix, l) => html`<div class="line">
          <span class="name">${t("grid.layer", { n: l + 1 })}</span>
          ${this.button(l, null, layer === l && head === null)}
          ${Array.from({ length: heads(matrix) }, (_, h) => this.button(l, h, layer === l && head === h))}
        </div>`)}
      </div>
      <table-twin .label=${t("grid.table")} .columns=${this.columns()}
        .rows=${() => this.rows()}></table-twin>`;
  }

  private button(layer: number, head: number | null, pressed: boolean) {
    const name = this.nameOf(layer, head);
    return html`<button type="button" class=${head === null ? "mean" : ""} aria-pressed=${pressed ? "true" : "false"}
      aria-label=${name} title=${name} @click=${() => this.choose(layer, head)}>
      <canvas data-layer=${layer} data-head=${head ?? "mean"}></canvas><span class="mark"></span></button>`;
  }

  private nameOf(layer: number, head: number | null): string {
    const which = head === null ? t("grid.mean") : t("grid.headN", { n: head + 1 });
    return `${layer === ALL_LAYERS ? t("grid.all") : t("grid.layer", { n: layer + 1 })}, ${which}`;
  }

  private columns(): string[] {
    return [t("grid.head"), t("grid.sharpest"), t("grid.entropy")];
  }

  /** All small maps as one picture; the table and the files of numbers tell how sharply each head looks. */
  private exported(): Exported | null {
    if (!this.about) return null;
    const [columns, rows] = [this.columns(), this.rows()];
    const mirrored = this.mirrored;
    const picture = (canvas: HTMLCanvasElement) => ({ href: canvas.toDataURL(), map: this.mapOfCanvas(canvas), mirrored });
    const lines = [...this.renderRoot.querySelectorAll(".line")].map((line) => ({
      name: line.querySelector(".name")!.textContent ?? "",
      pictures: [...line.querySelectorAll("canvas")].map(picture),
    }));
    return { title: `${t("grid.title")}: ${t(`kind.${this.kind}`)}`, ...this.about, columns, rows,
      view: { kind: "table", columns, rows }, svg: (pixels = true) => gridSvg(lines, pixels) };
  }

  private rows(): (string | number)[][] {
    return this.layers.flatMap((matrix, l) => Array.from({ length: heads(matrix) }, (_, h) => {
      const map = headOf(matrix, h);
      const lines = Array.from({ length: map.rows }, (_, r) => rowOf(map, r));
      const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
      return [this.nameOf(l, h), mean(lines.map((line) => Math.max(...line))), mean(lines.map(entropy))];
    }));
  }
}
