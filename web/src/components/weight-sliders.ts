// The weights of one step, each of which can be dragged; beside them, on demand, what removing the word really does.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Token } from "../contract";
import { number, signed } from "../format";
import { t } from "../i18n";
import { withWeight } from "../matrix";
import { Piece, shared } from "../piece";

@customElement("weight-sliders")
export class WeightSliders extends Piece {
  static override styles = [shared, css`
    table { width: 100%; max-width: 46rem; }
    input { width: 100%; min-width: 4rem; }
    th, td { padding-inline: 0.35rem; }
    .scroll { overflow-x: auto; }
    th[scope="row"] { font-weight: 600; }
    td.wide { width: 50%; }
    tr.changed { background: var(--accent-soft); }
    .helps { color: var(--good); font-weight: 600; }
    .hurts { color: var(--bad); font-weight: 600; }
  `];
  @property({ attribute: false }) tokens: Token[] = [];
  @property({ attribute: false }) base: number[] = [];
  @property({ attribute: false }) row: number[] = [];
  /** Effect of removing each token's word on the log-probability of this step; null until measured. */
  @property({ attribute: false }) effects: (number | null)[] | null = null;
  @state() private preview: number[] | null = null;

  private drag(event: Event, index: number): void {
    this.preview = withWeight(this.row, index, Number((event.target as HTMLInputElement).value));
  }

  private drop(event: Event, index: number): void {
    this.preview = null;
    const value = Number((event.target as HTMLInputElement).value);
    this.dispatchEvent(new CustomEvent("weigh", { detail: { source: index, value } }));
  }

  override render() {
    const shown = this.preview ?? this.row;
    return html`<div class="scroll"><table>
      <caption class="visually-hidden">${t("whatif.weights")}</caption>
      <thead class="small quiet"><tr><th scope="col">${t("links.source")}</th><th scope="col">${t("whatif.drag")}</th>
        <th scope="col">${t("whatif.now")}</th><th scope="col">${t("whatif.was")}</th>
        ${this.effects ? html`<th scope="col">${t("whatif.effect")}</th>` : nothing}</tr></thead>
      <tbody>${this.tokens.map((token, i) => html`<tr class=${Math.abs((shown[i] ?? 0) - (this.base[i] ?? 0)) > 0.0005 ? "changed" : ""}>
        <th scope="row" dir="auto">${token.text}</th>
        <td class="wide"><input type="range" min="0" max="1" step="0.01" .value=${String(shown[i] ?? 0)}
          aria-label=${t("whatif.weightof", { word: token.text })} @input=${(e: Event) => this.drag(e, i)} @change=${(e: Event) => this.drop(e, i)} /></td>
        <td class="num">${number(shown[i])}</td><td class="num quiet">${number(this.base[i])}</td>
        ${this.effects ? this.effect(this.effects[i] ?? null) : nothing}</tr>`)}</tbody>
    </table></div>`;
  }

  private effect(value: number | null) {
    if (value === null) return html`<td class="quiet">–</td>`;
    const kind = value > 0.05 ? "helps" : value < -0.05 ? "hurts" : "";
    return html`<td class="num ${kind}">${signed(-value, 2)}</td>`;
  }
}
