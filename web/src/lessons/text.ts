// What a lesson says; English and Korean have the same shape.
export const LESSON_IDS = ["bottleneck", "attention", "scores", "soft-hard-global-local", "query-key-value", "self-attention",
  "multi-head", "transformer"] as const;
export type LessonId = (typeof LESSON_IDS)[number];

export interface LessonText {
  title: string;
  story: string[];
  /** What to try in the picture. */
  play: string;
  question: string;
  options: string[];
  /** Place of the right option. */
  answer: number;
  /** Said after an answer. */
  why: string;
}
export type LessonTexts = Record<LessonId, LessonText>;
