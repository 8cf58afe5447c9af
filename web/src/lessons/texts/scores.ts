import type { LessonTexts } from "../text";

export const scores: LessonTexts = {
  en: {
    story: [
      "A score is a number for a query and a key. The dot product measures whether they point in the same direction. “General” puts a learned matrix between them (Luong et al. 2015). Additive attention passes both through a small network (Bahdanau et al. 2015).",
      "What follows, the softmax and the weighted mean, is the same for all of them.",
    ],
    play: "The same sentence with three scores. Look for rows where they differ; dashed boxes are the gold links.",
    question: "Which of the three works without any parameters of its own?",
    options: ["dot product", "general", "additive"],
    answer: 0,
    why: "The dot product only multiplies query and key, which must then have the same size. General learns W, additive learns W_q, W_k and v.",
  },
  ko: {
    story: [
      "점수는 쿼리와 키 한 쌍에 대해 계산하는 수입니다. 내적은 둘이 같은 방향을 가리키는지를 봅니다. general은 둘 사이에 학습하는 행렬을 둡니다(Luong et al. 2015). additive는 둘을 작은 신경망에 입력합니다(Bahdanau et al. 2015).",
      "그다음 단계인 softmax와 가중 평균은 모두 같습니다.",
    ],
    play: "같은 문장을 세 가지 점수로 본 것입니다. 서로 다른 행을 찾아보세요. 점선 상자는 정답 정렬입니다.",
    question: "셋 가운데 자체 파라미터가 전혀 없는 것은 무엇일까요?",
    options: ["내적", "general", "additive"],
    answer: 0,
    why: "내적은 쿼리와 키를 곱하기만 하므로 둘의 크기가 같아야 합니다. general은 W를, additive는 W_q, W_k, v를 학습합니다.",
  },
};
