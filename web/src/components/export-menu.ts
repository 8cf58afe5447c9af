// Saves the picture beside it in one of six formats.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { exportBlob, fileName, FORMATS, MADE_HERE, save, type Exported, type Format } from "../exporting";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";

@customElement("export-menu")
export class ExportMenu extends Piece {
  static override styles = [shared, css`
    :host { position: relative; flex: 0 0 auto; white-space: nowrap; }
    details { display: inline-block; }
    .menu { position: absolute; inset-inline-end: 0; z-index: 5; background: var(--card); border: 1px solid var(--edge);
      border-radius: 8px; padding: 0.4rem; display: grid; grid-template-columns: repeat(3, auto); gap: 0.3rem;
      box-shadow: 0 4px 14px rgb(0 0 0 / 0.18); }
  `];
  @property({ attribute: false }) make: (() => Exported | null) | null = null;
  @state() private failed = "";

  private async write(format: Format): Promise<void> {
    const one = this.make?.();
    if (!one) return;
    this.failed = "";
    try {
      save(await exportBlob(one, format, studio.alone), fileName(one, format));
      this.renderRoot.querySelector("details")!.open = false;
    } catch (error) {
      this.failed = (error as Error).message;
    }
  }

  private closed(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    const details = this.renderRoot.querySelector("details")!;
    details.open = false;
    details.querySelector("summary")!.focus();
  }

  override render() {
    const names: Record<Format, string> = {
      svg: "SVG", png: "PNG", csv: "CSV", json: "JSON", tex: "LaTeX", html: "HTML",
    };
    return html`<details @keydown=${this.closed}>
      <summary class="small">${t("export.title")}</summary>
      <div class="menu" role="group" aria-label=${t("export.title")}>
        ${(studio.alone ? MADE_HERE : FORMATS).map((format) => html`<button type="button" data-format=${format}
          @click=${() => this.write(format)}>${names[format]}</button>`)}
      </div>
      ${this.failed ? html`<p class="error small" role="alert">${t("export.failed", { why: this.failed })}</p>` : nothing}
    </details>`;
  }
}
