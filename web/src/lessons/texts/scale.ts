import type { LessonTexts } from "../text";

export const scale = {
  en: {
    story: [
      "The dot product of two vectors is a sum of d products. If the numbers of q and k are independent with mean 0 and variance 1, each product has variance 1, and their sum has variance d: the more dimensions, the larger the scores.",
      "A softmax over large scores gives one key nearly everything and the others nearly 0. There its gradient is nearly 0 too, and the layer hardly learns. Divided by √d, the scores keep variance 1 at every size (Vaswani et al. 2017).",
    ],
    play: "Move d and compare the two sides. Everything is measured here, on random vectors that are the same each time.",
    question: "What grows with d without the scale, but stays the same with it?",
    options: ["The variance of the scores.", "The sum of the attention weights.", "The number of keys."],
    answer: 0,
    why: "Var(q · k) = d, so Var(q · k / √d) = d / d = 1. The weights sum to 1 with and without the scale.",
    labels: {
      size: "Size of the vectors d", plain: "Without the scale", scaled: "With the scale",
      variance: "Variance of the scores", peak: "Largest attention weight (mean)", gradient: "Gradient through the softmax (norm)", dead: "Attention weights below 0.001",
      bars: "Attention weights of one query: {side}",
      claim: "At d = {d} the variance of the dot products is {variance}, about d; with the scale it is {scaled}, about 1.",
      peakchart: "Largest attention weight", gradientchart: "Gradient that is left after the softmax",
      measured: "Measured on 200 random queries with {keys} random keys each. The gradient is the norm of ∂a/∂e = diag(a) − a aᵀ.",
    },
  },
  ko: {
    story: [
      "두 벡터의 내적은 곱 d개의 합입니다. q와 k의 수가 서로 독립이고 평균 0, 분산 1이면 곱 하나의 분산은 1이고, d개를 더한 내적의 분산은 d가 됩니다. 차원이 클수록 점수의 절댓값도 커집니다.",
      "점수가 크면 softmax는 키 하나에 거의 전부를, 나머지에는 거의 0을 줍니다. 이때는 그래디언트도 거의 0이 되어 학습이 거의 진행되지 않습니다. √d로 나누면 크기가 얼마든 점수의 분산이 1로 유지됩니다(Vaswani et al. 2017).",
    ],
    play: "d를 움직이며 양쪽을 비교해 보세요. 모든 수는 항상 똑같이 만들어지는 무작위 벡터로 이 화면에서 측정합니다.",
    question: "나누지 않으면 d와 함께 커지지만 √d로 나누면 그대로인 것은 무엇일까요?",
    options: ["점수의 분산", "어텐션 가중치의 합", "키의 개수"],
    answer: 0,
    why: "Var(q · k) = d이므로 Var(q · k / √d) = d / d = 1입니다. 어텐션 가중치의 합은 나누든 나누지 않든 1입니다.",
    labels: {
      size: "벡터의 크기 d", plain: "나누지 않음", scaled: "√d로 나눔",
      variance: "점수의 분산", peak: "가장 큰 어텐션 가중치(평균)", gradient: "softmax를 지난 그래디언트(노름)", dead: "0.001보다 작은 어텐션 가중치",
      bars: "쿼리 하나의 어텐션 가중치: {side}",
      claim: "d = {d}일 때 내적의 분산({variance})은 d에 가깝고, √d로 나눈 뒤의 분산({scaled})은 1에 가깝습니다.",
      peakchart: "가장 큰 어텐션 가중치", gradientchart: "softmax를 지나고 남는 그래디언트",
      measured: "무작위 쿼리 200개에 무작위 키 {keys}개씩으로 측정했습니다. 그래디언트는 ∂a/∂e = diag(a) − a aᵀ의 노름입니다.",
    },
  },
} satisfies LessonTexts;
