// Two maps subtracted, and a word on what could not be compared.
import { html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { difference } from "../alignment";
import { emptyPicture, type Picture } from "../picture";
import { Piece, shared } from "../piece";
import { taskText as t } from "../task-text";
import type { About } from "../about";
import "./heat-map";

@customElement("difference-map")
export class DifferenceMap extends Piece {
  static override styles = [shared];
  @property({ attribute: false }) picture: Picture = emptyPicture();
  @property({ attribute: false }) minus: Picture = emptyPicture();
  @property() label = "";
  @property({ attribute: false }) about: About | null = null;

  override render() {
    const { picture, onlyAfter, onlyBefore, sources, rows } = difference(this.picture, this.minus);
    const told = (key: "difference.after" | "difference.before" | "difference.sources", words: string[]) =>
      words.length === 0 ? nothing : html`<p class="small" dir="auto">${t(key, { words: words.join(" · ") })}</p>`;
    return html`${rows === 0 ? html`<h3>${this.label}</h3><p class="small">${t("difference.nothing")}</p>`
      : html`<heat-map scale="difference" .picture=${picture} .about=${this.about} .label=${this.label}></heat-map>`}
      <div data-testid="not-compared">${told("difference.after", onlyAfter)}${told("difference.before", onlyBefore)}${told("difference.sources", sources)}</div>`;
  }
}
