// Attention over the patches of a picture: a dog in a sweater whose left ear is covered.
import { css, html, svg } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { LessonModel } from "../contract";
import { number, percent } from "../format";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import "./scene-play";
import { playedChoice, playedNumber } from "./playing";
import { COLUMNS, look, PATCHES, QUERIES, shareOf, type Looked, type Query, type Thing } from "./sums/image";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import imageAttention from "./texts/image-attention.json";

const label = labelsOf(imageAttention);
const CELL = 30;
const ORDER: Thing[] = ["ear", "eyes", "nose", "fur", "sweater", "blanket", "snow", "hidden"];
const KINDS = ["soft", "hard"] as const;

@customElement("image-attention")
export class ImageAttention extends LessonPicture {
  static override styles = [shared, worked, css`
    .both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.6rem 1.4rem; align-items: start; }
    svg[role] { max-width: 26rem; border-radius: 8px; border: 1px solid var(--edge); }
    .box rect { stroke: none; }
    ul { list-style: none; padding: 0; margin: 0.4rem 0; display: grid; gap: 0.25rem; }
    li { display: grid; grid-template-columns: 6.5rem 4.2rem 1fr; gap: 0.4rem; align-items: center; }
    li .num { text-align: end; white-space: nowrap; }
    section { margin-top: 1.6rem; }
  `];
  @property({ attribute: false }) models: LessonModel[] = [];

  override render() {
    const query = playedChoice("word", Object.keys(QUERIES) as Query[]);
    const kind = playedChoice("kind", KINDS);
    const sharpness = playedNumber("sharp", 0, 8, 4);
    const found = look(query, sharpness, kind === "hard");
    return html`${this.choices("word", label("word"), Object.keys(QUERIES) as Query[], query, (one) => label(`word.${one}`))}
      ${this.choices("kind", label("kind"), KINDS, kind, (one) => label(one))}
      <div class="row">${this.slider("sharp", label("sharp"), sharpness, { least: 0, most: 8, step: 0.5, shown: plain(sharpness) })}</div>
      <div class="both">${this.drawing(found, kind)}
        <div>${this.formulaRow("score", "weights", kind === "hard" ? "taken" : "context")}
          <ul>${ORDER.map((thing) => this.share(thing, kind === "hard" ? found.weights.map((_, i) => (i === found.chosen ? 1 : 0)) : found.weights))}</ul>
          <p class="sum num">z = <span data-testid="context">[${found.context.map((value) => number(value, 2)).join(", ")}]</span></p>
          <p class="small quiet">${label("legend")}</p></div></div>
      <section><h3>${label("trained")}</h3><p>${label("trained.says")}</p><scene-play .models=${this.models}></scene-play></section>`;
  }

  private share(thing: Thing, weights: readonly number[]) {
    const share = shareOf(thing, weights);
    return html`<li><span>${label(thing)}</span><span class="num" data-thing=${thing}>${percent(share)}</span><span><span class="fill" .style=${`width:${share * 100}%`}></span></span></li>`;
  }

  /** The picture, and over each patch a shade that is thinner the more it is looked at. */
  private drawing({ weights, chosen }: Looked, kind: (typeof KINDS)[number]) {
    const [w, h] = [COLUMNS * CELL, PATCHES.length * CELL];
    const most = Math.max(...weights);
    return html`<svg viewBox="0 0 ${w} ${h}" role="img" aria-label=${label("picture")}>
      <rect width=${w} height=${h} fill="#dfe9f2"></rect>
      <rect x="0" y=${7 * CELL} width=${w} height=${CELL} fill="#8d6e63"></rect>
      <path d="M30 ${8 * CELL} V${6 * CELL + 8} Q150 ${5 * CELL + 4} 270 ${6 * CELL + 8} V${8 * CELL} Z" fill="#2f6f8f"></path>
      <path d="M66 62 L74 4 L122 40 Z" fill="#c9752d"></path><path d="M234 62 L226 4 L178 40 Z" fill="#c9752d"></path>
      <ellipse cx="150" cy="105" rx="88" ry="76" fill="#d98a3d"></ellipse><ellipse cx="150" cy="140" rx="48" ry="36" fill="#f6e3c8"></ellipse>
      <circle cx="108" cy="104" r="9" fill="#20160f"></circle><circle cx="192" cy="104" r="9" fill="#20160f"></circle>
      <ellipse cx="150" cy="134" rx="18" ry="12" fill="#20160f"></ellipse><path d="M150 146 V158 M132 164 Q150 174 168 164" stroke="#20160f" stroke-width="3" fill="none"></path>
      <rect x="60" y="0" width="60" height="60" fill="#f2c230"></rect><text x="90" y="37" text-anchor="middle" fill="#20160f" font-size="20">?</text>
      ${weights.map((weight, i) => svg`<rect x=${(i % COLUMNS) * CELL} y=${Math.floor(i / COLUMNS) * CELL} width=${CELL} height=${CELL} fill="#0b1020"
        fill-opacity=${(kind === "hard" ? (i === chosen ? 0 : 0.72) : 0.72 * (1 - weight / most)).toFixed(3)} stroke="#ffffff" stroke-opacity="0.25"><title>${number(weight, 4)}</title></rect>`)}
      <rect class="cover" x="61.5" y="1.5" width="57" height="57" fill="none" stroke="#f2c230" stroke-width="3" pointer-events="none"></rect></svg>`;
  }
}
