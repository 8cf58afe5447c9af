// Watch it learn: one pair under the weights of every kept step, with the curves of the training.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Frame, LearnAnswer, MetricLine } from "../contract";
import type { Series } from "../components/curve-chart";
import type { About } from "../about";
import { number, percent } from "../format";
import { t } from "../i18n";
import { scoreCurve, seriesOf } from "../metric-lines";
import { Piece, shared } from "../piece";
import { alignmentPicture } from "../picture";
import { StepPlayer } from "../step-player";
import { studio } from "../studio";
import "../components/curve-chart";
import "../components/heat-map";
import "../components/note-list";
import "../components/region-strip";

/** Milliseconds between two looks at the metrics: of a run that is being trained, and of one that may go on. */
const EVERY = { live: 2000, quiet: 10_000 };
const PACE = 600;

@customElement("learn-view")
export class LearnView extends Piece {
  static override styles = [shared, css`
    .two { display: grid; grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
    input[type="range"] { width: min(32rem, 60vw); }
    .own { font-size: 1.15rem; font-weight: 600; min-height: 1.7rem; }
    @media (max-width: 56rem) { .two { grid-template-columns: minmax(0, 1fr); } }
  `];
  @state() private answer: LearnAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private working = false;
  @state() private lines: MetricLine[] = [];
  @state() private live = false;
  private asked = "";
  private asking = new AbortController();
  private about = "";
  private followed = "";
  private next = 0;
  private readonly player = new StepPlayer(this, {
    at: () => this.at, last: () => (this.answer?.frames.length ?? 1) - 1, pace: () => PACE, goTo: (place) => this.show(place),
  });
  private poll = 0;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.poll);
    this.asking.abort();
    [this.asked, this.about, this.followed] = ["", "", ""];
  }

  override updated(): void {
    void this.ask();
    const run = studio.run?.id ?? "";
    if (run !== "" && run !== this.followed) {
      this.followed = run;
      this.lines = [];
      this.next = 0;
      this.live = false;
      clearTimeout(this.poll);
      void this.follow(run);
    }
  }

  private async ask(): Promise<void> {
    const { run } = studio;
    const { subject } = studio;
    if (!run || run.state === "broken" || run.state === "gone" || subject === null) return;
    if (run.state !== "ready" && run.steps.length === 0) return;
    const about = JSON.stringify([run.id, subject]);
    const key = JSON.stringify([about, run.steps.length, run.hash]);
    // While a live run grows, one question is on its way at a time: what came meanwhile is asked when it is answered.
    if (key === this.asked || (this.working && about === this.about)) return;
    this.asked = key;
    if (about !== this.about) this.asking.abort();
    this.asking = new AbortController();
    this.about = about;
    this.working = true;
    try {
      const answer = await api.learn({ run: run.id, ...subject }, this.asking.signal);
      if (about !== this.about) return;
      this.answer = answer;
      this.error = null;
    } catch (error) {
      if (about !== this.about) return;
      this.answer = null;
      this.error = error as StudioError;
    }
    this.working = false;
  }

  /** Keeps reading the metrics: often while the run is trained, seldom while it rests. */
  private async follow(run: string): Promise<void> {
    try {
      const answer = await api.metrics(run, this.next);
      if (run !== this.followed) return;
      this.lines = answer.reset ? answer.lines : [...this.lines, ...answer.lines];
      this.next = answer.next;
      // Weights were saved since, or it began or ended: the run is described again, which brings its new frames.
      if (answer.live !== this.live || (answer.live && answer.lines.length > 0)) void studio.loadRuns();
      this.live = answer.live;
    } catch (error) {
      if (run !== this.followed) return;
      this.error = error as StudioError;
    }
    if (this.isConnected) this.poll = window.setTimeout(() => void this.follow(run), this.live ? EVERY.live : EVERY.quiet);
  }

  /** The place of the frame that the link names by its step; the last one is that of the best weights. */
  private get at(): number {
    const frames = this.answer?.frames ?? [];
    const found = studio.state.frame === null ? -1 : frames.findIndex((frame) => frame.step === studio.state.frame);
    return found < 0 ? Math.max(0, frames.length - 1) : found;
  }

  private show(place: number): void {
    studio.set({ frame: this.answer?.frames[place]?.step ?? null });
  }

  private nearest(step: number): void {
    const frames = this.answer?.frames ?? [];
    let best = 0;
    frames.forEach((frame, i) => {
      if (frame.step !== null && Math.abs(frame.step - step) < Math.abs((frames[best]!.step ?? Infinity) - step)) best = i;
    });
    this.show(best);
  }

  override render() {
    const { run } = studio;
    if (!run) return nothing;
    const frame = this.answer?.frames[this.at];
    return html`<section class="card"><h2>${t("learn.title")}</h2><p class="quiet">${t(studio.readsPictures ? "learn.picturehelp" : "learn.help")}</p>
        ${this.live ? html`<p role="status"><strong>${t("learn.live")}</strong> ${t("learn.at", { n: run.step ?? 0, most: run.max_steps ?? 0 })}</p>` : nothing}
        <note-list .notes=${this.answer?.notes ?? []} .error=${this.error}></note-list>
        <p class="small quiet" role="status">${this.working ? t("learn.working") : ""}</p>
        ${this.answer && frame ? this.slider(this.answer, frame) : nothing}</section>
      <div class="two">
        ${this.answer && frame ? html`<section class="card">${this.map(this.answer, frame)}</section>` : html`<span></span>`}
        <section class="card">${this.curves(frame)}</section>
      </div>`;
  }

  private slider(answer: LearnAnswer, frame: Frame) {
    const name = frame.step === null ? t("learn.best") : t("subject.step", { n: frame.step });
    // A model that comes along has no steps to move through.
    return html`${answer.frames.length < 2 ? html`<p class="small" data-testid="only-best">${t("learn.onlybest")}</p>` : html`<div class="row">
        <button type="button" class="primary" @click=${() => this.player.toggle()}>${this.player.playing ? t("steps.pause") : t("steps.play")}</button>
        <label>${t("learn.slider")} <input type="range" name="frame" min="0" max=${answer.frames.length - 1} .value=${String(this.at)}
          aria-valuetext=${name} @input=${(e: Event) => this.show(Number((e.target as HTMLInputElement).value))} /></label>
        <strong class="num" data-testid="frame">${name}</strong></div>`}
      <p class="own" dir="auto">${frame.own}</p>
      <p class="small quiet num">${t("learn.facts", { logp: number(frame.log_prob, 2), target: answer.target })}
        ${frame.score ? t("translate.aer", { n: percent(frame.score.aer) }) : ""}</p>`;
  }

  private map(answer: LearnAnswer, frame: Frame) {
    if (!frame.alignment) return html`<p>${t("note.no_attention")}</p>`;
    const about: About = { run: { ...answer.run, step: frame.step, hash: frame.hash }, text: answer.picture?.id ?? answer.source_words.join(" "), target: answer.target };
    const picture = alignmentPicture(frame.alignment, answer.target_words, answer.source_words, answer.gold?.links ?? null);
    if (answer.picture) return html`<region-strip .map=${picture} .read=${answer.picture} .about=${about} .label=${t("region.strip")}></region-strip>`;
    return html`<heat-map .picture=${picture} .about=${about} .label=${t("learn.map")}></heat-map>`;
  }

  private curves(frame: Frame | undefined) {
    const run = this.answer?.run ?? null;
    const about = run ? { run, text: this.answer!.picture?.id ?? studio.state.text, target: this.answer!.target } : null;
    const frames = (this.answer?.frames ?? []).filter((one) => one.step !== null);
    const mark = frame?.step ?? studio.run?.step ?? null;
    const losses: Series[] = [{ name: t("learn.loss"), points: seriesOf(this.lines, "loss") }, { name: t("learn.validloss"), points: seriesOf(this.lines, "valid_loss") }];
    const scores: Series[] = [...(studio.run?.scores ?? []).map((score) => scoreCurve(this.lines, score)),
      { name: t("learn.aer"), points: frames.flatMap((one) => (one.score ? [[one.step!, one.score.aer * 100] as [number, number]] : [])) }];
    const pair: Series[] = [{ name: t("learn.pairlogp"), points: frames.map((one) => [one.step!, one.log_prob]) }];
    const pick = (event: CustomEvent<number>) => this.nearest(event.detail);
    return html`${[{ label: t("learn.losses"), series: losses, note: this.smoothing() }, { label: t("learn.scores"), series: scores, most: 100 }, { label: t(studio.readsPictures ? "learn.picturepair" : "learn.pair"), series: pair }].map((one) => html`
      <curve-chart .label=${one.label} .most=${one.most ?? Infinity} .xName=${t("learn.steps")} .series=${one.series} .mark=${mark} .about=${about} @pick=${pick}></curve-chart>
      ${one.note ? html`<p class="small quiet" data-testid="smoothing">${one.note}</p>` : nothing}`)}`;
  }

  /** Why the training loss stays above the validation loss, where labels are smoothed. */
  private smoothing(): string {
    const smoothing = studio.run?.label_smoothing ?? 0;
    return smoothing > 0 ? t("learn.smoothing", { n: number(smoothing, 2) }) : "";
  }
}
