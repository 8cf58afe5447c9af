// From one query to Q, K and V in four steps; each step's numbers agree with those of the step before where they must.
import { css, html } from "lit";
import { customElement } from "lit/decorators.js";
import { shared } from "../piece";
import { written } from "../written";
import { LessonPicture, worked } from "./lesson-picture";
import "./number-grid";
import { play, playAgain, playedMatrix } from "./playing";
import { manyQueries, oneQuery } from "./sums/generalise";
import { gap, times, type Rows } from "./sums/vectors";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import generalise from "./texts/generalise.json";

const label = labelsOf(generalise);
const USUAL = { x: [[1, 0], [0, 1], [1, 1]], q: [[2, 0], [-1, 3]], k: [[0, 1], [1, 0]], v: [[10, 0], [0, 5]] };
const IDENTITY = [[1, 0], [0, 1]];

@customElement("generalise-play")
export class GeneralisePlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .given { display: flex; flex-wrap: wrap; gap: 0.8rem 1.4rem; align-items: center; margin-bottom: 0.4rem; }
    .given > span { white-space: nowrap; }
    .named { display: inline-flex; align-items: center; gap: 0.4rem; margin: 0.3rem 1rem 0.3rem 0; }
    .named table { border: solid var(--ink); border-width: 0 2px; border-radius: 9px / 12px; border-collapse: separate; border-spacing: 0; }
    td { border: 0; padding: 0.05rem 0.4rem; text-align: end; white-space: nowrap; }
    .cards { grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
    .agrees { color: var(--good); font-weight: 600; }
  `];

  private field(name: keyof typeof USUAL, text: string, written: unknown = text) {
    return html`<span>${written} = <number-grid data-name=${name} .label=${text} .values=${playedMatrix(name, USUAL[name])}
      @edited=${(e: CustomEvent<number[][]>) => play(name, e.detail)}></number-grid></span>`;
  }

  private matrix(name: string, rows: Rows, test: string) {
    return html`<span class="named"><span class="whole">${name} =</span><table data-testid=${test}><tbody>${rows.map((row) => html`<tr>${row.map((value) => html`<td>${plain(value, 3)}</td>`)}</tr>`)}</tbody></table>
      <span class="small quiet num whole">${rows.length} × ${rows[0]!.length}</span></span>`;
  }

  override render() {
    const [X, Q, Wk, Wv] = (["x", "q", "k", "v"] as const).map((name) => playedMatrix(name, USUAL[name])) as [number[][], number[][], number[][], number[][]];
    const scale = 1 / Math.sqrt(Q[0]!.length);
    const one = oneQuery(Q[0]!, X, 1);
    const two = oneQuery(Q[0]!, X, scale);
    const three = manyQueries(Q, X, X, scale);
    const [K, V] = [times(X, Wk), times(X, Wv)];
    const four = manyQueries(Q, K, V, scale);
    return html`<div class="given">${this.field("x", "X")}${this.field("q", "Q")}${this.field("k", "W_k", html`W<sub>k</sub>`)}${this.field("v", "W_v", html`W<sub>v</sub>`)}
        <button type="button" @click=${playAgain}>${label("again")}</button>
        <button type="button" data-testid="identity" @click=${() => { play("k", IDENTITY); play("v", IDENTITY); }}>${written(label("identity"))}</button></div>
      <div class="cards">
        <section class="box"><h3>${label("one")}</h3>${this.formulaRow("similarity", "weights", "output")}<p>${label("one.says")}</p>
          ${this.matrix("e", [one.scores], "e1")}${this.matrix("a", [one.weights], "a1")}${this.matrix("y", [one.output], "y1")}</section>
        <section class="box"><h3>${label("two")}</h3>${this.formulaRow("scaled")}<p>${label("two.says")}</p>
          ${this.matrix("e", [two.scores], "e2")}${this.matrix("a", [two.weights], "a2")}${this.matrix("y", [two.output], "y2")}</section>
        <section class="box"><h3>${label("three")}</h3>${this.formulaRow("many", "rows", "outputs")}<p>${label("three.says")}</p>
          ${this.matrix("A", three.weights, "a3")}${this.matrix("Y", three.output, "y3")}
          ${this.agreement("same-row", label("same.row"), gap([three.output[0]!], [two.output]))}</section>
        <section class="box"><h3>${label("four")}</h3>${this.formulaRow("keys", "values", "apart")}<p>${label("four.says")}</p>
          ${this.matrix("K", K, "k4")}${this.matrix("V", V, "v4")}${this.matrix("A", four.weights, "a4")}${this.matrix("Y", four.output, "y4")}
          ${this.agreement("same-all", label("same.all"), gap(four.output, three.output))}</section></div>`;
  }

  private agreement(test: string, text: string, difference: number) {
    return html`<p class="small">${text} <span class="num whole ${difference < 1e-12 ? "agrees" : ""}" data-testid=${test}>${plain(difference, 3)}</span></p>`;
  }
}
