// How models with and without attention fare as sentences grow: averages over many sentences, and one to look at.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { ChancesAnswer, LessonModel, Reading } from "../contract";
import { both, t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/curve-chart";
import "../components/note-list";
import "./chance-bars";
import { labelsOf } from "./text";
import bottleneck from "./texts/bottleneck.json";

const label = labelsOf(bottleneck);
const words = (text: string) => text.split(/\s+/).length;

@customElement("bottleneck-play")
export class BottleneckPlay extends Piece {
  static override styles = [shared, css`input { width: min(24rem, 50vw); } .gap { margin-top: 0.8rem; }`];
  @property({ attribute: false }) models: LessonModel[] = [];
  @state() private found: ChancesAnswer | null = null;
  /** For each model the correct translation as it reads it, and its own. */
  @state() private readings: { given: Reading; own: Reading }[] = [];
  @state() private error: StudioError | null = null;
  private asked = "";

  private get at(): number {
    return Math.min(Number(studio.state.play.sentence ?? 0) || 0, Math.max(0, (this.found?.examples.length ?? 1) - 1));
  }

  private get runs(): string[] {
    return this.models.map((model) => model.run!);
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const key = JSON.stringify([this.runs, this.at]);
    if (key === this.asked) return;
    this.asked = key;
    try {
      this.found ??= await api.chances({ runs: this.runs });
      const pair = this.found.examples[this.at];
      if (!pair) return;
      const readings = await Promise.all(this.runs.map(async (run) => ({
        given: (await api.translate({ run, text: pair.source, target: pair.target })).reading,
        own: (await api.translate({ run, text: pair.source, beam: 1 })).reading,
      })));
      if (key === this.asked) this.readings = readings;
      this.error = null;
    } catch (error) {
      if (key === this.asked) this.error = error as StudioError;
    }
  }

  override render() {
    const { found } = this;
    const pair = found?.examples[this.at];
    if (!found || !pair) return html`<note-list .error=${this.error}></note-list><p class="quiet">${t("part.loading")}</p>`;
    const length = words(pair.source);
    const series = found.runs.map((run, i) => ({
      name: both(this.models[i]!.title), points: run.by_length.map(({ at, mean }): [number, number] => [at, mean]),
    }));
    return html`<curve-chart .label=${label("curve", { n: found.sentences })} .xName=${t("lesson.wordaxis")} .series=${series} .least=${0} .most=${1} .mark=${length}
        .about=${{ run: found.runs[0]!.run, text: "", target: "" }}></curve-chart>
      ${this.ends(found)}
      <label>${t("lesson.length")} <input type="range" min="0" max=${found.examples.length - 1} .value=${String(this.at)}
        aria-valuetext=${t("lesson.words", { n: length })}
        @input=${(e: Event) => studio.set({ play: { sentence: (e.target as HTMLInputElement).value } })} />
        <span class="num">${t("lesson.words", { n: length })}</span></label>
      <note-list .error=${this.error}></note-list>
      <p class="gap" dir="auto"><strong>${pair.source}</strong></p>
      <p dir="auto">${t("lesson.right.translation")} ${pair.target}</p>
      ${this.readings.length > 0 ? this.sentence() : nothing}`;
  }

  /** The two ends of each curve in words. */
  private ends(found: ChancesAnswer) {
    return html`<ul class="num" data-testid="ends">${found.runs.map((run, i) => {
      const [first, last] = [run.by_length[0]!, run.by_length.at(-1)!];
      return html`<li data-model=${this.models[i]!.id} data-first=${first.mean} data-last=${last.mean}>${label("ends", {
        model: both(this.models[i]!.title), short: first.at, p: first.mean.toFixed(2), long: last.at, q: last.mean.toFixed(2),
      })}</li>`;
    })}</ul>`;
  }

  private sentence() {
    const names = this.models.map((model) => both(model.title));
    return html`<ul data-testid="own">${this.readings.map(({ own }, i) => html`<li dir="auto">${label("own", { model: names[i]! })} <strong>${own.target.text}</strong></li>`)}</ul>
      <chance-bars .label=${t("lesson.bars")} .readings=${this.readings.map(({ given }) => given)} .names=${names}></chance-bars>`;
  }
}
