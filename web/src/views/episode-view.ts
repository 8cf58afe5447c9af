// Which examples a few-shot classifier looks at when it names a new picture.
import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import "../components/episode-board";

@customElement("episode-view")
export class EpisodeView extends Piece {
  static override styles = [shared];

  override render() {
    const { run, state } = studio;
    if (!run || run.state !== "ready") return nothing;
    return html`<section class="card"><h2>${t("episode.title")}</h2><p class="quiet">${t("episode.help")}</p>
      <episode-board .run=${run.id} .step=${state.step}></episode-board></section>`;
  }
}
