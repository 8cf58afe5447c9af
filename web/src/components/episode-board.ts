// An episode: a few labelled pictures, a new one, and how much each attention block looked at each of them. Examples can be left out, moved and mislabelled.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { EpisodeAnswer, EpisodeEdit, Named, ShownExample } from "../contract";
import { labelled, readEpisodeEdits, swapped, toggled, writeEpisodeEdits } from "../episode-edits";
import { number, percent } from "../format";
import { t } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "./note-list";

const MOST_NUMBER = 1_000_000;

@customElement("episode-board")
export class EpisodeBoard extends Piece {
  static override styles = [shared, css`
    .scroll { overflow-x: auto; margin: 0.6rem 0; }
    thead th { white-space: nowrap; }
    th, td { text-align: center; vertical-align: bottom; padding: 0.2rem 0.3rem; border: 0; }
    th.side { text-align: end; vertical-align: middle; color: var(--quiet); font-weight: 400; white-space: nowrap; }
    img { display: block; width: 3.6rem; height: 3.6rem; image-rendering: pixelated; border: 2px solid var(--line); border-radius: 4px; margin: 0.15rem auto; background: #fff; }
    img.query { border-color: var(--gold); }
    .out img { opacity: 0.25; }
    .wrong { color: var(--bad); font-weight: 600; }
    td.weight { vertical-align: middle; min-width: 4rem; }
    .bar { display: block; height: 0.6rem; background: var(--bar); border-radius: 2px; min-width: 1px; margin: 0.1rem 0 0; }
    .bar.before { background: none; border: 1px solid var(--quiet); height: 0.35rem; }
    td.mine { background: var(--accent-soft); }
    .tools { display: flex; justify-content: center; gap: 0.15rem; }
    .tools button { padding: 0 0.35rem; min-height: 1.6rem; }
    td select { font-size: 0.8rem; min-height: 1.7rem; padding: 0 0.1rem; }
    .answers { display: grid; grid-template-columns: max-content minmax(6rem, 16rem) max-content; gap: 0.15rem 0.6rem; align-items: center; margin: 0.5rem 0; }
    @media (max-width: 30rem) {
      tr { display: grid; grid-template-columns: repeat(var(--columns), minmax(3.3rem, 1fr)); align-items: end; margin-bottom: 0.4rem; }
      th.side { grid-column: 1 / -1; justify-self: start; position: sticky; left: 0; }
      th.side br { display: none; }
      thead th { white-space: normal; }
      thead .small { font-size: 0.7rem; overflow-wrap: normal; }
      .side .small { margin-inline-start: 0.5rem; }
      th, td, td.weight { min-width: 0; padding: 0.15rem 0.1rem; }
      img { width: 100%; max-width: 3.6rem; height: auto; box-sizing: border-box; }
      td select { width: 100%; }
      .tools { gap: 0; }
      .tools button { padding: 0; min-width: 1.5rem; }
    }
    .answer { font-size: 1.15rem; margin-top: 0.7rem; }
    input[type="number"] { width: 6rem; font: inherit; padding: 0.25rem 0.4rem; color: inherit; background: var(--field); border: 1px solid var(--edge); border-radius: 7px; }
  `];
  @property() run = "";
  @property({ attribute: false }) step: number | null = null;
  @state() private answer: EpisodeAnswer | null = null;
  @state() private error: StudioError | null = null;
  private readonly latest = new Latest();

  private get number(): number {
    return Math.min(MOST_NUMBER, Math.max(0, Math.round(Number(studio.state.play.episode ?? 0)) || 0));
  }

  private get query(): number {
    return Math.max(0, Math.round(Number(studio.state.play.query ?? 0)) || 0);
  }

  private get shots(): number | null {
    const found = Math.round(Number(studio.state.play.shots ?? 0)) || 0;
    return found >= 1 && found <= 5 ? found : null;
  }

  private get edits(): EpisodeEdit[] {
    return readEpisodeEdits(studio.state.play.edits);
  }

  private play(changes: Record<string, string>): void {
    const kept = Object.entries({ ...studio.state.play, ...changes }).filter(([, value]) => value !== "");
    studio.set({ play: Object.fromEntries(kept) });
  }

  private edit(edits: EpisodeEdit[]): void {
    this.play({ edits: writeEpisodeEdits(edits) });
  }

  override updated(): void {
    if (this.run !== "") void this.ask();
  }

  private async ask(): Promise<void> {
    const body = { run: this.run, step: this.step, number: this.number, shots: this.shots, query: this.query, edits: this.edits };
    await this.latest.ask(body, (signal) => api.episode(body, signal), (answer) => ([this.answer, this.error] = [answer, null]), (error) => (this.error = error));
  }

  override render() {
    const { answer } = this;
    return html`<note-list .error=${this.error}></note-list>
      ${answer ? html`${this.controls(answer)}${this.said(answer)}${this.table(answer)}` : this.error ? nothing : html`<p class="quiet">${t("part.loading")}</p>`}`;
  }

  private controls(answer: EpisodeAnswer) {
    const another = (value: number) => this.play({ episode: String(value), edits: "" });
    const each = Math.round(answer.episode.length / answer.classes.length);
    return html`<div class="row">
      <label>${t("episode.number")} <input type="number" name="episode" min="0" max=${MOST_NUMBER} .value=${String(this.number)}
        @change=${(e: Event) => another(Number((e.target as HTMLInputElement).value))} /></label>
      <button type="button" data-testid="another" @click=${() => another((this.number + 1) % MOST_NUMBER)}>${t("episode.another")}</button>
      <label>${t("episode.shots")} <select name="shots" @change=${(e: Event) => this.play({ shots: (e.target as HTMLSelectElement).value, edits: "" })}>
        ${[1, 2, 3, 4, 5].map((n) => html`<option value=${n} ?selected=${n === each}>${n}</option>`)}</select></label>
      <label>${t("episode.query")} <select name="query" @change=${(e: Event) => this.play({ query: (e.target as HTMLSelectElement).value })}>
        ${answer.classes.map((name, c) => html`<option value=${c} ?selected=${c === this.query}>${name}</option>`)}</select></label>
      <button type="button" data-testid="undo" ?disabled=${this.edits.length === 0} @click=${() => this.edit([])}>${t("episode.undo")}</button></div>`;
  }

  private said({ classes, query_label: truth, before, after }: EpisodeAnswer) {
    const best = after.chances.indexOf(Math.max(...after.chances));
    const right = truth === null || best === truth;
    return html`<p class="answer" role="status" data-testid="answer" data-label=${best} data-truth=${truth ?? ""}>${t("episode.says")}
        <strong class=${right ? "" : "wrong"}>${classes[best]}</strong> <span class="num">${percent(after.chances[best]!)}</span>
        ${truth === null ? nothing : right ? html`<span class="quiet">${t("episode.right")}</span>` : html`<span class="wrong">${t("episode.wrong", { name: classes[truth]! })}</span>`}</p>
      <div class="answers num" role="img" aria-label=${t("episode.chances")}>${classes.map((name, c) => html`<span>${name}</span>
        <span><span class="bar" .style=${`width:${after.chances[c]! * 100}%`}></span>${this.edits.length ? html`<span class="bar before" .style=${`width:${before.chances[c]! * 100}%`}></span>` : nothing}</span>
        <span data-testid="chance">${percent(after.chances[c]!)}</span>`)}</div>
      ${this.edits.length ? html`<p class="small quiet">${t("episode.outlined")}</p>` : nothing}`;
  }

  private table(answer: EpisodeAnswer) {
    const kept = new Set(answer.examples.map((one) => one.place));
    const out = answer.episode.filter((one) => !kept.has(one.place));
    const shown = [...answer.examples, ...out];
    const column = (place: number) => answer.examples.findIndex((one) => one.place === place);
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("episode.table")}><table .style=${`--columns: ${shown.length + 1}`}>
      <thead><tr><th class="side" scope="col">${t("episode.examples")}</th>
        ${shown.map((one) => html`<th scope="col" class=${kept.has(one.place) ? "" : "out"}>${this.picture(answer, one)}</th>`)}
        <th scope="col"><span class="small">${t("episode.itself")}</span><img class="query" alt=${t("episode.newpicture")} src=${`data:image/png;base64,${answer.query_png}`} /></th></tr></thead>
      <tbody><tr><th class="side" scope="row">${t("episode.change")}</th>${shown.map((one, i) => html`<td>${this.tools(answer, one, shown[i + 1], kept)}</td>`)}<td></td></tr>
        ${Array.from({ length: answer.after.weights.shape[0]! }, (_, block) => this.block(answer, block, shown, column))}</tbody></table></div>`;
  }

  private picture({ classes }: EpisodeAnswer, one: ShownExample) {
    const label = classes[one.label]!;
    return html`<span class=${one.label === one.truth ? "small" : "small wrong"} data-testid="label">${label}</span>
      <img alt=${t("episode.exampleof", { n: one.place + 1, name: classes[one.truth]! })} src=${`data:image/png;base64,${one.png}`} />`;
  }

  private tools({ classes }: EpisodeAnswer, one: ShownExample, next: ShownExample | undefined, kept: ReadonlySet<number>) {
    const here = kept.has(one.place);
    const name = { n: one.place + 1 };
    return html`<div class="tools"><button type="button" data-drop=${one.place} aria-pressed=${!here} aria-label=${t("episode.drop", name)} title=${t("episode.drop", name)}
        @click=${() => this.edit(toggled(this.edits, one.place))}>${here ? "✕" : "↺"}</button>
      ${here && next && kept.has(next.place) ? html`<button type="button" data-swap=${one.place} aria-label=${t("episode.swap", name)} title=${t("episode.swap", name)}
        @click=${() => this.edit(swapped(this.edits, one.place, next.place))}>⇄</button>` : nothing}</div>
      ${here ? html`<select data-label=${one.place} aria-label=${t("episode.label", name)} @change=${(e: Event) => this.edit(labelled(this.edits, one.place, Number((e.target as HTMLSelectElement).value), one.truth))}>
        ${classes.map((label, c) => html`<option value=${c} .selected=${c === one.label}>${label}</option>`)}</select>` : nothing}`;
  }

  private block({ after, query_label: truth }: EpisodeAnswer, block: number, shown: ShownExample[], column: (place: number) => number) {
    const wide = after.weights.shape[1]!;
    const weight = (at: number) => after.weights.data[block * wide + at] ?? 0;
    const cell = (value: number) => html`<span class="num">${number(value, 2)}</span><span class="bar" .style=${`width:${value * 100}%`}></span>`;
    return html`<tr data-block=${block}><th class="side" scope="row">${t("episode.block", { n: block + 1 })}${this.share(after, block)}</th>
      ${shown.map((one) => html`<td class=${one.truth === truth ? "weight mine" : "weight"} data-testid="weight">${column(one.place) < 0 ? "–" : cell(weight(column(one.place)))}</td>`)}
      <td class="weight">${cell(weight(wide - 1))}</td></tr>`;
  }

  private share(after: Named, block: number) {
    const right = after.right[block];
    return right === undefined ? nothing : html`<br /><span class="small">${t("episode.share", { n: percent(right) })}</span>`;
  }
}
