// A picture with its regions: bright where a word looks, dark elsewhere. A region can be pointed at and picked.
import { css, html, nothing, svg } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { PictureRead } from "../contract";
import { percent } from "../format";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { boxOf, countOf, hrefOf, shades } from "../regions";

@customElement("region-map")
export class RegionMap extends Piece {
  static override styles = [shared, css`
    svg { display: block; width: 100%; height: auto; border-radius: 6px; border: 1px solid var(--edge); }
    :host([pickable]) svg { cursor: pointer; touch-action: manipulation; }
    image { image-rendering: auto; }
    .edge { fill: none; stroke: #ffffff; stroke-opacity: 0.35; }
    .chosen { fill: none; stroke: #ffb000; stroke-width: 3; }
    .sign { fill: #ffffff; stroke: #0b1020; stroke-width: 3; paint-order: stroke; font: 700 18px var(--sans); text-anchor: middle; }
    p { min-height: 1.3rem; margin: 0.25rem 0 0; }
  `];
  @property({ attribute: false }) read: PictureRead | null = null;
  /** One weight for each region; null shows the picture as it is. */
  @property({ attribute: false }) weights: readonly number[] | null = null;
  @property({ type: Number }) chosen: number | null = null;
  /** A short sign for regions that were changed. */
  @property({ attribute: false }) signs: ReadonlyMap<number, string> = new Map();
  @property() label = "";
  @property({ type: Boolean, reflect: true }) pickable = false;

  private place(event: PointerEvent): number | null {
    const read = this.read!;
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return null;
    return Math.floor(y * read.rows) * read.columns + Math.floor(x * read.columns);
  }

  private tell(name: "point" | "pick", region: number | null): void {
    this.dispatchEvent(new CustomEvent<number | null>(name, { detail: region }));
  }

  private key(event: KeyboardEvent): void {
    const { rows, columns } = this.read!;
    const at = this.chosen ?? 0;
    const [row, column] = [Math.floor(at / columns), at % columns];
    const moved: Record<string, [number, number]> = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
    };
    const to = moved[event.key];
    if (event.key === "Enter" || event.key === " ") this.tell("pick", at);
    else if (to) this.tell("point", Math.min(rows - 1, Math.max(0, to[0])) * columns + Math.min(columns - 1, Math.max(0, to[1])));
    else return;
    event.preventDefault();
  }

  override render() {
    const { read } = this;
    if (!read) return nothing;
    const [width, height] = [400, (400 * read.height) / read.width];
    const shade = this.weights ? shades(this.weights) : null;
    const drawn = svg`<image href=${hrefOf(read.png)} width=${width} height=${height} preserveAspectRatio="none"></image>
      ${Array.from({ length: countOf(read) }, (_, i) => this.region(i, read, width, height, shade))}
      ${this.chosen === null ? nothing : svg`<rect class="chosen" x=${boxOf(this.chosen, read, width, height).x} y=${boxOf(this.chosen, read, width, height).y}
        width=${width / read.columns} height=${height / read.rows}></rect>`}`;
    const box = `0 0 ${width} ${height}`;
    if (!this.pickable) return html`<svg viewBox=${box} role="img" aria-label=${this.label}>${drawn}</svg>`;
    return html`<div role="group" tabindex="0" aria-label=${`${this.label}. ${t("region.keys")}`} @keydown=${this.key}>
      <svg viewBox=${box} role="img" aria-label=${this.label} @pointermove=${(e: PointerEvent) => this.tell("point", this.place(e))}
        @pointerleave=${() => this.tell("point", null)} @click=${(e: PointerEvent) => this.tell("pick", this.place(e))}>${drawn}</svg></div>
      <p class="small quiet num" aria-live="polite">${this.said()}</p>`;
  }

  private region(i: number, read: PictureRead, width: number, height: number, shade: number[] | null) {
    const box = boxOf(i, read, width, height);
    const sign = this.signs.get(i);
    return svg`<rect class=${shade ? "" : "edge"} x=${box.x} y=${box.y} width=${box.width} height=${box.height} fill="#0b1020"
        fill-opacity=${shade ? shade[i]!.toFixed(3) : 0} data-region=${i}></rect>
      ${sign ? svg`<text class="sign" x=${box.x + box.width / 2} y=${box.y + box.height / 2 + 6}>${sign}</text>` : nothing}`;
  }

  /** The region in focus, in words. */
  private said(): string {
    const { chosen, read } = this;
    if (chosen === null || !read) return "";
    const place = { row: Math.floor(chosen / read.columns) + 1, column: (chosen % read.columns) + 1 };
    const weight = this.weights?.[chosen];
    return weight === undefined ? t("region.place", place) : t("region.weight", { ...place, weight: percent(weight) });
  }
}
