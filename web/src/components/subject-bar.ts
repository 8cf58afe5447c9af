// The run, its weights and the sentence that all views look at.
import { css, html, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import { api } from "../api";
import type { ExamplePair, RunInfo } from "../contract";
import { compact } from "../format";
import { language, t } from "../i18n";
import { Piece, shared } from "../piece";
import { languagesOf, studio } from "../studio";
import { taskText } from "../task-text";
import "./picture-bar";

@customElement("subject-bar")
export class SubjectBar extends Piece {
  static override styles = [shared, css`
    form { display: grid; gap: 0.6rem; }
    textarea { width: 100%; min-height: 3.2rem; resize: vertical; font-size: 1.1rem; }
    .sentence { display: grid; grid-template-columns: 1fr auto; gap: 0.6rem; align-items: stretch; }
    .sentence label { display: block; }
    .examples button { text-align: start; font-size: 0.9rem; }
    .go { min-width: 6.5rem; }
    /* On a phone all of it takes a few lines: selects share one, examples scroll in another. */
    @media (max-width: 36rem) {
      form { gap: 0.4rem; grid-template-columns: minmax(0, 1fr); }
      .choices { gap: 0.3rem; }
      .choices label { flex: 1 1 5rem; min-width: 0; flex-direction: column; align-items: stretch; gap: 0; font-size: 0.75rem; }
      .choices select { width: 100%; min-width: 0; padding-inline: 0.3rem; font-size: 0.9rem; }
      .about { flex: 1 1 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      textarea { min-height: 2.9rem; font-size: 1rem; padding: 0.2rem 0.5rem; }
      .go { min-width: 4.5rem; padding-inline: 0.4rem; }
      .examples { flex-wrap: nowrap; overflow-x: auto; gap: 0.4rem; padding-bottom: 0.2rem; }
      .examples button { flex: 0 0 auto; white-space: nowrap; max-width: 80vw; overflow: hidden; text-overflow: ellipsis; }
    }
  `];
  @query("textarea") private field!: HTMLTextAreaElement;
  @state() private examples: ExamplePair[] = [];
  private pair: string | null = null;
  private seed = 1;

  override updated(): void {
    const pair = studio.run?.pair ?? null;
    if (pair === this.pair) return;
    this.pair = pair;
    void this.loadExamples();
  }

  private async loadExamples(): Promise<void> {
    if (this.pair === null) {
      this.examples = [];
      return;
    }
    const { pair, seed } = this;
    try {
      const { examples } = await api.examples(pair, 4, seed);
      if (pair !== this.pair || seed !== this.seed) return;
      this.examples = examples;
    } catch {
      this.examples = []; // examples are a convenience: the field works without them
      return;
    }
    const first = this.examples[0];
    // Who is in the field is about to write: nothing is put under their hands.
    const free = this.field.value.trim() === "" && this.shadowRoot?.activeElement !== this.field;
    if (first && free && studio.state.text === "" && studio.state.view !== "lessons") {
      studio.set({ text: first.source });
      void studio.translate();
    }
  }

  private more(): void {
    this.seed += 1;
    void this.loadExamples();
  }

  private submit(event: Event): void {
    event.preventDefault();
    this.put(this.field.value);
  }

  private put(text: string): void {
    studio.set({ text: text.normalize("NFC"), row: null, col: null, edits: [], node: null, frame: null });
    void studio.translate(true);
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.put(this.field.value);
  }

  private choose(event: Event): void {
    const run = (event.target as HTMLSelectElement).value;
    studio.set({ run, step: null, layer: null, head: null, row: null, col: null, edits: [], node: null, frame: null });
    void studio.translate();
  }

  private weights(event: Event): void {
    const value = (event.target as HTMLSelectElement).value;
    studio.set({ step: value === "" ? null : Number(value), node: null });
    void studio.translate();
  }

  override render() {
    const { run, state: page, runs } = studio;
    return html`<form class="card" @submit=${this.submit}>
      <div class="row choices">
        <label>${t("subject.run")}
          <select name="run" @change=${this.choose}>
            ${run ? nothing : html`<option value="" disabled selected>${t("subject.choose")}</option>`}
            ${runs.map((one) => html`<option value=${one.id} ?selected=${one.id === page.run}>${one.name}${one.stopped ? ` (${t("subject.unfinished")})` : ""}</option>`)}
          </select></label>
        ${run && run.steps.length > 0 ? html`<label>${t("subject.weights")}
          <select name="weights" @change=${this.weights}>
            <option value="" ?selected=${page.step === null}>${t("subject.best")}</option>
            ${run.steps.map((one) => html`<option value=${one.step} ?selected=${one.step === page.step}>${t("subject.step", { n: one.step })}</option>`)}
          </select></label>` : nothing}
        ${studio.readsText || studio.readsPictures ? html`<label>${t("subject.beam")}
          <select name="beam" @change=${(e: Event) => {
            studio.set({ beam: Number((e.target as HTMLSelectElement).value), node: null });
            void studio.translate();
          }}>
            ${[1, 2, 3, 5, 8, 12].filter((n) => n <= (studio.limits?.beam ?? 12)).map((n) => html`<option value=${n}
              ?selected=${n === page.beam}>${n === 1 ? t("subject.greedy") : n}</option>`)}
          </select></label>` : nothing}
        ${run ? html`<span class="small quiet about" data-testid="about-run">${this.about()}</span>` : nothing}
      </div>
      ${studio.readsText ? this.sentence() : nothing}
      ${studio.readsPictures ? html`<picture-bar></picture-bar>` : nothing}
    </form>`;
  }

  private sentence() {
    return html`<div class="sentence">
        <label><span class="visually-hidden">${taskText("subject.sentence")}</span>
          <textarea name="text" dir="auto" maxlength=${studio.limits?.characters ?? 20000} .value=${studio.state.text}
            placeholder=${taskText("subject.placeholder")} @keydown=${this.key} spellcheck="false"></textarea></label>
        <button class="primary go" type="submit" ?disabled=${studio.status === "working"}>${taskText("subject.go")}</button>
      </div>
      ${this.examples.length > 0 ? html`<div class="row examples small" role="group" aria-label=${t("subject.examples")}>
        ${this.examples.map((one) => html`<button type="button" dir="auto"
          @click=${() => this.put(one.source)}>${one.source}</button>`)}
        <button type="button" @click=${this.more}>${t("subject.more")}</button></div>` : nothing}`;
  }

  /** What is to be known of a run that is not as it was meant to be: still in training, or stopped before its end. */
  private standing(run: RunInfo): string {
    const steps = { n: run.step ?? 0, most: run.max_steps ?? 0 };
    return run.live ? t("subject.live", steps) : run.stopped ? t("subject.stopped", steps) : "";
  }

  private about(): string {
    const run = studio.run!;
    const name = run.mechanism ? run.mechanism.name : run.decoder ? t("subject.noattention") : run.task;
    const size = run.parameters === null ? "" : t("subject.parameters", { n: compact(run.parameters, language.lang) });
    return [run.preset, name, languagesOf(run), size, run.hash?.slice(0, 12) ?? "", this.standing(run)].filter((part) => part !== "").join(" · ");
  }
}
