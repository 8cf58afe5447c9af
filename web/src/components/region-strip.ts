// One small picture for each word: where it looked. After figure 3 of Xu et al. (2015).
import { css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { About } from "../about";
import type { PictureRead } from "../contract";
import type { Exported } from "../exporting";
import type { Picture } from "../picture";
import { Piece, shared } from "../piece";
import { taskText as t } from "../task-text";
import { countOf, stripSvg, weightsOf } from "../regions";
import "./export-menu";
import "./region-map";

@customElement("region-strip")
export class RegionStrip extends Piece {
  static override styles = [shared, css`
    .title { display: flex; justify-content: space-between; gap: 1rem; }
    ol { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); gap: 0.5rem; }
    button { display: block; width: 100%; padding: 0.2rem 0.3rem 0.35rem; border-color: transparent; background: none; min-width: 0; }
    button span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    button[aria-pressed="true"] { border-color: var(--accent); background: var(--accent-soft); }
  `];
  @property({ attribute: false }) map: Picture | null = null;
  @property({ attribute: false }) read: PictureRead | null = null;
  @property({ attribute: false }) about: About | null = null;
  @property() label = "";
  @property({ type: Number }) row: number | null = null;

  private tell(name: "point" | "pick", row: number | null): void {
    this.dispatchEvent(new CustomEvent<number | null>(name, { detail: row }));
  }

  override render() {
    const { map, read } = this;
    if (!map || !read) return nothing;
    return html`<div class="title"><h3>${this.label}</h3>${this.about ? html`<export-menu .make=${() => this.exported(map, read)}></export-menu>` : nothing}</div>
      <ol>${map.rows.map((word, r) => html`<li><button type="button" aria-pressed=${r === this.row ? "true" : "false"} data-row=${r}
        @click=${() => this.tell("pick", r)} @pointerenter=${() => this.tell("point", r)} @pointerleave=${() => this.tell("point", null)}>
        <span dir="auto">${word}</span><region-map .read=${read} .weights=${weightsOf(map, r, read)} .label=${t("region.of", { word })}></region-map></button></li>`)}</ol>`;
  }

  private exported(map: Picture, read: PictureRead): Exported {
    const names = map.cols.slice(0, countOf(read));
    const columns = [t("links.target"), ...names];
    const rows = map.rows.map((word, r) => [word, ...weightsOf(map, r, read)]);
    const values = map.rows.flatMap((_, r) => weightsOf(map, r, read));
    return { title: this.label, ...this.about!, columns, rows, svg: () => stripSvg(map, read),
      view: { kind: "matrix", rows: map.rows, columns: names, values } };
  }
}
