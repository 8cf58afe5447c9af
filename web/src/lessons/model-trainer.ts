// The small models of a lesson: those that come with Jumok are there at once; anyone can train their own, with progress.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Job, LessonModel } from "../contract";
import { both, t } from "../i18n";
import { Piece, shared } from "../piece";
import "../components/job-progress";
import "../components/note-list";

@customElement("model-trainer")
export class ModelTrainer extends Piece {
  static override styles = [shared, css`ul { padding-inline-start: 1.2rem; }`];
  @property({ attribute: false }) models: LessonModel[] = [];
  @state() private error: StudioError | null = null;
  @state() private failed = "";

  /** Those that can be trained now: what is missing, or else what came with Jumok. */
  private get open(): LessonModel[] {
    const missing = this.models.filter((model) => model.state === "missing");
    return missing.length > 0 ? missing : this.models.filter((model) => model.shipped && !model.job);
  }

  private async train(): Promise<void> {
    this.error = null;
    this.failed = "";
    try {
      for (const model of this.open) await api.startJob("lesson", model.id);
    } catch (error) {
      this.error = error as StudioError;
    }
    this.changed();
  }

  private over(event: CustomEvent<Job>): void {
    if (event.detail.state === "failed") this.failed = event.detail.message;
    this.changed();
  }

  private changed(): void {
    this.dispatchEvent(new CustomEvent("changed"));
  }

  override render() {
    const seconds = this.open.reduce((sum, model) => sum + model.seconds, 0);
    return html`<h3>${t("lesson.models")}</h3><p>${t("lesson.modelshelp")}</p>
      <ul>${this.models.map((model) => html`<li>${both(model.title)}:
        ${model.job ? html`<job-progress .job=${model.job} .label=${both(model.title)} @over=${this.over}></job-progress>`
          : model.state !== "ready" ? t("lesson.missing") : model.shipped ? t("lesson.shipped") : t("lesson.trained")}</li>`)}</ul>
      <note-list .error=${this.error}></note-list>
      ${this.failed ? html`<p class="error" role="alert">${t("run.failed")} <span dir="auto">${this.failed}</span></p>` : nothing}
      ${this.open.length > 0 ? html`<button type="button" class="primary" data-testid="train" @click=${this.train}>${t("lesson.train", { n: Math.ceil(seconds / 60) })}</button>` : nothing}`;
  }
}
