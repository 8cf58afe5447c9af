// The whole Transformer; each part opens with what it does, its formula, its size and where it is in a run.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { shared } from "../piece";
import { LessonPicture, worked } from "./lesson-picture";
import { play, playedChoice, playedNumber } from "./playing";
import { allParameters, KINDS, parametersOf, timesOf, type Kind, type Size } from "./sums/parameters";
import { labelsOf } from "./text";
import architecture from "./texts/architecture.json";

const label = labelsOf(architecture);
const WORDS = 8000;
const FORMULAS: Record<Kind, string[]> = {
  embedding: ["embedding"], self: ["attention", "heads"], masked: ["attention", "heads"], cross: ["attention", "heads"], norm: ["post", "pre"], feed: ["feed"], output: ["output"],
};
/** Names in a run: parameters of the model, and keys of its configuration. */
const NAMES: Record<Kind, [string, string]> = {
  embedding: ["target_embedding", "model.embedding"],
  self: ["encoder.layers.0.attention", "model.encoder.heads"],
  masked: ["decoder.layers.0.attention", "model.decoder.heads"],
  cross: ["decoder.layers.0.cross", "model.decoder.attention"],
  norm: ["encoder.layers.0.around_attention.norm", "model.encoder.norm"],
  feed: ["encoder.layers.0.feed_forward", "model.encoder.ff"],
  output: ["generator", "model.tie_output"],
};
const whole = (value: number) => value.toLocaleString("en");

@customElement("architecture-play")
export class ArchitecturePlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .net { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.8rem; align-items: end; max-width: 36rem; margin: 0.8rem 0; }
    .side { display: grid; gap: 0.35rem; }
    .stack { border: 2px solid var(--edge); border-radius: 10px; padding: 0.4rem; display: grid; gap: 0.3rem; }
    .net button { width: 100%; padding: 0.25rem 0.3rem; line-height: 1.25; }
    .net button[data-kind=norm] { font-size: 0.85rem; min-height: 1.6rem; }
    .net button[data-kind=self], .net button[data-kind=masked], .net button[data-kind=cross] { border-width: 2px; border-color: var(--gold); }
    .end { text-align: center; }
    .up { text-align: center; color: var(--quiet); line-height: 1; }
    .both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 0.4rem 1.2rem; align-items: start; }
    code { overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: 0.15rem 0.8rem; margin: 0.4rem 0; }
    dd { margin: 0; }
  `];

  private get size(): Size {
    const d = 64 * Math.round(playedNumber("width", 1, 16, 8));
    return { d, heads: 2 ** Math.round(playedNumber("heads", 0, 4, 3)), layers: Math.round(playedNumber("layers", 1, 12, 6)), ff: 4 * d, words: WORDS };
  }

  private button(kind: Kind, chosen: Kind, more = "") {
    return html`<button type="button" data-kind=${kind} aria-pressed=${kind === chosen} @click=${() => play("part", kind)}>${label(kind)}${more ? html` <span class="small whole">${more}</span>` : nothing}</button>`;
  }

  override render() {
    const { size } = this;
    const chosen = playedChoice<Kind>("part", ["cross", ...KINDS]);
    const up = html`<div class="up" aria-hidden="true">↑</div>`;
    const norm = () => this.button("norm", chosen);
    return html`<div class="row">
        ${this.slider("layers", label("layers"), size.layers, { least: 1, most: 12, step: 1, shown: String(size.layers) })}
        ${this.slider("width", label("width"), size.d / 64, { least: 1, most: 16, step: 1, shown: String(size.d) })}
        ${this.slider("heads", label("heads"), Math.log2(size.heads), { least: 0, most: 4, step: 1, shown: String(size.heads) })}</div>
      <p class="num">${label("all")} <strong class="whole" data-testid="all">${whole(allParameters(size))}</strong></p>
      <div class="both"><div class="net" role="group" aria-label=${label("picture")}>
        <div class="side"><div class="end small quiet">${label("memory")} →</div>${up}
          <div class="stack"><span class="small quiet">${label("times", { n: size.layers })}</span>${norm()}${this.button("feed", chosen)}${norm()}${this.button("self", chosen)}</div>${up}
          ${this.button("embedding", chosen)}<div class="end small">${label("source")}</div></div>
        <div class="side"><div class="end small">${label("next")}</div>${this.button("output", chosen)}${up}
          <div class="stack"><span class="small quiet">${label("times", { n: size.layers })}</span>${norm()}${this.button("feed", chosen)}${norm()}${this.button("cross", chosen, "← K, V")}${norm()}${this.button("masked", chosen)}</div>${up}
          ${this.button("embedding", chosen)}<div class="end small">${label("target")}</div></div></div>
      ${this.panel(chosen, size)}</div>`;
  }

  private panel(kind: Kind, size: Size) {
    const [parameters, key] = NAMES[kind];
    return html`<section class="box" aria-live="polite" data-testid="panel"><h3>${label(kind)}</h3><p>${label(`${kind}.says`)}</p>
      ${FORMULAS[kind].map((name) => this.formula(name))}
      <dl class="small"><dt>${label("parameters")}</dt><dd class="num"><span class="whole"><span data-testid="one">${whole(parametersOf(kind, size))}</span> × <span data-testid="often">${timesOf(kind, size)}</span></span></dd>
        ${["self", "masked", "cross"].includes(kind) ? html`<dt>${label("head")}</dt><dd class="num whole" data-testid="head">${size.d} / ${size.heads} = ${size.d / size.heads}</dd>` : nothing}
        <dt>${label("run")}</dt><dd><code>${parameters}</code></dd><dt>${label("key")}</dt><dd><code>${key}</code></dd>
        <dt>${label("see")}</dt><dd>${label(`${kind}.see`)}</dd></dl></section>`;
  }
}
