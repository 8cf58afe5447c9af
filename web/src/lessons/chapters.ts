// The tour: its chapters in order, and in each its lessons: a title, and text and picture, which are fetched when the lesson is opened.
import { html, type TemplateResult } from "lit";
import type { Both, Formula, LessonModel } from "../contract";
import type { LessonText } from "./text";

/** What a picture is given: its models, all trained, a sentence with its translation, and its formulas. */
export interface Played {
  models: LessonModel[];
  sentence: string;
  target: string;
  formulas: Record<string, Formula>;
}

export interface LessonRow {
  title: Both;
  text: () => Promise<LessonText>;
  /** Defines the element that `draw` uses. */
  picture: () => Promise<unknown>;
  draw: (played: Played) => TemplateResult;
}

export interface Chapter { title: Both; lessons: Record<string, LessonRow> }

export const CHAPTERS: Chapter[] = [
  {
    title: { en: "Sequence to sequence", ko: "시퀀스-투-시퀀스" },
    lessons: {
      "encoder-decoder": {
        title: { en: "Encoder and decoder", ko: "인코더와 디코더" },
        text: () => import("./texts/encoder-decoder.json").then((found) => found.default),
        picture: () => import("./encoder-decoder"),
        draw: ({ formulas }) => html`<encoder-decoder .formulas=${formulas}></encoder-decoder>`,
      },
      bottleneck: {
        title: { en: "The bottleneck", ko: "병목" },
        text: () => import("./texts/bottleneck.json").then((found) => found.default),
        picture: () => import("./bottleneck-play"),
        draw: ({ models }) => html`<bottleneck-play .models=${models}></bottleneck-play>`,
      },
      "reversed-source": {
        title: { en: "The source read backwards", ko: "원문 뒤집어 읽기" },
        text: () => import("./texts/reversed-source.json").then((found) => found.default),
        picture: () => import("./reversed-play"),
        draw: ({ models }) => html`<reversed-play .models=${models}></reversed-play>`,
      },
    },
  },
  {
    title: { en: "Attention", ko: "어텐션" },
    lessons: {
      attention: {
        title: { en: "Attention", ko: "어텐션" },
        text: () => import("./texts/attention.json").then((found) => found.default),
        picture: () => import("./sentence-play"),
        draw: ({ models, sentence }) => html`<sentence-play bars .models=${models} .sentence=${sentence}></sentence-play>`,
      },
      "five-steps": {
        title: { en: "Attention in five steps", ko: "다섯 단계로 보는 어텐션" },
        text: () => import("./texts/five-steps.json").then((found) => found.default),
        picture: () => import("./five-steps"),
        draw: ({ formulas }) => html`<five-steps .formulas=${formulas}></five-steps>`,
      },
      "word-order": {
        title: { en: "Word order", ko: "어순" },
        text: () => import("./texts/word-order.json").then((found) => found.default),
        picture: () => import("./order-play"),
        draw: ({ models, sentence }) => html`<order-play .models=${models} .sentence=${sentence}></order-play>`,
      },
    },
  },
  {
    title: { en: "Scores and scopes", ko: "점수와 범위" },
    lessons: {
      "worked-scores": {
        title: { en: "Scores by hand", ko: "손으로 계산하는 점수" },
        text: () => import("./texts/worked-scores.json").then((found) => found.default),
        picture: () => import("./worked-scores"),
        draw: ({ formulas }) => html`<worked-scores .formulas=${formulas}></worked-scores>`,
      },
      scores: {
        title: { en: "Ways to score", ko: "점수를 매기는 방법" },
        text: () => import("./texts/scores.json").then((found) => found.default),
        picture: () => import("./sentence-play"),
        draw: ({ models, sentence }) => html`<sentence-play .models=${models} .sentence=${sentence}></sentence-play>`,
      },
      "soft-hard-global-local": {
        title: { en: "Soft or hard, global or local", ko: "소프트와 하드, 글로벌과 로컬" },
        text: () => import("./texts/soft-hard-global-local.json").then((found) => found.default),
        picture: () => import("./looks-play"),
        draw: ({ models, sentence }) => html`<looks-play .models=${models} .sentence=${sentence}></looks-play>`,
      },
      copying: {
        title: { en: "Copying and coverage", ko: "복사와 커버리지" },
        text: () => import("./texts/copying.json").then((found) => found.default),
        picture: () => import("./copying-play"),
        draw: ({ formulas }) => html`<copying-play .formulas=${formulas}></copying-play>`,
      },
    },
  },
  {
    title: { en: "Learning", ko: "학습" },
    lessons: {
      "teacher-forcing": {
        title: { en: "Teacher forcing and free running", ko: "교사 강요와 자유 실행" },
        text: () => import("./texts/teacher-forcing.json").then((found) => found.default),
        picture: () => import("./forcing-play"),
        draw: ({ models, sentence, target }) => html`<forcing-play .models=${models} .sentence=${sentence} .target=${target}></forcing-play>`,
      },
      backpropagation: {
        title: { en: "Backpropagation through attention", ko: "어텐션의 역전파" },
        text: () => import("./texts/backpropagation.json").then((found) => found.default),
        picture: () => import("./paths-play"),
        draw: ({ models, sentence, target }) => html`<paths-play .models=${models} .sentence=${sentence} .target=${target}></paths-play>`,
      },
      "gradient-path": {
        title: { en: "Vanishing gradients and the shortcut", ko: "그래디언트 소실과 지름길" },
        text: () => import("./texts/gradient-path.json").then((found) => found.default),
        picture: () => import("./gradient-path"),
        draw: ({ formulas }) => html`<gradient-path .formulas=${formulas}></gradient-path>`,
      },
    },
  },
  {
    title: { en: "Generalisation", ko: "일반화" },
    lessons: {
      "query-key-value": {
        title: { en: "Query, key, value — and 1964", ko: "쿼리, 키, 밸류 그리고 1964년" },
        text: () => import("./texts/query-key-value.json").then((found) => found.default),
        picture: () => import("./kernel-play"),
        draw: ({ formulas }) => html`<kernel-play .formulas=${formulas}></kernel-play>`,
      },
      generalise: {
        title: { en: "From one query to Q, K and V", ko: "쿼리 하나에서 Q, K, V까지" },
        text: () => import("./texts/generalise.json").then((found) => found.default),
        picture: () => import("./generalise-play"),
        draw: ({ formulas }) => html`<generalise-play .formulas=${formulas}></generalise-play>`,
      },
      scale: {
        title: { en: "Why divide by √d?", ko: "왜 √d로 나눌까?" },
        text: () => import("./texts/scale.json").then((found) => found.default),
        picture: () => import("./scale-play"),
        draw: ({ formulas }) => html`<scale-play .formulas=${formulas}></scale-play>`,
      },
    },
  },
  {
    title: { en: "Self-attention and the Transformer", ko: "셀프 어텐션과 트랜스포머" },
    lessons: {
      "self-attention": {
        title: { en: "Self-attention", ko: "셀프 어텐션" },
        text: () => import("./texts/self-attention.json").then((found) => found.default),
        picture: () => import("./heads-play"),
        draw: ({ models, sentence }) => html`<heads-play .models=${models} .sentence=${sentence} kind="encoder" .first=${{ layer: 1, head: 0, row: 2 }}></heads-play>`,
      },
      "multi-head": {
        title: { en: "Many heads", ko: "멀티헤드 어텐션" },
        text: () => import("./texts/multi-head.json").then((found) => found.default),
        picture: () => import("./heads-play"),
        draw: ({ models, sentence }) => html`<heads-play .models=${models} .sentence=${sentence} kind="cross"></heads-play>`,
      },
      positions: {
        title: { en: "Positions", ko: "위치" },
        text: () => import("./texts/positions.json").then((found) => found.default),
        picture: () => import("./positions-play"),
        draw: ({ formulas }) => html`<positions-play .formulas=${formulas}></positions-play>`,
      },
      architecture: {
        title: { en: "The whole Transformer", ko: "트랜스포머의 전체 구조" },
        text: () => import("./texts/architecture.json").then((found) => found.default),
        picture: () => import("./architecture-play"),
        draw: ({ formulas }) => html`<architecture-play .formulas=${formulas}></architecture-play>`,
      },
      transformer: {
        title: { en: "The Transformer", ko: "트랜스포머" },
        text: () => import("./texts/transformer.json").then((found) => found.default),
        picture: () => import("./sentence-play"),
        draw: ({ models, sentence }) => html`<sentence-play .models=${models} .sentence=${sentence}></sentence-play>`,
      },
    },
  },
  {
    title: { en: "Beyond text", ko: "텍스트를 넘어" },
    lessons: {
      "image-attention": {
        title: { en: "Attention over a picture", ko: "그림을 보는 어텐션" },
        text: () => import("./texts/image-attention.json").then((found) => found.default),
        picture: () => import("./image-attention"),
        draw: ({ formulas, models }) => html`<image-attention .formulas=${formulas} .models=${models}></image-attention>`,
      },
      snail: {
        title: { en: "SNAIL: learning from a few examples", ko: "SNAIL: 예시 몇 개로 배우기" },
        text: () => import("./texts/snail.json").then((found) => found.default),
        picture: () => import("./snail-play"),
        draw: ({ formulas, models }) => html`<snail-play .formulas=${formulas} .models=${models}></snail-play>`,
      },
      sagan: {
        title: { en: "SAGAN: pixels that look far", ko: "SAGAN: 멀리 보는 픽셀" },
        text: () => import("./texts/sagan.json").then((found) => found.default),
        picture: () => import("./sagan-play"),
        draw: ({ formulas }) => html`<sagan-play .formulas=${formulas}></sagan-play>`,
      },
    },
  },
];

export const ROWS: Record<string, LessonRow> = Object.assign({}, ...CHAPTERS.map((chapter) => chapter.lessons));

/** The chapters with those of the studio's lessons that are theirs, in the order of the tour. */
export function inChapters<L extends { id: string }>(lessons: readonly L[]): { title: Both; lessons: L[] }[] {
  return CHAPTERS.map(({ title, lessons: rows }) => ({
    title, lessons: Object.keys(rows).flatMap((id) => lessons.filter((lesson) => lesson.id === id)),
  })).filter((chapter) => chapter.lessons.length > 0);
}
