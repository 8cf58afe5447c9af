// Encoder and decoder, unrolled word by word: which state comes from what, and which parameters are used.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { colourOf } from "../drawing/colour";
import { t } from "../i18n";
import { END } from "../picture";
import { shared } from "../piece";
import { StepPlayer } from "../step-player";
import { theme } from "../theme";
import { plain } from "./sums/writing";
import { LessonPicture, worked } from "./lesson-picture";
import { play, playedChoice, playedNumber } from "./playing";
import { unroll, type Unrolled } from "./sums/unrolled";
import { labelsOf } from "./text";
import encoderDecoder from "./texts/encoder-decoder.json";

const label = labelsOf(encoderDecoder);
const PACE = 1500;
const SENTENCES = {
  home: ["I go home", `나는 집에 간다`],
  free: ["Are you free tomorrow ?", "Yes , what 's up ?"],
  apple: ["She is eating a green apple", `그녀는 초록색 사과를 먹고 있다`],
} as const;
type Name = keyof typeof SENTENCES;
const NAMES = Object.keys(SENTENCES) as Name[];
const lowered = (n: number) => String.fromCodePoint(0x2080 + n);
const numbers = (values: readonly number[]) => `[${values.map((value) => plain(value, 3)).join(", ")}]`;

type Side = "encoder" | "decoder";
/** What is called h₀(e), its numbers, and the words that come in and go out. */
interface Cell { side: Side; place: number; values: readonly number[]; reads: string; writes: string }

@customElement("encoder-decoder")
export class EncoderDecoder extends LessonPicture {
  static override styles = [shared, worked, css`
    .says { min-height: 3.2rem; }
    .part { border: 2px solid var(--line); border-radius: 10px; padding: 0.6rem 0.75rem; margin: 0.6rem 0; }
    .part.now { border-color: var(--accent); }
    .chain { list-style: none; display: flex; flex-wrap: wrap; gap: 0.6rem 0.3rem; padding: 0; margin: 0.5rem 0 0; align-items: stretch; }
    .chain li { display: flex; align-items: center; gap: 0.3rem; }
    .cell { display: grid; justify-items: center; gap: 0.15rem; min-width: 4.6rem; padding: 0.3rem; border-radius: 8px; border: 1px solid transparent; }
    li.now .cell { background: var(--accent-soft); border-color: var(--accent); }
    .later .state { border-style: dashed; }
    .later i, .later .word, .later .name, .later .arrow { visibility: hidden; }
    [data-part=encoder] li { align-items: start; }
    [data-part=encoder] li > .arrow { margin-top: 0.5rem; }
    button.state { display: flex; padding: 0; min-height: 0; border-radius: 4px; overflow: hidden; }
    .state i { width: 0.95rem; height: 1.5rem; }
    .numbers { margin: 0.4rem 0 0; min-height: 1.3rem; }
    .word { font-weight: 600; white-space: nowrap; min-height: 1.5rem; }
    .name, .arrow { color: var(--quiet); font-size: 0.85rem; }
    .bar { justify-content: space-between; }
    .player button { min-width: 2.6rem; }
    .hand { margin: 0 0 0 1rem; font-size: 1.2rem; }
    @media (max-width: 30rem) { .chain li.later { display: none; } .cell { min-width: 3.6rem; padding: 0.2rem; } .state i { width: 0.75rem; } }
  `];
  /** The state that is pointed at, tapped or focused, at that step. */
  @state() private pointed: { side: Side; place: number; at: number } | null = null;
  private readonly player = new StepPlayer(this, { at: () => this.at, last: () => this.last, pace: () => PACE, goTo: (step) => play("step", step) });

  private get name(): Name {
    return playedChoice("sentence", NAMES);
  }

  private get words(): [string[], string[]] {
    const [source, target] = SENTENCES[this.name];
    return [source.split(" "), [...target.split(" "), END]];
  }

  /** Steps: nothing read, each word read, the state handed over, each word written. */
  private get last(): number {
    const [source, target] = this.words;
    return source.length + 1 + target.length;
  }

  private get at(): number {
    return Math.round(playedNumber("step", 0, this.last, 0));
  }

  override render() {
    const [source, target] = this.words;
    const net = unroll(source, target);
    const read = Math.min(this.at, source.length);
    const written = this.at - source.length - 1;
    return html`<div class="row"><label>${label("sentence")} <select name="sentence" @change=${(e: Event) => { this.player.stop(); play("sentence", (e.target as HTMLSelectElement).value); play("step", 0); }}>
        ${NAMES.map((name) => html`<option value=${name} ?selected=${name === this.name}>${SENTENCES[name][0].replace(" ?", "?")}</option>`)}</select></label></div>
      ${this.controls()}
      <p class="says" role="status" data-testid="says">${this.says(source, target, net)}</p>
      <section class="part ${this.at > 0 && this.at <= source.length ? "now" : ""}" data-part="encoder"><div class="row bar"><h3>${label("encoder")}</h3>
          <span class="small num">W<sub>e</sub>, U<sub>e</sub>: <span data-testid="encoder-used">${label("used", { n: read })}</span></span></div>${this.formula("encoder")}
        ${this.chain(net.encoder.map((values, place) => ({ side: "encoder", place, values, reads: place > 0 ? source[place - 1]! : "", writes: "" })), read, written < 0)}</section>
      <p class="hand">${written >= 0 ? html`↓ ${this.formula("handed")}` : html`<span class="quiet">↓</span>`}</p>
      <section class="part ${written > 0 ? "now" : ""}" data-part="decoder"><div class="row bar"><h3>${label("decoder")}</h3>
          <span class="small num">W<sub>d</sub>, U<sub>d</sub>: <span data-testid="decoder-used">${label("used", { n: Math.max(0, written) })}</span></span></div>${this.formula("decoder")}
        ${this.chain(net.decoder.map((values, place) => ({ side: "decoder", place, values, reads: place > 0 ? net.inputs[place - 1]! : "", writes: place > 0 ? target[place - 1]! : "" })), written, true)}</section>
      <p class="small quiet">${label("legend")}</p>`;
  }

  /** The states of a network as far as it has come, and the numbers of one of them: the newest, unless another is looked at. */
  private chain(cells: Cell[], newest: number, active: boolean) {
    const { pointed } = this;
    const shown = pointed?.side === cells[0]!.side && pointed.at === this.at ? pointed.place : newest;
    return html`<ol class="chain">${cells.map((cell) => this.cell(cell, cell.place > newest, active && cell.place === newest))}</ol>
      <p class="small num numbers" data-testid="numbers">${newest < 0 ? nothing : `${this.named(cells[shown]!)} = ${numbers(cells[shown]!.values)}`}</p>`;
  }

  private named({ side, place }: Cell): string {
    return `h${lowered(place)}(${side[0]})`;
  }

  private cell(cell: Cell, later: boolean, now: boolean) {
    const { side, place, values, reads, writes } = cell;
    const look = () => { if (!later) this.pointed = { side, place, at: this.at }; };
    return html`<li class="${later ? "later" : ""} ${now ? "now" : ""}" aria-hidden=${later ? "true" : nothing}>${reads ? html`<span class="arrow" aria-hidden="true">→</span>` : nothing}
      <div class="cell">${writes ? html`<span class="word" data-writes>${writes}</span><span class="arrow" aria-hidden="true">↑</span>` : nothing}
        <button type="button" class="state" ?disabled=${later} aria-label=${`${this.named(cell)} = ${numbers(values)}`} @pointerenter=${look} @focus=${look} @click=${look}>
          ${values.map((value) => html`<i .style=${`background:${colourOf(value, "difference", theme.now)}`}></i>`)}</button>
        <span class="name">${this.named(cell)}</span>${reads ? html`<span class="arrow" aria-hidden="true">↑</span><span class="word" data-reads>${reads}</span>` : nothing}</div></li>`;
  }

  private says(source: string[], target: string[], net: Unrolled): string {
    const n = source.length;
    const written = this.at - n - 1;
    if (this.at === 0) return label("start");
    if (this.at <= n) return label("read", { word: source[this.at - 1]!, n: lowered(this.at), before: lowered(this.at - 1) });
    if (written === 0) return label("handed", { n: lowered(n) });
    if (written === 1) return label("first", { word: target[0]! });
    const values = { before: net.inputs[written - 1]!, word: target[written - 1]!, n: written };
    return written === target.length ? label("end", values) : label("write", values);
  }

  private controls() {
    const go = (step: number) => () => { this.player.stop(); play("step", Math.min(this.last, Math.max(0, step))); };
    return html`<div class="row player choices" role="group" aria-label=${t("steps.player")}>
      <button type="button" @click=${go(0)} aria-label=${t("steps.first")}>|◀</button>
      <button type="button" @click=${go(this.at - 1)} aria-label=${t("steps.back")} ?disabled=${this.at === 0}>◀</button>
      <button type="button" class="primary" data-testid="play" @click=${() => this.player.toggle()}>${this.player.playing ? t("steps.pause") : t("steps.play")}</button>
      <button type="button" @click=${go(this.at + 1)} aria-label=${t("steps.next")} ?disabled=${this.at >= this.last}>▶</button>
      ${this.slider("step", t("steps.step"), this.at, { least: 0, most: this.last, step: 1, shown: `${this.at} / ${this.last}` })}</div>`;
  }
}
