// One question, checked on the page.
import { css, html, nothing, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { both, t } from "../i18n";
import { Piece, shared } from "../piece";
import { written } from "../written";
import type { LessonText } from "./text";

@customElement("quiz-card")
export class QuizCard extends Piece {
  static override styles = [shared, css`
    fieldset { border: 0; padding: 0; margin: 0; display: grid; gap: 0.35rem; }
    legend { font-weight: 600; padding: 0; margin-bottom: 0.4rem; }
    .right { color: var(--good); font-weight: 600; }
    .wrong { color: var(--bad); font-weight: 600; }
    label { align-items: baseline; }
    input { flex: none; }
    p { margin: 0.8rem 0 0; }
  `];
  @property({ attribute: false }) lesson: LessonText | null = null;
  @property() name = "";
  @state() private chosen: number | null = null;
  @state() private checked = false;

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("name")) return;
    this.chosen = null;
    this.checked = false;
  }

  private check(event: Event): void {
    event.preventDefault();
    this.checked = this.chosen !== null;
  }

  override render() {
    const lesson = this.lesson;
    if (!lesson) return nothing;
    const right = this.chosen === lesson.answer;
    return html`<form @submit=${this.check}>
      <fieldset><legend>${written(both(lesson.question))}</legend>
        ${lesson.options.map((option, i) => html`<label><input type="radio" name="answer" value=${i} .checked=${this.chosen === i}
          @change=${() => { this.chosen = i; this.checked = false; }} /><span>${written(both(option))}</span></label>`)}
      </fieldset>
      <p><button type="submit" ?disabled=${this.chosen === null}>${t("lesson.check")}</button></p>
      <p role="status" data-testid="verdict">${this.checked ? html`<span class=${right ? "right" : "wrong"}>${right ? t("lesson.right") : t("lesson.wrong")}</span>
        ${right ? written(both(lesson.why)) : nothing}` : nothing}</p></form>`;
  }
}
