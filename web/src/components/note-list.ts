// What a reader should know about a translation, and errors in the page's own words.
import { html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { StudioError } from "../api";
import type { Note, NoteCode } from "../contract";
import { language, t, type Key } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { taskText } from "../task-text";

const NOTES: Record<NoteCode, Key> = {
  source_cut: "note.source_cut", target_cut: "note.target_cut", given_target_cut: "note.given_target_cut", maps_omitted: "note.maps_omitted",
  unknown_words: "note.unknown_words", no_attention: "note.no_attention",
};
const ERRORS: Record<string, Key> = {
  unreachable: "error.unreachable", busy: "error.busy", too_large: "error.too_large", not_ready: "error.not_ready",
  unknown_run: "error.unknown_run", gone: "error.gone", token_needed: "error.token_needed", invalid: "error.invalid",
  unknown_step: "error.unknown_step", unknown_model: "error.unknown_model", unknown_job: "error.unknown_job",
};
/** Codes whose sentence from the server says more than the page's own, to those who read English. */
const EXACT = ["invalid", "unknown_step", "unknown_model", "unknown_job"];

/** An error as the page says it: in its own words where it knows the code, with the server's sentence beside it. */
export function errorText(error: StudioError): string {
  const known = ERRORS[error.code];
  if (language.lang === "en" && (!known || EXACT.includes(error.code))) return error.message;
  return `${t(known ?? "error.other")} (${error.message})`;
}

@customElement("note-list")
export class NoteList extends Piece {
  static override styles = [shared];
  @property({ attribute: false }) notes: Note[] = [];
  @property({ attribute: false }) error: StudioError | null = null;

  override render() {
    const tokens = studio.limits?.target_tokens ?? 0;
    return html`
      ${this.error ? html`<p class="error" role="alert" dir="auto">${errorText(this.error)}</p>` : nothing}
      ${this.notes.map((note) => html`<p class="small" role="note"><strong>${t("note.title")}</strong>
        <span dir="auto">${taskText(NOTES[note.code], { tokens, count: note.count ?? 0, list: (note.words ?? []).join(", ") })}</span></p>`)}`;
  }
}
