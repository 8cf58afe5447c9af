// Why dot products are divided by √d: their variance and what the softmax makes of it, measured while d is moved.
import { css, html } from "lit";
import { customElement } from "lit/decorators.js";
import { number } from "../format";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import { playedNumber } from "./playing";
import { KEYS, saturation, SIZES, type Measured, type Saturation } from "./sums/saturation";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import scale from "./texts/scale.json";
import "../components/curve-chart";

const label = labelsOf(scale);

@customElement("scale-play")
export class ScalePlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .bars { margin-top: 0.5rem; display: flex; align-items: end; height: 6rem; gap: 2px; border-bottom: 1px solid var(--edge); }
    .bars i { flex: 1; background: var(--bar); border-radius: 2px 2px 0 0; min-height: 1px; }
    dl { display: grid; grid-template-columns: 1fr auto; gap: 0.15rem 0.8rem; margin: 0.4rem 0; }
    dd { margin: 0; font-weight: 700; white-space: nowrap; text-align: end; }
  `];

  override render() {
    const power = Math.round(playedNumber("size", 0, SIZES.length - 1, 6));
    const found = saturation(SIZES[power]!);
    const all = SIZES.map(saturation);
    return html`<div class="row">${this.slider("size", label("size"), power, { least: 0, most: SIZES.length - 1, step: 1, shown: String(found.d) })}</div>
      ${this.formulaRow("attention", "variance")}
      <div class="cards">${this.side("plain", label("plain"), "q · k", found.plain)}${this.side("scaled", label("scaled"), "q · k / √d", found.scaled)}</div>
      <p>${label("claim", { d: found.d, variance: plain(found.plain.variance, found.d < 16 ? 2 : 1), scaled: plain(found.scaled.variance, 2) })}</p>
      ${this.chart(label("peakchart"), all, (one) => one.peak, power)}${this.chart(label("gradientchart"), all, (one) => one.gradient, power)}
      <p class="small quiet">${label("measured", { keys: KEYS })}</p>`;
  }

  private side(name: string, title: string, score: string, found: Measured) {
    return html`<section class="box" data-side=${name}><h3>${title}: ${score}</h3><dl>
        <dt>${label("variance")}</dt><dd class="num" data-testid=${`variance-${name}`}>${plain(found.variance, 2)}</dd>
        <dt>${label("peak")}</dt><dd class="num" data-testid=${`peak-${name}`}>${number(found.peak)}</dd>
        <dt>${label("gradient")}</dt><dd class="num" data-testid=${`gradient-${name}`}>${number(found.gradient)}</dd>
        <dt>${label("dead")}</dt><dd class="num" data-testid=${`dead-${name}`}>${found.weights.filter((weight) => weight < 0.001).length} / ${KEYS}</dd></dl>
      <div class="bars" role="img" aria-label=${label("bars", { side: title })}>${found.weights.map((weight) => html`<i .style=${`height:${weight * 100}%`} title=${number(weight)}></i>`)}</div></section>`;
  }

  private chart(title: string, all: Saturation[], of: (one: Measured) => number, power: number) {
    const line = (name: string, side: "plain" | "scaled") => ({ name, points: all.map((one, i) => [i, of(one[side])] as [number, number]) });
    return html`<curve-chart .label=${title} .xName=${"d"} .xScale=${(at: number) => 2 ** at} .most=${1} .mark=${power} .series=${[line(label("plain"), "plain"), line(label("scaled"), "scaled")]}></curve-chart>`;
  }
}
