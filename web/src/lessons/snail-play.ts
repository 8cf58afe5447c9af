// A few labelled characters and a new one, named by a small model that looks back at them; and how far its convolutions see.
import { css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { LessonModel } from "../contract";
import { shared } from "../piece";
import "../components/episode-board";
import { LessonPicture, worked } from "./lesson-picture";
import { playedNumber } from "./playing";
import { seenBy } from "./sums/snail";
import { labelsOf } from "./text";
import snail from "./texts/snail.json";

const label = labelsOf(snail);
const STEPS = 16;

@customElement("snail-play")
export class SnailPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    section.box { margin-top: 1rem; }
    .steps { display: grid; grid-template-columns: repeat(${STEPS}, 1fr); gap: 2px; max-width: 32rem; margin: 0.3rem 0; }
    .steps i { height: 1.3rem; border: 1px solid var(--edge); border-radius: 3px; }
    .steps .in { background: var(--bar); }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];

  override render() {
    const run = this.models[0]?.run;
    return html`${this.formula("attention")}
      ${run ? html`<episode-board .run=${run}></episode-board>` : nothing}
      ${this.convolution()}`;
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
