import type { LessonTexts } from "../text";

export const attention: LessonTexts = {
  en: {
    story: [
      "Bahdanau et al. (2015) kept all states of the encoder and let the decoder look at them again before each word. A score says how well each state matches what the decoder needs now; a softmax turns scores into weights that sum to one; the weighted mean of the states is the context vector.",
      "The model is not told which word corresponds to which. The alignment in the picture was learned from pairs of sentences alone.",
    ],
    play: "Type a sentence, or use the one given. Above: the probability that the models without and with attention give to each correct word. Below: where the second model looked.",
    question: "What is the context vector of one step?",
    options: [
      "The last state of the encoder.",
      "The encoder state with the highest score.",
      "The mean of all encoder states, weighted by attention, computed again at every step.",
    ],
    answer: 2,
    why: "The weights differ from step to step, so the context vector does too: no single fixed vector has to hold everything.",
  },
  ko: {
    story: [
      "Bahdanau et al. (2015)은 인코더 은닉 상태를 모두 남겨 두고, 디코더가 단어를 하나 쓸 때마다 다시 보게 했습니다. 점수는 각 은닉 상태가 지금 디코더에 필요한 것과 얼마나 맞는지를 나타내고, softmax는 점수를 합이 1인 어텐션 가중치로 바꾸며, 은닉 상태들의 가중 평균이 컨텍스트 벡터가 됩니다.",
      "어느 단어가 어느 단어에 대응하는지는 아무도 알려 주지 않습니다. 그림의 정렬은 문장 쌍만으로 학습한 것입니다.",
    ],
    play: "문장을 입력하거나 주어진 문장을 그대로 쓰세요. 위에는 어텐션이 없는 모델과 있는 모델이 정답 번역의 각 단어에 준 확률이, 아래에는 두 번째 모델이 어디를 보았는지가 나옵니다.",
    question: "한 시점의 컨텍스트 벡터는 무엇일까요?",
    options: [
      "인코더의 마지막 은닉 상태",
      "점수가 가장 높은 인코더 은닉 상태 하나",
      "시점마다 새로 계산하는, 어텐션 가중치로 평균한 인코더 은닉 상태",
    ],
    answer: 2,
    why: "어텐션 가중치가 시점마다 다르므로 컨텍스트 벡터도 달라집니다. 그래서 고정된 벡터 하나에 모든 정보를 담을 필요가 없어집니다.",
  },
};
