import type { LessonTexts } from "../text";

export const teacherForcing = {
  en: {
    story: [
      "In training, the decoder is fed the correct previous word at every step, even where it would have written a wrong one. This is teacher forcing: every step learns from a correct beginning, so learning is quick.",
      "In use there is no correct word to feed in. The decoder hears its own words, and after a wrong one it is in a place that it has never seen in training; errors pile up. Mixing both while training, first mostly the correct word and later mostly its own, brings training closer to use (scheduled sampling, Bengio et al. 2015).",
    ],
    play: "The decoder says one wrong word. Move it to another place and compare the two columns; then choose the model with attention. Below, drag the mark in the chart: how often is the correct word fed in as training proceeds?",
    question: "Why does free running go wrong after the wrong word while teacher forcing does not?",
    options: [
      "Free running uses another, worse model.",
      "With teacher forcing the next step hears the correct word instead of the wrong one.",
      "Teacher forcing writes shorter sentences.",
    ],
    answer: 1,
    why: "The model is the same. With teacher forcing the wrong word is never fed in, so later steps continue from the correct beginning; running freely, they continue from the wrong one.",
    labels: {
      model: "Model", place: "Place of the wrong word", seeded: "Instead of “{right}” the decoder says “{wrong}”.",
      table: "The same sentence both ways", right: "correct word", forced: "teacher forcing", free: "free running",
      hears: "hears", says: "would write", p: "p of the correct word", wrong: "wrong",
      count: "Wrong words after it: {forced} of {all} with teacher forcing, {free} of {all} running freely.",
      chart: "Probability of the correct word", axis: "place in the translation",
      schedules: "How often the correct word is fed in, over {n} training steps", step: "training step",
      half: "Half of the words are the model's own from step",
      linear: "linear", exponential: "exponential decay", inverse_sigmoid: "inverse sigmoid decay", switch: "forced, then free",
    },
  },
  ko: {
    story: [
      "학습할 때는 디코더가 틀린 단어를 쓸 상황이라도 매 시점에 정답 단어를 다음 입력으로 넣어 줍니다. 이것이 교사 강요입니다. 모든 시점이 올바른 앞부분에서 출발하므로 학습이 빠릅니다.",
      "실제로 사용할 때는 넣어 줄 정답이 없습니다. 디코더는 자신이 쓴 단어를 다시 입력으로 받으므로, 한 번 틀리면 학습 때 본 적 없는 상황에 놓이고 오류가 쌓입니다. 그래서 처음에는 주로 정답 단어를, 나중에는 주로 모델의 단어를 넣는 식으로 둘을 섞어 학습하면 실제 사용에 가까워집니다(scheduled sampling, Bengio et al. 2015).",
    ],
    play: "디코더가 단어 하나를 틀리게 말합니다. 틀린 자리를 옮기면서 두 방식을 비교한 다음, 어텐션이 있는 모델을 골라 보세요. 아래 그래프에서는 세로선을 끌어 보세요. 학습이 진행되면서 정답 단어를 얼마나 자주 넣나요?",
    question: "틀린 단어가 나온 뒤 자유 실행은 계속 틀리는데 교사 강요는 그렇지 않은 이유는 무엇일까요?",
    options: [
      "자유 실행은 성능이 더 낮은 다른 모델을 쓰기 때문입니다.",
      "교사 강요에서는 다음 시점이 틀린 단어 대신 정답 단어를 입력으로 받기 때문입니다.",
      "교사 강요는 더 짧은 문장을 쓰기 때문입니다.",
    ],
    answer: 1,
    why: "모델은 같습니다. 교사 강요에서는 틀린 단어가 입력되지 않으므로 이후 시점이 올바른 앞부분에서 이어집니다. 자유 실행에서는 틀린 단어에서 이어집니다.",
    labels: {
      model: "모델", place: "틀린 단어의 자리", seeded: "디코더가 틀린 단어를 말합니다: “{right}” 대신 “{wrong}”",
      table: "같은 문장을 두 방식으로", right: "정답 단어", forced: "교사 강요", free: "자유 실행",
      hears: "입력", says: "예측", p: "정답 단어의 확률", wrong: "틀림",
      count: "그 뒤의 {all}개 단어 중 틀린 단어: 교사 강요 {forced}개, 자유 실행 {free}개",
      chart: "정답 단어의 확률", axis: "번역문에서의 위치",
      schedules: "학습 {n}스텝 동안 정답 단어를 넣는 비율", step: "학습 스텝",
      half: "절반이 모델의 단어가 되는 스텝",
      linear: "선형 감소", exponential: "지수 감소", inverse_sigmoid: "역시그모이드 감소", switch: "교사 강요 후 자유 실행",
    },
  },
} satisfies LessonTexts;
