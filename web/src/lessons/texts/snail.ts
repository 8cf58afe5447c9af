import type { LessonTexts } from "../text";

export const snail = {
  en: {
    story: [
      "SNAIL (Mishra et al. 2018) reads a few pictures with their labels, then one without, and must name it. The characters below are of invented alphabets that the model never learned, and labels mean something new in each episode: the answer must come from the examples before. The model has learned how to learn: its memory is attention.",
      "It alternates two kinds of layers. Causal attention lets the new picture meet the examples: it looks back at any of them, however far. Temporal convolutions with dilations 1, 2, 4, … bring together what lies near in time.",
    ],
    play: "Exchange the labels of two examples, the one in the shaded column among them: the answer follows the examples. Then leave that example out: the model has to answer with what is left. Let two examples change places; ask for more examples of each class.",
    question: "Two examples exchange their labels, and the new picture looks like one of them. What does the model say?",
    options: ["The label that now belongs to the example that it looks like", "The true class of the picture", "Any class, all equally likely"],
    answer: 0,
    why: "The model knows no classes, only examples. It finds the example that looks like the new picture, and says its label, whatever that is.",
    labels: {
      convolution: "Temporal convolution", "convolution.says": "One layer joins each step with the one d steps before, through a gate; the dilation d doubles from layer to layer.",
      layers: "Layers", reach: "The last step sees {n} of 16 steps.",
    },
  },
  ko: {
    story: [
      "SNAIL(Mishra et al. 2018)은 레이블이 붙은 그림 몇 장을 차례로 읽은 뒤, 레이블이 없는 그림의 이름을 맞힙니다. 아래 글자들은 모델이 배운 적 없는 가상의 문자이고, 레이블의 뜻도 에피소드마다 새로 정해집니다. 답은 앞에서 본 예시에서 찾아야 합니다. 즉, 배우는 방법을 배웠고, 어텐션이 기억의 역할을 합니다.",
      "두 종류의 층을 번갈아 씁니다. 인과적 어텐션을 통해 새 그림이 예시들과 만납니다. 아무리 멀어도 앞의 예시를 모두 볼 수 있습니다. 팽창 간격이 1, 2, 4, …인 시간 합성곱은 시간상 가까운 것들을 모읍니다.",
    ],
    play: "배경이 칠해진 열의 예시와 다른 예시의 레이블을 서로 바꿔 보세요. 답은 예시를 따라갑니다. 그런 다음 그 예시를 빼 보세요. 모델은 남은 예시만으로 답해야 합니다. 두 예시의 자리를 바꾸고, 클래스마다 예시를 더 늘려 보세요.",
    question: "두 예시의 레이블을 서로 바꾸었고 새 그림은 그중 하나와 닮았습니다. 모델은 무엇이라고 답할까요?",
    options: ["닮은 예시에 지금 붙어 있는 레이블", "그림의 진짜 클래스", "모든 클래스가 똑같이 가능"],
    answer: 0,
    why: "모델은 클래스를 모르고 예시만 압니다. 새 그림과 닮은 예시를 찾아, 거기에 붙은 레이블을 그대로 답합니다.",
    labels: {
      convolution: "시간 합성곱", "convolution.says": "층 하나는 각 시점을 d만큼 앞선 시점과 게이트를 거쳐 합칩니다. 팽창 간격 d는 층마다 두 배가 됩니다.",
      layers: "층 수", reach: "마지막 시점은 16개 시점 중 {n}개를 봅니다.",
    },
  },
} satisfies LessonTexts;
