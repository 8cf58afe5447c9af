// Labelled examples on a circle, and a new one to be labelled by looking back at them.
import { css, html, svg } from "lit";
import { customElement } from "lit/decorators.js";
import { LINES } from "../drawing/colour";
import { number, percent } from "../format";
import { shared } from "../piece";
import { theme } from "../theme";
import { LessonPicture, worked } from "./lesson-picture";
import { playedNumber } from "./playing";
import { causal, chance, EXAMPLES, seenBy, vector } from "./sums/snail";
import { labelsOf } from "./text";
import { snail } from "./texts/snail";

const label = labelsOf(snail);
const STEPS = 16;

@customElement("snail-play")
export class SnailPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.6rem 1.4rem; align-items: start; }
    svg[role] { max-width: 22rem; }
    .ring { fill: none; stroke: var(--line); }
    .query { stroke: var(--focus); stroke-width: 3; }
    .later { fill: none; stroke: var(--edge); stroke-dasharray: 3 3; }
    table { width: 100%; max-width: 24rem; }
    td.bar { width: 45%; }
    section.box { margin-top: 1rem; }
    td { vertical-align: middle; }
    .chances { display: flex; gap: 1.4rem; font-size: 1.1rem; }
    .steps { display: grid; grid-template-columns: repeat(${STEPS}, 1fr); gap: 2px; max-width: 32rem; margin: 0.3rem 0; }
    .steps i { height: 1.3rem; border: 1px solid var(--edge); border-radius: 3px; }
    .steps .in { background: var(--bar); }
  `];

  override render() {
    const angle = Math.round(playedNumber("angle", 0, 360, 225));
    const seen = Math.round(playedNumber("seen", 1, EXAMPLES.length, EXAMPLES.length));
    const weights = causal(angle, seen);
    return html`<div class="row">${this.slider("angle", label("angle"), angle, { least: 0, most: 360, step: 5, shown: `${angle}°` })}
        ${this.slider("seen", label("seen"), seen, { least: 1, most: EXAMPLES.length, step: 1, shown: String(seen) })}</div>
      ${this.formula("attention")}
      <div class="both">${this.circle(angle, seen, weights)}<div>
        <p class="chances" role="status"><span>p(A) = <strong data-testid="a">${percent(chance("A", weights))}</strong></span><span>p(B) = <strong data-testid="b">${percent(chance("B", weights))}</strong></span></p>
        <table><thead><tr><th scope="col">${label("example")}</th><th scope="col">${label("label")}</th><th scope="col" colspan="2">${label("weight")}</th></tr></thead>
          <tbody>${EXAMPLES.map((one, i) => html`<tr><th scope="row">${i + 1}</th><td>${i < seen ? one.label : "–"}</td><td class="num" data-testid="weight">${i < seen ? number(weights[i]) : label("masked")}</td>
            <td class="bar"><span class="fill" .style=${`width:${weights[i]! * 100}%`}></span></td></tr>`)}</tbody></table></div></div>
      ${this.convolution()}`;
  }

  private circle(angle: number, seen: number, weights: readonly number[]) {
    const colours = LINES[theme.now];
    const at = (degrees: number, far: number) => { const [x, y] = vector(degrees); return [150 + x! * far, 150 - y! * far] as const; };
    const [qx, qy] = at(angle, 63);
    const [tx, ty] = at(angle, 69);
    return html`<svg viewBox="0 0 300 300" role="img" aria-label=${label("picture")}><circle class="ring" cx="150" cy="150" r="110"></circle>
      ${EXAMPLES.map((one, i) => {
        const [x, y] = at(one.angle, 55);
        if (i >= seen) return svg`<circle class="later" cx=${x} cy=${y} r="13"></circle><text x=${x} y=${y + 4} text-anchor="middle">${i + 1}</text>`;
        const colour = colours[one.label === "A" ? 0 : 1]!;
        return svg`<line x1="150" y1="150" x2=${x} y2=${y} stroke=${colour} stroke-width=${1 + 16 * weights[i]!} stroke-opacity="0.5"></line>
          <circle cx=${x} cy=${y} r="13" fill="var(--card)" stroke=${colour} stroke-width="3"></circle><text x=${x} y=${y + 4} text-anchor="middle">${one.label}</text>`;
      })}
      <line class="query" x1="150" y1="150" x2=${qx} y2=${qy}></line><text x=${tx} y=${ty + 5} text-anchor="middle" font-weight="700">?</text></svg>`;
  }

  private convolution() {
    const layers = Math.round(playedNumber("layers", 1, 4, 2));
    const reach = seenBy(layers);
    return html`<section class="box"><h3>${label("convolution")}</h3>${this.formulaRow("filter", "gate", "convolution")}
      <p>${label("convolution.says")}</p>
      <div class="row">${this.slider("layers", label("layers"), layers, { least: 1, most: 4, step: 1, shown: String(layers) })}</div>
      <div class="steps" role="img" aria-label=${label("reach", { n: reach })}>${Array.from({ length: STEPS }, (_, i) => html`<i class=${i >= STEPS - reach ? "in" : ""}></i>`)}</div>
      <p data-testid="reach">${label("reach", { n: reach })}</p></section>`;
  }
}
