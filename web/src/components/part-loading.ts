// Shown while a view or a lesson is being fetched, and where that failed.
import { html } from "lit";
import { customElement, property } from "lit/decorators.js";
import { t } from "../i18n";
import { Piece, shared } from "../piece";

@customElement("part-loading")
export class PartLoading extends Piece {
  static override styles = [shared];
  @property({ type: Boolean }) failed = false;

  override render() {
    if (!this.failed) return html`<p class="quiet" role="status">${t("part.loading")}</p>`;
    // A browser may remember that a module could not be fetched; the address holds everything that was set.
    return html`<p class="error" role="alert">${t("part.failed")}</p>
      <button type="button" @click=${() => location.reload()}>${t("part.reload")}</button>`;
  }
}
