// One sentence through several runs: translations, scores, maps side by side, differences and alignment error.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { CompareAnswer, ComparedRun, Link, RunInfo } from "../contract";
import type { About } from "../about";
import { number, percent } from "../format";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { alignmentPicture, type Picture } from "../picture";
import { languagesOf, studio } from "../studio";
import { taskText as t } from "../task-text";
import type { Exported } from "../exporting";
import { fits, PICTURES } from "./titles";
import "../components/difference-map";
import "../components/export-menu";
import "../components/heat-map";
import "../components/note-list";
import "../components/region-strip";

/** The runs that can say something about the subject's sentence: those of its languages, itself first. */
export function comparable(runs: readonly RunInfo[], subject: RunInfo | null): RunInfo[] {
  if (!subject) return [...runs];
  const same = runs.filter((run) => run.id !== subject.id && run.source_language === subject.source_language && run.target_language === subject.target_language);
  return [...runs.filter((run) => run.id === subject.id), ...same];
}

@customElement("compare-view")
export class CompareView extends Piece {
  static override styles = [shared, css`
    fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 0.6rem; }
    .maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; align-items: start; }
    .scroll { overflow-x: auto; }
    th, td { white-space: nowrap; }
    td.own { white-space: normal; min-width: 14rem; }
    @media (max-width: 36rem) { td.own { min-width: 9rem; } }
    .out { font-size: 1.1rem; font-weight: 600; }
  `];
  @state() private answer: CompareAnswer | null = null;
  @state() private error: StudioError | null = null;
  @state() private working = false;
  private readonly latest = new Latest();

  override updated(): void {
    void this.ask();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.latest.forget();
  }

  private get gold(): boolean {
    return studio.state.gold;
  }

  /** Each model's own translation instead of the one that all read. */
  private get apart(): boolean {
    return studio.state.apart;
  }

  /** The runs that can be asked: those that this view is for. */
  private get ready(): RunInfo[] {
    return studio.runs.filter((run) => run.state === "ready" && fits("compare", run.task) && PICTURES.includes(run.task) === studio.readsPictures);
  }

  private get chosen(): string[] {
    const ready = this.ready;
    const wanted = studio.state.runs.filter((id) => ready.some((run) => run.id === id));
    if (wanted.length > 0) return wanted;
    return comparable(ready, studio.run).slice(0, Math.min(4, studio.limits?.runs ?? 4)).map((run) => run.id);
  }

  private async ask(): Promise<void> {
    const { beam, run: subject, step } = studio.state;
    const about = studio.subject;
    if (about === null || this.chosen.length === 0) return;
    const body = { runs: this.chosen.map((run) => (run === subject && step !== null ? { run, step } : { run })), ...about, beam };
    await this.latest.ask(body, (signal) => {
      this.working = true;
      return api.compare(body, signal);
    }, (answer) => ([this.answer, this.error, this.working] = [answer, null, false]), (error) => ([this.answer, this.error, this.working] = [null, error, false]));
  }

  private toggle(run: string, on: boolean): void {
    const runs = on ? [...this.chosen, run] : this.chosen.filter((one) => one !== run);
    studio.set({ runs: runs.slice(0, studio.limits?.runs ?? 8) });
  }

  override render() {
    const { chosen } = this;
    return html`<section class="card"><h2>${t(studio.readsPictures ? "compare.picturetitle" : "compare.title")}</h2>
        <fieldset class="row"><legend>${t("compare.runs")}</legend>
          ${this.ready.map((run) => html`<label><input type="checkbox" value=${run.id} .checked=${chosen.includes(run.id)}
            @change=${(e: Event) => this.toggle(run.id, (e.target as HTMLInputElement).checked)} />${run.name}
            <span class="small quiet">${languagesOf(run)} ${run.mechanism?.name ?? t("subject.noattention")}</span></label>`)}
        </fieldset>
        <note-list .notes=${this.answer?.notes ?? []} .error=${this.error}></note-list>
        <p class="small quiet" role="status">${this.working ? t("compare.working") : ""}</p>
        ${this.answer ? this.table(this.answer) : nothing}</section>
      ${this.answer ? this.maps(this.answer) : nothing}`;
  }

  private table(answer: CompareAnswer) {
    const scored = !studio.readsPictures; // links between words are scored, regions are not
    const from = { given: t("compare.given"), reference: t("compare.reference"), "first run": t("compare.first") }[answer.target_from];
    return html`<p>${t("compare.common", { from })} <strong dir="auto">${answer.target}</strong></p>
      <div class="scroll" tabindex="0" role="region" aria-label=${t("compare.table")}><table data-testid="compared">
        <caption class="visually-hidden">${t("compare.table")}</caption>
        <thead><tr><th scope="col">${t("subject.run")}</th><th scope="col">${this.own}</th><th scope="col">${t("compare.ownlogp")}</th>
          <th scope="col">${t("compare.commonlogp")}</th>${scored ? html`<th scope="col">AER</th><th scope="col">${t("compare.precision")}</th><th scope="col">${t("compare.recall")}</th>` : nothing}</tr></thead>
        <tbody>${answer.runs.map((one) => html`<tr><th scope="row">${one.run.name}</th>
          <td class="own" dir="auto">${one.own.target.text}${one.text_is_reference ? html` <span class="small" title=${t("translate.reference.same")}>✓<span class="visually-hidden">${t("translate.reference.same")}</span></span>` : nothing}</td>
          <td>${number(one.own.log_prob, 2)}</td><td>${number(one.common_log_prob, 2)}</td>
          ${scored ? html`<td>${one.score ? percent(one.score.aer) : "–"}</td><td>${one.score ? percent(one.score.precision) : "–"}</td><td>${one.score ? percent(one.score.recall) : "–"}</td>` : nothing}</tr>`)}</tbody>
      </table></div>
      <div class="row"><label>${t("compare.what")} <select name="what" @change=${(e: Event) => studio.set({ apart: (e.target as HTMLSelectElement).value === "own" })}>
        <option value="common" ?selected=${!this.apart}>${t("compare.what.common")}</option>
        <option value="own" ?selected=${this.apart}>${t("compare.what.own")}</option></select></label>
      ${answer.gold && !this.apart ? html`<label><input type="checkbox" .checked=${this.gold} @change=${(e: Event) => studio.set({ gold: (e.target as HTMLInputElement).checked })} />${t("controls.gold")}</label>` : nothing}
      <export-menu .make=${() => this.exported(answer)}></export-menu></div>`;
  }

  /** What a model's own output is called. */
  private get own(): string {
    return t(studio.readsPictures ? "compare.owncaption" : "compare.own");
  }

  private exported(answer: CompareAnswer): Exported {
    const columns = [t("subject.run"), this.own, t("compare.ownlogp"), t("compare.commonlogp"), "AER", t("compare.precision"), t("compare.recall"), t("compare.hash")];
    const rows = answer.runs.map((one) => [one.run.name, one.own.target.text, one.own.log_prob, one.common_log_prob,
      one.score?.aer ?? null, one.score?.precision ?? null, one.score?.recall ?? null, one.run.hash]);
    return { title: t("compare.table"), run: answer.runs[0]!.run, text: answer.runs[0]!.own.source.text, target: answer.target, columns, rows,
      view: { kind: "table", columns, rows } };
  }

  private maps(answer: CompareAnswer) {
    const links = this.gold && answer.target_from === "reference" ? (answer.gold?.links ?? null) : null;
    const first = answer.runs.find((run) => this.pictureOf(answer, run, null));
    return html`<div class="maps">${answer.runs.map((run) => this.card(answer, run, links, first))}</div>`;
  }

  private card(answer: CompareAnswer, run: ComparedRun, gold: Link[] | null, first: ComparedRun | undefined) {
    const target = this.apart ? run.own.target.text : answer.target;
    const about: About = { run: run.run, text: run.own.picture?.id ?? answer.source_words.join(" "), target };
    const picture = this.pictureOf(answer, run, gold);
    const minus = first && first !== run ? this.pictureOf(answer, first, gold) : null;
    return html`<section class="card" data-run=${run.run.id}><h2>${run.run.name}</h2>
      <p class="small quiet">${run.mechanism ? `${run.mechanism.name} · ${run.mechanism.paper}` : t("subject.noattention")}</p>
      ${this.apart ? html`<p class="out" dir="auto">${target}</p>` : nothing}
      ${picture && run.own.picture ? html`<region-strip .map=${picture} .read=${run.own.picture} .about=${about} .label=${t("region.strip")}></region-strip>`
        : picture ? html`<heat-map .picture=${picture} .about=${about} .label=${t("compare.map", { run: run.run.name })}></heat-map>`
        : html`<p>${t("note.no_attention")}</p>`}
      ${picture && minus && first && !run.own.picture ? html`<difference-map .picture=${picture} .minus=${minus} .about=${about}
        .label=${t("compare.difference", { run: run.run.name, first: first.run.name })}></difference-map>` : nothing}</section>`;
  }

  /** A run's map over words: of the target that all read, or of its own. */
  private pictureOf(answer: CompareAnswer, run: ComparedRun, gold: Link[] | null): Picture | null {
    if (!this.apart) return run.common && alignmentPicture(run.common, answer.target_words, run.own.picture ? run.own.source.words : answer.source_words, gold);
    const { own } = run;
    return own.alignment && alignmentPicture(own.alignment, own.target.words, own.source.words, null);
  }
}
