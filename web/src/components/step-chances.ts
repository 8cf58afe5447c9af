// What could have been written at the step that is looked at; it follows the pointer.
import { html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { aboutReading } from "../about";
import "./word-chances";

@customElement("step-chances")
export class StepChances extends Piece {
  static override styles = [shared];
  protected override looked(): void {
    this.requestUpdate();
  }

  override render() {
    const reading = studio.reading;
    if (!reading) return nothing;
    const at = Math.min(studio.tokenStep, reading.steps.length - 1);
    const written = reading.steps[at];
    const token = reading.target.tokens[at];
    if (!written || !token) return nothing;
    return html`<word-chances .label=${t("chances.title", { n: at + 1, word: token.text })} .top=${written.top}
      .written=${written} .token=${token.id} .about=${aboutReading(reading)}></word-chances>`;
  }
}
