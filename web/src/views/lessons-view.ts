// The tour: eight short lessons, each with one picture to play with and one question.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Lesson, LessonModel, LessonsAnswer } from "../contract";
import { language, t } from "../i18n";
import { lessonsEn } from "../lessons/en";
import { lessonsKo } from "../lessons/ko";
import type { LessonId, LessonText } from "../lessons/text";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/note-list";
import "../lessons/bottleneck-play";
import "../lessons/heads-play";
import "../lessons/kernel-play";
import "../lessons/model-trainer";
import "../lessons/quiz-card";
import "../lessons/sentence-play";

const AGAIN = 5000;

@customElement("lessons-view")
export class LessonsView extends Piece {
  static override styles = [shared, css`
    .layout { display: grid; grid-template-columns: minmax(11rem, 15rem) minmax(0, 1fr); gap: 1rem; align-items: start; }
    nav ol { margin: 0; padding-inline-start: 1.4rem; display: grid; gap: 0.35rem; }
    nav a { color: var(--ink); }
    nav a[aria-current] { font-weight: 700; color: var(--accent); }
    nav progress { width: 100%; margin-bottom: 0.4rem; }
    nav p { margin: 0.8rem 0 0.2rem; }
    article h2 { font-size: 1.4rem; }
    .play { border-inline-start: 4px solid var(--accent); padding-inline-start: 0.8rem; }
    @media (max-width: 48rem) { .layout { grid-template-columns: minmax(0, 1fr); } }
  `];
  @state() private tour: LessonsAnswer | null = null;
  @state() private error: StudioError | null = null;
  private later = 0;

  override connectedCallback(): void {
    super.connectedCallback();
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

  private text(id: string): LessonText {
    return (language.lang === "ko" ? lessonsKo : lessonsEn)[id as LessonId];
  }

  private go(event: Event, lesson: Lesson | undefined): void {
    event.preventDefault();
    if (!lesson) return;
    studio.set({ lesson: lesson.id, text: "", row: null, col: null, layer: null, head: null, play: {} });
    this.renderRoot.querySelector<HTMLElement>("article h2")?.focus();
  }

  override render() {
    if (!this.tour) return html`<section class="card"><note-list .error=${this.error}></note-list><p class="quiet">${t("lesson.loading")}</p></section>`;
    const lessons = this.tour.lessons.filter((lesson) => this.text(lesson.id));
    const at = Math.max(0, lessons.findIndex((lesson) => lesson.id === studio.state.lesson));
    const lesson = lessons[at];
    if (!lesson) return nothing;
    const text = this.text(lesson.id);
    return html`<div class="layout">
      <nav class="card" aria-label=${t("lesson.list")}><ol>${lessons.map((one, i) => html`<li><a href="#view=lessons&lesson=${one.id}"
        aria-current=${i === at ? "page" : nothing} @click=${(e: Event) => this.go(e, one)}>${this.text(one.id).title}</a></li>`)}</ol>${this.models(this.tour.models)}</nav>
      <article class="card" data-lesson=${lesson.id}>
        <h2 tabindex="-1">${at + 1}. ${text.title}</h2>
        ${text.story.map((paragraph) => html`<p>${paragraph}</p>`)}
        <p class="play">${text.play}</p>
        <note-list .error=${this.error}></note-list>
        ${this.picture(lesson)}
        <hr />
        <quiz-card .name=${lesson.id} .lesson=${text}></quiz-card>
        <p class="row">
          <button type="button" ?disabled=${at === 0} @click=${(e: Event) => this.go(e, lessons[at - 1])}>${t("lesson.back")}</button>
          <button type="button" ?disabled=${at === lessons.length - 1} @click=${(e: Event) => this.go(e, lessons[at + 1])}>${t("lesson.next")}</button></p>
      </article></div>`;
  }

  /** How many of all lessons' models are there, and one button that trains the others one after the other. */
  private models(models: LessonModel[]) {
    const missing = models.filter((model) => model.state === "missing");
    const ready = models.filter((model) => model.state === "ready").length;
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
    clearTimeout(this.later);
  }

  private picture(lesson: Lesson) {
    const models = lesson.models.map((id) => this.tour!.models.find((model) => model.id === id)).filter((model): model is LessonModel => model !== undefined);
    if (models.some((model) => model.state !== "ready" || !model.run)) {
      return html`<model-trainer .models=${models} @changed=${() => this.load()}></model-trainer>`;
    }
    const { sentence } = lesson;
    switch (lesson.view) {
      case "kernel": return html`<kernel-play></kernel-play>`;
      case "bottleneck": return html`<bottleneck-play .run=${models[0]!.run!}></bottleneck-play>`;
      case "attention": return html`<sentence-play bars .models=${models} .sentence=${sentence}></sentence-play>`;
      case "scores": case "softness": case "transformer": return html`<sentence-play .models=${models} .sentence=${sentence}></sentence-play>`;
      case "self": return html`<heads-play .models=${models} .sentence=${sentence} kind="encoder"></heads-play>`;
      case "heads": return html`<heads-play .models=${models} .sentence=${sentence} kind="cross"></heads-play>`;
    }
  }
}
