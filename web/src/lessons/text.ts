// What a lesson says; English and Korean have the same shape.
import { fill, language, type Filled, type Lang } from "../i18n";

export interface LessonText {
  story: string[];
  /** What to try in the picture. */
  play: string;
  question: string;
  options: string[];
  /** Place of the right option. */
  answer: number;
  /** Said after an answer. */
  why: string;
  /** Words inside the lesson's picture. */
  labels?: Record<string, string>;
}
export type LessonTexts = Record<Lang, LessonText>;

/** The words inside a lesson's picture, in the language of the page. */
export function labelsOf<K extends string>(texts: Record<Lang, { labels: Record<K, string> }>): (key: K, values?: Filled) => string {
  return (key, values = {}) => fill(texts[language.lang].labels[key], values);
}
