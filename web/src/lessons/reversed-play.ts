// A source read forwards and backwards by two models that differ in nothing else.
import { css, html, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { ChancesAnswer, ExamplePair, LessonModel } from "../contract";
import { short } from "../format";
import { both, t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/curve-chart";
import "../components/note-list";
import { labelsOf } from "./text";
import reversedSource from "./texts/reversed-source.json";

const label = labelsOf(reversedSource);
const WAYS = ["forwards", "backwards"] as const;
const CELL = 70;

@customElement("reversed-play")
export class ReversedPlay extends Piece {
  static override styles = [shared, css`
    .row { margin: 0.5rem 0; }
    input[type="range"] { width: min(20rem, 50vw); }
    .scroll { overflow-x: auto; }
    svg { display: block; height: auto; }
    svg text { font: 14px var(--sans); fill: var(--quiet); text-anchor: middle; }
    svg text.first { fill: var(--ink); font-weight: 700; }
    path { fill: none; stroke: var(--gold); stroke-width: 2.5; }
    line { stroke: var(--line); stroke-width: 2; }
  `];
  /** Forwards, then backwards. */
  @property({ attribute: false }) models: LessonModel[] = [];
  @state() private found: ChancesAnswer | null = null;
  @state() private error: StudioError | null = null;
  private asked = false;

  override updated(): void {
    if (!this.asked) void this.ask();
  }

  private async ask(): Promise<void> {
    this.asked = true;
    try {
      this.found = await api.chances({ runs: this.models.map((model) => model.run!) });
    } catch (error) {
      this.error = error as StudioError;
    }
  }

  private get at(): number {
    return Math.min(Number(studio.state.play.sentence ?? 0) || 0, Math.max(0, (this.found?.examples.length ?? 1) - 1));
  }

  private get way(): (typeof WAYS)[number] {
    return studio.state.play.way === "backwards" ? "backwards" : "forwards";
  }

  private play(name: string, value: string): void {
    studio.set({ play: { ...studio.state.play, [name]: value } });
  }

  override render() {
    const { found } = this;
    const pair = found?.examples[this.at];
    if (!found || !pair) return html`<note-list .error=${this.error}></note-list><p class="quiet">${t("part.loading")}</p>`;
    const words = pair.source.split(/\s+/).length;
    return html`<div class="row" role="group" aria-label=${label("way")}>${WAYS.map((way) => html`<button type="button" data-way=${way}
        aria-pressed=${way === this.way} @click=${() => this.play("way", way)}>${label(way)}</button>`)}</div>
      <label>${t("lesson.length")} <input type="range" name="sentence" min="0" max=${found.examples.length - 1} .value=${String(this.at)} aria-valuetext=${t("lesson.words", { n: words })}
        @input=${(e: Event) => this.play("sentence", (e.target as HTMLInputElement).value)} /> <span class="num">${t("lesson.words", { n: words })}</span></label>
      ${this.drawing(pair)}
      ${this.curves(found)}`;
  }

  private drawing(pair: ExamplePair) {
    const source = pair.source.split(/\s+/);
    const read = this.way === "forwards" ? source : [...source].reverse();
    const written = pair.target.split(/\s+/)[0]!;
    const first = this.way === "forwards" ? 0 : read.length - 1;
    const distance = this.way === "forwards" ? source.length - 1 : 0;
    const x = (i: number) => (i + 0.5) * CELL;
    const width = (read.length + 1.6) * CELL;
    return html`<p dir="auto">${label("reads")} <strong>${read.join(" ")}</strong><br />${label("writes")} ${pair.target}</p>
      <div class="scroll" tabindex="0" role="region" aria-label=${label("drawing")}><svg viewBox="0 0 ${width} 92" .style=${`width:${width * 0.8}px;max-width:max(100%,${width * 0.68}px)`} role="img" aria-label=${label("drawing")}>
        <path d=${`M${x(first)} 58C${x(first)} 8 ${x(read.length + 0.5)} 8 ${x(read.length + 0.5)} 58`}></path>
        <line x1=${read.length * CELL + CELL / 4} x2=${read.length * CELL + CELL / 4} y1="50" y2="88"></line>
        ${read.map((word, i) => svg`<text class=${i === first ? "first" : ""} x=${x(i)} y="78">${short(word, 9)}</text>`)}
        <text class="first" x=${x(read.length + 0.5)} y="78">${short(written, 9)}</text></svg></div>
      <p data-testid="distance" data-distance=${distance}><strong>${label("distance", { n: distance })}</strong></p>`;
  }

  private curves(found: ChancesAnswer) {
    const series = found.runs.map((run, i) => ({ name: both(this.models[i]!.title), points: run.by_place.map(({ at, mean }): [number, number] => [at, mean]) }));
    const [forwards, backwards] = found.runs;
    const told = (name: "first" | "all", of: (run: ChancesAnswer["runs"][number]) => number) => html`<li data-testid=${name} data-forwards=${of(forwards!)} data-backwards=${of(backwards!)}>
      ${label(name, { forwards: of(forwards!).toFixed(2), backwards: of(backwards!).toFixed(2) })}</li>`;
    return html`<curve-chart .label=${label("places", { n: found.sentences })} .xName=${label("axis")} .series=${series} .least=${0} .most=${1}
        .about=${{ run: forwards!.run, text: "", target: "" }}></curve-chart>
      <ul class="num">${told("first", (run) => run.by_place[0]!.mean)}${told("all", (run) => run.mean)}</ul>`;
  }
}
