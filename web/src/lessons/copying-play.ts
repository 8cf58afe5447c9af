// Copying: one word's probability mixed from generating and copying, and the coverage that remembers what was read.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { number } from "../format";
import { shared } from "../piece";
import { written } from "../written";
import { LessonPicture, worked } from "./lesson-picture";
import { playedChoice, playedNumber } from "./playing";
import { coverage, LOOKS, mixture, REPORT, type Covered, type Mixed, type Path } from "./sums/copying";
import { labelsOf } from "./text";
import copying from "./texts/copying.json";

const label = labelsOf(copying);

// The two parts of the sum, in the symbols of the paper.
const GENERATED = "p_gen · p_vocab";
const COPIED = "(1 − p_gen) · Σα";

@customElement("copying-play")
export class CopyingPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    table { border-collapse: collapse; }
    th, td { padding: 0.15rem 0.5rem; text-align: start; vertical-align: middle; }
    .bar { width: 9rem; height: 0.8rem; display: flex; }
    .bar i { display: block; height: 100%; background: var(--bar); }
    .bar i.copied { background: var(--accent); }
    .best td { font-weight: 700; }
    @media (max-width: 36rem) { .drawn { display: none; } th, td { padding: 0.15rem 0.3rem; } .covered th { writing-mode: vertical-rl; text-align: end; } .covered td { padding: 0; } .cell { width: 2.1rem; font-size: 0.7rem; } }
    .report { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0.4rem 0; }
    .report span { padding: 0.1rem 0.35rem; border-radius: 4px; border: 1px solid var(--line); }
    .cell { width: 2.6rem; height: 1.5rem; text-align: center; font-variant-numeric: tabular-nums; font-size: 0.8rem; }
  `];

  override render() {
    const generate = playedNumber("generate", 0, 1, 0.3);
    const rows = mixture(generate);
    const path = playedChoice("path", ["again", "new"] as const);
    return html`${this.formulaRow("pointer", "copy")}
      <h3>${label("looks")}</h3>
      <p class="report" lang="en">${REPORT.map((word, i) => html`<span title=${`α = ${number(LOOKS[i]!)}`}>${word} <small class="quiet num">${number(LOOKS[i]!)}</small></span>`)}</p>
      <div class="row">${this.slider("generate", label("generate"), generate, { least: 0, most: 1, step: 0.05, shown: number(generate) })}</div>
      ${this.words(rows)}
      <p data-testid="claim">${label("claim", { word: rows[0]!.word, p: number(rows[0]!.total) })}</p>
      <h3>${label("coverage")}</h3>${this.formulaRow("coverage")}
      ${this.choices("path", label("coverage"), ["again", "new"] as const, path, (one) => label(one))}
      ${this.covered(coverage(path), path)}`;
  }

  private words(rows: Mixed[]) {
    return html`<div class="scroll"><table><thead><tr><th>${label("word")}</th><th>p</th><th class="drawn"></th><th>${written(GENERATED)}</th><th>${written(COPIED)}</th></tr></thead>
      <tbody lang="en">${rows.slice(0, 6).map((one, place) => html`<tr class=${place ? "" : "best"} data-word=${one.word}>
        <td>${one.word}${one.known ? nothing : html` <small class="quiet">${label("unknown")}</small>`}</td>
        <td class="num" data-testid=${`p-${one.word}`}>${number(one.total)}</td><td class="drawn"><div class="bar" role="img" aria-label=${number(one.total)}><i .style=${`width:${one.generated * 100}%`}></i><i class="copied" .style=${`width:${one.copied * 100}%`}></i></div></td>
        <td class="num">${number(one.generated)}</td><td class="num">${number(one.copied)}</td></tr>`)}</tbody></table></div>`;
  }

  private covered(rows: Covered[], path: Path) {
    const total = rows.reduce((sum, row) => sum + row.loss, 0);
    const shade = (value: number) => `background: color-mix(in srgb, var(--bar) ${Math.round(100 * Math.min(1, value))}%, transparent)`;
    return html`<div class="scroll"><table class="covered" lang="en"><thead><tr><th></th>${REPORT.map((word) => html`<th class="small">${word}</th>`)}<th>Σ min(α, c)</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr><td>${row.word}</td>${row.before.map((value, i) => html`<td class="cell" .style=${shade(value)} title=${`α = ${number(row.weights[i]!)}, c = ${number(value)}`}>${number(value, 1)}</td>`)}
        <td class="num">${number(row.loss)}</td></tr>`)}</tbody></table></div>
      <p>${label(path === "again" ? "repeats" : "moves")} <b class="num" data-testid="coverage-loss">${number(total)}</b></p>`;
  }
}
