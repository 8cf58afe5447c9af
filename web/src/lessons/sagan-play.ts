// A pixel of a feature map looks at all others, near or far; γ says how much of what it finds is added.
import { css, html, svg } from "lit";
import { customElement } from "lit/decorators.js";
import { number, percent } from "../format";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import { play, playedNumber } from "./playing";
import { GAMMA, LEVELS, MAP_SIDE, PNG, SIDE } from "./sums/drawn";
import { attendedAt, farShare, HEIGHT, isNear, looks, outputs, PIXELS, rowOf, WIDTH } from "./sums/sagan";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import sagan from "./texts/sagan.json";

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
    .thin { stroke-width: 0.4; }
    .near { fill: none; stroke: #ffffff; stroke-width: 2; stroke-dasharray: 5 4; }
    .pick { cursor: pointer; }
    figure { margin: 0; }
    svg.drawn { max-width: 20rem; cursor: pointer; background: #808080; }
    image { image-rendering: pixelated; }
    h3 { margin-top: 1rem; }
    figcaption { font-weight: 600; margin-bottom: 0.3rem; }
  `];

  override render() {
    const row = Math.round(playedNumber("row", 0, HEIGHT - 1, 3));
    const col = Math.round(playedNumber("col", 0, WIDTH - 1, 2));
    const gamma = playedNumber("gamma", 0, 1, 0);
    const layers = Math.round(playedNumber("layers", 1, 5, 1));
    const pixel = row * WIDTH + col;
    const [weights, made] = [looks(pixel), outputs(gamma)];
    return html`<div class="row">${this.slider("row", label("row"), row, { least: 0, most: HEIGHT - 1, step: 1, shown: String(row + 1) })}
        ${this.slider("col", label("col"), col, { least: 0, most: WIDTH - 1, step: 1, shown: String(col + 1) })}
        ${this.slider("layers", label("layers"), layers, { least: 1, most: 5, step: 1, shown: String(layers) })}
        ${this.slider("gamma", "γ", gamma, { least: 0, most: 1, step: 0.05, shown: plain(gamma) })}</div>
      ${this.formulaRow("weights", "found", "output")}
      <div class="both"><figure><figcaption>${label("looks")}</figcaption>${this.map(label("looks.picture"), PIXELS, pixel, weights, layers)}</figure>
        <figure><figcaption>${label("made")}</figcaption>${this.map(label("made.picture"), made, pixel, null, layers)}</figure></div>
      <p>${label("far")} <strong class="num whole" data-testid="far">${percent(farShare(pixel, weights, layers))}</strong></p>
      <p class="sum"><span>x = <span data-testid="x">${written(PIXELS[pixel]!)}</span>,</span> <span>o = ${written(attendedAt(pixel))},</span> <span>y = ${plain(gamma)} o + x = <strong data-testid="y">${written(made[pixel]!)}</strong></span></p>
      <p class="small quiet">${label("legend")}</p>
      <h3>${label("real")}</h3><p>${label("real.how")}</p>${this.drawn(layers)}
      <h3>${label("honest")}</h3><p>${label("honest.said")}</p>`;
  }

  /** A picture that a trained generator drew, with where the chosen place of its map looks. */
  private drawn(layers: number) {
    const position = Math.round(playedNumber("place", 0, MAP_SIDE * MAP_SIDE - 1, 3 * MAP_SIDE + 6));
    const weights = rowOf(LEVELS, position, MAP_SIDE * MAP_SIDE);
    const [most, size] = [Math.max(...weights), SIDE / MAP_SIDE];
    const place = (i: number) => [(i % MAP_SIDE) * size, Math.floor(i / MAP_SIDE) * size] as const;
    const [cx, cy] = place(position);
    return html`<svg class="drawn" viewBox="0 0 ${SIDE} ${SIDE}" role="img" aria-label=${label("real.picture")} data-testid="drawn">
        <image href="data:image/png;base64,${PNG}" width=${SIDE} height=${SIDE} opacity="0.55"></image>
        ${weights.map((weight, i) => svg`<rect class="pick" x=${place(i)[0]} y=${place(i)[1]} width=${size} height=${size} fill="#ff5a00" fill-opacity=${(0.9 * weight / most).toFixed(3)}
          @click=${() => play("place", i)}></rect>`)}
        <rect class="chosen thin" x=${cx} y=${cy} width=${size} height=${size} pointer-events="none"></rect></svg>
      <p>${label("real.far")} <strong class="num whole" data-testid="real-far">${percent(farShare(position, weights, layers, MAP_SIDE))}</strong>, γ = <span class="num">${number(GAMMA, 3)}</span></p>`;
  }

  private map(name: string, pixels: readonly (readonly number[])[], chosen: number, weights: readonly number[] | null, layers: number) {
    const most = weights ? Math.max(...weights) : 1;
    const place = (i: number) => [(i % WIDTH) * CELL, Math.floor(i / WIDTH) * CELL] as const;
    const [cx, cy] = place(chosen);
    const near = pixels.map((_, i) => i).filter((i) => isNear(chosen, i, layers)).map(place);
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
