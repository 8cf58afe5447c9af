// Texts of the page that speak of the task: a run that summarises or describes pictures does not translate.
import { t, type Key } from "./i18n";
import { studio } from "./studio";

const OTHERWISE: Record<string, Partial<Record<Key, Key>>> = {
  summarisation: {
    "subject.sentence": "summary.text", "subject.placeholder": "summary.placeholder", "subject.go": "summary.go",
    "translate.working": "summary.working", "translate.empty": "summary.empty", "translate.output": "summary.output",
  },
  captioning: { "translate.working": "caption.working", "translate.empty": "caption.empty" },
};

/** The text in the words of the chosen run's task. */
export function taskText(key: Key): string {
  return t(OTHERWISE[studio.task]?.[key] ?? key);
}
