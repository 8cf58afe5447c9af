// A run of a task that has no view: what is known of it.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import type { RunInfo } from "../contract";
import { compact } from "../format";
import { language, t } from "../i18n";
import { scoreName } from "../metric-lines";
import { Piece, shared } from "../piece";
import { studio } from "../studio";

@customElement("run-card")
export class RunCard extends Piece {
  static override styles = [shared, css`
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 1rem; margin: 0; }
    dt { color: var(--quiet); }
    dd { margin: 0; overflow-wrap: anywhere; }
  `];

  override render() {
    const { run } = studio;
    if (!run || run.state === "broken" || run.state === "gone") return nothing;
    return html`<section class="card" data-testid="run-card"><h2 dir="auto">${run.name}</h2>
      <p>${t("task.noview", { task: run.task })}</p>
      <dl>${this.facts(run).map(([name, value]) => html`<dt>${name}</dt><dd class="num">${value}</dd>`)}</dl></section>`;
  }

  private facts(run: RunInfo): [string, string][] {
    const steps = run.steps.map((one) => one.step).join(", ");
    const all: [string, string | null][] = [
      [t("task.task"), run.task],
      [t("task.preset"), run.preset],
      [t("task.parameters"), run.parameters === null ? null : compact(run.parameters, language.lang)],
      [t("task.step"), run.step === null ? null : `${run.step} / ${run.max_steps ?? "–"}`],
      [t("task.steps"), steps],
      [t("task.scores"), run.scores.map(scoreName).join(", ")],
      [t("compare.hash"), run.hash],
    ];
    return all.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== "");
  }
}
