// One translation in linked views: sentences, heat map, heads, and what else might have been written.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { number, percent } from "../format";
import type { Key } from "../i18n";
import { linksOf, marksOf, signsOf, type Marks } from "../marks";
import { Piece, shared } from "../piece";
import { headCount, layersOf, type Picture } from "../picture";
import { studio } from "../studio";
import { taskText as t } from "../task-text";
import { aboutReading } from "../about";
import "../components/head-grid";
import "../components/heat-map";
import "../components/map-controls";
import "../components/map-marks";
import "../components/note-list";
import "../components/sentence-links";
import "../components/step-chances";

const TITLES: Record<string, Key> = { cross: "map.cross", encoder: "map.encoder", decoder: "map.decoder" };

@customElement("translate-view")
export class TranslateView extends Piece {
  static override styles = [shared, css`
    .output { font-size: 1.35rem; font-weight: 600; margin: 0 0 0.2rem; max-width: none; min-height: 1.5em; }
    .two { display: grid; grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
    .working { opacity: 0.55; }
    @media (max-width: 56rem) { .two { grid-template-columns: minmax(0, 1fr); } }
  `];

  @state() private marking = true;

  /** What the links of a cross-attention map over words show; null for other maps. */
  private marks(picture: Picture): Marks | null {
    const { reading, gold } = studio.answer!;
    if (studio.kind !== "cross" || studio.state.level !== "word") return null;
    return marksOf(linksOf(reading, gold), reading.source.words.length, picture.rows.length);
  }

  /** The map with a sign in each cell whose link is marked, and beside each word without a link. */
  private marked(picture: Picture, marks: Marks): Picture {
    const named = (labels: string[], bare: number[]) => labels.map((label, i) => (bare.includes(i) ? `${label} ∅` : label));
    return { ...picture, signs: signsOf(marks), cols: named(picture.cols, marks.skipped), rows: named(picture.rows, marks.added) };
  }

  override updated() {
    if (studio.answer?.reading.copying) void import("../components/copy-band"); // fetched for models that copy
  }

  override render() {
    const { answer, status, error } = studio;
    if (!answer) {
      return html`<section class="card"><note-list .error=${error}></note-list>
        <p class="quiet">${status === "working" ? t("translate.working") : t("translate.empty")}</p></section>`;
    }
    const { reading } = answer;
    const picture = studio.shown();
    const about = aboutReading(reading);
    const { kind } = studio;
    const marks = picture ? this.marks(picture) : null;
    return html`<div class=${status === "working" ? "working" : ""} aria-busy=${status === "working" ? "true" : "false"}>
      <section class="card" aria-labelledby="out">
        <h2 id="out" class="visually-hidden">${t("translate.output")}</h2>
        <p class="output" dir="auto" data-testid="output">${reading.target.text}</p>
        <p class="small quiet num">${this.facts()}</p>
        <note-list .notes=${reading.notes} .error=${error}></note-list>
        ${this.alternatives()}
      </section>
      ${reading.copying ? html`<section class="card"><copy-band .reading=${reading}></copy-band></section>` : nothing}
      ${picture ? html`
        <section class="card"><map-controls></map-controls></section>
        <section class="card"><sentence-links .picture=${picture} .about=${about} .label=${t("links.title")}></sentence-links></section>
        <div class="two">
          <section class="card"><heat-map linked .picture=${marks && this.marking ? this.marked(picture, marks) : picture} .about=${about} .label=${t(TITLES[kind]!)}></heat-map>
            ${kind === "decoder" ? html`<p class="small" data-testid="shifted">${t("map.shifted")}</p>` : nothing}
            ${marks ? html`<map-marks .marks=${marks} .sources=${reading.source.words} .targets=${reading.target.words} .gold=${answer.gold?.applies ?? false}
              .shown=${this.marking} @toggle=${() => (this.marking = !this.marking)}></map-marks>` : nothing}</section>
          <section class="card"><step-chances></step-chances></section>
        </div>
        ${layersOf(reading, kind).length > 1 || headCount(reading, kind) > 1
          ? html`<section class="card"><head-grid .reading=${reading} .kind=${kind} .about=${aboutReading(reading)}></head-grid></section>` : nothing}`
        : html`<section class="card"><step-chances></step-chances></section>`}
    </div>`;
  }

  private facts(): string {
    const { reading, gold } = studio.answer!;
    const facts = [t("translate.logp", { n: number(reading.log_prob) })];
    if (reading.score !== null) facts.push(t("translate.score", { n: number(reading.score) }));
    if (gold) {
      facts.push(gold.applies ? t("translate.reference.same") : t("translate.reference", { text: gold.reference }));
      if (gold.score) facts.push(t("translate.aer", { n: percent(gold.score.aer) }));
    }
    return facts.join(" · ");
  }

  private alternatives() {
    const others = studio.answer!.alternatives;
    if (others.length === 0) return nothing;
    return html`<details><summary class="small">${t("translate.others", { n: others.length })}</summary>
      <ol>${others.map((one) => html`<li dir="auto">${one.text} <span class="small quiet num">${number(one.score)}</span></li>`)}</ol>
    </details>`;
  }
}
