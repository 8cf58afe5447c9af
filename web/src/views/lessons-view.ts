// The tour: short lessons, each with one picture to play with and one question.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Lesson, LessonModel, LessonsAnswer } from "../contract";
import { both, t } from "../i18n";
import { inChapters, ROWS, type LessonRow } from "../lessons/chapters";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { written } from "../written";
import "../components/note-list";
import "../components/part-loading";
import "../lessons/model-trainer";
import "../lessons/quiz-card";

const AGAIN = 5000;
type Chapters = ReturnType<typeof inChapters<Lesson>>;

@customElement("lessons-view")
export class LessonsView extends Piece {
  static override styles = [shared, css`
    .layout { display: grid; grid-template-columns: minmax(11rem, 15rem) minmax(0, 1fr); gap: 1rem; align-items: start; }
    nav ol { margin: 0 0 0.9rem; padding-inline-start: 1.7rem; display: grid; gap: 0.3rem; }
    nav h2 { font-size: 0.85rem; color: var(--quiet); margin: 0 0 0.25rem; }
    nav select { width: 100%; }
    nav a { color: var(--ink); }
    nav a[aria-current] { font-weight: 700; color: var(--accent); }
    nav progress { width: 100%; margin-bottom: 0.4rem; }
    nav p { margin: 0.8rem 0 0.2rem; }
    article h2 { font-size: 1.4rem; }
    .models { margin-top: 1rem; }
    .play { border-inline-start: 4px solid var(--accent); padding-inline-start: 0.8rem; }
    @media (max-width: 48rem) { .layout { grid-template-columns: minmax(0, 1fr); } }
  `];
  @state() private tour: LessonsAnswer | null = null;
  @state() private error: StudioError | null = null;
  private later = 0;
  private readonly narrow = window.matchMedia("(max-width: 48rem)");
  private readonly turned = () => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    this.narrow.addEventListener("change", this.turned);
    void this.load().then(() => this.lookAgain());
  }

  private async load(): Promise<void> {
    try {
      const tour = await api.lessons();
      await studio.loadRuns(); // before the pictures are there: they ask the runs
      this.tour = tour;
      this.error = null;
    } catch (error) {
      this.error = error as StudioError;
    }
  }

  private titleOf(id: string): string {
    return both(ROWS[id]!.title);
  }

  private go(event: Event, lesson: Lesson | undefined): void {
    event.preventDefault();
    if (!lesson) return;
    studio.set({ lesson: lesson.id, text: "", row: null, col: null, layer: null, head: null, edits: [], play: {} });
    this.renderRoot.querySelector<HTMLElement>("article h2")?.focus();
  }

  override render() {
    if (!this.tour) return html`<section class="card"><note-list .error=${this.error}></note-list><p class="quiet">${t("part.loading")}</p></section>`;
    const chapters = inChapters(this.tour.lessons);
    const lessons = chapters.flatMap((chapter) => chapter.lessons);
    const at = Math.max(0, lessons.findIndex((lesson) => lesson.id === studio.state.lesson));
    const lesson = lessons[at];
    if (!lesson) return nothing;
    return html`<div class="layout">
      <nav class="card" aria-label=${t("lesson.list")}>${this.narrow.matches ? this.menu(chapters, lesson) : this.list(chapters, lesson)}${this.models(this.tour.models)}</nav>
      <article class="card" data-lesson=${lesson.id}>
        <h2 tabindex="-1">${at + 1}. ${this.titleOf(lesson.id)}</h2>
        ${this.body(lesson, ROWS[lesson.id]!)}
        <p class="row">
          <button type="button" ?disabled=${at === 0} @click=${(e: Event) => this.go(e, lessons[at - 1])}>${t("lesson.back")}</button>
          <button type="button" ?disabled=${at === lessons.length - 1} @click=${(e: Event) => this.go(e, lessons[at + 1])}>${t("lesson.next")}</button></p>
      </article></div>`;
  }

  /** Text, picture and question, once they have been fetched. */
  private body(lesson: Lesson, row: LessonRow) {
    const [text, picture] = [studio.parts.get(row.text), studio.parts.get(row.picture)];
    if (!text || !picture) return html`<part-loading ?failed=${studio.parts.failed(row.text, row.picture)}></part-loading>`;
    return html`${text.story.map((paragraph) => html`<p>${written(both(paragraph))}</p>`)}
      <p class="play">${written(both(text.play))}</p>
      <note-list .error=${this.error}></note-list>
      ${this.picture(lesson, row)}
      <hr />
      <quiz-card .name=${lesson.id} .lesson=${text}></quiz-card>`;
  }

  private list(chapters: Chapters, shown: Lesson) {
    let number = 1;
    return chapters.map(({ title, lessons }) => {
      const first = number;
      number += lessons.length;
      return html`<h2>${both(title)}</h2><ol start=${first}>${lessons.map((one) => html`<li><a href="#view=lessons&lesson=${one.id}"
        aria-current=${one === shown ? "page" : nothing} @click=${(e: Event) => this.go(e, one)}>${this.titleOf(one.id)}</a></li>`)}</ol>`;
    });
  }

  /** The list on a phone, where twenty links would push the lesson off the screen. */
  private menu(chapters: Chapters, shown: Lesson) {
    let number = 0;
    const all = chapters.flatMap((chapter) => chapter.lessons);
    const options = (lessons: Lesson[]) => lessons.map((one) => html`<option value=${one.id} .selected=${one === shown}>${++number}. ${this.titleOf(one.id)}</option>`);
    return html`<select aria-label=${t("lesson.list")} @change=${(e: Event) => this.go(e, all.find((one) => one.id === (e.target as HTMLSelectElement).value))}>
      ${chapters.map(({ title, lessons }) => html`<optgroup label=${both(title)}>${options(lessons)}</optgroup>`)}</select>`;
  }

  /** While models are missing: how many are there, and one button that trains the others one after the other. */
  private models(models: LessonModel[]) {
    const missing = models.filter((model) => model.state === "missing");
    const ready = models.filter((model) => model.state === "ready").length;
    if (ready === models.length) return nothing;
    const [all, minutes] = [models.length, Math.ceil(missing.reduce((sum, model) => sum + model.seconds, 0) / 60)];
    return html`<p class="small quiet" data-testid="models-ready">${t("lesson.ready", { n: ready, all })}</p>
      <progress max=${all} .value=${ready} aria-label=${t("lesson.ready", { n: ready, all })}></progress>
      ${missing.length > 1 ? html`<button type="button" data-testid="train-all" @click=${() => this.trainAll(missing)}>${t("lesson.trainall", { n: minutes })}</button>` : nothing}`;
  }

  private async trainAll(missing: LessonModel[]): Promise<void> {
    let failed: StudioError | null = null;
    try {
      for (const model of missing) await api.startJob("lesson", model.id);
    } catch (error) {
      failed = error as StudioError;
    }
    await this.load();
    this.error = failed ?? this.error;
    this.lookAgain();
  }

  /** While models are being trained, their number is asked for again. */
  private lookAgain(): void {
    clearTimeout(this.later);
    if (!this.isConnected || !this.tour?.models.some((model) => model.state === "training")) return;
    this.later = window.setTimeout(() => void this.load().then(() => this.lookAgain()), AGAIN);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.narrow.removeEventListener("change", this.turned);
    clearTimeout(this.later);
  }

  private picture(lesson: Lesson, row: LessonRow) {
    const models = lesson.models.map((id) => this.tour!.models.find((model) => model.id === id)).filter((model): model is LessonModel => model !== undefined);
    if (models.some((model) => model.state !== "ready" || !model.run)) {
      return html`<model-trainer .models=${models} @changed=${() => this.load()}></model-trainer>`;
    }
    return html`${row.draw({ models, sentence: lesson.sentence, target: lesson.target, formulas: lesson.formulas })}
      ${models.length > 0 ? html`<details class="models"><summary>${t("lesson.models")}</summary><model-trainer .models=${models} @changed=${() => this.load()}></model-trainer></details>` : nothing}`;
  }
}
