import type { LessonTexts } from "../text";

export const transformer: LessonTexts = {
  en: {
    story: [
      "“Attention is all you need”: the Transformer has no recurrence at all. The encoder stacks self-attention and feed-forward layers; the decoder adds cross-attention to the encoder in every layer; positions are added as a separate signal.",
      "Cross-attention is still what the first attention model had: the target looks at the source. You know all its parts now.",
    ],
    play: "The recurrent model with attention and the Transformer on the same sentence. Compare their maps and alignment errors, then open it in the other views.",
    question: "What tells a Transformer the order of the words?",
    options: [
      "It reads them one after the other.",
      "Positions are added to the word vectors.",
      "The softmax keeps the order.",
    ],
    answer: 1,
    why: "Attention itself does not see order: shuffle the keys with their values and the result is the same. Positions must be added explicitly.",
  },
  ko: {
    story: [
      "‘Attention is all you need’. 트랜스포머에는 순환이 전혀 없습니다. 인코더는 셀프 어텐션과 피드포워드 층을 쌓고, 디코더는 층마다 인코더를 보는 크로스 어텐션을 더하며, 위치 정보는 따로 더해 줍니다.",
      "크로스 어텐션은 첫 어텐션 모델과 똑같이 번역문이 원문을 보는 어텐션입니다. 이제 트랜스포머의 모든 구성 요소를 알게 되었습니다.",
    ],
    play: "어텐션이 있는 순환 모델과 트랜스포머에 같은 문장을 넣었습니다. 어텐션 맵과 정렬 오류율을 비교해 보고, 다른 화면에서도 열어 보세요.",
    question: "트랜스포머는 단어의 순서를 어떻게 알까요?",
    options: [
      "단어를 하나씩 차례로 읽어서",
      "단어 벡터에 위치를 더해서",
      "softmax가 순서를 유지해서",
    ],
    answer: 1,
    why: "어텐션 자체는 순서를 보지 못합니다. 키와 밸류의 순서를 함께 섞어도 결과는 같습니다. 그래서 위치를 따로 넣어야 합니다.",
  },
};
