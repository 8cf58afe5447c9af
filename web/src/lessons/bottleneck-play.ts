// How a model without attention fares as sentences grow.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { ExamplePair, TranslateAnswer } from "../contract";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { aboutReading } from "../about";
import "../components/curve-chart";
import "../components/note-list";
import "./chance-bars";

@customElement("bottleneck-play")
export class BottleneckPlay extends Piece {
  static override styles = [shared, css`input { width: min(24rem, 70vw); }`];
  @property() run = "";
  @property() pair = "en-ko";
  @state() private pairs: ExamplePair[] = [];
  @state() private own: TranslateAnswer | null = null;
  @state() private given: TranslateAnswer | null = null;
  @state() private tried: [number, number][] = [];
  @state() private error: StudioError | null = null;
  private asked = -1;

  private get at(): number {
    return Math.min(Number(studio.state.play.sentence ?? 0) || 0, Math.max(0, this.pairs.length - 1));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  override updated(): void {
    void this.ask();
  }

  private async load(): Promise<void> {
    try {
      const [usual, long] = await Promise.all([api.examples(this.pair, 24, 3), api.examples(this.pair, 8, 3, "long")]);
      const length = (one: ExamplePair) => one.source.split(/\s+/).length;
      const sorted = [...usual.examples, ...long.examples].sort((a, b) => length(a) - length(b));
      // one sentence of each length is enough to play with
      this.pairs = sorted.filter((one, i) => i === 0 || length(one) !== length(sorted[i - 1]!));
    } catch (error) {
      this.error = error as StudioError;
    }
  }

  private async ask(): Promise<void> {
    const pair = this.pairs[this.at];
    if (!pair) return;
    const now = this.at;
    if (now === this.asked) return;
    this.asked = now;
    try {
      const given = await api.translate({ run: this.run, text: pair.source, target: pair.target });
      const own = await api.translate({ run: this.run, text: pair.source, beam: 1 });
      if (now !== this.at) return;
      this.given = given;
      this.own = own;
      const steps = given.reading.steps;
      const mean = steps.reduce((sum, step) => sum + Math.exp(step.log_prob ?? -50), 0) / Math.max(1, steps.length);
      const words = given.reading.source.words.length;
      this.tried = [...this.tried.filter(([n]) => n !== words), [words, mean] as [number, number]].sort((a, b) => a[0] - b[0]);
      this.error = null;
    } catch (error) {
      if (now !== this.at) return;
      this.error = error as StudioError;
    }
  }

  override render() {
    const pair = this.pairs[this.at];
    if (!pair) return html`<note-list .error=${this.error}></note-list><p class="quiet">${t("lesson.loading")}</p>`;
    return html`<label>${t("lesson.length")} <input type="range" min="0" max=${this.pairs.length - 1} .value=${String(this.at)}
        aria-valuetext=${t("lesson.words", { n: pair.source.split(/\s+/).length })}
        @input=${(e: Event) => studio.set({ play: { sentence: (e.target as HTMLInputElement).value } })} />
        <span class="num">${t("lesson.words", { n: pair.source.split(/\s+/).length })}</span></label>
      <note-list .error=${this.error}></note-list>
      <p dir="auto"><strong>${pair.source}</strong></p>
      <p dir="auto">${t("lesson.right.translation")} ${pair.target}</p>
      ${this.own ? html`<p dir="auto">${t("lesson.own")} <strong>${this.own.reading.target.text}</strong></p>` : nothing}
      ${this.given ? html`<chance-bars .label=${t("lesson.bars")} .readings=${[this.given.reading]} .names=${[t("subject.noattention")]}></chance-bars>` : nothing}
      <curve-chart .label=${t("lesson.tried")} .xName=${t("lesson.wordaxis")} .series=${[{ name: t("lesson.meanp"), points: this.tried, dots: true }]}
        .about=${this.given ? aboutReading(this.given.reading) : null}></curve-chart>`;
  }
}
