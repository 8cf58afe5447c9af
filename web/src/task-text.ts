// Texts of the page that speak of the task: a run that summarises does not translate, nor does one that describes pictures.
import { fill, language, t, type Filled, type Key, type Lang } from "./i18n";
import { studio } from "./studio";

const OTHERWISE: Record<string, Partial<Record<Key, Key>>> = {
  summarisation: {
    "subject.sentence": "summary.text", "subject.placeholder": "summary.placeholder", "subject.go": "summary.go",
    "translate.working": "summary.working", "translate.empty": "summary.empty", "translate.output": "summary.output",
  },
  captioning: { "translate.working": "caption.working", "translate.empty": "caption.empty", "translate.output": "caption.title" },
};
/** What a model writes where a text says "translation". All three end in a consonant in Korean, so every particle fits. */
const WRITTEN: Record<string, Record<Lang, string>> = {
  translation: { en: "translation", ko: "번역" },
  summarisation: { en: "summary", ko: "요약" },
  captioning: { en: "caption", ko: "설명" },
};

/** The text in the words of the chosen run's task; lessons have models of their own. */
export function taskText(key: Key, values: Filled = {}): string {
  const task = studio.state.view === "lessons" ? "translation" : studio.task;
  const text = t(OTHERWISE[task]?.[key] ?? key);
  const written = WRITTEN[task] ?? WRITTEN.translation!;
  return fill(text.replaceAll(WRITTEN.translation![language.lang], written[language.lang]), values);
}
