// The same numbers as a table, for every picture; made only when it is opened.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { number } from "../format";
import { t } from "../i18n";
import { Piece, shared } from "../piece";

export type Cell = string | number | null;

@customElement("table-twin")
export class TableTwin extends Piece {
  static override styles = [shared, css`
    .scroll { overflow: auto; max-height: 24rem; border: 1px solid var(--line); border-radius: 7px; }
    thead th { position: sticky; top: 0; background: var(--card); }
    caption { text-align: start; padding: 0.3rem 0.55rem; color: var(--quiet); }
  `];
  @property() label = "";
  @property({ attribute: false }) columns: string[] = [];
  /** The rows, or what makes them once the table is opened. */
  @property({ attribute: false }) rows: Cell[][] | (() => Cell[][]) = [];
  @property({ type: Number }) digits = 3;
  @state() private open = false;

  private toggled(event: Event): void {
    this.open = (event.target as HTMLDetailsElement).open;
  }

  override render() {
    return html`<details @toggle=${this.toggled}>
      <summary class="small">${t("table.show")}<span class="visually-hidden">: ${this.label}</span></summary>
      ${this.open ? this.table() : nothing}
    </details>`;
  }

  private table() {
    const rows = typeof this.rows === "function" ? this.rows() : this.rows;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${`${this.label}: ${t("table.show")}`}>
      <table>
        <caption>${this.label}</caption>
        <thead><tr>${this.columns.map((name) => html`<th scope="col" dir="auto">${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row) => html`<tr>${row.map((cell, i) => i === 0
            ? html`<th scope="row" dir="auto">${this.text(cell)}</th>`
            : html`<td dir="auto">${this.text(cell)}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>`;
  }

  private text(cell: Cell): string {
    if (typeof cell !== "number") return cell ?? "";
    return Number.isInteger(cell) ? String(cell) : number(cell, this.digits);
  }
}
