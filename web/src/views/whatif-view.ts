// What if: drag a weight, take a word away, force a word, give it the reference; the model writes again from there.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { BlankHow, Candidate, Edit, EffectsAnswer, Note, Reading, WhatIfAnswer } from "../contract";
import { dragged, editedRow, forced, toggledBlank, weightsAfter, weightsAt, withPrefix, withTeacher, type RowPlace } from "../edits";
import { number, percent, probability, signed } from "../format";
import { Latest } from "../latest";
import { fromMatrix, withRow } from "../matrix";
import { Piece, shared } from "../piece";
import { isRtl, pictureOf, wordPicture, type Picture } from "../picture";
import { studio } from "../studio";
import { taskText as t } from "../task-text";
import { aboutReading } from "../about";
import type { Weighing } from "../components/heat-map";
import type { Exported } from "../exporting";
import "../components/difference-line";
import "../components/difference-map";
import "../components/export-menu";
import "../components/heat-map";
import "../components/map-controls";
import "../components/note-list";
import "../components/weight-sliders";
import "../components/word-chances";

@customElement("whatif-view")
export class WhatIfView extends Piece {
  static override styles = [shared, css`
    ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.3rem 0 0.6rem; padding: 0; }
    .two { display: grid; grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
    .maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; align-items: start; }
    .blanked { text-decoration: line-through; }
    .bar { justify-content: space-between; }
    form.row label:has(input[type="text"]) { flex: 1 1 20rem; max-width: 44rem; white-space: nowrap; }
    input[type="text"] { flex: 1 1 10rem; min-width: 0; }
    @media (max-width: 36rem) { form.row label:has(input[type="text"]) { white-space: normal; flex-wrap: wrap; } }
    .changes { font-size: 1.05rem; }
    /* What comes of the changes stays in sight while they are made. */
    .outcome { position: sticky; top: 0; z-index: 4; max-height: 45vh; overflow-y: auto; box-shadow: 0 2px 8px #0002; }
    .taught { overflow-x: auto; }
    .taught td, .taught th { white-space: nowrap; }
    @media (max-width: 36rem) { .taught td, .taught th { padding-inline: 0.2rem; } }
    .other { color: var(--bad); font-weight: 600; }
    @media (max-height: 40rem) { .outcome { position: static; max-height: none; } }
    @media (max-width: 56rem) { .two { grid-template-columns: minmax(0, 1fr); } }
  `];
  @state() private answer: WhatIfAnswer | null = null;
  @state() private effects: EffectsAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private working = false;
  @state() private how: BlankHow = "remove";
  @state() private taughtStep = 0;
  /** A row of weights while one of them is dragged on the map. */
  @state() private held: { at: number; row: number[] } | null = null;
  private readonly latest = new Latest();
  private of: Reading | null = null;

  override updated(): void {
    if (this.of !== studio.reading) {
      this.of = studio.reading;
      this.effects = null;
    }
    void this.ask();
  }

  private async ask(): Promise<void> {
    const reading = studio.reading;
    const { edits, beam, text } = studio.state;
    if (!reading || edits.length === 0) {
      this.latest.forget();
      [this.answer, this.working] = [null, false];
      return;
    }
    const body = { run: reading.run.id, text, edits, beam, step: reading.run.step };
    await this.latest.ask(body, (signal) => {
      this.working = true;
      return api.whatIf(body, signal);
    }, (answer) => ([this.answer, this.error, this.working] = [answer, null, false]), (error) => ([this.answer, this.error, this.working] = [null, error, false]));
  }

  private edit(edits: Edit[]): void {
    studio.set({ edits });
  }

  private get place(): RowPlace {
    const last = (this.answer?.forced ?? studio.reading)!.target.tokens.length - 1;
    const at = Math.min(last, this.answer?.forced ? this.taughtStep : studio.chosenStep);
    return { at, layer: studio.arithmeticLayer, head: studio.state.head };
  }

  /** Chooses a step; those of a given text are not rows of the translation that the page shows, so they are kept here. */
  private choose(at: number): void {
    if (this.answer?.forced) this.taughtStep = at;
    else studio.selectStep(at);
  }

  private async measure(): Promise<void> {
    const reading = studio.reading!;
    const ids = reading.target.tokens.slice(0, -1).map((token) => token.id);
    this.working = true;
    try {
      const effects = await api.effects({ run: reading.run.id, text: studio.state.text, target_ids: ids, how: this.how, step: reading.run.step });
      if (reading === studio.reading) this.effects = effects;
      this.error = null;
    } catch (error) {
      this.error = error as StudioError;
    }
    this.working = false;
  }

  override render() {
    const reading = studio.reading;
    if (!reading) return html`<section class="card"><note-list .error=${studio.error}></note-list><p class="quiet">${t("translate.empty")}</p></section>`;
    return html`
      <section class="card"><h2>${t("whatif.title")}</h2><p class="quiet">${t("whatif.help")}</p></section>
      <section class="card outcome" data-testid="outcome">
        ${this.list()}
        <note-list .notes=${this.cutNotes()} .error=${this.error}></note-list>
        <p class="small quiet" role="status">${this.working ? t("whatif.working") : ""}</p>
        ${this.answer ? this.result(this.answer) : nothing}</section>
      ${this.words(reading)}
      ${this.step(this.answer?.forced ?? reading)}
      ${this.whole(reading)}
      ${this.answer?.forced ? this.taught(this.answer) : nothing}
      ${this.answer ? this.maps(this.answer) : nothing}
      ${this.measured(reading)}`;
  }

  private list() {
    const { edits } = studio.state;
    if (edits.length === 0) return html`<p>${t("whatif.none")}</p>`;
    return html`<ul aria-label=${t("whatif.edits")}>${edits.map((edit, i) => html`<li><button type="button" dir="auto"
        aria-label=${t("whatif.undo", { edit: this.name(edit) })} @click=${() => this.edit(edits.filter((_, k) => k !== i))}>${this.name(edit)} ✕</button></li>`)}
      <li><button type="button" @click=${() => this.edit([])}>${t("whatif.clear")}</button></li></ul>`;
  }

  private name(edit: Edit): string {
    const { source, target } = studio.reading!;
    switch (edit.kind) {
      case "weight": return t("edit.weight", { n: edit.at + 1, word: source.tokens[edit.source]?.text ?? "", value: number(edit.value, 2) });
      case "weights": return t("edit.weights", { n: edit.at + 1 });
      case "blank": return t("edit.blank", { word: source.words[edit.word] ?? "" });
      case "prefix": return t("edit.prefix", { text: edit.text ?? "" });
      case "force": {
        const top = studio.reading!.steps[edit.at]?.top.find((one) => one.id === edit.token);
        return t("edit.force", { n: edit.at + 1, word: top?.text ?? target.tokens.find((one) => one.id === edit.token)?.text ?? String(edit.token) });
      }
      case "teacher_forcing": return t("edit.teacher");
    }
  }

  private cutNotes(): Note[] {
    return this.answer?.edited.notes.filter((note) => note.code === "given_target_cut") ?? [];
  }

  /** What the model thinks of a text that it is given, beside its own. */
  private given(answer: WhatIfAnswer) {
    const { edited, forced, original } = answer;
    const moved = studio.state.edits.some((edit) => edit.kind !== "teacher_forcing");
    return html`<div class="row bar"><h3>${t("whatif.given")}</h3><export-menu .make=${() => this.exported(answer)}></export-menu></div>
      <difference-line .changes=${answer.difference}></difference-line>
      <p class="changes num" data-testid="changes">${t("whatif.givenlogp", { n: number(edited.log_prob) })}<br />
        ${t("whatif.ownlogp", { n: number(original.log_prob) })}
        ${moved ? html`<br />${t("whatif.givenchange", { n: signed(answer.change_of_edited), before: number(forced!.log_prob) })}` : nothing}</p>`;
  }

  /** Each word that was given, and the word that the model would have written in its place. */
  private taught(answer: WhatIfAnswer) {
    const { target, steps } = answer.edited;
    const columns = [t("beam.step"), t("whatif.givenword"), t("chances.p"), t("whatif.modelword"), t("chances.p")];
    const rows = target.tokens.map((token, i) => ({ token, own: steps[i]!.top[0]!, p: probability(steps[i]!.log_prob) }));
    return html`<section class="card" data-testid="taught"><h2>${t("whatif.taught")}</h2>
      <div class="taught" tabindex="0" role="region" aria-label=${t("whatif.taught")}><table><thead class="small quiet"><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(({ token, own, p }, i) => html`<tr><td class="num">${i + 1}</td><th scope="row" dir="auto">${token.text}</th><td class="num">${percent(p)}</td>
        <td dir="auto" class=${own.id === token.id ? "" : "other"}>${own.text}</td><td class="num">${percent(probability(own.log_prob))}</td></tr>`)}</tbody></table></div></section>`;
  }

  private result(answer: WhatIfAnswer) {
    if (answer.forced) return this.given(answer);
    return html`<div class="row bar"><h3>${answer.same ? t("whatif.same") : t("whatif.changed")}</h3>
        <export-menu .make=${() => this.exported(answer)}></export-menu></div>
      <difference-line .changes=${answer.difference}></difference-line>
      <p class="changes num" data-testid="changes">
        ${t("whatif.edited", { n: signed(answer.change_of_edited) })}<br />${t("whatif.original", { n: signed(answer.change_of_original) })}</p>`;
  }

  /** What was changed and what came of it, as a table. */
  private exported(answer: WhatIfAnswer): Exported {
    const columns = [t("whatif.kind"), t("table.values")];
    const names = { same: t("whatif.kept"), removed: t("whatif.removed"), added: t("whatif.added") };
    const rows = [...studio.state.edits.map((edit) => [t("whatif.edits"), this.name(edit)]),
      ...answer.difference.map((change) => [names[change.kind], change.tokens.join(" ")]),
      ...(answer.forced ? [[t("whatif.givenlogpname"), answer.edited.log_prob], [t("compare.ownlogp"), answer.original.log_prob]] : []),
      [t("whatif.editedname"), answer.change_of_edited], [t("whatif.originalname"), answer.change_of_original]];
    return { title: t("whatif.title"), ...aboutReading(answer.original), target: answer.edited.target.text, columns, rows,
      view: { kind: "table", columns, rows } };
  }

  private maps(answer: WhatIfAnswer) {
    const { layer, head } = studio.state;
    const choice = { kind: "cross" as const, layer, head, level: "token" as const };
    const [before, after] = [pictureOf(answer.original, choice), pictureOf(answer.edited, choice)];
    if (!before || !after) return nothing;
    return html`<div class="maps">
      <section class="card"><heat-map .picture=${before} .about=${aboutReading(answer.original)} .label=${t("whatif.before")}></heat-map></section>
      <section class="card"><heat-map .picture=${after} .about=${aboutReading(answer.edited)} .label=${t("whatif.after")}></heat-map></section>
      <section class="card"><difference-map .picture=${after} .minus=${before} .about=${aboutReading(answer.edited)}
        .label=${t("whatif.difference")}></difference-map></section></div>`;
  }

  private words(reading: Reading) {
    const blanked = (word: number) => studio.state.edits.some((edit) => edit.kind === "blank" && edit.word === word);
    return html`<section class="card"><h2>${t("whatif.blank")}</h2>
      <label>${t("whatif.how")} <select name="how" @change=${(e: Event) => (this.how = (e.target as HTMLSelectElement).value as BlankHow)}>
        ${(["remove", "mask", "unknown"] as const).map((how) => html`<option value=${how} ?selected=${how === this.how}>${t(`how.${how}`)}</option>`)}
      </select></label>
      <ul dir=${isRtl(reading.source.text) ? "rtl" : "ltr"}>${reading.source.words.map((word, i) => html`<li><button type="button" dir="auto" class=${blanked(i) ? "blanked" : ""}
        aria-pressed=${blanked(i) ? "true" : "false"} @click=${() => this.edit(toggledBlank(studio.state.edits, i, this.how, reading.source.tokens))}>${word}</button></li>`)}</ul></section>`;
  }

  private step(reading: Reading) {
    const { place } = this;
    const base = weightsAt(reading, place);
    // Of a given text, what the model would write under the edits: the sliders' effect is seen at once.
    const written = (this.answer?.forced ? this.answer.edited : reading).steps[place.at];
    const token = reading.target.tokens[place.at];
    const taught = this.answer?.forced != null;
    const choose = (event: CustomEvent<Candidate>) => this.edit(forced(studio.state.edits, place.at, event.detail.id));
    const weigh = (event: CustomEvent<{ source: number; value: number }>) =>
      this.edit(dragged(studio.state.edits, place, event.detail.source, event.detail.value, reading.source.tokens));
    const row = this.held?.at === place.at ? this.held.row : this.now(reading, place, base ?? []);
    return html`<section class="card"><h2>${t("whatif.step")}</h2>
      <ul aria-label=${t("whatif.choosestep")}>${reading.target.tokens.map((one, i) => html`<li><button type="button" dir="auto"
        aria-pressed=${i === place.at ? "true" : "false"} @click=${() => this.choose(i)}>${i + 1}. ${one.text}</button></li>`)}</ul>
      <map-controls steps></map-controls>
      ${base ? this.weighable(reading, place) : nothing}
      <div class="two">
        <div>${base ? html`<h3>${t("whatif.weights")}</h3>
          <weight-sliders .tokens=${reading.source.tokens} .base=${base} .row=${row}
            .effects=${taught ? null : this.effectsAt(reading, place.at)} @weigh=${weigh}></weight-sliders>
          <p class="small quiet">${t("whatif.renormalise")}</p>
          ${taught ? nothing : html`<button type="button" data-testid="measure" ?disabled=${this.working} @click=${this.measure}>${t("whatif.measure")}</button>`}`
          : html`<p class="quiet">${t("note.no_attention")}</p>`}</div>
        <div>${written && token ? html`<word-chances ?choosable=${!taught} .end=${reading.source.tokens.at(-1)!.id} .label=${t(taught ? "whatif.could" : "whatif.force", { n: place.at + 1 })} .top=${written.top}
          .written=${written} .token=${token.id} .about=${aboutReading(reading)} @choose=${choose}></word-chances>` : nothing}</div>
      </div></section>`;
  }

  /** The map of all steps, whose cells can be dragged. */
  private weighable(reading: Reading, { at, layer, head }: RowPlace) {
    const number = layer < 0 ? reading.attention.cross.length + layer : layer;
    const shown = pictureOf(reading, { kind: "cross", layer: number, head, level: "token" });
    if (!shown) return nothing;
    let { map } = shown;
    for (let row = 0; row < map.rows; row++) {
      const place = { at: row, layer, head };
      const base = weightsAt(reading, place)!;
      const now = this.held?.at === row ? this.held.row : this.now(reading, place, base);
      if (now !== base) map = withRow(map, row, now);
    }
    const picture: Picture = { ...shown, map };
    const weighing = ({ detail }: CustomEvent<Weighing>) => this.hold(reading, { at: detail.row, layer, head }, detail);
    const weigh = ({ detail }: CustomEvent<Weighing>) => this.weighed({ at: detail.row, layer, head }, detail);
    return html`<heat-map weighable .picture=${picture} .about=${aboutReading(reading)} .label=${t("whatif.map")} .marked=${{ row: at, col: null }}
        @weighing=${weighing} @weigh=${weigh} @pick=${(e: CustomEvent<{ row: number | null }>) => e.detail.row !== null && this.choose(e.detail.row)}></heat-map>
      <p class="small quiet">${t("whatif.maphelp")}</p>`;
  }

  /** The weights of a step as they are now: what the model made of words that were taken away, and the row's own edits. */
  private now(reading: Reading, place: RowPlace, base: number[]): number[] {
    const after = this.answer ? weightsAfter(this.answer.edited, reading, place) : null;
    return editedRow(after ?? base, studio.state.edits, place);
  }

  private hold(reading: Reading, place: RowPlace, { col, value }: Weighing): void {
    const edits = dragged(studio.state.edits, place, col, value, reading.source.tokens);
    this.held = { at: place.at, row: editedRow(this.now(reading, place, weightsAt(reading, place)!), edits, place) };
  }

  private weighed(place: RowPlace, { col, from, value }: Weighing): void {
    this.held = null;
    if (value === from) return;
    this.choose(place.at);
    this.edit(dragged(studio.state.edits, place, col, value, studio.reading!.source.tokens));
  }

  private effectsAt(reading: Reading, at: number): (number | null)[] | null {
    if (!this.effects) return null;
    const map = fromMatrix(this.effects.effects);
    return reading.source.tokens.map((token) => (token.word < 0 ? null : (map.values[at * map.cols + token.word] ?? null)));
  }

  private whole(reading: Reading) {
    const teacher = studio.state.edits.find((edit) => edit.kind === "teacher_forcing");
    const prefix = studio.state.edits.find((edit) => edit.kind === "prefix");
    const reference = teacher?.reference ?? studio.answer?.gold?.reference ?? reading.target.text;
    const read = (name: string) => this.renderRoot.querySelector<HTMLInputElement>(`input[name="${name}"]`)!.value;
    return html`<section class="card"><h2>${t("whatif.whole")}</h2>
      <form class="row" @submit=${(e: Event) => { e.preventDefault(); this.edit(withPrefix(studio.state.edits, read("prefix"))); }}>
        <label>${t("whatif.prefix")} <input type="text" name="prefix" dir="auto" .value=${prefix?.text ?? ""} /></label>
        <button type="submit">${t("whatif.apply")}</button></form>
      <form class="row" @submit=${(e: Event) => { e.preventDefault(); this.edit(withTeacher(studio.state.edits, read("reference"))); }}>
        <label>${t("whatif.reference")} <input type="text" name="reference" dir="auto" .value=${reference} /></label>
        <label><input type="checkbox" name="teacher" .checked=${teacher !== undefined}
          @change=${(e: Event) => this.edit(withTeacher(studio.state.edits, (e.target as HTMLInputElement).checked ? read("reference") : null))} />${t("whatif.teacher")}</label>
      </form><p class="small quiet">${t("whatif.teacherhelp")}</p></section>`;
  }

  private measured(reading: Reading) {
    if (!this.effects) return nothing;
    const { target, source, words } = this.effects;
    const picture = wordPicture(words, target.words, source.words, null);
    return html`<section class="card" data-testid="effects"><heat-map scale="difference" most="0" .picture=${picture} .about=${aboutReading(reading)}
      .label=${t("whatif.effects")}></heat-map><p class="small quiet">${t("whatif.effecthelp")}</p></section>`;
  }
}
