// Words that can be put into another order: self-attention notices only where positions are added.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { colourOf } from "../drawing/colour";
import { shared } from "../piece";
import { theme } from "../theme";
import { LessonPicture, worked } from "./lesson-picture";
import { play, playedChoice, playedMatrix } from "./playing";
import { changes, isOrder, outputs, sinusoid, SIZE, WORDS } from "./sums/positions";
import { plain } from "./sums/writing";
import { labelsOf } from "./text";
import positions from "./texts/positions.json";
import "../components/curve-chart";

const label = labelsOf(positions);
const FIRST = WORDS.map((_, i) => i);
const CHOICES = ["without", "with"] as const;
const SHOWN = 30;

@customElement("positions-play")
export class PositionsPlay extends LessonPicture {
  static override styles = [shared, worked, css`
    .words { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 0.5rem; padding: 0; margin: 0.6rem 0; }
    .words h3 { display: flex; justify-content: space-between; align-items: center; gap: 0.3rem; }
    .words button { min-width: 2rem; padding: 0.1rem 0.4rem; }
    .strip { display: flex; border: 1px solid var(--edge); border-radius: 4px; overflow: hidden; margin: 0.15rem 0 0.35rem; }
    .strip i { flex: 1; height: 1.1rem; }
    .same { color: var(--good); font-weight: 700; }
    .other { color: var(--focus); font-weight: 700; }
  `];

  private get order(): number[] {
    const order = playedMatrix("order", [FIRST])[0]!;
    return isOrder(order) ? order : FIRST;
  }

  private swap(a: number, b: number): void {
    const order = [...this.order];
    [order[a], order[b]] = [order[b]!, order[a]!];
    play("order", [order]);
  }

  override render() {
    const { order } = this;
    const choice = playedChoice("positions", CHOICES);
    const added = choice === "with";
    const [found, changed] = [outputs(order, added), changes(order, added)];
    const most = Math.max(...changed);
    const [dog, man] = [order.indexOf(1), order.indexOf(4)];
    return html`${this.choices("positions", label("choice"), CHOICES, choice, (one) => label(one))}
      ${this.formulaRow("attention", ...(added ? ["even", "odd"] : []))}
      <div class="row choices"><button type="button" data-testid="swap" @click=${() => this.swap(dog, man)}>${label("swap", { a: WORDS[1]!, b: WORDS[4]! })}</button>
        <button type="button" @click=${() => play("order", [[...order].reverse()])}>${label("reverse")}</button>
        <button type="button" @click=${() => play("order", [FIRST])}>${label("first")}</button></div>
      <ol class="words">${order.map((word, place) => html`<li class="box" data-word=${WORDS[word]!}><h3><button type="button" ?disabled=${place === 0}
          aria-label=${label("left", { word: WORDS[word]! })} @click=${() => this.swap(place, place - 1)}>◀</button>${WORDS[word]}<button type="button"
          ?disabled=${place === order.length - 1} aria-label=${label("right", { word: WORDS[word]! })} @click=${() => this.swap(place, place + 1)}>▶</button></h3>
        ${added ? html`<span class="small quiet">${label("position", { n: place })}</span>${this.strip(sinusoid(place), 1)}` : nothing}
        <span class="small quiet">${label("output")}</span>${this.strip(found[word]!, 2)}
        <span class="small">${label("change")} <span class="num ${changed[word]! < 1e-9 ? "same" : "other"}" data-testid="change">${plain(changed[word]!, 3)}</span></span></li>`)}</ol>
      <p role="status" data-testid="says">${order.every((word, place) => word === place) ? label("waiting") : most < 1e-9 ? label("unchanged") : label("changed", { n: plain(most, 3) })}</p>
      <curve-chart .label=${label("chart")} .xName=${label("place")} .series=${[0, 2, 4].map((j) => ({ name: label("dimension", { n: j }),
        points: Array.from({ length: 4 * SHOWN + 1 }, (_, at) => [at / 4, sinusoid(at / 4)[j]!] as [number, number]) }))}></curve-chart>
      <p class="small quiet">${label("legend", { n: SIZE })}</p>`;
  }

  private strip(values: readonly number[], most: number) {
    return html`<span class="strip" title=${values.map((value) => plain(value, 3)).join(", ")}>${values.map((value) => html`<i .style=${`background:${colourOf(value, "difference", theme.now, most)}`}></i>`)}</span>`;
  }
}
