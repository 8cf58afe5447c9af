// A pixel of a feature map looks at all others, near or far; γ says how much of what it finds is added.
import { css, html, svg } from "lit";
import { customElement } from "lit/decorators.js";
import { number, percent } from "../format";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import { play, playedNumber } from "./playing";
import { attendedAt, farShare, HEIGHT, isNear, looks, outputs, PIXELS, WIDTH } from "./sums/sagan";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import { sagan } from "./texts/sagan";

const label = labelsOf(sagan);
const CELL = 28;
const channel = (value: number) => Math.round(Math.min(1, Math.max(0, (value + 1) / 2)) * 255);
const colour = (pixel: readonly number[]) => `rgb(${pixel.map(channel).join(", ")})`;
const written = (values: readonly number[]) => `[${values.map((value) => number(value, 2)).join(", ")}]`;

@customElement("sagan-play")
export class SaganPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    svg[role] { max-width: 26rem; }
    .both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.6rem 1.2rem; align-items: start; margin: 0.6rem 0; }
    .chosen { fill: none; stroke: #ffffff; stroke-width: 4; }
    .near { fill: none; stroke: #ffffff; stroke-width: 2; stroke-dasharray: 5 4; }
    .pick { cursor: pointer; }
    figure { margin: 0; }
    figcaption { font-weight: 600; margin-bottom: 0.3rem; }
  `];

  override render() {
    const row = Math.round(playedNumber("row", 0, HEIGHT - 1, 3));
    const col = Math.round(playedNumber("col", 0, WIDTH - 1, 2));
    const gamma = playedNumber("gamma", 0, 1, 0);
    const pixel = row * WIDTH + col;
    const [weights, made] = [looks(pixel), outputs(gamma)];
    return html`<div class="row">${this.slider("row", label("row"), row, { least: 0, most: HEIGHT - 1, step: 1, shown: String(row + 1) })}
        ${this.slider("col", label("col"), col, { least: 0, most: WIDTH - 1, step: 1, shown: String(col + 1) })}
        ${this.slider("gamma", "γ", gamma, { least: 0, most: 1, step: 0.05, shown: plain(gamma) })}</div>
      ${this.formulaRow("weights", "found", "output")}
      <div class="both"><figure><figcaption>${label("looks")}</figcaption>${this.map(label("looks.picture"), PIXELS, pixel, weights)}</figure>
        <figure><figcaption>${label("made")}</figcaption>${this.map(label("made.picture"), made, pixel, null)}</figure></div>
      <p>${label("far")} <strong class="num whole" data-testid="far">${percent(farShare(pixel, weights))}</strong></p>
      <p class="sum"><span>x = <span data-testid="x">${written(PIXELS[pixel]!)}</span>,</span> <span>o = ${written(attendedAt(pixel))},</span> <span>y = ${plain(gamma)} o + x = <strong data-testid="y">${written(made[pixel]!)}</strong></span></p>
      <p class="small quiet">${label("legend")}</p>`;
  }

  private map(name: string, pixels: readonly (readonly number[])[], chosen: number, weights: readonly number[] | null) {
    const most = weights ? Math.max(...weights) : 1;
    const place = (i: number) => [(i % WIDTH) * CELL, Math.floor(i / WIDTH) * CELL] as const;
    const [cx, cy] = place(chosen);
    const near = pixels.map((_, i) => i).filter((i) => isNear(chosen, i)).map(place);
    const [left, top] = [Math.min(...near.map(([x]) => x)), Math.min(...near.map(([, y]) => y))];
    const [right, low] = [Math.max(...near.map(([x]) => x)) + CELL, Math.max(...near.map(([, y]) => y)) + CELL];
    return html`<svg viewBox="0 0 ${WIDTH * CELL} ${HEIGHT * CELL}" role="img" aria-label=${name}>
      ${pixels.map((one, i) => svg`<rect class="pick" x=${place(i)[0]} y=${place(i)[1]} width=${CELL} height=${CELL} fill=${colour(one)}
        @click=${() => { play("row", Math.floor(i / WIDTH)); play("col", i % WIDTH); }}></rect>`)}
      ${weights ? weights.map((weight, i) => svg`<rect x=${place(i)[0]} y=${place(i)[1]} width=${CELL} height=${CELL} fill="#0b1020" pointer-events="none" fill-opacity=${(0.8 * (1 - weight / most)).toFixed(3)}></rect>`) : ""}
      ${weights ? svg`<rect class="near" x=${left + 1} y=${top + 1} width=${right - left - 2} height=${low - top - 2} pointer-events="none"></rect>` : ""}
      <rect class="chosen" x=${cx + 2} y=${cy + 2} width=${CELL - 4} height=${CELL - 4} pointer-events="none"></rect></svg>`;
  }
}
