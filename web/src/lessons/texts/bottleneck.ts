import type { LessonTexts } from "../text";

export const bottleneck = {
  en: {
    story: [
      "A sequence-to-sequence model has two halves. The encoder reads the source word by word and keeps one vector of fixed size; the decoder starts from that vector and writes the translation (Sutskever et al. 2014; Cho et al. 2014).",
      "Whether the sentence has three words or twenty, all of its content must fit into a vector of the same size. What was read first is diluted most. A model with attention can look at every word again whenever it writes one (Bahdanau et al. 2015).",
    ],
    play: "The curves average many test sentences of each length; every word in them is in both vocabularies. Move the slider to longer sentences: each bar is the probability that a model gives to a word of the correct translation.",
    question: "Why do long sentences suffer more than short ones in the model without attention?",
    options: [
      "Its vocabulary lacks the words of long sentences.",
      "The whole sentence must pass through one vector of fixed size.",
      "The decoder is not allowed to write long sentences.",
    ],
    answer: 1,
    why: "The vector between encoder and decoder does not grow with the sentence. The longer the sentence, the more words have to share it. The model with attention, which knows the same words, loses little.",
    labels: {
      curve: "Mean probability of a correct word, over {n} sentences",
      ends: "{model}: {p} at {short} words, {q} at {long} words",
      own: "{model} translates:",
    },
  },
  ko: {
    story: [
      "시퀀스-투-시퀀스 모델은 두 부분으로 이루어집니다. 인코더는 원문을 한 단어씩 읽어 크기가 고정된 벡터 하나로 요약하고, 디코더는 그 벡터에서 출발해 번역문을 씁니다(Sutskever et al. 2014; Cho et al. 2014).",
      "문장이 세 단어든 스무 단어든 내용은 모두 같은 크기의 벡터에 담겨야 합니다. 먼저 읽은 정보일수록 더 희석됩니다. 어텐션이 있는 모델은 단어를 쓸 때마다 원문의 모든 단어를 다시 볼 수 있습니다(Bahdanau et al. 2015).",
    ],
    play: "곡선은 길이별로 여러 테스트 문장을 평균한 것이며, 모든 단어가 두 모델의 어휘에 있습니다. 슬라이더를 긴 문장 쪽으로 옮겨 보세요. 막대는 각 모델이 정답 번역의 단어에 준 확률입니다.",
    question: "어텐션이 없는 모델에서 긴 문장의 번역이 짧은 문장보다 더 나쁜 이유는 무엇일까요?",
    options: [
      "긴 문장에 나오는 단어가 어휘에 없기 때문입니다.",
      "문장 전체가 크기가 고정된 벡터 하나를 거쳐야 하기 때문입니다.",
      "디코더가 긴 문장을 쓸 수 없게 되어 있기 때문입니다.",
    ],
    answer: 1,
    why: "인코더와 디코더 사이의 벡터는 문장이 길어져도 커지지 않습니다. 문장이 길수록 한정된 벡터를 더 많은 단어가 나눠 써야 합니다. 같은 어휘를 쓰는 어텐션 모델은 거의 나빠지지 않습니다.",
    labels: {
      curve: "정답 단어의 평균 확률({n}문장 평균)",
      ends: "{model}: {short}단어일 때 {p}, {long}단어일 때 {q}",
      own: "{model}의 번역:",
    },
  },
} satisfies LessonTexts;
