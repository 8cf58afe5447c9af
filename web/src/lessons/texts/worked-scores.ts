import type { LessonTexts } from "../text";

export const workedScores = {
  en: {
    story: [
      "A score measures how well one state of the decoder, the query q, matches one state of the encoder, the key k. Here q = (1, 3) and k = (2, −5), and every product is written out.",
      "The dot product multiplies equal dimensions only. The general score puts a matrix W between them: W = diag(1, 4) weighs the second dimension by 4, and a full W also multiplies different dimensions with each other (Luong et al. 2015). A perceptron reads both states, joined into one vector (Bahdanau et al. 2015).",
    ],
    play: "Change any number: type, use the arrow keys, or drag it sideways. Set the two cross terms of W to 0 and compare the three sums.",
    question: "Which number of W = [[1, 7], [−8, 4]] multiplies the decoder's second dimension with the encoder's first?",
    options: ["7", "−8", "4"],
    answer: 1,
    why: "(−8) × 3 × 2: row 2 of W belongs to q₂ = 3, column 1 to k₁ = 2. The other cross term is 7 × 1 × (−5). A dot product has neither of them.",
    labels: {
      query: "Decoder state q =", key: "Encoder state k =", again: "The numbers of the lesson",
      edit: "Blue numbers can be changed; all results follow.",
      dot: "Dot product", "dot.says": "It has no parameters: learning can change only the states themselves.",
      diagonal: "General, W = diag(1, 4)", "diagonal.says": "The second dimension now counts 4 times as much.",
      full: "General, full W", "full.says": "Different dimensions meet:", cross: "cross terms",
      single: "Single-layer perceptron", "single.says": "The query's part, {part}, is the same for every key, so it cancels in the softmax.",
      multi: "Multi-layer perceptron (concat)", layer: "Layer {n}", "multi.says": "All {n} numbers of W and v are learned; those shown are an example.",
    },
  },
  ko: {
    story: [
      "점수는 디코더 은닉 상태 하나(쿼리 q)가 인코더 은닉 상태 하나(키 k)와 얼마나 맞는지를 나타냅니다. 여기서는 q = (1, 3), k = (2, −5)이고 모든 곱을 풀어 썼습니다.",
      "내적은 같은 차원끼리만 곱합니다. general은 둘 사이에 행렬 W를 둡니다. W = diag(1, 4)이면 두 번째 차원에 4를 곱하고, W에 대각 성분 말고 다른 성분도 있으면 서로 다른 차원끼리도 곱합니다(Luong et al. 2015). 퍼셉트론은 두 은닉 상태를 이어 붙인 벡터를 입력받습니다(Bahdanau et al. 2015).",
    ],
    play: "아무 수나 바꿔 보세요. 직접 입력하거나, 화살표 키를 누르거나, 옆으로 끌면 됩니다. W의 교차항 두 개를 0으로 만들고 세 합을 비교해 보세요.",
    question: "W = [[1, 7], [−8, 4]]에서 디코더의 두 번째 차원과 인코더의 첫 번째 차원을 곱하게 하는 수는 무엇일까요?",
    options: ["7", "−8", "4"],
    answer: 1,
    why: "(−8) × 3 × 2입니다. W의 2행은 q₂ = 3에, 1열은 k₁ = 2에 해당합니다. 다른 교차항은 7 × 1 × (−5)입니다. 내적에는 이런 항이 없습니다.",
    labels: {
      query: "디코더 은닉 상태 q =", key: "인코더 은닉 상태 k =", again: "처음 숫자로",
      edit: "파란 숫자는 바꿀 수 있고, 결과가 바로 따라 바뀝니다.",
      dot: "내적", "dot.says": "파라미터가 없습니다. 학습으로 바뀌는 것은 은닉 상태뿐입니다.",
      diagonal: "general, W = diag(1, 4)", "diagonal.says": "두 번째 차원이 4배로 반영됩니다.",
      full: "general, 교차항이 있는 W", "full.says": "서로 다른 차원끼리도 곱합니다.", cross: "교차항",
      single: "단층 퍼셉트론", "single.says": "쿼리에서 나온 부분({part})은 모든 키에서 같으므로 softmax에서 상쇄됩니다.",
      multi: "다층 퍼셉트론(concat)", layer: "{n}층", "multi.says": "W와 v의 수 {n}개를 모두 학습합니다. 여기에 쓴 수는 예시입니다.",
    },
  },
} satisfies LessonTexts;
