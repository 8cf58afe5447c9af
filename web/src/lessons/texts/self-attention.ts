import type { LessonTexts } from "../text";

export const selfAttention: LessonTexts = {
  en: {
    story: [
      "So far the decoder looked at the encoder. In self-attention a sentence looks at itself: each word is a query, and the same words are keys and values (Cheng et al. 2016; Vaswani et al. 2017).",
      "Take “She is eating a green apple.”: after “eating” one expects something to eat. “green” stands nearer to it than “apple”, but has less to do with it.",
      "Every word reaches every other in one step, and all of them at once; a recurrent network needs as many steps as there are words between them.",
    ],
    play: "Rows are words that look, columns words that are looked at. Choose a word and follow its row. Then switch to the decoder's self-attention: why is half of it empty?",
    question: "Why can a word of the decoder not look at later words of the target?",
    options: [
      "They are not written yet when it is computed.",
      "They would make the matrix too large.",
      "They belong to another language.",
    ],
    answer: 0,
    why: "In training the whole target is known, so later words are masked; otherwise the model would copy the answer instead of predicting it.",
  },
  ko: {
    story: [
      "지금까지는 디코더가 인코더를 보았습니다. 셀프 어텐션에서는 문장이 자기 자신을 봅니다. 각 단어가 쿼리가 되고, 같은 단어들이 키와 밸류가 됩니다(Cheng et al. 2016; Vaswani et al. 2017).",
      "“She is eating a green apple.”을 예로 들겠습니다. “eating”을 보면 먹을 것이 나오리라고 예상합니다. “green”은 “apple”보다 “eating”에 더 가까이 있지만 관련은 더 적습니다.",
      "모든 단어가 다른 모든 단어와 한 번에, 동시에 연결됩니다. 순환 신경망이라면 두 단어 사이에 놓인 단어 수만큼의 시점을 거쳐야 합니다.",
    ],
    play: "행은 보는 단어, 열은 보이는 단어입니다. 단어를 하나 골라 그 행을 따라가 보세요. 그런 다음 디코더 셀프 어텐션으로 바꿔 보세요. 왜 절반이 비어 있을까요?",
    question: "디코더의 단어가 뒤에 오는 번역문 단어를 볼 수 없는 이유는 무엇일까요?",
    options: [
      "그 단어를 계산할 때 뒤의 단어는 아직 쓰이지 않았기 때문입니다.",
      "행렬이 너무 커지기 때문입니다.",
      "다른 언어에 속하기 때문입니다.",
    ],
    answer: 0,
    why: "학습할 때는 번역문 전체를 알고 있으므로 뒤의 단어를 마스크로 가립니다. 그러지 않으면 모델은 예측하는 대신 정답을 베끼게 됩니다.",
  },
};
