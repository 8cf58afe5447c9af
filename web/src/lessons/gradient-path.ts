// What arrives of a gradient at each source word, through the recurrence, and at the chosen one through attention.
import { css, html, svg } from "lit";
import { customElement } from "lit/decorators.js";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import { playedNumber } from "./playing";
import { arriving } from "./sums/gradient-path";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import gradientPath from "./texts/gradient-path.json";
import "../components/curve-chart";

const label = labelsOf(gradientPath);
const WIDTH = 640;
/** Small numbers keep three digits that count. */
const digits = (value: number) => (value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential(2).replace("-", "−") : plain(Number(value.toPrecision(4)), 8));

@customElement("gradient-path")
export class GradientPath extends LessonPicture {
  static override styles = [shared, worked, css`
    .direct { fill: none; stroke: var(--gold); stroke-width: 3; }
    .step { stroke: var(--accent); }
    .cell { stroke: var(--edge); }
    .found { fill: var(--accent); }
    .which { stroke: var(--gold); stroke-width: 2; }
    .wide { max-width: 44rem; margin: 0.6rem 0 0; }
    .ends { display: grid; grid-template-columns: 1fr auto 12%; gap: 0.4rem; margin: 0 0 0.8rem; text-align: end; white-space: nowrap; }
    .ends span:first-child { text-align: start; }
  `];

  override render() {
    const n = Math.round(playedNumber("length", 2, 60, 30));
    const factor = playedNumber("factor", 0.5, 1.1, 0.9);
    const weight = playedNumber("weight", 0, 1, 0.5);
    const which = Math.round(playedNumber("which", 1, n, 1));
    const words = arriving(n, factor);
    const { steps, share } = words[which - 1]!;
    return html`<div class="row">
        ${this.slider("length", label("length"), n, { least: 2, most: 60, step: 1, shown: String(n) })}
        ${this.slider("factor", label("factor"), factor, { least: 0.5, most: 1.1, step: 0.01, shown: plain(factor) })}
        ${this.slider("which", label("which"), which, { least: 1, most: n, step: 1, shown: String(which) })}
        ${this.slider("weight", label("weight"), weight, { least: 0, most: 1, step: 0.05, shown: plain(weight) })}</div>
      <div class="cards">
        <section class="box"><h3>${label("recurrent", { which })}</h3>${this.formula("recurrent")}
          ${this.sum(...this.factors(plain(factor), steps))}
          ${this.sum("=", html`<span class="result" data-testid="recurrent">${digits(share)}</span>`)}
          <p>${label(factor === 1 ? "stays" : factor > 1 ? "explodes" : share < 0.01 ? "vanishes" : "shrinks")}</p></section>
        <section class="box"><h3>${label("attention", { which })}</h3>${this.formula("attention")}
          ${this.sum("α =", html`<span class="result" data-testid="direct">${digits(weight)}</span>`)}
          <p>${label("direct", { rest: plain(1 - weight, 2) })}</p></section></div>
      ${this.paths(words.map((word) => word.share), which, weight)}
      <curve-chart .label=${label("chart")} .xName=${label("word")} .series=${[
        { name: label("line.recurrent"), points: words.map((one) => [one.word, one.share] as [number, number]) },
        { name: label("line.attention"), points: [[which, weight]] as [number, number][], dots: true },
      ]}></curve-chart>`;
  }

  /** One factor for each step, written out while they are few. */
  private factors(factor: string, steps: number): string[] {
    const more = steps > 2 ? ["× …", label("times", { n: steps })] : [];
    return [factor, ...(steps > 1 ? [`× ${factor}`] : []), ...more];
  }

  /** The states as boxes: the darker, the more of the gradient is left; one arc goes past those after the chosen word. */
  private paths(shares: number[], which: number, weight: number) {
    const room = (WIDTH - 70) / shares.length;
    const x = (i: number) => 10 + i * room;
    const [start, end] = [WIDTH - 30, x(which - 1) + room / 2];
    const bend = Math.min(120, (start - end) / 3);
    return html`<svg class="wide" viewBox="0 -4 ${WIDTH} 84" role="img" aria-label=${label("picture")}>
      <path class="direct" data-end=${end} d="M${start} 50 C${start - bend} -16 ${end + bend} -16 ${end} 48" stroke-opacity=${0.15 + 0.85 * weight}></path>
      ${shares.map((share, i) => svg`<rect class="cell found ${i === which - 1 ? "which" : ""}" x=${x(i)} y="52" width=${Math.max(2, room - 3)} height="22" rx="3" fill-opacity=${Math.min(1, share)}></rect>`)}
      <rect class="cell" x=${WIDTH - 46} y="52" width="36" height="22" rx="3" fill="none"></rect></svg>
      <p class="wide ends small quiet"><span>${label("firstword")}</span><span>${label("lastword")}</span><span>h₁(d)</span></p>`;
  }
}
