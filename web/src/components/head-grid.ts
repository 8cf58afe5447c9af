// Layers × heads of a Transformer as small maps; choosing one shows it large.
import { css, html, type PropertyValues } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MapKind, Matrix, Reading } from "../contract";
import { pixels } from "../drawing/heat";
import { t } from "../i18n";
import { entropy, headOf, heads, meanOverHeads, rowOf, type Grid } from "../matrix";
import { axesOf } from "../picture";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { theme } from "../theme";
import "./table-twin";

@customElement("head-grid")
export class HeadGrid extends Piece {
  static override styles = [shared, css`
    .grid { display: grid; gap: 5px; overflow-x: auto; padding: 3px; contain: layout paint style; }
    .line { display: flex; gap: 5px; align-items: center; }
    .name { flex: 0 0 3.2rem; font-size: 0.8rem; color: var(--quiet); }
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
  private drawn = "";
  protected override lag = 70;

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
    const mirrored = this.reading !== null && axesOf(this.reading, this.kind, "token").cols.rtl;
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) {
      const layer = this.layers[Number(canvas.dataset.layer)]!;
      const head = canvas.dataset.head;
      this.thumb(canvas, head === "mean" ? meanOverHeads(layer) : headOf(layer, Number(head)), mirrored);
    }
    this.looked();
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
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 0, ArrowUp: 0 };
    if (!(event.key in steps)) return;
    const buttons = [...this.renderRoot.querySelectorAll("button")];
    const now = buttons.indexOf(event.target as HTMLButtonElement);
    const wide = heads(this.layers[0]!) + 1;
    const by = event.key === "ArrowDown" ? wide : event.key === "ArrowUp" ? -wide : steps[event.key]!;
    const next = buttons[now + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  override render() {
    const { layer, head } = studio.state;
    const small = this.layers.length * (heads(this.layers[0] ?? { shape: [0], data: [] }) + 1) > 24;
    return html`
      <h3>${t("grid.title")}</h3>
      <p class="small quiet">${t("grid.help")}</p>
      <div class="grid" role="group" aria-label=${t("grid.title")} .style=${`--thumb:${small ? 52 : 76}px`} @keydown=${this.walk}>
        ${this.layers.map((matrix, l) => html`<div class="line">
          <span class="name">${t("grid.layer", { n: l + 1 })}</span>
          ${this.button(l, null, layer === l && head === null)}
          ${Array.from({ length: heads(matrix) }, (_, h) => this.button(l, h, layer === l && head === h))}
        </div>`)}
      </div>
      <table-twin .label=${t("grid.table")} .columns=${[t("grid.head"), t("grid.sharpest"), t("grid.entropy")]}
        .rows=${() => this.rows()}></table-twin>`;
  }

  private button(layer: number, head: number | null, pressed: boolean) {
    const which = head === null ? t("grid.mean") : t("grid.headN", { n: head + 1 });
    const name = `${t("grid.layer", { n: layer + 1 })}, ${which}`;
    return html`<button type="button" class=${head === null ? "mean" : ""} aria-pressed=${pressed ? "true" : "false"}
      aria-label=${name} title=${name} @click=${() => this.choose(layer, head)}>
      <canvas data-layer=${layer} data-head=${head ?? "mean"}></canvas><span class="mark"></span></button>`;
  }

  private rows(): (string | number)[][] {
    return this.layers.flatMap((matrix, l) => Array.from({ length: heads(matrix) }, (_, h) => {
      const map = headOf(matrix, h);
      const lines = Array.from({ length: map.rows }, (_, r) => rowOf(map, r));
      const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
      const name = `${t("grid.layer", { n: l + 1 })}, ${t("grid.headN", { n: h + 1 })}`;
      return [name, mean(lines.map((line) => Math.max(...line))), mean(lines.map(entropy))];
    }));
  }
}
