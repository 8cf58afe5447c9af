// Names what an alignment map shows: changed order, skipped words, one word for several and several for one.
import { css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Marks } from "../marks";
import { Piece, shared } from "../piece";
import { taskText as t } from "../task-text";

@customElement("map-marks")
export class MapMarks extends Piece {
  static override styles = [shared, css`
    dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.8rem; margin: 0.4rem 0 0; }
    dt { font-weight: 600; white-space: nowrap; } dd { margin: 0; }
    .sign { display: inline-block; min-width: 2.4rem; color: var(--gold); font-weight: 700; }
    @media (max-width: 36rem) { dl { grid-template-columns: minmax(0, 1fr); } dt { white-space: normal; } dd { margin-bottom: 0.3rem; } }
  `];
  @property({ attribute: false }) marks: Marks | null = null;
  @property({ attribute: false }) sources: string[] = [];
  @property({ attribute: false }) targets: string[] = [];
  /** Whether the links are the gold ones or were read off the weights. */
  @property({ type: Boolean }) gold = false;
  @property({ type: Boolean }) shown = true;

  override render() {
    const { marks, sources, targets } = this;
    if (!marks) return nothing;
    const [s, r] = [(i: number) => sources[i] ?? "", (i: number) => targets[i] ?? ""];
    const folds = [...new Set(marks.crossings.map(([a, b]) => `${s(a[0])} ⤫ ${s(b[0])}`))];
    return html`<label><input type="checkbox" name="marks" .checked=${this.shown} @change=${() => this.dispatchEvent(new CustomEvent("toggle"))} />${t("marks.show")}</label>
      <dl data-testid="marks">${this.line("×", "marks.order", folds, "order")}
        ${this.line("1:n", "marks.onetomany", marks.oneToMany.map(({ source, targets: to }) => `${s(source)} → ${to.map(r).join(" ")}`), "one-to-many")}
        ${this.line("n:1", "marks.manytoone", marks.manyToOne.map(({ target, sources: from }) => `${from.map(s).join(" ")} → ${r(target)}`), "many-to-one")}
        ${this.line("∅", "marks.skipped", marks.skipped.map(s), "skipped")}
        ${this.line("∅", "marks.added", marks.added.map(r), "added")}</dl>
      <p class="small quiet">${t(this.gold ? "marks.gold" : "marks.weights")}</p>`;
  }

  private line(sign: string, name: "marks.order" | "marks.onetomany" | "marks.manytoone" | "marks.skipped" | "marks.added", found: string[], mark: string) {
    return html`<dt><span class="sign" aria-hidden="true">${sign}</span>${t(name)}</dt><dd data-mark=${mark} data-count=${found.length} dir="auto">${found.length > 0 ? found.join(" · ") : t("marks.none")}</dd>`;
  }
}
