// The worked example of attention, to every digit; the decoder's state and all encoder states can be changed.
import { css, html } from "lit";
import { customElement } from "lit/decorators.js";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import "./number-grid";
import { play, playAgain, playedMatrix } from "./playing";
import { fiveSteps, type FiveSteps } from "./sums/five-steps";
import type { Rows, Vector } from "./sums/vectors";
import { plain, product, scientific } from "./sums/writing";
import { labelsOf } from "./text";
import fiveStepsText from "./texts/five-steps.json";

const label = labelsOf(fiveStepsText);
const DECODER = [[10, 5, 10]];
const ENCODER = [[0, 1, 1], [5, 0, 1], [1, 1, 0], [0, 5, 1]];

const shape = (rows: number, columns: number): string => `(${rows}, ${columns})`;

@customElement("five-steps")
export class FiveStepsPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .given { display: flex; flex-wrap: wrap; gap: 0.8rem 1.8rem; align-items: center; margin-bottom: 0.6rem; }
    .given span { white-space: nowrap; }
    ol { list-style: none; padding: 0; margin: 0; }
    .cards { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
    .weight { display: grid; grid-template-columns: 2rem 9.5rem 1fr; gap: 0.4rem; align-items: center; }
    td, tbody th { white-space: nowrap; }
    .digits { font-size: 0.85rem; }
    .digits strong { font-weight: 400; color: var(--accent); }
    section h3:not(:first-child) { margin-top: 0.8rem; }
    @media (max-width: 30rem) { table { font-size: 0.85rem; } td, th { padding: 0.2rem 0.3rem; } }
    table { margin: 0.4rem 0; }
  `];

  override render() {
    const [decoder, encoder] = [playedMatrix("decoder", DECODER), playedMatrix("encoder", ENCODER)];
    const found = fiveSteps(decoder[0]!, encoder);
    return html`<div class="given">
        <span>${label("decoder")} <number-grid data-name="decoder" .label=${label("decoder")} .values=${decoder} @edited=${(e: CustomEvent<number[][]>) => play("decoder", e.detail)}></number-grid></span>
        <span>${label("encoder")} <number-grid data-name="encoder" .label=${label("encoder")} .values=${encoder} @edited=${(e: CustomEvent<number[][]>) => play("encoder", e.detail)}></number-grid></span>
        <button type="button" @click=${playAgain}>${label("again")}</button></div>
      <div class="cards">${this.scores(decoder[0]!, encoder, found)}${this.weights(found)}${this.alignment(found)}${this.context(found)}</div>
      ${this.summary(encoder, found)}`;
  }

  private scores(decoder: Vector, encoder: Rows, { scores }: FiveSteps) {
    return html`<section class="box"><h3>${label("one")}</h3>${this.formula("scores")}<ol>${encoder.map((state, i) => html`<li data-testid="score">
      ${this.sum(html`e<sub>${i + 1}</sub> =`, ...state.map((value, j) => `${j > 0 ? "+ " : ""}${product(decoder[j]!, value)}`), html`= <strong>${plain(scores[i]!)}</strong>`)}</li>`)}</ol>
      ${this.shapes(`${shape(encoder.length, decoder.length)} × ${shape(decoder.length, 1)} = ${shape(encoder.length, 1)}`)}</section>`;
  }

  private weights({ weights }: FiveSteps) {
    return html`<section class="box"><h3>${label("two")}</h3>${this.formula("weights")}<ol>${weights.map((weight, i) => html`<li class="weight">
      <span>α<sub>${i + 1}</sub></span><span class="num whole" data-testid="weight">${scientific(weight)}</span>
      <span><span class="fill" .style=${`width:${weight * 100}%`}></span></span></li>`)}</ol><p class="small quiet">${label("two.says")}</p></section>`;
  }

  private alignment({ alignment }: FiveSteps) {
    return html`<section class="box"><h3>${label("three")}</h3>${this.formula("alignment")}<ol class="digits">${alignment.map((row, i) => html`<li data-testid="alignment">
      ${this.sum(html`a<sub>${i + 1}</sub> = [`, ...row.map((value, i) => `${scientific(value)}${i + 1 < row.length ? "" : " ]"}`))}</li>`)}</ol>
      ${this.shapes(`${shape(alignment.length, 1)} ⊙ ${shape(alignment.length, alignment[0]!.length)} = ${shape(alignment.length, alignment[0]!.length)}`)}<p class="small quiet">${label("three.says")}</p></section>`;
  }

  private context({ context }: FiveSteps) {
    return html`<section class="box"><h3>${label("four")}</h3>${this.formula("context")}
      <p class="sum digits" data-testid="context"><span>c = [</span> ${context.map((value, i) => html`<span><strong>${scientific(value)}</strong>${i + 1 < context.length ? "" : " ]"}</span> `)}</p>
      ${this.shapes(`(${context.length},)`)}
      <h3>${label("five")}</h3><p>${label("five.says")}</p></section>`;
  }

  private shapes(line: string) {
    return html`<p class="small quiet num" data-testid="shapes">${label("shapes", { line })}</p>`;
  }

  private summary(encoder: Rows, { scores, weights, alignment }: FiveSteps) {
    const round = (row: Vector) => `[${row.map((value) => plain(value, 2)).join(", ")}]`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${label("summary")}><table>
      <caption class="small quiet">${label("summary")}</caption>
      <thead><tr><th scope="col">${label("state")}</th><th scope="col">${label("score")}</th><th scope="col">${label("weight")}</th><th scope="col">${label("aligned")}</th></tr></thead>
      <tbody data-testid="summary">${encoder.map((state, i) => html`<tr><th scope="row">${round(state)}</th><td>${plain(scores[i]!)}</td><td>${plain(weights[i]!, 2)}</td>
        <td>${round(alignment[i]!)}</td></tr>`)}</tbody></table></div>`;
  }
}
