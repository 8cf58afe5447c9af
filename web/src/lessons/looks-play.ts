// How soft, hard and local attention look at one step: a distribution, a draw, and a window with a Gaussian.
import { css, html, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { CompareAnswer, ComparedRun, LessonModel, LooksAnswer } from "../contract";
import { percent, short } from "../format";
import { both, t } from "../i18n";
import { Latest } from "../latest";
import { argmax, at, fromMatrix, rowOf } from "../matrix";
import { alignmentPicture } from "../picture";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/heat-map";
import "../components/math-formula";
import "../components/note-list";
import { chosenSentence, sentenceForm } from "./sentence-form";
import { labelsOf } from "./text";
import softHardGlobalLocal from "./texts/soft-hard-global-local.json";

const label = labelsOf(softHardGlobalLocal);
const [CELL, TALL, TOP, LEFT] = [56, 110, 14, 30];

@customElement("looks-play")
export class LooksPlay extends Piece {
  static override styles = [shared, css`
    .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; align-items: start; margin-top: 0.8rem; }
    .box { border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem; min-width: 0; }
    label { flex-wrap: wrap; }
    input[type="text"] { width: min(32rem, 76vw); }
    input[type="range"] { width: min(16rem, 60vw); }
    svg { display: block; width: 100%; height: auto; }
    svg text { font: 12px var(--sans); fill: var(--ink); text-anchor: middle; }
    svg text.axis { fill: var(--quiet); text-anchor: end; }
    .weight { fill: var(--bar); } .chance { fill: none; stroke: var(--gold); stroke-width: 2; stroke-dasharray: 4 2; }
    .window { fill: var(--accent-soft); } .gauss { fill: none; stroke: var(--gold); stroke-width: 2; } .centre { stroke: var(--gold); stroke-width: 2; stroke-dasharray: 3 3; }
    .base { stroke: var(--edge); }
    ul { margin: 0.3rem 0; padding-inline-start: 1.1rem; }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  @state() private answer: CompareAnswer | null = null;
  @state() private looks: LooksAnswer[] = [];
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();

  private get text(): string {
    return chosenSentence(this.sentence);
  }

  /** The target token whose look is drawn. */
  private get step(): number {
    const last = (this.looks[0]?.target.tokens.length ?? 1) - 1;
    return Math.min(last, Math.max(0, Number(studio.state.play.step ?? 0) || 0));
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const runs = this.models.map((model) => ({ run: model.run! }));
    const { text } = this;
    await this.latest.ask([runs, text], async () => {
      const answer = await api.compare({ runs, text, beam: 1 });
      return { answer, looks: await Promise.all(runs.map(({ run }) => api.looks({ run, text, target: answer.target }))) };
    }, ({ answer, looks }) => ([this.answer, this.looks, this.error] = [answer, looks, null]), (error) => (this.error = error));
  }

  override render() {
    return html`${sentenceForm(this.text, (text) => studio.set({ text, play: {} }))}
      <note-list .error=${this.error}></note-list>
      ${this.answer ? this.cards(this.answer) : html`<p class="quiet">${t("part.loading")}</p>`}`;
  }

  private cards(answer: CompareAnswer) {
    const tokens = this.looks[0]!.target.tokens;
    return html`<p dir="auto">${t("lesson.common")} <strong>${answer.target}</strong></p>
      <label>${label("step")} <input type="range" name="step" min="0" max=${tokens.length - 1} .value=${String(this.step)} aria-valuetext=${tokens[this.step]!.text}
        @input=${(e: Event) => studio.set({ play: { step: (e.target as HTMLInputElement).value } })} /> <strong dir="auto">${tokens[this.step]!.text}</strong></label>
      <div class="cards">${answer.runs.map((run, i) => this.card(answer, run, this.looks[i]!, this.models[i]!))}</div>`;
  }

  private card(answer: CompareAnswer, run: ComparedRun, looks: LooksAnswer, model: LessonModel) {
    const name = both(model.title);
    const kind = looks.drawn_from ? "hard" : looks.window ? "local" : "soft";
    return html`<section class="box" data-model=${model.id} data-aer=${run.score?.aer ?? nothing}><h3>${kind === "soft" ? `${label(kind)}: ${name}` : label(kind)}</h3>
      ${run.mechanism ? html`<math-formula .formula=${run.mechanism.formulas[kind === "local" ? "scope" : "align"] ?? null}></math-formula>` : nothing}
      ${this.row(looks, name)}
      <ul class="small num">${this.facts(looks)}</ul>
      <p dir="auto">${t("lesson.own")} <strong>${run.own.target.text}</strong></p>
      ${run.score ? html`<p class="small quiet num">${t("translate.aer", { n: percent(run.score.aer) })}</p>` : nothing}
      ${run.common ? html`<heat-map .picture=${alignmentPicture(run.common, answer.target_words, answer.source_words, answer.target_from === "reference" ? (answer.gold?.links ?? null) : null)}
        .about=${{ run: run.run, text: this.text, target: answer.target }} .label=${label("map", { model: name })}></heat-map>` : nothing}</section>`;
  }

  /** What the numbers of the chosen row say. */
  private facts({ weights, drawn_from, window, source }: LooksAnswer): TemplateResult[] {
    const row = rowOf(fromMatrix(weights), this.step);
    const seen = row.filter((weight) => weight > 0).length;
    const facts = [html`<li data-testid="seen" data-seen=${seen} data-all=${row.length}>${label("seen", { n: seen, all: row.length })}</li>`];
    const place = argmax(row);
    if (!drawn_from) facts.push(html`<li data-testid="most" data-place=${place}>${label("most", { word: source.tokens[place]!.text, p: row[place]!.toFixed(2) })}</li>`);
    else {
      facts.push(html`<li data-testid="drawn">${label("drawn", { word: source.tokens[place]!.text, p: percent(at(fromMatrix(drawn_from), this.step, place)) })}</li>`);
    }
    if (window) {
      facts.push(html`<li data-testid="centre" data-centre=${window.centres[this.step]!}>${label("centre", { p: window.centres[this.step]!.toFixed(2) })}</li>`,
        html`<li data-testid="window">${label("window", { D: window.half, sigma: window.sigma ?? 0, sum: row.reduce((a, b) => a + b, 0).toFixed(2) })}</li>`);
    }
    return facts;
  }

  /** The chosen row as bars, with what it was made from drawn over it. */
  private row(looks: LooksAnswer, name: string) {
    const tokens = looks.source.tokens.map((token) => token.text);
    const row = rowOf(fromMatrix(looks.weights), this.step);
    const [width, base] = [LEFT + CELL * tokens.length + 4, TOP + TALL];
    const y = (value: number) => base - value * TALL;
    const x = (place: number) => LEFT + (place + 0.5) * CELL;
    return html`<svg viewBox="0 0 ${width} ${base + 44}" role="img" aria-label=${label("row", { model: name })}>
      ${looks.window ? this.windowed(looks.window, x, y, width) : nothing}
      ${[0, 0.5, 1].map((mark) => svg`<text class="axis" x=${LEFT - 5} y=${y(mark) + 4}>${mark}</text>`)}
      <line class="base" x1=${LEFT} x2=${width} y1=${base} y2=${base}></line>
      ${row.map((weight, i) => svg`<rect class="weight" x=${x(i) - 14} width="28" y=${y(weight)} height=${weight * TALL}></rect>`)}
      ${looks.drawn_from ? rowOf(fromMatrix(looks.drawn_from), this.step).map((p, i) => svg`<rect class="chance" x=${x(i) - 20} width="40" y=${y(p)} height=${p * TALL}></rect>`) : nothing}
      ${tokens.map((token, i) => svg`<text x=${x(i)} y=${base + (i % 2 === 0 ? 17 : 34)}>${short(token, 12)}</text>`)}</svg>`;
  }

  private windowed(window: NonNullable<LooksAnswer["window"]>, x: (place: number) => number, y: (value: number) => number, width: number) {
    const centre = window.centres[this.step]!;
    const [left, right] = [Math.max(LEFT, x(centre - window.half)), Math.min(width, x(centre + window.half))];
    const places = Array.from({ length: 61 }, (_, i) => centre - window.half + (i / 60) * 2 * window.half).filter((place) => x(place) >= LEFT && x(place) <= width);
    const gauss = window.sigma === null ? "" : places.map((place) => `${x(place).toFixed(1)} ${y(Math.exp(-((place - centre) ** 2) / (2 * window.sigma! ** 2))).toFixed(1)}`).join("L");
    return svg`<rect class="window" x=${left} width=${Math.max(0, right - left)} y=${TOP} height=${TALL}></rect>
      ${gauss ? svg`<path class="gauss" d=${`M${gauss}`}></path>` : nothing}<line class="centre" x1=${x(centre)} x2=${x(centre)} y1=${TOP} y2=${TOP + TALL}></line>`;
  }
}
