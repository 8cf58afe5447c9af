// What a lesson says. The texts are data: `texts/NAME.json`, each text in English and Korean side by side.
import { html } from "lit";
import type { Both } from "../contract";
import { both, fill, type Filled } from "../i18n";

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

const JOINER = "\u2060";
const SPACE = "\u00a0";

/** A text whose lines end between words only: a browser would part a particle from the bracket or quotation mark before it, and 7 × 7 at its sign. */
export function unbroken(text: string): string {
  return text.replace(/([)\]’”>%])(?=\p{Script=Hangul})/gu, `$1${JOINER}`).replace(/ × /g, `${SPACE}×${SPACE}`);
}

/** A text as it is read on the page: unbroken, and `W_k` with a real subscript. */
export function written(text: string) {
  const parts = unbroken(text).split(/(?<![A-Za-z])([A-Za-z]_[a-z]+)(?![A-Za-z_])/);
  return parts.map((part, i) => (i % 2 === 1 ? html`${part[0]}<sub>${part.slice(2)}</sub>` : part));
}

/** The words inside a lesson's picture, in the language of the page. */
export function labelsOf<K extends string>(text: { labels: Record<K, Both> }): (key: K, values?: Filled) => string {
  return (key, values = {}) => unbroken(fill(both(text.labels[key]), values));
}
