// What a lesson says. The texts are data: `texts/NAME.json`, each text in English and Korean side by side.
import type { Both } from "../contract";
import { both, fill, type Filled } from "../i18n";
import { unbroken } from "../written";

export interface LessonText {
  story: Both[];
  /** What to try in the picture. */
  play: Both;
  question: Both;
  options: Both[];
  /** Place of the right option. */
  answer: number;
  /** Said after an answer. */
  why: Both;
  /** Words inside the lesson's picture. */
  labels?: Record<string, Both>;
}

/** The words inside a lesson's picture, in the language of the page. */
export function labelsOf<K extends string>(text: { labels: Record<K, Both> }): (key: K, values?: Filled) => string {
  return (key, values = {}) => unbroken(fill(both(text.labels[key]), values));
}
