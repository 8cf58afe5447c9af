// One sentence through the models of a lesson: maps side by side, and the chances of the right words.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { CompareAnswer, LessonModel, Reading } from "../contract";
import { percent } from "../format";
import { both, language, t } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { alignmentPicture } from "../picture";
import { studio } from "../studio";
import { titleOf } from "../views/titles";
import "../components/heat-map";
import "../components/math-formula";
import "../components/note-list";
import "./chance-bars";
import { chosenSentence, sentenceForm } from "./sentence-form";

@customElement("sentence-play")
export class SentencePlay extends Piece {
  static override styles = [shared, css`
    .maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; align-items: start; margin-top: 0.8rem; }
    label { flex-wrap: wrap; }
    a { color: var(--accent); }
    input { width: min(32rem, 76vw); }
    .box { border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem; min-width: 0; }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  /** Show how likely the right words were under each model. */
  @property({ type: Boolean }) bars = false;
  @state() private answer: CompareAnswer | null = null;
  @state() private readings: Reading[] = [];
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();

  /** The sentence of the link, or the lesson's own. */
  private get text(): string {
    return chosenSentence(this.sentence);
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const runs = this.models.flatMap((model) => (model.run ? [{ run: model.run }] : []));
    const { text } = this;
    await this.latest.ask([runs, text], async () => {
      const answer = await api.compare({ runs, text, beam: 1 });
      const read = this.bars ? await Promise.all(runs.map(({ run }) => api.translate({ run, text, target: answer.target }))) : [];
      return { answer, readings: read.map((one) => one.reading) };
    }, ({ answer, readings }) => ([this.answer, this.readings, this.error] = [answer, readings, null]), (error) => (this.error = error));
  }

  override render() {
    return html`${sentenceForm(this.text, (text) => studio.set({ text }))}
      <note-list .error=${this.error}></note-list>
      ${this.answer ? this.pictures(this.answer) : html`<p class="quiet">${t("part.loading")}</p>`}`;
  }

  private pictures(answer: CompareAnswer) {
    const names = this.models.map((model) => both(model.title));
    return html`<p dir="auto">${t("lesson.common")} <strong>${answer.target}</strong></p>
      ${this.readings.length > 0 ? html`<chance-bars .label=${t("lesson.bars")} .readings=${this.readings} .names=${names}></chance-bars>` : nothing}
      <div class="maps">${answer.runs.map((run, i) => html`<div class="box">
        <h3>${names[i]}</h3><p dir="auto">${t("lesson.own")} <strong>${run.own.target.text}</strong></p>
        ${run.mechanism?.formulas.score ? html`<math-formula .formula=${run.mechanism.formulas.score}></math-formula>` : nothing}
        ${run.score ? html`<p class="small quiet num">${t("translate.aer", { n: percent(run.score.aer) })}</p>` : nothing}
        ${run.common ? html`<heat-map .picture=${alignmentPicture(run.common, answer.target_words, answer.source_words,
          answer.target_from === "reference" ? (answer.gold?.links ?? null) : null)} .about=${{ run: run.run, text: this.text, target: answer.target }}
          .label=${t("compare.map", { run: names[i]! })}></heat-map>
          <p class="small"><a href=${`#${new URLSearchParams({ view: "steps", run: run.run.id, text: this.text })}`}>${t("lesson.steps", { view: titleOf("steps", "", language.lang) })}</a></p>` : html`<p class="quiet">${t("note.no_attention")}</p>`}</div>`)}</div>`;
  }
}
