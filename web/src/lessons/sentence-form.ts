// The sentence of a lesson: the one of the link or the lesson's own, and the form in which another is typed.
import { html, type TemplateResult } from "lit";
import { t } from "../i18n";
import { studio } from "../studio";

/** The sentence of the link, or the lesson's own. */
export function chosenSentence(own: string): string {
  return studio.state.text.trim() === "" ? own : studio.state.text;
}

/** The form; `choose` gets the sentence that was typed. */
export function sentenceForm(text: string, choose: (text: string) => void): TemplateResult {
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    choose((e.currentTarget as HTMLFormElement).querySelector("input")!.value.normalize("NFC"));
  };
  return html`<form class="row" @submit=${submit}>
    <label>${t("lesson.sentence")} <input type="text" dir="auto" maxlength="400" .value=${text} /></label>
    <button type="submit">${t("subject.go")}</button></form>`;
}
