// Backpropagation through attention on one word: two paths, a seeded error, and one update.
import { css, html, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { LessonModel, LookAt, PathsAnswer } from "../contract";
import { t } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/note-list";
import { labelsOf } from "./text";
import backpropagation from "./texts/backpropagation.json";

const label = labelsOf(backpropagation);
/** The lesson's own example: while “사과를” is written, the decoder looks at “eating”. */
const [AT, WRONG, RATE] = [2, 2, 0.02];
const FLAT = 1e-4;

@customElement("paths-play")
export class PathsPlay extends Piece {
  static override styles = [shared, css`
    .row { margin-bottom: 0.5rem; }
    .scroll { overflow-x: auto; margin: 0.4rem 0 0.8rem; }
    td, tbody th { white-space: nowrap; }
    thead th { word-break: keep-all; vertical-align: bottom; }
    td { min-width: 6rem; }
    .fill { height: 0.5rem; background: var(--bar); border-radius: 2px; min-width: 1px; }
    @media (max-width: 30rem) { td { min-width: 2.6rem; } td[data-gradient] { white-space: normal; } td, th { padding: 0.2rem; } thead.small { font-size: 0.72rem; } table { width: 100%; } }
    .fill.b { background: var(--gold); }
    tbody th.said { white-space: normal; word-break: keep-all; max-width: 9rem; }
    th.wrong { text-decoration: underline dotted var(--bad); }
    input[type="range"] { width: min(14rem, 50vw); }
    svg { display: block; width: 100%; max-width: 34rem; height: auto; margin: 0.4rem 0; }
    svg text { font: 14px var(--sans); fill: var(--ink); text-anchor: middle; }
    svg rect { fill: var(--field); stroke: var(--edge); }
    path { fill: none; stroke-width: 3; }
    path.values { stroke: var(--gold); } path.weights { stroke: var(--bar); stroke-dasharray: 7 4; } path.tip { stroke-dasharray: none; }
    svg text.values { fill: var(--gold); } svg text.weights { fill: var(--accent); }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];
  @property() sentence = "";
  @property() target = "";
  @state() private answer: PathsAnswer | null = null;
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();

  private number(name: string, usual: number): number {
    const found = Number(studio.state.play[name] ?? usual);
    return Number.isFinite(found) && found >= 0 ? found : usual;
  }

  private play(name: string, value: string): void {
    studio.set({ play: { ...studio.state.play, [name]: value } });
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const body = { run: this.models[0]!.run!, text: this.sentence, target: this.target,
      at: this.number("at", AT), wrong: this.number("wrong", WRONG), rate: this.number("rate", RATE) };
    await this.latest.ask(body, () => api.paths(body), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  override render() {
    const { answer } = this;
    if (!answer) return html`<note-list .error=${this.error}></note-list><p class="quiet">${t("part.loading")}</p>`;
    const word = answer.target.tokens[answer.at]!.text;
    return html`<p dir="auto"><strong>${answer.source.text}</strong> → ${answer.target.text}</p>
      ${this.controls(answer)}<note-list .error=${this.error}></note-list>
      <p data-testid="result" data-own=${answer.own.right} data-wrong=${answer.wrong.right} data-updated=${answer.updated.right}><strong>${label("result", {
        word, own: answer.own.right.toFixed(3), wrong: answer.wrong.right.toFixed(3), updated: answer.updated.right.toFixed(3) })}</strong></p>
      ${this.looks(answer, word)}
      ${this.diagram()}
      ${this.paths(answer)}
      <p data-testid="gap" data-gap=${answer.gap}>${label("sum", { gap: answer.gap.toExponential(0) })}</p>`;
  }

  private controls(answer: PathsAnswer) {
    const choice = (name: string, tokens: string[], chosen: number) => html`<label>${label(name === "at" ? "word" : "error")}
      <select name=${name} @change=${(e: Event) => this.play(name, (e.target as HTMLSelectElement).value)}>
        ${tokens.map((token, i) => html`<option value=${i} .selected=${i === chosen}>${token}</option>`)}</select></label>`;
    const rate = this.number("rate", RATE);
    return html`<div class="row">${choice("at", answer.target.tokens.map((token) => token.text), answer.at)}
      ${choice("wrong", answer.source.tokens.map((token) => token.text), this.number("wrong", WRONG))}
      <label>${label("rate")} <input type="range" name="rate" min="0" max="0.05" step="0.001" .value=${String(rate)}
        @input=${(e: Event) => this.play("rate", (e.target as HTMLInputElement).value)} /> <span class="num">${rate.toFixed(3)}</span></label></div>`;
  }

  /** The three models side by side: where each looks, and what it says. */
  private looks(answer: PathsAnswer, word: string) {
    const wrong = this.number("wrong", WRONG);
    const looks: LookAt[] = [answer.own, answer.wrong, answer.updated];
    return html`<h3>${label("table", { word })}</h3><div class="scroll" tabindex="0" role="region" aria-label=${label("table", { word })}><table data-testid="looks">
      <thead class="small quiet"><tr><th scope="col">${label("source")}</th>${(["own", "wrong", "updated"] as const).map((name) => html`<th scope="col">${label(name)}</th>`)}</tr></thead>
      <tbody>${answer.source.tokens.map((token, i) => html`<tr><th scope="row" class=${i === wrong ? "wrong" : ""} dir="auto">${token.text}</th>
          ${looks.map((look) => this.amount(look.weights[i]!.toFixed(2), look.weights[i]!))}</tr>`)}
        <tr><th scope="row" class="said">${label("p", { word })}</th>${looks.map((look) => html`<td class="num"><strong>${look.right.toFixed(3)}</strong></td>`)}</tr>
        <tr><th scope="row" class="said">${label("likeliest")}</th>${looks.map((look) => html`<td dir="auto">${look.top[0]?.text}</td>`)}</tr></tbody></table></div>`;
  }

  /** A number, and under it a bar as long as its share of the largest. */
  private amount(shown: string, share: number, kind = "") {
    return html`<td class="num"><div>${shown}</div><div class="fill ${kind}" .style=${`width:${(share * 100).toFixed(1)}%`}></div></td>`;
  }

  private diagram() {
    const box = (x: number, y: number, width: number, text: string) => svg`<rect x=${x} y=${y} width=${width} height="30" rx="6"></rect><text x=${x + width / 2} y=${y + 20}>${text}</text>`;
    const tip = (x: number, y: number) => `M${x + 9} ${y - 5}L${x} ${y}L${x + 9} ${y + 5}`;
    return html`<svg viewBox="0 0 480 172" role="img" aria-label=${label("diagram")}>
      <path class="weights" d="M420 82L390 82"></path><path class="values" d="M420 96L390 96"></path>
      <path class="weights" d="M300 74L300 54"></path><path class="weights" d="M228 39L196 39"></path><path class="weights" d="M112 39C80 39 62 50 60 74"></path>
      <path class="values" d="M326 104C326 146 312 146 290 146L100 146C70 146 60 136 60 104"></path>
      <path class="weights tip" d="M295 63L300 54L305 63"></path><path class="weights tip" d=${tip(196, 39)}></path><path class="weights tip" d="M54 65L60 74L67 66"></path>
      <path class="values tip" d="M54 113L60 104L66 113"></path>
      ${box(420, 74, 56, label("loss"))}${box(262, 74, 128, label("context"))}${box(228, 24, 132, label("weight"))}${box(112, 24, 84, label("score"))}${box(4, 74, 112, label("state"))}
      <text class="weights" x="180" y="14">${label("weights")}</text><text class="values" x="195" y="166">${label("values")}</text></svg>`;
  }

  private paths(answer: PathsAnswer) {
    const most = Math.max(1e-12, ...answer.through_weights, ...answer.through_values, ...answer.whole);
    const cell = (value: number, kind: string) => this.amount(value.toFixed(3), value / most, kind);
    const turn = (gradient: number) => (Math.abs(gradient) < FLAT ? label("same") : gradient > 0 ? `↓\u00a0${label("lower")}` : `↑\u00a0${label("higher")}`);
    return html`<h3>${label("paths")}</h3><div class="scroll" tabindex="0" role="region" aria-label=${label("paths")}><table>
      <thead class="small quiet"><tr><th scope="col">${label("source")}</th><th scope="col">${label("weights")}</th><th scope="col">${label("values")}</th>
        <th scope="col">${label("whole")}</th><th scope="col">${label("push")}</th></tr></thead>
      <tbody>${answer.source.tokens.map((token, i) => html`<tr data-token=${i}><th scope="row" dir="auto">${token.text}</th>
        ${cell(answer.through_weights[i]!, "")}${cell(answer.through_values[i]!, "b")}${cell(answer.whole[i]!, "")}
        <td data-gradient=${answer.scores[i]!}>${turn(answer.scores[i]!)}</td></tr>`)}</tbody></table></div>`;
  }
}
