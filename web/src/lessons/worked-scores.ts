// The scores of one query and one key with every product written out; all numbers can be changed.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import "./number-grid";
import { play, playAgain, playedMatrix } from "./playing";
import { generalTerms, gradients, multiLayer, singleLayer, type Term } from "./sums/scores";
import { sum, type Rows, type Vector } from "./sums/vectors";
import { factor, plain, product, signedSum } from "./sums/writing";
import { labelsOf } from "./text";
import workedScores from "./texts/worked-scores.json";

const label = labelsOf(workedScores);
const IDENTITY = [[1, 0], [0, 1]];
const USUAL = {
  q: [[1, 3]], k: [[2, -5]], d: [[1, 0], [0, 4]], w: [[1, 7], [-8, 4]],
  s: [[0.5, -0.1, 0.1, 0.2]], b: [[0.1]], m: [[0.5, -0.1, 0.1, 0.2], [0.2, 0.1, -0.3, -0.1]], v: [[1, -0.5]],
};

@customElement("worked-scores")
export class WorkedScores extends LessonPicture {
  static override styles = [shared, worked, css`
    .given { display: flex; flex-wrap: wrap; gap: 0.6rem 1.6rem; align-items: center; }
    .given > span { white-space: nowrap; }
    td, th { text-align: center; padding: 0.25rem 0.3rem; vertical-align: middle; }
    th, td span { white-space: nowrap; }
    thead td { border: 0; }
    td { border: 1px solid var(--line); }
    .crosses { background: var(--removed); box-shadow: inset 0 0 0 2px var(--gold); }
    mark { background: var(--removed); color: inherit; border-bottom: 2px solid var(--gold); padding: 0 0.15rem; border-radius: 3px; }
    table { margin: 0.5rem 0; }
    h4 { margin: 0.6rem 0 0.2rem; }
  `];

  private numbers(name: keyof typeof USUAL): number[][] {
    return playedMatrix(name, USUAL[name]);
  }

  private field(name: keyof typeof USUAL, text: string, { step = 1, fixed = () => false }: { step?: number; fixed?: (row: number, col: number) => boolean } = {}) {
    return html`<number-grid data-name=${name} .label=${text} .values=${this.numbers(name)} .step=${step} .fixed=${fixed}
      @edited=${(e: CustomEvent<number[][]>) => play(name, e.detail)}></number-grid>`;
  }

  override render() {
    const [q, k] = [this.numbers("q")[0]!, this.numbers("k")[0]!];
    const diagonal = this.numbers("d").map((row, r) => row.map((value, c) => (r === c ? value : 0)));
    return html`<div class="given">
        <span>${label("query")} ${this.field("q", label("query"))}</span><span>${label("key")} ${this.field("k", label("key"))}</span>
        <button type="button" @click=${playAgain}>${label("again")}</button></div>
      <p class="small quiet">${label("edit")}</p>
      <div class="cards">
        ${this.products("dot", label("dot"), q, IDENTITY, k, html`<p>${label("dot.says")}</p>`)}
        ${this.products("diagonal", label("diagonal"), q, diagonal, k, html`<p>${this.field("d", "W", { fixed: (r, c) => r !== c })}</p><p>${label("diagonal.says")}</p>`)}
        ${this.products("full", label("full"), q, this.numbers("w"), k, html`<p>${this.field("w", "W")}</p><p>${label("full.says")} <mark>${label("cross")}</mark></p>`)}
      </div>
      <div class="cards">${this.single(q, k)}${this.multi(q, k)}</div>`;
  }

  private products(name: string, title: string, q: Vector, W: Rows, k: Vector, more: unknown) {
    const grid = generalTerms(q, W, k);
    const terms = grid.flat().filter((term) => term.weight !== 0 || !term.crosses);
    const written = (term: Term) => (name === "dot" ? product(term.query, term.key) : product(term.weight, term.query, term.key));
    return html`<section class="box" data-score=${name}><h3>${title}</h3>${this.formula(name === "dot" ? "dot" : "general")}${more}
      <table><thead><tr><td></td>${k.map((value, j) => html`<th scope="col">k<sub>${j + 1}</sub> = ${plain(value)}</th>`)}</tr></thead>
        <tbody>${grid.map((row, i) => html`<tr><th scope="row">q<sub>${i + 1}</sub> = ${plain(q[i]!)}</th>${row.map((term) => html`<td
          class=${term.crosses && term.weight !== 0 ? "crosses" : ""}>${term.weight === 0 && term.crosses ? "0" : html`<span>${written(term)}</span> <span>= ${plain(term.value)}</span>`}</td>`)}</tr>`)}</tbody></table>
      ${this.sum("e =", ...terms.map((term, i) => html`${i > 0 ? "+ " : nothing}${term.crosses ? html`<mark>${written(term)}</mark>` : written(term)}`))}
      ${this.sum(`= ${signedSum(terms.map((term) => term.value))}`)}
      ${this.sum("=", html`<span class="result" data-testid=${`score-${name}`}>${plain(sum(terms.map((term) => term.value)))}</span>`)}
      ${this.learned(name, q, W, k)}</section>`;
  }

  /** What backpropagation changes: the two states, and the numbers of W that are parameters. */
  private learned(name: string, q: Vector, W: Rows, k: Vector) {
    const found = gradients(q, W, k);
    const vector = (values: Vector) => `[${values.map((value) => plain(value)).join(", ")}]`;
    const line = (of: string, how: string, value: string) => html`<div data-gradient=${of}>${this.sum(`∂e/∂${of} =`, how, html`<strong>${value}</strong>`)}</div>`;
    const states = name === "dot" ? ["k =", "q ="] : ["W k =", "Wᵀ q ="];
    const weights = name === "full" ? `[${found.weights.map(vector).join(", ")}]` : vector(found.weights.map((row, i) => row[i]!));
    return html`<h4>${label("learned")}</h4>${line("q", states[0]!, vector(found.query))}${line("k", states[1]!, vector(found.key))}
      ${name === "dot" ? html`<p>${label("dot.learned")}</p>` : line(name === "full" ? "W" : "diag W", name === "full" ? "q kᵀ =" : "[q₁k₁, q₂k₂] =", weights)}`;
  }

  private single(q: Vector, k: Vector) {
    const [w, b] = [this.numbers("s")[0]!, this.numbers("b")[0]![0]!];
    const inputs = [...q, ...k];
    const products = inputs.map((value, i) => w[i]! * value);
    return html`<section class="box" data-score="single"><h3>${label("single")}</h3>${this.formula("single")}
      <p class="sum whole">[q; k] = [${inputs.map((value) => plain(value)).join(", ")}]</p><p>w = ${this.field("s", "w", { step: 0.1 })} <span class="whole">b = ${this.field("b", "b", { step: 0.1 })}</span></p>
      ${this.sum("e =", ...inputs.map((value, i) => `${i > 0 ? "+ " : ""}${product(w[i]!, value)}`), `+ ${factor(b)}`)}
      ${this.sum(`= ${signedSum([...products, b])}`)}
      ${this.sum("=", html`<span class="result" data-testid="score-single">${plain(singleLayer(w, b, q, k))}</span>`)}
      <p>${label("single.says", { part: plain(sum(products.slice(0, q.length))) })}</p></section>`;
  }

  private multi(q: Vector, k: Vector) {
    const [W, v] = [this.numbers("m"), this.numbers("v")[0]!];
    const { inputs, hidden, active, score } = multiLayer(v, W, q, k);
    return html`<section class="box" data-score="multi"><h3>${label("multi")}</h3>${this.formula("multi")}
      <div class="scroll" tabindex="0" role="region" aria-label="W">W = ${this.field("m", "W", { step: 0.1 })}</div>
      <p><strong>${label("layer", { n: 1 })}</strong></p>
      ${W.map((row, r) => html`${this.sum(html`z<sub>${r + 1}</sub> =`, ...inputs.map((value, i) => `${i > 0 ? "+ " : ""}${product(row[i]!, value)}`), `= ${plain(hidden[r]!)}`)}
        ${this.sum(html`a<sub>${r + 1}</sub> = tanh(${plain(hidden[r]!)}) =`, html`<span data-testid=${`active-${r + 1}`}>${plain(active[r]!)}</span>`)}`)}
      <p><strong>${label("layer", { n: 2 })}</strong> v = ${this.field("v", "v", { step: 0.5 })}</p>
      ${this.sum("e =", ...active.map((value, i) => `${i > 0 ? "+ " : ""}${product(v[i]!, value)}`))}
      ${this.sum("=", html`<span class="result" data-testid="score-multi">${plain(score)}</span>`)}
      <p>${label("multi.says", { n: W.flat().length + v.length })}</p></section>`;
  }
}
