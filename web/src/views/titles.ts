// The views of the page, in the order of its menu: titles, and the tasks whose runs a view is for.
import type { Lang } from "../i18n";

/** Tasks whose runs read and write text: their views look at the sentence above them. */
export const TEXT: readonly string[] = ["translation", "summarisation"];
/** Tasks whose runs describe the picture above the views. */
export const PICTURES: readonly string[] = ["captioning"];
/** Tasks whose runs write word by word. */
const WRITING = [...TEXT, ...PICTURES];
/** A view that needs no run of its own. */
const ANY = null;

interface Title extends Record<Lang, string> {
  tasks: readonly string[] | null;
  /** What the view is called for runs of a task that does something else in it. */
  otherwise?: Record<string, Record<Lang, string>>;
}

export const TITLES = {
  translate: { en: "Translate", ko: "번역", tasks: TEXT, otherwise: { summarisation: { en: "Summarise", ko: "요약" } } },
  captions: { en: "Picture", ko: "그림", tasks: PICTURES },
  steps: { en: "Step by step", ko: "단계별 계산", tasks: WRITING },
  whatif: { en: "What if", ko: "바꿔 보기", tasks: TEXT },
  beam: { en: "Beam search", ko: "빔 서치", tasks: WRITING },
  compare: { en: "Side by side", ko: "나란히 비교", tasks: WRITING },
  learn: { en: "Watch it learn", ko: "학습 과정", tasks: WRITING },
  episode: { en: "Examples", ko: "예시", tasks: ["few-shot"] },
  draw: { en: "Drawn from noise", ko: "잡음에서 그림으로", tasks: ["image-gan"] },
  lessons: { en: "Lessons", ko: "강의", tasks: ANY },
} as const satisfies Record<string, Title>;
export type ViewName = keyof typeof TITLES;
export const VIEWS = Object.keys(TITLES) as ViewName[];

/** What a view is called for runs of a task. */
export function titleOf(view: ViewName, task: string, lang: Lang): string {
  const title: Title = TITLES[view];
  return (title.otherwise?.[task] ?? title)[lang];
}

/** Whether a view is for runs of a task; a run whose task is not known yet is taken for one of text. */
export function fits(view: ViewName, task: string): boolean {
  const tasks: readonly string[] | null = TITLES[view].tasks;
  return tasks === null || tasks.includes(task === "" ? TEXT[0]! : task);
}

/** What is shown of a run of a task where `wanted` was asked for: that, or the first view for the task, or none. */
export function viewFor(wanted: ViewName, task: string): ViewName | null {
  if (fits(wanted, task)) return wanted;
  return VIEWS.find((view) => TITLES[view].tasks !== null && fits(view, task)) ?? null;
}
