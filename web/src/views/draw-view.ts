// Generated pictures: choose one and a pixel of it, and see where that pixel looks at each attention layer of both players.
import { css, html, nothing, svg } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { DrawAnswer, GazeAnswer, GazeMap } from "../contract";
import type { Exported } from "../exporting";
import { number, percent } from "../format";
import { t } from "../i18n";
import { Latest } from "../latest";
import { play, playedNumber } from "../lessons/playing";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/export-menu";
import "../components/note-list";

const COUNT = 24;
const NEAREST = 3;
const SECONDS = 3;
const png = (data: string) => `data:image/png;base64,${data}`;

@customElement("draw-view")
export class DrawView extends Piece {
  static override styles = [shared, css`
    .sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(3.4rem, 1fr)); gap: 0.35rem; margin: 0.6rem 0; }
    .sheet button { padding: 2px; min-height: 0; line-height: 0; }
    .sheet button[aria-pressed="true"] { outline: 3px solid var(--accent); }
    img, image { image-rendering: pixelated; }
    .sheet img { width: 100%; height: auto; }
    .maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: 1rem; align-items: start; }
    figure { margin: 0; min-width: 0; }
    figcaption { font-size: 0.9rem; margin-bottom: 0.3rem; }
    .maps figcaption { min-height: 2.8rem; }
    svg { width: 100%; max-width: 22rem; display: block; background: #808080; }
    svg.pick { cursor: crosshair; }
    svg.pick:focus-visible { outline: 3px solid var(--accent); }
    .asks { fill: none; stroke: #ffffff; }
    .ring { fill: none; stroke: #000000; }
    .near { display: flex; flex-wrap: wrap; gap: 0.6rem; }
    .near img { width: 5rem; height: auto; display: block; }
    input[type="range"] { width: min(14rem, 60vw); }
  `];
  @state() private answer: DrawAnswer | null = null;
  @state() private seen: GazeAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private moving: "gamma" | "share" | null = null;
  private readonly latestDraw = new Latest();
  private readonly latestGaze = new Latest();
  private began = 0;

  override updated(): void {
    void this.draw();
    void this.gaze();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.moving = null;
    this.latestDraw.forget();
    this.latestGaze.forget();
  }

  private get chosen() {
    return {
      seed: playedNumber("seed", 0, 1000000, 1), number: Math.round(playedNumber("picture", 0, COUNT - 1, 0)),
      strength: playedNumber("gamma", 0, 2, 1), towards: Math.round(playedNumber("towards", 0, COUNT - 1, 1)),
      share: playedNumber("share", 0, 1, 0), label: studio.state.play["label"] ?? "",
    };
  }

  private get pixel() {
    const side = this.answer?.side ?? 2;
    const place = (value: number | null) => Math.min(side - 1, value ?? Math.floor(side / 2));
    return { row: place(studio.state.row), column: place(studio.state.col) };
  }

  private async draw(): Promise<void> {
    const { run, step } = studio.state;
    if (run === null) return;
    const { seed, label } = this.chosen;
    const body = { run, step, seed, count: COUNT, label: label === "" ? null : label };
    await this.latestDraw.ask(body, (signal) => api.draw(body, signal), (answer) => ([this.answer, this.error] = [answer, null]),
      (error) => ([this.answer, this.seen, this.error] = [null, null, error]));
  }

  private async gaze(): Promise<void> {
    const { run, step } = studio.state;
    if (run === null || this.answer === null) return;
    const { seed, number: picture, strength, towards, share, label } = this.chosen;
    const body = { run, step, seed, number: picture, label: label === "" ? null : label, strength, towards, share, nearest: NEAREST, ...this.pixel };
    await this.latestGaze.ask(body, (signal) => api.gaze(body, signal), (seen) => ([this.seen, this.error] = [seen, null]), (error) => ([this.seen, this.error] = [null, error]));
  }

  /** Moves a slider from its left end to its right by itself; once more to stop. */
  private run(name: "gamma" | "share"): void {
    if (this.moving === name) {
      this.moving = null;
      return;
    }
    this.moving = name;
    this.began = performance.now();
    const frame = () => {
      if (this.moving !== name || !this.isConnected) return;
      const done = Math.min(1, (performance.now() - this.began) / 1000 / SECONDS);
      play(name, done.toFixed(2));
      if (done < 1) setTimeout(frame, 100);
      else this.moving = null;
    };
    frame();
  }

  override render() {
    return html`<section class="card"><h2>${t("draw.title")}</h2>
      <note-list .notes=${[]} .error=${this.error}></note-list>
      ${this.answer ? this.sheet(this.answer) : nothing}</section>
      ${this.answer && this.seen ? this.gazed(this.answer, this.seen) : nothing}`;
  }

  private sheet(answer: DrawAnswer) {
    const { seed, number: picture, label } = this.chosen;
    const choice = (value: string, shown: string) => html`<option value=${value} ?selected=${value === label}>${shown}</option>`;
    return html`<div class="row">
        ${answer.classes.length > 0 ? html`<label>${t("draw.class")} <select name="label" @change=${(e: Event) => play("label", (e.target as HTMLSelectElement).value)}>
          ${choice("", t("draw.each"))}${answer.classes.map((one) => choice(one, one))}</select></label>` : nothing}
        <button type="button" name="other" @click=${() => play("seed", (seed + 1) % 1000000)}>${t("draw.other")}</button>
        <span class="small quiet">${t("draw.seed", { n: seed })}</span></div>
      <div class="sheet" role="group" aria-label=${t("draw.sheet")}>${answer.pictures.map((one, i) => html`<button type="button" data-picture=${i}
        aria-pressed=${i === picture ? "true" : "false"} aria-label=${t("draw.picture", { n: i + 1, label: one.label ?? "" })} @click=${() => play("picture", i)}>
        <img src=${png(one.png)} alt="" width=${answer.side} height=${answer.side} /></button>`)}</div>`;
  }

  private gazed(answer: DrawAnswer, seen: GazeAnswer) {
    const { strength, share, towards } = this.chosen;
    const { row, column } = this.pixel;
    return html`<section class="card"><h2>${t("draw.looks")}</h2>
      <p>${t("draw.how")}</p>
      <div class="row">
        <label>γ × <input type="range" name="gamma" min="0" max="2" step="0.05" .value=${String(strength)} @input=${(e: Event) => this.slid("gamma", e)} />
          <span class="num" data-testid="strength">${number(strength, 2)}</span></label>
        <button type="button" name="animate-gamma" aria-pressed=${this.moving === "gamma" ? "true" : "false"} @click=${() => this.run("gamma")}>${t("draw.animate")}</button>
        <label>${t("draw.towards")} <input type="number" name="towards" min="1" max=${COUNT} .value=${String(towards + 1)}
          @change=${(e: Event) => play("towards", Math.min(COUNT, Math.max(1, Number((e.target as HTMLInputElement).value) || 1)) - 1)} /></label>
        <label><span class="visually-hidden">${t("draw.share")}</span><input type="range" name="share" min="0" max="1" step="0.05" .value=${String(share)} @input=${(e: Event) => this.slid("share", e)} />
          <span class="num">${percent(share)}</span></label>
        <button type="button" name="animate-share" aria-pressed=${this.moving === "share" ? "true" : "false"} @click=${() => this.run("share")}>${t("draw.animate")}</button>
        <export-menu .make=${() => this.exported(seen)}></export-menu>
      </div>
      <div class="maps">
        <figure><figcaption>${t("draw.chosen", { row: row + 1, column: column + 1 })}${seen.picture.label ? ` · ${seen.picture.label}` : ""} · D ${number(seen.picture.score, 2)}</figcaption>
          ${this.picture(answer, seen, null)}</figure>
        ${seen.maps.map((map) => html`<figure data-player=${map.player}><figcaption>${t(map.player === "generator" ? "draw.generator" : "draw.discriminator")}
          ${map.side} × ${map.side} · γ = ${number(map.gamma, 3)} · ${t("draw.far")} <strong class="num" data-testid="far">${percent(map.far)}</strong></figcaption>
          ${this.picture(answer, seen, map)}</figure>`)}
      </div>
      ${seen.maps.length === 0 ? html`<p>${t("draw.nomaps")}</p>` : nothing}</section>
      <section class="card"><h2>${t("draw.nearest")}</h2><p>${t("draw.nearest.how")}</p>
        <div class="near">${seen.near.map((one) => html`<figure><img src=${png(one.png)} alt=${t("draw.trained", { label: one.label ?? "" })} width=${answer.side} height=${answer.side} />
          <figcaption class="small num">${one.label ?? ""} ${number(one.distance, 1)}</figcaption></figure>`)}</div></section>`;
  }

  private slid(name: string, event: Event): void {
    this.moving = null;
    play(name, (event.target as HTMLInputElement).value);
  }

  /** The picture, with the weights of one map over it, and the pixel that looks. */
  private picture(answer: DrawAnswer, seen: GazeAnswer, map: GazeMap | null) {
    const { side } = answer;
    const { row, column } = this.pixel;
    const label = map ? t("draw.map", { side: map.side }) : t("draw.pick");
    return html`<svg class=${map ? "" : "pick"} viewBox="0 0 ${side} ${side}" role=${map ? "img" : "application"} aria-label=${label} tabindex=${map ? nothing : 0}
      @click=${(e: MouseEvent) => this.pick(e, side)} @keydown=${(e: KeyboardEvent) => this.key(e, side)}>
      <image href=${png(seen.picture.png)} width=${side} height=${side} opacity=${map ? 0.45 : 1}></image>
      ${map ? this.cells(map, side) : nothing}
      ${svg`<rect class="ring" x=${column - 0.6} y=${row - 0.6} width="2.2" height="2.2" stroke-width="0.9"></rect><rect class="asks" x=${column - 0.6} y=${row - 0.6} width="2.2" height="2.2" stroke-width="0.45"></rect>`}</svg>`;
  }

  private cells(map: GazeMap, side: number) {
    const size = side / map.side;
    const weights = map.weights.data.map((weight) => weight ?? 0);
    const most = Math.max(...weights, 1e-9);
    return weights.map((weight, i) => svg`<rect x=${(i % map.side) * size} y=${Math.floor(i / map.side) * size} width=${size} height=${size}
      fill="#ff7a00" fill-opacity=${(0.9 * weight / most).toFixed(3)}></rect>`);
  }

  private pick(event: MouseEvent, side: number): void {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const place = (at: number, from: number, size: number) => Math.min(side - 1, Math.max(0, Math.floor(((at - from) / size) * side)));
    studio.set({ row: place(event.clientY, box.top, box.height), col: place(event.clientX, box.left, box.width) });
  }

  private key(event: KeyboardEvent, side: number): void {
    const steps: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const { row, column } = this.pixel;
    const inside = (value: number) => Math.min(side - 1, Math.max(0, value));
    studio.set({ row: inside(row + step[0]), col: inside(column + step[1]) });
  }

  private exported(seen: GazeAnswer): Exported {
    const columns = [t("draw.player"), t("draw.side"), "γ", t("draw.row"), t("draw.column"), t("draw.weight")];
    const rows = seen.maps.flatMap((map) => map.weights.data.map((weight, i) =>
      [map.player, map.side, map.gamma, Math.floor(i / map.side) + 1, (i % map.side) + 1, weight]));
    const { row, column } = this.pixel;
    const text = t("draw.chosen", { row: row + 1, column: column + 1 });
    return { title: t("draw.looks"), run: seen.run, text, target: "", columns, rows, view: { kind: "table", columns, rows } };
  }
}
