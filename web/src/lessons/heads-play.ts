// A Transformer's own maps, linked like in the translate view: choose attention, layer and head.
import { css, html, nothing, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { LessonModel, MapKind } from "../contract";
import { both, t } from "../i18n";
import { Piece, shared } from "../piece";
import { at } from "../matrix";
import { headCount, layersOf, type Picture } from "../picture";
import { studio } from "../studio";
import { aboutReading } from "../about";
import "../components/head-grid";
import "../components/heat-map";
import "../components/map-controls";
import "../components/note-list";
import "../components/sentence-links";

/** How many weights of a row are written out. */
const SHOWN = 4;

@customElement("heads-play")
export class HeadsPlay extends Piece {
  static override styles = [shared, css`label { flex-wrap: wrap; } input { width: min(32rem, 76vw); } .gap { margin: 0.8rem 0; } .whole { white-space: nowrap; }`];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  @property() kind: MapKind = "encoder";
  /** Where the lesson begins: a layer, a head and a row. */
  @property({ attribute: false }) first: { layer: number | null; head: number | null; row: number | null } = { layer: null, head: null, row: null };
  @state() private model = 0;

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("sentence") && !changed.has("kind")) return;
    const linked = this.models.findIndex((model) => model.run !== null && model.run === studio.state.run);
    if (linked >= 0 && studio.state.text.trim() !== "") {
      this.model = linked;
      void studio.translate();
      return;
    }
    this.model = this.models.length - 1;
    this.show(this.sentence, { kind: this.kind, level: "word", ...this.first });
  }

  private show(text: string, more: Partial<typeof studio.state> = {}): void {
    const run = this.models[this.model]?.run;
    if (!run) return;
    // after this update: the page must not change while it is drawn
    queueMicrotask(() => {
      studio.set({ run, step: null, text, row: null, col: null, ...more });
      void studio.translate();
    });
  }

  /** How the model's width is shared by its heads. */
  private width() {
    const decoder = studio.run?.decoder;
    if (!decoder) return nothing;
    const { size, heads } = decoder;
    return html`<p class="num" data-testid="width">${t("lesson.headwidth", { d: size, h: heads, w: size / heads })}</p>`;
  }

  /** The weights of the chosen row, the largest first. */
  private looks(picture: Picture) {
    const { row } = studio.state;
    if (row === null || row >= picture.rows.length) return nothing;
    const found = picture.cols.map((word, c) => ({ word, weight: at(picture.map, row, c) })).sort((a, b) => b.weight - a.weight).slice(0, SHOWN);
    return html`<p data-testid="looks"><strong dir="auto">${picture.rows[row]}</strong> → ${found.map(({ word, weight }, i) => html`${i > 0 ? ", " : ""}<span class="whole" dir="auto">${word}
      <span class="num">${weight.toFixed(2)}</span></span>`)}</p>`;
  }

  override render() {
    const reading = studio.reading;
    const picture = studio.shown();
    const { kind } = studio;
    return html`<form class="row" @submit=${(e: Event) => { e.preventDefault(); this.show(this.renderRoot.querySelector("input")!.value); }}>
        <label>${t("lesson.sentence")} <input type="text" dir="auto" maxlength="400" .value=${studio.state.text || this.sentence} /></label>
        <button type="submit">${t("subject.go")}</button>
        ${this.models.length > 1 ? html`<label>${t("subject.run")} <select @change=${(e: Event) => { this.model = Number((e.target as HTMLSelectElement).value); this.show(studio.state.text, { layer: null, head: null }); }}>
          ${this.models.map((model, i) => html`<option value=${i} ?selected=${i === this.model}>${both(model.title)}</option>`)}</select></label>` : nothing}
      </form>
      <note-list .error=${studio.error}></note-list>
      ${reading && picture ? html`<p dir="auto">${t("lesson.own")} <strong>${reading.target.text}</strong></p>
        ${this.models.length > 1 ? this.width() : nothing}
        <map-controls class="gap"></map-controls>
        <sentence-links .picture=${picture} .about=${aboutReading(reading)} .label=${t("links.title")}></sentence-links>
        ${this.looks(picture)}
        ${kind === "decoder" ? html`<p class="small" data-testid="shifted">${t("map.shifted")}</p>` : nothing}
        <heat-map class="gap" linked .picture=${picture} .about=${aboutReading(reading)} .label=${t(`map.${kind}`)}></heat-map>
        ${layersOf(reading, kind).length > 1 || headCount(reading, kind) > 1 ? html`<head-grid .reading=${reading} .kind=${kind} .about=${aboutReading(reading)}></head-grid>` : nothing}`
        : html`<p class="quiet">${t("part.loading")}</p>`}`;
  }
}
