// The page: its views, its language, light or dark, and a link to exactly this.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Job } from "../contract";
import { language, t, type Key, type Lang } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { theme, type ThemeChoice } from "../theme";
import { PAGES } from "../views/pages";
import { fits, titleOf, VIEWS, type ViewName } from "../views/titles";
import "./job-progress";
import "./note-list";
import "./part-loading";
import "./run-card";
import "./subject-bar";

@customElement("jumok-studio")
export class AppShell extends Piece {
  static override styles = [shared, css`
    header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: center; padding: 0.6rem clamp(0.7rem, 3vw, 2rem);
      background: var(--card); border-bottom: 1px solid var(--line); }
    h1 { font-size: 1.2rem; margin: 0; white-space: nowrap; }
    h1 span { color: var(--accent); }
    h1 b { font: inherit; }
    nav { flex: 1 0 100%; order: 3; }
    .tools { margin-inline-start: auto; }
    nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem; list-style: none; margin: 0; padding: 0; }
    nav a { display: inline-block; padding: 0.35rem 0.7rem; border-radius: 7px; color: var(--ink); text-decoration: none; }
    nav a:hover { background: var(--page); text-decoration: underline; }
    nav a[aria-current] { background: var(--accent-soft); font-weight: 600; }
    main { padding: 1rem clamp(0.5rem, 3vw, 2rem) 2rem; max-width: 84rem; margin: 0 auto; }
    footer { padding: 0 clamp(0.7rem, 3vw, 2rem) 1.5rem; max-width: 84rem; margin: 0 auto; }
    /* On a phone the page begins with the sentence: views in one line that scrolls, tools beside the name. */
    @media (max-width: 36rem) {
      header { display: grid; grid-template-columns: auto 1fr; gap: 0.2rem 0.5rem; padding-block: 0.35rem; }
      h1 { font-size: 1rem; }
      h1 .long { position: absolute; clip-path: inset(50%); }
      .tools { flex-wrap: nowrap; gap: 0.3rem; justify-content: flex-end; }
      .tools button, .tools select { min-height: 1.8rem; padding: 0.1rem 0.4rem; font-size: 0.85rem; }
      nav { grid-column: 1 / -1; min-width: 0; overflow-x: auto; }
      nav ul { flex-wrap: nowrap; }
      nav a { white-space: nowrap; padding: 0.25rem 0.5rem; }
      main { padding-block: 0.5rem 1rem; }
    }
    .skip { position: absolute; left: -999rem; }
    .skip:focus { left: 0.5rem; top: 0.5rem; background: var(--card); padding: 0.5rem; z-index: 9; }
  `];
  /** What all views share; here for tests and for the curious. */
  readonly studio = studio;
  @state() private copied: Key = "app.copy";
  /** How the last training of the studio ended, where it did not end well. */
  @state() private ended: Job | null = null;
  @state() private error: StudioError | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    studio.start();
  }

  /** On a phone the list of views scrolls: the chosen one is brought into it, and the page stays where it is. */
  override updated(): void {
    const list = this.renderRoot.querySelector("nav")!;
    const { offsetLeft, offsetWidth } = list.querySelector<HTMLElement>("a[aria-current]")!;
    const beyond = offsetLeft - list.offsetLeft + offsetWidth + 2 - list.clientWidth; // offsets are rounded
    if (list.scrollLeft < beyond || list.scrollLeft > offsetLeft - list.offsetLeft) list.scrollLeft = Math.max(0, beyond);
  }

  private go(event: Event, view: ViewName): void {
    event.preventDefault();
    studio.set({ view });
    void studio.translate();
  }

  private speak(lang: Lang): void {
    language.set(lang);
    remember("lang", lang);
  }

  private shade(event: Event): void {
    const choice = (event.target as HTMLSelectElement).value as ThemeChoice;
    theme.set(choice);
    remember("theme", choice);
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.copied = "app.copied";
    } catch {
      this.copied = "app.notcopied"; // a page that is not on this machine's own address may not write to the clipboard
    }
    setTimeout(() => (this.copied = "app.copy"), 2000);
  }

  private skip(): void {
    this.renderRoot.querySelector("main")!.focus();
  }

  override render() {
    const { view, task } = studio;
    return html`
      <header>
        <button type="button" class="skip" @click=${this.skip}>${t("app.skip")}</button>
        <h1><span lang="ko">주목</span> <b class="long">${t("app.name")}</b></h1>
        <nav aria-label=${t("app.views")}><ul>
          ${VIEWS.filter((name) => fits(name, task)).map((name) => html`<li><a href="#view=${name}" aria-current=${name === view ? "page" : nothing}
            data-view=${name} @click=${(e: Event) => this.go(e, name)}>${titleOf(name, task, language.lang)}</a></li>`)}
        </ul></nav>
        <div class="row tools">
          <span role="group" aria-label=${t("app.language")}>
            <button type="button" lang="ko" aria-pressed=${language.lang === "ko" ? "true" : "false"} @click=${() => this.speak("ko")}>한국어</button>
            <button type="button" lang="en" aria-pressed=${language.lang === "en" ? "true" : "false"} @click=${() => this.speak("en")}>English</button>
          </span>
          <label><span class="visually-hidden">${t("app.theme")}</span>
            <select name="theme" @change=${this.shade}>
              ${(["auto", "light", "dark"] as const).map((one) => html`<option value=${one} ?selected=${theme.choice === one}>${t(`theme.${one}`)}</option>`)}
            </select></label>
          <button type="button" @click=${this.copy}>${t(this.copied)}</button>
        </div>
      </header>
      <main id="main" tabindex="-1">
        ${studio.runsError ? html`<section class="card"><note-list .error=${studio.runsError}></note-list></section>` : nothing}
        ${view === "lessons" ? nothing : html`<subject-bar></subject-bar>${this.training()}`}
        ${view === null ? html`<run-card></run-card>` : this.shown(PAGES[view])}
      </main>
      <footer class="small quiet">${t("app.footer", { version: studio.version })}</footer>`;
  }

  private shown({ load, draw }: (typeof PAGES)[ViewName]) {
    if (studio.parts.get(load)) return draw();
    return html`<section class="card"><part-loading ?failed=${studio.parts.failed(load)}></part-loading></section>`;
  }

  /** A run that is being trained by the studio itself, such as the demo at its first start. */
  private training() {
    const run = studio.run;
    if (!run) return this.nothingYet();
    if (run.state === "broken") return html`<section class="card"><p class="error">${t("run.broken")} <span dir="auto">${run.message}</span></p></section>`;
    if (run.state === "gone") return html`<section class="card"><p class="error" role="alert">${t("run.gone")}</p>
      <button type="button" @click=${() => studio.loadRuns().then(() => studio.translate(true))}>${t("run.again")}</button></section>`;
    if (run.state === "ready") return nothing;
    return html`<section class="card"><p>${t("run.empty")}</p>${run.job
      ? html`<job-progress .job=${run.job} .label=${run.name} @over=${this.over}></job-progress>`
      : html`${this.ending()}<button type="button" @click=${() => studio.loadRuns()}>${t("run.again")}</button>`}</section>`;
  }

  /** Before the first run's folder is there: how its training stands. */
  private nothingYet() {
    if (studio.limits === null) return nothing;
    const { run } = studio.state; // the lessons' models are there from the start, and none of them is meant by a link without a run
    if (run !== null && studio.runs.length > 0) return html`<section class="card"><p dir="auto">${t("run.unknown", { run })}</p></section>`;
    if (studio.jobs.length === 0) return html`<section class="card"><p>${t("run.none")}</p>${this.ending()}</section>`;
    return html`<section class="card"><p>${t("run.first")}</p>${studio.jobs.map((job) => html`<job-progress .job=${job.id} .label=${job.model}
      @over=${this.over}></job-progress>`)}</section>`;
  }

  private over(event: CustomEvent<Job>): void {
    this.ended = event.detail.state === "done" ? null : event.detail;
    void studio.loadRuns().then(() => studio.translate(true));
  }

  private async train(): Promise<void> {
    this.ended = null;
    try {
      await api.startJob("demo");
      this.error = null;
    } catch (error) {
      this.error = error as StudioError;
    }
    await studio.loadRuns();
  }

  /** What became of a training that is over, and the way on: the demo is what the studio trains by itself. */
  private ending() {
    const failed = this.ended?.state === "failed";
    return html`<note-list .error=${this.error}></note-list>
      ${this.ended ? html`<p class=${failed ? "error" : ""} role="status">${t(failed ? "run.failed" : "run.stopped")}
        ${failed ? html`<span dir="auto">${this.ended.message}</span>` : nothing}</p>` : nothing}
      ${studio.run === null || studio.run.id === "demo" ? html`<button type="button" class="primary" data-testid="train-demo" @click=${this.train}>${t("run.train")}</button>` : nothing}`;
  }
}

function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`jumok.${name}`, value);
  } catch {
    // storage may be closed: the choice then lasts as long as the page
  }
}
