import type { LessonTexts } from "../text";

export const fiveStepsText = {
  en: {
    story: [
      "The whole of attention in one small example: the decoder's state is [10, 5, 10], and the encoder has read four words and kept four states. Scores, softmax, alignment vectors, their sum, and the sum goes to the decoder.",
      "The score of [5, 0, 1] is 60, far above the others, so the softmax gives it almost all of the weight. The other weights are not exactly 0: all digits are shown.",
    ],
    play: "Change the decoder's state or an encoder state: type, use the arrow keys, or drag a number sideways. Then set the decoder's state to [0, 0, 0].",
    question: "The decoder's state is [0, 0, 0]. What is the context vector?",
    options: ["[0, 0, 0]", "[5, 0, 1], as before", "[1.5, 1.75, 0.75], the mean of the four encoder states"],
    answer: 2,
    why: "All scores are 0, so all four weights are 1/4, and the context vector is the plain mean of the encoder states.",
    labels: {
      decoder: "Decoder state q =", encoder: "Encoder states h =", again: "The numbers of the lesson",
      one: "1. Scores", two: "2. Softmax", "two.says": "The weights sum to 1: the attention distribution.",
      three: "3. Alignment vectors", "three.says": "Each state times its weight; this is not a dot product.",
      four: "4. Context vector", five: "5. On to the decoder", "five.says": "The context vector joins the decoder's state, and the next word is predicted from both.",
      summary: "The same, rounded to two decimals", state: "encoder state", score: "score", weight: "attention weight", aligned: "alignment vector",
    },
  },
  ko: {
    story: [
      "작은 예 하나로 어텐션 전체를 계산합니다. 디코더 은닉 상태는 [10, 5, 10]이고, 인코더는 단어 네 개를 읽어 은닉 상태 네 개를 남겼습니다. 점수를 구하고, softmax를 취하고, 정렬 벡터를 만들어 더한 뒤, 그 합을 디코더에 전달합니다.",
      "[5, 0, 1]의 점수가 60으로 다른 점수보다 훨씬 높아서 softmax는 거의 모든 어텐션 가중치를 여기에 줍니다. 나머지 어텐션 가중치도 정확히 0은 아니며, 모든 자릿수를 그대로 보여 줍니다.",
    ],
    play: "디코더 은닉 상태나 인코더 은닉 상태를 바꿔 보세요. 직접 입력하거나, 화살표 키를 누르거나, 숫자를 옆으로 끌면 됩니다. 그런 다음 디코더 은닉 상태를 [0, 0, 0]으로 바꿔 보세요.",
    question: "디코더 은닉 상태가 [0, 0, 0]이면 컨텍스트 벡터는 무엇일까요?",
    options: ["[0, 0, 0]", "전과 같은 [5, 0, 1]", "인코더 은닉 상태 네 개의 평균인 [1.5, 1.75, 0.75]"],
    answer: 2,
    why: "점수가 모두 0이므로 어텐션 가중치 네 개가 모두 1/4이 되고, 컨텍스트 벡터는 인코더 은닉 상태의 단순 평균이 됩니다.",
    labels: {
      decoder: "디코더 은닉 상태 q =", encoder: "인코더 은닉 상태 h =", again: "처음 숫자로",
      one: "1단계. 점수", two: "2단계. softmax", "two.says": "어텐션 가중치의 합은 1입니다. 이것이 어텐션 분포입니다.",
      three: "3단계. 정렬 벡터", "three.says": "은닉 상태마다 그 위치의 어텐션 가중치를 곱합니다. 내적이 아닙니다.",
      four: "4단계. 컨텍스트 벡터", five: "5단계. 디코더에 전달", "five.says": "컨텍스트 벡터를 디코더 은닉 상태와 합치고, 여기에서 다음 단어를 예측합니다.",
      summary: "소수 둘째 자리까지 반올림한 결과", state: "인코더 은닉 상태", score: "점수", weight: "어텐션 가중치", aligned: "정렬 벡터",
    },
  },
} satisfies LessonTexts;
