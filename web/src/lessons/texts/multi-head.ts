import type { LessonTexts } from "../text";

export const multiHead: LessonTexts = {
  en: {
    story: [
      "One attention distribution can express only one relation. Multi-head attention projects queries, keys and values several times into smaller spaces, attends in each, and joins the results (Vaswani et al. 2017).",
      "One head may follow word order, another the verb, another nothing in particular. The mean over heads hides such differences.",
    ],
    play: "Each small picture is a head. Choose some, then the mean of a layer: which heads disappear in it?",
    question: "A model of width 128 has 4 heads. How wide is each head usually?",
    options: ["128", "32", "512"],
    answer: 1,
    why: "The heads share the width: 4 × 32 = 128. Several heads therefore cost about as much as one wide head.",
  },
  ko: {
    story: [
      "어텐션 분포 하나로는 한 가지 관계만 나타냅니다. 멀티헤드 어텐션은 쿼리, 키, 밸류를 더 작은 공간으로 여러 번 투영해 각각 어텐션을 구한 뒤 결과를 이어 붙입니다(Vaswani et al. 2017).",
      "어떤 헤드는 어순을, 어떤 헤드는 동사를 따라가고, 뚜렷한 역할이 없는 헤드도 있습니다. 헤드를 평균하면 이런 차이가 가려집니다.",
    ],
    play: "작은 그림 하나가 헤드 하나입니다. 몇 개를 고른 뒤 층의 평균을 보세요. 평균에서 사라지는 헤드는 무엇인가요?",
    question: "폭이 128인 모델에 헤드가 4개 있습니다. 보통 헤드 하나의 폭은 얼마일까요?",
    options: ["128", "32", "512"],
    answer: 1,
    why: "헤드들이 전체 폭을 나누어 씁니다. 4 × 32 = 128이므로, 여러 헤드의 비용은 넓은 헤드 하나와 비슷합니다.",
  },
};
