// What one or two models give to each word of the right translation.
import { css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Reading } from "../contract";
import type { Exported } from "../exporting";
import { percent, probability } from "../format";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { tableSvg } from "../drawing/sheet";
import { aboutReading } from "../about";
import "../components/export-menu";

@customElement("chance-bars")
export class ChanceBars extends Piece {
  static override styles = [shared, css`
    .scroll { overflow-x: auto; }
    .bar-of-title { justify-content: space-between; }
    td, th { vertical-align: middle; }
    .fill { height: 0.9rem; border-radius: 3px; background: var(--bar); min-width: 1px; }
    .fill.b { background: var(--gold); }
    td.bar { width: 12rem; min-width: 6rem; }
    @media (max-width: 36rem) { td.bar { width: auto; min-width: 2.6rem; } td, th { padding-inline: 0.2rem; } }
  `];
  @property() label = "";
  @property({ attribute: false }) readings: Reading[] = [];
  @property({ attribute: false }) names: string[] = [];

  override render() {
    const tokens = this.readings[0]?.target.tokens ?? [];
    return html`<div class="row bar-of-title"><h3>${this.label}</h3><export-menu .make=${() => this.exported()}></export-menu></div>
      <div class="scroll" tabindex="0" role="region" aria-label=${this.label}><table>
      <thead class="small quiet"><tr><th scope="col">${t("chances.word")}</th>${this.names.map((name) => html`<th scope="col" colspan="2">${name}</th>`)}</tr></thead>
      <tbody>${tokens.map((token, i) => html`<tr><th scope="row" dir="auto">${token.text}</th>
        ${this.readings.map((reading, r) => {
          const p = probability(reading.steps[i]?.log_prob ?? null) ?? 0;
          return html`<td>${percent(p)}</td><td class="bar"><div class="fill ${r > 0 ? "b" : ""}" .style=${`width:${(p * 100).toFixed(1)}%`}></div></td>`;
        })}</tr>`)}</tbody></table></div>`;
  }

  private exported(): Exported | null {
    const first = this.readings[0];
    if (!first) return null;
    const columns = [t("chances.word"), ...this.names];
    const rows = first.target.tokens.map((token, i) => [token.text, ...this.readings.map((one) => probability(one.steps[i]?.log_prob ?? null))]);
    return { title: this.label, ...aboutReading(first), columns, rows, view: { kind: "table", columns, rows }, svg: () => tableSvg(columns, rows, this.readings.length) };
  }
}
