// What an edit changed in the output: words that stayed, went and came.
import { css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Change } from "../contract";
import { t } from "../i18n";
import { Piece, shared } from "../piece";

@customElement("difference-line")
export class DifferenceLine extends Piece {
  static override styles = [shared, css`
    p { font-size: 1.25rem; display: flex; flex-wrap: wrap; gap: 0.3rem; max-width: none; }
    ins, del { padding: 0 0.3rem; border-radius: 4px; }
    ins { background: var(--added); text-decoration: underline; text-decoration-thickness: 2px; }
    del { background: var(--removed); text-decoration: line-through; }
  `];
  @property({ attribute: false }) changes: Change[] = [];

  override render() {
    return html`<p dir="auto" data-testid="difference">${this.changes.map((change) => {
      const text = change.tokens.join(" ");
      if (change.kind === "same") return html`<span>${text}</span>`;
      if (change.kind === "removed") return html`<del><span class="visually-hidden">${t("whatif.removed")} </span>${text}</del>`;
      return html`<ins><span class="visually-hidden">${t("whatif.added")} </span>${text}</ins>`;
    })}</p>`;
  }
}
