// What the model might have written at the chosen step, likeliest first.
import { css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Candidate, Written } from "../contract";
import { tableSvg } from "../drawing/sheet";
import type { Exported } from "../exporting";
import { number, percent, probability } from "../format";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import type { About } from "../about";
import "./export-menu";

@customElement("word-chances")
export class WordChances extends Piece {
  static override styles = [shared, css`
    table { width: 100%; }
    .bar-of-title { justify-content: space-between; flex-wrap: nowrap; align-items: flex-start; }
    td, th { white-space: nowrap; }
    td, th { vertical-align: middle; }
    td.bar { width: 50%; min-width: 3rem; }
    .fill { height: 0.9rem; border-radius: 3px; background: var(--bar); min-width: 1px; }
    tr.written { background: var(--accent-soft); }
    tr.written th { font-weight: 700; }
    th[scope="row"] { font-weight: 400; }
    button { width: 100%; text-align: start; min-height: 1.6rem; padding: 0 0.4rem; }
  `];
  @property() label = "";
  @property({ attribute: false }) top: Candidate[] = [];
  @property({ attribute: false }) written: Written | null = null;
  /** Id of the token that was written. */
  @property({ type: Number }) token = -1;
  @property({ type: Boolean }) choosable = false;
  /** Id of the token that ends a text: it cannot be chosen, because nothing is written after it. */
  @property({ type: Number }) end = -1;
  @property({ attribute: false }) about: About | null = null;

  private choose(candidate: Candidate): void {
    this.dispatchEvent(new CustomEvent<Candidate>("choose", { detail: candidate }));
  }

  override render() {
    return html`<div class="row bar-of-title"><h3>${this.label}</h3>
        ${this.about ? html`<export-menu .make=${() => this.exported()}></export-menu>` : nothing}</div>
      <table>
        <caption class="visually-hidden">${this.label}</caption>
        <thead class="small quiet"><tr><th scope="col">${t("chances.word")}</th><th scope="col">${t("chances.p")}</th>
          <th scope="col">${t("chances.logp")}</th><th><span class="visually-hidden">${t("chances.bar")}</span></th></tr></thead>
        <tbody>${this.top.map((one) => this.row(one))}</tbody>
      </table>
      ${this.written ? html`<p class="small quiet num">${t("chances.about", {
        rank: this.written.rank + 1, entropy: number(this.written.entropy, 2), logp: number(this.written.log_prob),
      })}</p>` : nothing}`;
  }

  private exported(): Exported | null {
    if (!this.about) return null;
    const columns = [t("chances.word"), t("chances.p"), t("chances.logp")];
    const rows = this.top.map((one) => [one.text, probability(one.log_prob), one.log_prob]);
    return { title: this.label, ...this.about, columns, rows, view: { kind: "table", columns, rows }, svg: () => tableSvg(columns, rows, 1) };
  }

  private row(one: Candidate) {
    const p = probability(one.log_prob) ?? 0;
    const name = this.choosable && one.id !== this.end
      ? html`<button type="button" @click=${() => this.choose(one)} dir="auto">${one.text}</button>`
      : one.text;
    return html`<tr class=${one.id === this.token ? "written" : ""}>
      <th scope="row" dir="auto">${name}</th><td>${percent(p)}</td><td>${number(one.log_prob, 2)}</td>
      <td class="bar"><div class="fill" .style=${`width:${(p * 100).toFixed(2)}%`}></div></td></tr>`;
  }
}
