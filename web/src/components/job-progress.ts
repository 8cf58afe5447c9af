// A training in the background, followed until it ends.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { api } from "../api";
import type { Job } from "../contract";
import { OVER } from "../jobs";
import { number } from "../format";
import { t, type Key } from "../i18n";
import { Piece, shared } from "../piece";

const STATES: Record<Job["state"], Key> = {
  waiting: "job.waiting", preparing: "job.preparing", training: "job.training", done: "job.done",
  failed: "job.failed", cancelled: "job.cancelled",
};

@customElement("job-progress")
export class JobProgress extends Piece {
  static override styles = [shared, css`progress { width: min(24rem, 60vw); height: 1rem; accent-color: var(--accent); }`];
  @property() job = "";
  @property() label = "";
  @state() private now: Job | null = null;
  private timer = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    if (this.now && !OVER.includes(this.now.state)) void this.follow(); // once more: how it ended is told to who listens
  }

  private async follow(): Promise<void> {
    if (this.job === "") return;
    try {
      this.now = await api.job(this.job);
      this.dispatchEvent(new CustomEvent<Job>("progress", { detail: this.now }));
      if (OVER.includes(this.now.state)) {
        this.dispatchEvent(new CustomEvent<Job>("over", { detail: this.now }));
        return;
      }
    } catch {
      // the server may be restarting: ask again
    }
    if (this.isConnected) this.timer = window.setTimeout(() => void this.follow(), 1000);
  }

  private async cancel(): Promise<void> {
    this.now = await api.cancelJob(this.job);
  }

  override render() {
    const job = this.now;
    if (!job) return html`<p>${t("job.waiting")}</p>`;
    const seconds = job.seconds_left;
    const left = seconds === null ? "" : seconds > 100 ? t("job.minutes", { n: Math.ceil(seconds / 60) }) : t("job.left", { n: Math.ceil(seconds) });
    const loss = job.loss === null ? "" : t("job.loss", { n: number(job.loss, 2) });
    return html`<div class="row">
      <label>${this.label} <progress max="1" .value=${job.progress}></progress></label>
      <span class="small quiet num">${[t(STATES[job.state]), `${job.step} / ${job.max_steps}`, loss, left].filter(Boolean).join(" · ")}</span>
      ${OVER.includes(job.state) ? nothing : html`<button type="button" @click=${this.cancel}>${t("job.cancel")}</button>`}
      ${job.message ? html`<p class="error small" dir="auto">${job.message}</p>` : nothing}
    </div>`;
  }
}
