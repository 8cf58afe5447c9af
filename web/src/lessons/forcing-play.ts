// One sentence with teacher forcing and running freely after a wrong word, and the schedules that mix the two.
import { css, html, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { ForcingAnswer, LessonModel } from "../contract";
import { percent } from "../format";
import { both, t } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/curve-chart";
import "../components/note-list";
import { KINDS, scheduleText, type Kind } from "./schedules";
import { labelsOf } from "./text";
import teacherForcing from "./texts/teacher-forcing.json";

const label = labelsOf(teacherForcing);
const STEPS = 2000;
const [LEAST, MOST] = [100, 1900];

@customElement("forcing-play")
export class ForcingPlay extends Piece {
  static override styles = [shared, css`
    .row { margin-bottom: 0.7rem; }
    .scroll { overflow-x: auto; margin: 0.6rem 0; }
    td, th { white-space: nowrap; }
    thead th { vertical-align: bottom; }
    tr.seeded { background: var(--removed); }
    .off { color: var(--bad); text-decoration: underline dotted; }
    input[type="range"] { width: min(18rem, 60vw); }
    code { display: inline-block; max-width: 100%; overflow-x: auto; white-space: nowrap; font-size: 0.8rem; vertical-align: bottom; }
    ul { padding-inline-start: 1.2rem; }
    @media (max-width: 36rem) { col.p { visibility: collapse; } table { font-size: 0.85rem; } td, th { padding-inline: 0.2rem; } code { font-size: 0.68rem; } }
    .split { border-inline-start: 2px solid var(--line); }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  @property() target = "";
  @state() private answer: ForcingAnswer | null = null;
  @state() private curves: Partial<Record<Kind, [number, number][]>> = {};
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();
  private drawn = "";

  private get at(): number {
    return Math.max(0, Number(studio.state.play.place ?? 0) || 0);
  }

  private get model(): number {
    return Math.max(0, this.models.findIndex((model) => model.id === studio.state.play.model));
  }

  private get half(): number {
    return Math.min(MOST, Math.max(LEAST, Number(studio.state.play.half ?? 1000) || 1000));
  }

  private play(name: string, value: string | number): void {
    studio.set({ play: { ...studio.state.play, [name]: String(value) } });
  }

  override updated(_changed: PropertyValues): void {
    void this.ask();
    void this.draw();
  }

  private async ask(): Promise<void> {
    const body = { run: this.models[this.model]!.run!, text: this.sentence, target: this.target, at: this.at };
    await this.latest.ask(body, (signal) => api.forcing(body, signal), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  /** The curves come from the function that training itself uses. */
  private async draw(): Promise<void> {
    const key = String(this.half);
    if (key === this.drawn) return;
    this.drawn = key;
    try {
      const found = await Promise.all(KINDS.map(async (kind) => (
        [kind, (await api.schedule({ schedule: scheduleText(kind, this.half), steps: STEPS })).points] as const)));
      if (key === this.drawn) this.curves = Object.fromEntries(found);
    } catch (error) {
      if (key === this.drawn) this.error = error as StudioError;
    }
  }

  override render() {
    return html`<div class="row" role="group" aria-label=${label("model")}>${this.models.map((model, i) => html`<button type="button" data-model=${model.id}
        aria-pressed=${i === this.model} @click=${() => this.play("model", model.id)}>${both(model.title)}</button>`)}</div>
      <note-list .error=${this.error}></note-list>
      ${this.answer ? this.both(this.answer) : html`<p class="quiet">${t("part.loading")}</p>`}
      <hr />${this.schedules()}`;
  }

  private both(answer: ForcingAnswer) {
    const tokens = answer.target.tokens.map((token) => token.text);
    const last = tokens.length - 2;
    const all = tokens.length - answer.at - 1;
    return html`<p dir="auto"><strong>${answer.source.text}</strong></p>
      <label>${label("place")} <input type="range" name="place" min="0" max=${last} .value=${String(answer.at)} aria-valuetext=${tokens[answer.at]!}
        @input=${(e: Event) => this.play("place", (e.target as HTMLInputElement).value)} /> <span class="num">${answer.at + 1} / ${last + 1}</span></label>
      <p dir="auto">${label("seeded", { right: tokens[answer.at]!, wrong: answer.wrong.text })}</p>
      <p data-testid="count" data-forced=${answer.forced.wrong} data-free=${answer.free.wrong}><strong>${label("count", {
        forced: answer.forced.wrong, free: answer.free.wrong, all })}</strong></p>
      ${this.table(answer, tokens)}
      <curve-chart .label=${label("chart")} .xName=${label("axis")} .least=${0} .most=${1}
        .series=${[{ name: label("forced"), points: this.points(answer.forced.right) }, { name: label("free"), points: this.points(answer.free.right) }]}
        .mark=${answer.at + 1} .about=${{ run: answer.run, text: answer.source.text, target: answer.target.text }}></curve-chart>`;
  }

  private points(values: number[]): [number, number][] {
    return values.map((p, i) => [i + 1, p]);
  }

  private table(answer: ForcingAnswer, tokens: string[]) {
    const { forced, free, at, wrong } = answer;
    const off = (word: string) => html`<span class="off">${word} <span class="small">(${label("wrong")})</span></span>`;
    // The seeded row shows both words: the model's own, and the one that it is made to say.
    const said = (words: string[], i: number) => (i === at ? html`${words[i]}<br /><span class="off">→ ${wrong.text}</span>` : words[i] === tokens[i] ? html`${words[i]}` : off(words[i]!));
    const cells = (way: typeof forced, i: number) => html`<td class="split" dir="auto">${way.heard[i]}</td><td dir="auto">${said(way.said, i)}</td><td class="num">${percent(way.right[i]!)}</td>`;
    const heads = html`<th scope="col" class="split">${label("hears")}</th><th scope="col">${label("says")}</th><th scope="col">${label("p")}</th>`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${label("table")}><table>
      <colgroup><col /><col />${[1, 2].map(() => html`<col /><col /><col class="p" />`)}</colgroup>
      <thead class="small"><tr><td></td><td></td><th colspan="3" scope="colgroup" class="split">${label("forced")}</th><th colspan="3" scope="colgroup" class="split">${label("free")}</th></tr>
        <tr class="quiet"><td></td><th scope="col">${label("right")}</th>${heads}${heads}</tr></thead>
      <tbody>${tokens.map((token, i) => html`<tr class=${i === at ? "seeded" : ""}><td class="num quiet">${i + 1}</td><th scope="row" dir="auto">${token}</th>
        ${cells(forced, i)}${cells(free, i)}</tr>`)}</tbody></table></div>`;
  }

  private schedules() {
    const series = KINDS.map((kind) => ({ name: label(kind), points: this.curves[kind] ?? [] }));
    return html`<curve-chart slides .label=${label("schedules", { n: STEPS })} .xName=${label("step")} .least=${0} .most=${1} .series=${series} .mark=${this.half}
        @pick=${(e: CustomEvent<number>) => this.play("half", Math.min(MOST, Math.max(LEAST, Math.round(e.detail))))} .about=${{ run: null, text: "", target: "" }}></curve-chart>
      <label>${label("half")} <input type="range" name="half" min=${LEAST} max=${MOST} step="10" .value=${String(this.half)}
        @input=${(e: Event) => this.play("half", (e.target as HTMLInputElement).value)} /> <span class="num" data-testid="half">${this.half}</span></label>
      <ul class="small">${KINDS.map((kind) => html`<li>${label(kind)}: <code>train.teacher_forcing=${scheduleText(kind, this.half)}</code></li>`)}</ul>`;
  }
}
