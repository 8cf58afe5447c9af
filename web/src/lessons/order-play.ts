// Word order on an attention map: links that cross, words that are skipped, one word for several and several for one.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { aboutReading } from "../about";
import { api, type StudioError } from "../api";
import type { LessonModel, TranslateAnswer } from "../contract";
import { t } from "../i18n";
import { Latest } from "../latest";
import { linksOf, marksOf } from "../marks";
import { pictureOf } from "../picture";
import { shared } from "../piece";
import { studio } from "../studio";
import "../components/heat-map";
import "../components/map-marks";
import "../components/note-list";
import "../components/sentence-links";
import { LessonPicture, worked } from "./lesson-picture";
import { marked } from "./marked";
import { playedChoice } from "./playing";
import { chosenSentence, sentenceForm } from "./sentence-form";
import { labelsOf } from "./text";
import wordOrder from "./texts/word-order.json";

const label = labelsOf(wordOrder);
/** What the links are read off. */
const SOURCES = ["gold", "attention"] as const;
/** Sentences to choose after the lesson's own: other orders, other words without a counterpart. */
const OTHERS = ["She is eating a green apple.", "I go home."];

@customElement("order-play")
export class OrderPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    label { flex-wrap: wrap; }
    input[type="text"] { width: min(32rem, 76vw); }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  @state() private answer: TranslateAnswer | null = null;
  @state() private marking = true;
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();

  private get text(): string {
    return chosenSentence(this.sentence);
  }

  private choose(text: string): void {
    studio.set({ text, row: null, col: null });
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const body = { run: this.models[0]!.run!, text: this.text, beam: 1 };
    await this.latest.ask(body, (signal) => api.translate(body, signal), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  override render() {
    return html`${sentenceForm(this.text, (text) => this.choose(text))}
      <div class="row choices" role="group" aria-label=${label("sentences")}>${[this.sentence, ...OTHERS].map((text) => html`<button type="button" dir="auto"
        data-sentence aria-pressed=${text === this.text} @click=${() => this.choose(text)}>${text}</button>`)}</div>
      <note-list .error=${this.error}></note-list>
      ${this.answer ? this.drawn(this.answer) : html`<p class="quiet">${t("part.loading")}</p>`}`;
  }

  private drawn({ reading, gold }: TranslateAnswer) {
    const known = gold?.applies ?? false;
    const from = known ? playedChoice("links", SOURCES) : "attention";
    const links = from === "gold" ? gold : null;
    const picture = pictureOf(reading, { kind: "cross", layer: null, head: null, level: "word" }, links)!;
    const marks = marksOf(linksOf(reading, links), reading.source.words.length, picture.rows.length);
    const about = aboutReading(reading);
    return html`<p dir="auto">${t("lesson.own")} <strong data-testid="own">${reading.target.text}</strong></p>
      ${known ? this.choices("links", label("links"), SOURCES, from, (one) => label(one)) : nothing}
      <sentence-links .picture=${picture} .about=${about} .label=${t("links.title")}></sentence-links>
      <heat-map linked .picture=${this.marking ? marked(picture, marks) : picture} .about=${about} .label=${t("map.cross")}></heat-map>
      <map-marks .marks=${marks} .sources=${reading.source.words} .targets=${reading.target.words} .gold=${from === "gold"}
        .shown=${this.marking} @toggle=${() => (this.marking = !this.marking)}></map-marks>`;
  }
}
