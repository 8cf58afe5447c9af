// The views of the page, in the order of its menu, with their titles.
import type { Lang } from "../i18n";

export const TITLES = {
  translate: { en: "Translate", ko: "번역" },
  steps: { en: "Step by step", ko: "단계별 계산" },
  whatif: { en: "What if", ko: "바꿔 보기" },
  beam: { en: "Beam search", ko: "빔 서치" },
  compare: { en: "Side by side", ko: "나란히 비교" },
  learn: { en: "Watch it learn", ko: "학습 과정" },
  lessons: { en: "Lessons", ko: "강의" },
} as const satisfies Record<string, Record<Lang, string>>;
export type ViewName = keyof typeof TITLES;
export const VIEWS = Object.keys(TITLES) as ViewName[];
