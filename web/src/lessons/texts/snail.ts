import type { LessonTexts } from "../text";

export const snail = {
  en: {
    story: [
      "SNAIL (Mishra et al. 2018) reads a sequence of examples with their labels, then one without, and must name its label. It learns to learn: the labels mean something new in each sequence, so the answer must come from the examples before.",
      "It alternates two kinds of layers. Causal attention looks back at any earlier example, however far, and never at later ones. Temporal convolutions with dilations 1, 2, 4, … bring together what lies near in time, and give attention something to compare.",
    ],
    play: "Turn the new example (?) around the circle. Then let the model see fewer examples: before the fourth no B has been shown. Below, add layers of convolution.",
    question: "Convolutions of width 2 have dilations 1, 2, 4, …. How many layers does it take to see 16 steps?",
    options: ["4", "8", "16"],
    answer: 0,
    why: "Each layer doubles what is seen: 2, 4, 8, 16. Attention needs one layer for any distance, but alone it does not know the order.",
    labels: {
      angle: "New example", seen: "Examples seen", example: "Example", label: "Label", weight: "Attention weight", masked: "masked",
      picture: "Labelled examples on a circle and a new one; lines are as wide as their attention weights, examples that are still to come are dashed",
      convolution: "Temporal convolution", "convolution.says": "One layer joins each step with the one d steps before, through a gate; the dilation d doubles from layer to layer.",
      layers: "Layers", reach: "The last step sees {n} of 16 steps.",
    },
  },
  ko: {
    story: [
      "SNAIL(Mishra et al. 2018)은 레이블이 붙은 예들을 차례로 읽은 뒤, 레이블이 없는 예의 레이블을 맞힙니다. 레이블의 뜻이 시퀀스마다 새로 정해지므로 답은 앞에서 본 예에서 찾아야 합니다. 즉, 배우는 방법을 배웁니다.",
      "두 종류의 층을 번갈아 씁니다. 인과적 어텐션은 아무리 멀어도 앞의 예를 모두 볼 수 있고 뒤의 예는 보지 않습니다. 팽창 간격이 1, 2, 4, …인 시간 합성곱은 시간상 가까운 것들을 모아 어텐션이 비교할 거리를 만들어 줍니다.",
    ],
    play: "새 예(?)를 원을 따라 돌려 보세요. 그런 다음 모델이 본 예의 수를 줄여 보세요. 네 번째 예 전에는 B가 한 번도 나오지 않습니다. 아래에서는 합성곱 층을 늘려 보세요.",
    question: "폭이 2인 합성곱의 팽창 간격이 1, 2, 4, …일 때 16개 시점을 보려면 층이 몇 개 필요할까요?",
    options: ["4", "8", "16"],
    answer: 0,
    why: "층마다 보는 범위가 두 배가 되어 2, 4, 8, 16이 됩니다. 어텐션은 거리가 얼마든 층 하나면 되지만, 어텐션만으로는 순서를 알 수 없습니다.",
    labels: {
      angle: "새 예", seen: "본 예의 수", example: "예", label: "레이블", weight: "어텐션 가중치", masked: "가림",
      picture: "원 위에 놓인 레이블이 있는 예들과 새 예. 선의 굵기는 어텐션 가중치이고, 아직 나오지 않은 예는 점선입니다",
      convolution: "시간 합성곱", "convolution.says": "층 하나는 각 시점을 d만큼 앞선 시점과 게이트를 거쳐 합칩니다. 팽창 간격 d는 층마다 두 배가 됩니다.",
      layers: "층 수", reach: "마지막 시점은 16개 시점 중 {n}개를 봅니다.",
    },
  },
} satisfies LessonTexts;
