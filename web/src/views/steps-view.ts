// The step player: decoding word by word, with the arithmetic of this mechanism in the model's own numbers.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Exported } from "../exporting";
import type { PictureRead, Stage, StepAnswer } from "../contract";
import { both, t } from "../i18n";
import { Latest } from "../latest";
import type { Picture } from "../picture";
import { Piece, shared } from "../piece";
import { weightsOf } from "../regions";
import { StepPlayer } from "../step-player";
import { studio } from "../studio";
import { taskText } from "../task-text";
import { reducedMotion } from "../theme";
import { written } from "../written";
import { aboutReading } from "../about";
import "../components/export-menu";
import "../components/map-controls";
import "../components/math-formula";
import "../components/note-list";
import "../components/region-map";
import "../components/sentence-links";
import "../components/term-view";
import "../components/word-chances";

const PACE = [4000, 2000, 1000, 500];

@customElement("steps-view")
export class StepsView extends Piece {
  static override styles = [shared, css`
    .written { font-size: 1.25rem; display: flex; flex-wrap: wrap; gap: 0.1rem 0.15rem; list-style: none; margin: 0.4rem 0; padding: 0; }
    .written button { border-color: transparent; background: none; padding: 0 0.35rem; font-size: inherit; }
    .written button[aria-current] { background: var(--accent-soft); border-color: var(--accent); font-weight: 700; }
    .written .later { color: var(--quiet); }
    .seen { width: 14rem; max-width: 100%; }
    .player button { min-width: 2.6rem; }
    .player label { white-space: nowrap; }
    .player input { width: min(16rem, 50vw); }
    .terms { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0.4rem 1.4rem; align-items: start; }
    ol.stages { list-style: none; counter-reset: stage; padding: 0; margin: 0; }
    ol.stages > li { counter-increment: stage; margin-bottom: 0.5rem; padding-block: 0.5rem; }
    ol.stages h3::before { content: counter(stage) ". "; color: var(--accent); }
    summary h3 { display: inline-block; margin: 0 0.8rem 0 0; }
    summary math-formula { display: inline-block; vertical-align: middle; max-width: 100%; }
    details[open] summary { margin-bottom: 0.5rem; }
    @media (min-width: 48rem) and (min-height: 44rem) { .picture { position: sticky; top: 0; z-index: 4; } }
    pre { margin: 0.3rem 0; overflow-x: auto; font: 0.9rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
    .bar { justify-content: space-between; }
  `];
  @state() private answer: StepAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private pace = 1;
  /** The stage whose numbers are shown. */
  @state() private open = "score";
  @state() private all = false;
  private readonly latest = new Latest();
  private readonly player = new StepPlayer(this, { at: () => this.at, last: () => this.last, pace: () => PACE[this.pace]!, goTo: (step) => this.goTo(step) });

  override updated(): void {
    void this.ask();
  }

  private get at(): number {
    return studio.chosenStep;
  }

  /** The head whose numbers are shown. */
  private get head(): number {
    return Math.min(studio.state.head ?? 0, Math.max(0, (this.answer?.heads ?? 1) - 1));
  }

  private get last(): number {
    return (studio.reading?.target.tokens.length ?? 1) - 1;
  }

  private async ask(): Promise<void> {
    const reading = studio.reading;
    if (!reading) return;
    const prefix = reading.target.tokens.slice(0, Math.min(this.at, this.last)).map((token) => token.id);
    const body = { run: reading.run.id, ...studio.subject, prefix, layer: studio.arithmeticLayer, step: reading.run.step };
    await this.latest.ask(body, (signal) => api.step(body, signal), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  private goTo(step: number): void {
    studio.selectStep(Math.min(this.last, Math.max(0, step)));
  }

  override render() {
    const reading = studio.reading;
    if (!reading) return html`<section class="card"><note-list .error=${studio.error}></note-list><p class="quiet">${taskText("translate.empty")}</p></section>`;
    const picture = studio.shown();
    return html`
      <section class="card picture" aria-labelledby="player">
        <h2 id="player">${t("steps.title")}</h2>
        <p class="quiet">${t("steps.help")}</p>
        ${this.controls()}
        <ol class="written" aria-label=${t("steps.written")}>${reading.target.tokens.map((token, i) => html`<li>
          <button type="button" dir="auto" class=${i > this.at ? "later" : ""} aria-current=${i === this.at ? "step" : nothing}
            @click=${() => this.goTo(i)}>${token.text}</button></li>`)}</ol>
        ${reading.picture && picture ? this.regions(reading.picture, picture) : picture && studio.kind === "cross"
          ? html`<sentence-links .picture=${picture} .about=${aboutReading(reading)} .label=${t("links.title")}></sentence-links>` : nothing}
      </section>
      <section class="card"><map-controls></map-controls></section>
      <note-list .error=${this.error}></note-list>
      ${this.answer ? this.stages(this.answer) : nothing}`;
  }

  /** The picture as the word of this step looks at it. */
  private regions(read: PictureRead, map: Picture) {
    const row = studio.state.row ?? 0;
    const weights = studio.kind === "cross" && row < map.rows.length ? weightsOf(map, row, read) : null;
    return html`<region-map class="seen" .read=${read} .weights=${weights} .label=${t("region.of", { word: map.rows[row] ?? "" })}></region-map>`;
  }

  private controls() {
    return html`<div class="row player" role="group" aria-label=${t("steps.player")}>
      <button type="button" @click=${() => this.goTo(0)} aria-label=${t("steps.first")}>|◀</button>
      <button type="button" @click=${() => this.goTo(this.at - 1)} aria-label=${t("steps.back")} ?disabled=${this.at === 0}>◀</button>
      <button type="button" class="primary" data-testid="play" @click=${() => this.player.toggle()}>${this.player.playing ? t("steps.pause") : t("steps.play")}</button>
      <button type="button" @click=${() => this.goTo(this.at + 1)} aria-label=${t("steps.next")} ?disabled=${this.at >= this.last}>▶</button>
      <label>${t("steps.step")} <input type="range" min="0" max=${this.last} .value=${String(this.at)}
        aria-valuetext=${`${this.at + 1} / ${this.last + 1}`}
        @input=${(e: Event) => this.goTo(Number((e.target as HTMLInputElement).value))} /></label>
      <span class="num" data-testid="position">${this.at + 1} / ${this.last + 1}</span>
      <label>${t("steps.pace")} <select @change=${(e: Event) => (this.pace = Number((e.target as HTMLSelectElement).value))}>
        ${PACE.map((ms, i) => html`<option value=${i} ?selected=${i === this.pace}>${t("steps.seconds", { n: ms / 1000 })}</option>`)}
      </select></label>
      ${reducedMotion() ? html`<span class="small quiet">${t("steps.reduced")}</span>` : nothing}
    </div>`;
  }

  private stages(answer: StepAnswer) {
    const heads = answer.heads;
    const tokens = answer.source.tokens.map((token) => token.text);
    return html`<section class="card" aria-labelledby="sums">
        <div class="row bar"><h2 id="sums">${t("steps.arithmetic", { n: answer.position + 1, word: answer.previous.text })}</h2>
          <export-menu .make=${() => this.exported(answer)}></export-menu></div>
        <div class="row">
          ${answer.mechanism ? html`<span><strong>${answer.mechanism.name}</strong> <span class="quiet small">${answer.mechanism.paper}
            · ${answer.mechanism.score} · ${answer.mechanism.scope} · ${answer.mechanism.align}</span></span>` : nothing}
          ${answer.layers > 1 ? html`<span data-testid="layer">${t("steps.layer", { n: answer.layer + 1, all: answer.layers })}</span>` : nothing}
          ${heads > 1 ? html`<label>${t("controls.head")} <select @change=${(e: Event) => studio.set({ head: Number((e.target as HTMLSelectElement).value) })}>
            ${Array.from({ length: heads }, (_, h) => html`<option value=${h} ?selected=${h === this.head}>${h + 1}</option>`)}</select></label>` : nothing}
          <label><input type="checkbox" name="all" .checked=${this.all} @change=${(e: Event) => (this.all = (e.target as HTMLInputElement).checked)} />${t("steps.all")}</label>
        </div>
      </section>
      <ol class="stages">${answer.stages.map((stage) => html`<li class="card" data-stage=${stage.id}>${this.stage(stage, tokens)}</li>`)}</ol>
      <section class="card"><word-chances .label=${t("steps.words")} .top=${answer.top}
        .token=${studio.reading?.target.tokens[this.at]?.id ?? -1} .about=${studio.reading ? aboutReading(studio.reading) : null}></word-chances></section>`;
  }

  private stage(stage: Stage, tokens: string[]) {
    const open = this.all || stage.id === this.open;
    const turn = (event: Event) => {
      event.preventDefault(); // what is open is decided here, so that only one is
      this.open = this.open === stage.id ? "" : stage.id;
    };
    return html`<details ?open=${open}><summary @click=${turn}><h3>${both(stage.title)}</h3><math-formula .formula=${stage.formula}></math-formula></summary>
      ${open ? this.numbers(stage, tokens) : nothing}</details>`;
  }

  private numbers(stage: Stage, tokens: string[]) {
    return html`<p data-testid="told">${written(both(stage.text))}</p>
      ${stage.worked.length > 0 ? html`<pre class="num" tabindex="0" aria-label=${t("steps.worked")}>${stage.worked.join("\n")}</pre>` : nothing}
      <div class="terms">${stage.terms.map((term) => html`<term-view .term=${term} .tokens=${tokens} .head=${this.head} .lay=${studio.reading?.picture ?? null}></term-view>`)}</div>`;
  }

  private exported(answer: StepAnswer): Exported | null {
    const reading = studio.reading;
    if (!reading) return null;
    const columns = [t("table.stage"), t("table.name"), t("table.values")];
    const rows = answer.stages.flatMap((stage) => stage.terms.map((term) => [both(stage.title), term.label, term.data.join(" ")]));
    return { title: t("steps.arithmetic", { n: answer.position + 1, word: answer.previous.text }), ...aboutReading(reading),
      view: { kind: "table", columns, rows }, columns, rows };
  }
}
