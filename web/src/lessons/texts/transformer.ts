import type { LessonTexts } from "../text";

export const transformer: LessonTexts = {
  en: {
    story: [
      "“Attention is all you need”: the Transformer has no recurrence at all. The encoder stacks self-attention and feed-forward layers; the decoder adds cross-attention to the encoder in every layer; positions are added as a separate signal.",
      "Cross-attention is still what the first attention model had: the target looks at the source. You know all its parts now.",
    ],
    play: "The recurrent model with attention and the Transformer on the same sentence. Compare their maps and alignment errors, then open it in the other views.",
    question: "What do the two maps have in common?",
    options: [
      "In both, target words look at source words.",
      "In both, words look at the words of their own sentence.",
      "Both come from a recurrent network.",
    ],
    answer: 0,
    why: "Rows are target words and columns source words in both: this is cross-attention. The Transformer also has self-attention inside each side, in place of the recurrence.",
  },
  ko: {
    story: [
      "‘Attention is all you need’. 트랜스포머에는 순환이 전혀 없습니다. 인코더는 셀프 어텐션과 피드포워드 층을 쌓고, 디코더는 층마다 인코더를 보는 크로스 어텐션을 더하며, 위치 정보는 따로 더해 줍니다.",
      "크로스 어텐션은 첫 어텐션 모델과 똑같이 번역문이 원문을 보는 어텐션입니다. 이제 트랜스포머의 모든 구성 요소를 알게 되었습니다.",
    ],
    play: "어텐션이 있는 순환 모델과 트랜스포머에 같은 문장을 넣었습니다. 어텐션 맵과 정렬 오류율을 비교해 보고, 다른 화면에서도 열어 보세요.",
    question: "두 어텐션 맵의 공통점은 무엇일까요?",
    options: [
      "번역문의 단어가 원문의 단어를 봅니다.",
      "단어가 자기 문장의 단어를 봅니다.",
      "순환 신경망에서 나왔습니다.",
    ],
    answer: 0,
    why: "둘 다 행이 번역문의 단어, 열이 원문의 단어인 크로스 어텐션입니다. 트랜스포머는 여기에 더해 순환 대신 인코더와 디코더 안에서 셀프 어텐션을 씁니다.",
  },
};
