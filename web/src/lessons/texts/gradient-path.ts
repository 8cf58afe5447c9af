import type { LessonTexts } from "../text";

export const gradientPath = {
  en: {
    story: [
      "An error in the decoder must teach the encoder how to read the first word. In a model without attention its gradient goes back through every state in between, and each step multiplies it by some factor. Below 1 the product vanishes, above 1 it explodes: long-range dependencies are hard to learn (Bengio et al. 1994).",
      "Attention gives the decoder a direct path to every state of the encoder. The gradient reaches a word through its attention weight, without passing a single time step in between.",
    ],
    play: "Make the sentence longer, then move the factor a little below and above 1. The arc is the direct path; its strength does not depend on the length.",
    question: "Each step multiplies the gradient by 0.9, and the sentence has 50 words. How much reaches the first word without attention?",
    options: ["about 0.9", "about 0.1", "about 0.005"],
    answer: 2,
    why: "0.9 multiplied 50 times by itself is 0.005154. The direct path of attention stays at its weight, whatever the length.",
    labels: {
      length: "Words n", factor: "Factor per step λ", weight: "Attention weight α",
      recurrent: "Through the recurrence, to the first word", attention: "Through attention, to any word",
      "line.recurrent": "through the recurrence", "line.attention": "through attention",
      times: "({n} factors)", vanishes: "Almost nothing arrives: the gradient has vanished.", shrinks: "Less arrives with every step.", explodes: "It grows with every step: the gradient explodes.",
      direct: "No time step lies on this path, so nothing is multiplied but the attention weight.",
      chart: "Share of the gradient that arrives at each word", word: "source word",
      picture: "States of the encoder, darker where more of the gradient arrives, and an arc from the decoder straight to the first word",
      firstword: "first word", lastword: "last word",
    },
  },
  ko: {
    story: [
      "디코더에서 생긴 오차는 인코더가 읽은 첫 단어까지 전달되어야 합니다. 어텐션이 없으면 그래디언트는 그 사이의 모든 은닉 상태를 거슬러 가며, 시점마다 어떤 계수가 곱해집니다. 계수가 1보다 작으면 곱은 0에 가까워지고(소실) 1보다 크면 폭발합니다. 그래서 멀리 떨어진 단어 사이의 의존 관계를 학습하기 어렵습니다(Bengio et al. 1994).",
      "어텐션은 디코더에서 인코더의 모든 은닉 상태로 바로 가는 길을 만듭니다. 그래디언트는 중간 시점을 하나도 거치지 않고 어텐션 가중치를 통해 단어에 도달합니다.",
    ],
    play: "문장을 길게 만들고, 계수를 1보다 조금 작게 또 조금 크게 움직여 보세요. 호는 직접 가는 길이며, 그 세기는 문장 길이와 상관이 없습니다.",
    question: "시점마다 그래디언트에 0.9가 곱해지고 문장은 50단어입니다. 어텐션이 없을 때 첫 단어에는 얼마나 도달할까요?",
    options: ["약 0.9", "약 0.1", "약 0.005"],
    answer: 2,
    why: "0.9를 50번 곱하면 0.005154입니다. 어텐션으로 직접 가는 길의 세기는 길이가 얼마든 어텐션 가중치 그대로입니다.",
    labels: {
      length: "단어 수 n", factor: "시점마다 곱하는 계수 λ", weight: "어텐션 가중치 α",
      recurrent: "순환을 거쳐 첫 단어까지", attention: "어텐션을 통해 어느 단어든",
      "line.recurrent": "순환을 거쳐", "line.attention": "어텐션을 통해",
      times: "({n}번 곱함)", vanishes: "거의 아무것도 도달하지 않습니다. 그래디언트가 소실되었습니다.", shrinks: "시점을 지날 때마다 줄어듭니다.", explodes: "시점을 지날 때마다 커집니다. 그래디언트가 폭발합니다.",
      direct: "이 경로에는 중간 시점이 없으므로 어텐션 가중치 말고는 아무것도 곱해지지 않습니다.",
      chart: "각 단어에 도달하는 그래디언트의 비율", word: "원문 단어",
      picture: "그래디언트가 많이 도달할수록 진한 인코더 은닉 상태들과, 디코더에서 첫 단어로 바로 가는 호",
      firstword: "첫 단어", lastword: "마지막 단어",
    },
  },
} satisfies LessonTexts;
