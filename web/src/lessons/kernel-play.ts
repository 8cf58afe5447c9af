// Kernel regression of 1964 to play with: attention before it had a name.
import { css, html, nothing, svg } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { scaleLinear } from "d3-scale";
import { api, type StudioError } from "../api";
import type { Formula, KernelAnswer, Profile } from "../contract";
import { DASHES, LINES } from "../drawing/colour";
import { standalone } from "../drawing/svg";
import type { Exported } from "../exporting";
import { number } from "../format";
import { t } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { theme } from "../theme";
import { worked } from "./lesson-picture";
import { within } from "./sums/reading";
import { dot, mean } from "./sums/vectors";
import { labelsOf } from "./text";
import queryKeyValue from "./texts/query-key-value.json";
import "../components/export-menu";
import "../components/note-list";
import "../components/table-twin";

const X = [0.3, 0.6, 1.1, 1.3, 1.9, 2.2, 2.8, 3.1, 3.3, 3.9, 4.4, 4.6];
const Y = [0.55, 0.8, 1.35, 1.2, 1.1, 0.95, 0.3, 0.05, -0.2, -0.75, -0.9, -0.7];
/** Without the rounding error of the sum, which would show the mean 0.3125 and the estimate that reaches it as different numbers. */
const MEAN = Number(mean(Y).toPrecision(12));
const label = labelsOf(queryKeyValue);
const PROFILES: readonly Profile[] = ["gaussian", "boxcar", "epanechnikov", "triangular"];
const H = 300;
/** From a kernel that sees one point to one so wide that all twelve weigh the same; the slider is logarithmic. */
const [NARROWEST, WIDEST] = [0.05, 50];
const rounded = (value: number) => Number(value.toPrecision(2));

@customElement("kernel-play")
export class KernelPlay extends Piece {
  static override styles = [shared, worked, css`
    svg[role] { width: 100%; max-width: 52rem; height: auto; display: block; }
    ul li { display: flex; gap: 0.4rem; align-items: center; }
    ol { list-style: none; padding: 0; }
    text { font: 13px var(--sans); fill: var(--quiet); }
    path { fill: none; stroke-width: 2.2; }
    .query { stroke: var(--focus); stroke-width: 2; }
    circle { stroke: var(--card); }
    .axis { stroke: var(--line); }
    .bar { justify-content: space-between; }
    ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0; margin: 0.3rem 0; }
    input[type="range"] { width: 14rem; max-width: 45vw; }
    label .num { white-space: nowrap; }
  `];
  @property({ attribute: false }) formulas: Record<string, Formula> = {};
  @state() private answer: KernelAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private width = 640;
  @query("svg[role]") private drawn!: SVGSVGElement;
  private readonly resized = new ResizeObserver(([entry]) => {
    this.width = Math.min(832, Math.max(300, Math.round(entry!.contentRect.width)));
  });
  private readonly latest = new Latest();

  private get at(): number {
    return within(studio.state.play.at, 0, 5, 1.6);
  }

  private get bandwidth(): number {
    return within(studio.state.play.bandwidth, NARROWEST, WIDEST, 0.4);
  }

  private get profile(): Profile {
    return PROFILES.find((one) => one === studio.state.play.profile) ?? "gaussian";
  }

  override firstUpdated(): void {
    this.resized.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const body = { x: X, y: Y, bandwidth: this.bandwidth, profile: this.profile, at: this.at, points: 120 };
    await this.latest.ask(body, (signal) => api.kernel(body, signal), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  private change(patch: { at?: number; bandwidth?: number; profile?: Profile }): void {
    const told = Object.entries(patch).map(([name, value]) => [name, String(value)]);
    studio.set({ play: { ...studio.state.play, ...Object.fromEntries(told) } });
  }

  private read(event: Event): number {
    return Number((event.target as HTMLInputElement).value);
  }

  override render() {
    const answer = this.answer;
    return html`<div class="row">
        <label>${t("kernel.query")} <input type="range" name="query" min="0" max="5" step="0.05" .value=${String(this.at)} @input=${(e: Event) => this.change({ at: this.read(e) })} />
          <span class="num">${number(this.at, 2)}</span></label>
        <label>${t("kernel.bandwidth")} <input type="range" name="bandwidth" min=${Math.log10(NARROWEST)} max=${Math.log10(WIDEST)} step="any" aria-valuetext=${number(this.bandwidth, 2)}
          .value=${String(Math.log10(this.bandwidth))} @input=${(e: Event) => this.change({ bandwidth: rounded(10 ** this.read(e)) })} />
          <span class="num">${number(this.bandwidth, 2)}</span></label>
        <label>${t("kernel.profile")} <select @change=${(e: Event) => this.change({ profile: (e.target as HTMLSelectElement).value as Profile })}>
          ${PROFILES.map((one) => html`<option value=${one} ?selected=${one === this.profile}>${label(one)}</option>`)}</select></label></div>
      <note-list .error=${this.error}></note-list>
      ${answer ? html`${this.estimates(answer)}${this.picture(answer)}
        <div class="row bar"><p class="num" data-testid="prediction">${this.said(answer)}</p>
          <export-menu .make=${() => this.exported(answer)}></export-menu></div>
        <table-twin .label=${t("kernel.table")} .columns=${this.columns()} .rows=${this.rows(answer)}></table-twin>` : nothing}`;
  }

  private said(answer: KernelAnswer): string {
    return t("kernel.prediction", { x: number(this.at, 2), y: number(answer.prediction) });
  }

  /** The three estimates of 1964 at the query, in the order in which they were thought of. */
  private estimates({ scores, prediction }: KernelAnswer) {
    const kernel = scores.map((score) => (score === null ? 0 : Math.exp(score)));
    return html`<ol class="cards">${([
      ["mean", label("mean"), MEAN, label("mean.says")],
      ["unnormalised", label("unnormalised"), dot(kernel, Y) / Y.length, label("unnormalised.says", { sum: number(mean(kernel)) })],
      ["normalised", label("normalised"), prediction, label(prediction === null ? "none" : "normalised.says")],
    ] as const).map(([name, title, value, says]) => html`<li class="box"><h3>${title}</h3><math-formula .formula=${this.formulas[name] ?? null}></math-formula>
      <p class="sum">ŷ = <span class="result" data-testid=${`estimate-${name}`}>${number(value)}</span></p><p class="small">${says}</p></li>`)}</ol>`;
  }

  private columns(): string[] {
    return [t("kernel.key"), t("kernel.value"), t("kernel.score"), t("links.weight")];
  }

  private rows(answer: KernelAnswer): (string | number | null)[][] {
    return X.map((x, i) => [number(x, 2), Y[i]!, answer.scores[i] ?? null, answer.weights[i] ?? null]);
  }

  private exported(answer: KernelAnswer): Exported {
    const [columns, rows] = [this.columns(), this.rows(answer)];
    const background = getComputedStyle(this).getPropertyValue("--card").trim();
    const text = `${this.said(answer)} · ${t("kernel.bandwidth")} = ${number(this.bandwidth, 2)} · ${label(this.profile)}`;
    return { title: t("kernel.title"), run: null, text, target: "", view: { kind: "table", columns, rows }, columns, rows,
      svg: () => standalone(this.drawn, background) };
  }

  private picture(answer: KernelAnswer) {
    const W = this.width;
    const x = scaleLinear().domain([0, 5]).range([36, W - 10]);
    const y = scaleLinear().domain([-1.6, 2]).range([H - 26, 8]).clamp(true);
    const colours = LINES[theme.now];
    const curves: [string, (number | null)[]][] = [[t("kernel.nw"), answer.normalised], [t("kernel.unnormalised"), answer.unnormalised], [t("kernel.mean"), answer.mean]];
    const line = (values: (number | null)[]) => {
      let open = false;
      return values.map((value, i) => {
        if (value === null || answer.grid[i]! < 0 || answer.grid[i]! > 5) { open = false; return ""; }
        const step = `${open ? "L" : "M"}${x(answer.grid[i]!).toFixed(1)} ${y(value).toFixed(1)}`;
        open = true;
        return step;
      }).join("");
    };
    return html`<svg viewBox="0 0 ${W} ${H}" role="img" aria-label=${t("kernel.label")}>
        ${y.ticks(5).map((at) => svg`<line class="axis" x1="36" x2=${W - 10} y1=${y(at)} y2=${y(at)}></line><text x="30" y=${y(at) + 4} text-anchor="end">${at}</text>`)}
        ${x.ticks(6).map((at) => svg`<text x=${x(at)} y=${H - 8} text-anchor="middle">${at}</text>`)}
        ${curves.map(([, values], i) => svg`<path d=${line(values)} stroke=${colours[i]!} stroke-dasharray=${DASHES[i]!}></path>`)}
        <line class="query" x1=${x(this.at)} x2=${x(this.at)} y1="8" y2=${H - 26}></line>
        ${X.map((at, i) => svg`<circle cx=${x(at)} cy=${y(Y[i]!)} r=${4 + Math.sqrt(answer.weights[i] ?? 0) * 14} fill=${colours[3]!}
          fill-opacity=${0.35 + 0.6 * (answer.weights[i] ?? 0)}><title>k = ${at}, v = ${Y[i]!}, α = ${number(answer.weights[i])}</title></circle>`)}
        ${answer.prediction === null ? nothing : svg`<circle cx=${x(this.at)} cy=${y(answer.prediction)} r="6" fill=${colours[1]!}></circle>`}
      </svg>
      <ul class="small" aria-hidden="true">${curves.map(([name], i) => html`<li><svg viewBox="0 0 30 10" width="30" height="10"><path d="M0 5H30" stroke=${colours[i]!}
        stroke-dasharray=${DASHES[i]!}></path></svg>${name}</li>`)}</ul>`;
  }
}
