import type { LessonTexts } from "../text";

export const softHardGlobalLocal = {
  en: {
    story: [
      "Soft attention looks at every position to some degree and can be trained by backpropagation. Hard attention picks one position; in training the choice is drawn at random from the softmax of the scores, so its gradient must be estimated from the reward of the draws (Xu et al. 2015). The model shown here starts from the weights of the soft one, so that its first draws are good enough to learn from.",
      "Global attention scores every position. Local attention predicts a centre pₜ and looks only at a window of D positions on each side, with weights that a Gaussian of σ = D/2 around pₜ makes smaller towards the edge (Luong et al. 2015).",
      "The centre is predicted from the decoder's hidden state alone, before anything is compared with the source, so it can miss. The local model shown here writes the last word, usually the verb, while looking most at </s> behind the sentence: in 169 of 199 test sentences, against 1 for the soft and 2 for the hard model.",
    ],
    play: "Move the slider from word to word, up to the last one. Blue bars are attention weights. Dashed outlines are the probabilities that hard attention draws from; the shaded part is the window of local attention, the curve its Gaussian, and the dashed line its centre.",
    question: "Why is hard attention harder to train than soft attention?",
    options: [
      "It has more parameters.",
      "The choice of one position is not differentiable.",
      "It must score more positions.",
    ],
    answer: 1,
    why: "Sampling is not differentiable. The gradient is estimated from samples (REINFORCE), and the estimate has a high variance.",
    labels: {
      soft: "Soft, global", hard: "Hard, global", local: "Soft, local (predictive)", step: "Word that is written", map: "{model}: the whole sentence", row: "{model}: this word",
      seen: "{n} of {all} positions have a weight above 0.",
      most: "It looks most at “{word}” (weight {p}).",
      drawn: "The likeliest position is chosen: “{word}”, which has probability {p}.",
      centre: "Centre pₜ = {p}, counted from 0 at the first word.",
      window: "Window D = {D} on each side, σ = {sigma}. The weights sum to {sum}, not to 1: they are multiplied by the Gaussian after the softmax.",
    },
  },
  ko: {
    story: [
      "소프트 어텐션은 모든 위치를 조금씩 보며 역전파로 학습할 수 있습니다. 하드 어텐션은 한 위치만 고릅니다. 학습할 때 이 선택은 점수의 softmax에 따른 확률적 샘플링이어서, 샘플이 받은 보상으로 그래디언트를 추정해야 합니다(Xu et al. 2015). 여기 있는 모델은 소프트 모델의 모델 가중치에서 학습을 시작해, 처음부터 보상을 받는 샘플이 나오도록 했습니다.",
      "글로벌 어텐션은 모든 위치에 점수를 매깁니다. 로컬 어텐션은 중심 pₜ를 예측하고 양쪽 D개 위치의 윈도만 보며, pₜ를 중심으로 σ = D/2인 가우시안 가중치를 곱해 가장자리일수록 작게 만듭니다(Luong et al. 2015).",
      "중심은 원문과 비교하기 전에 디코더 은닉 상태만으로 예측하므로 빗나갈 수 있습니다. 여기 있는 로컬 모델은 대개 동사인 마지막 단어를 쓸 때 문장 뒤의 </s>를 가장 많이 봅니다. 테스트 문장 199개 중 169개에서 그랬고, 소프트 모델은 1개, 하드 모델은 2개에서만 그랬습니다.",
    ],
    play: "슬라이더로 단어를 하나씩, 마지막 단어까지 옮겨 보세요. 파란 막대는 어텐션 가중치입니다. 점선 테두리는 하드 어텐션이 샘플링하는 확률이고, 색칠한 부분은 로컬 어텐션의 윈도, 곡선은 가우시안, 점선은 중심입니다.",
    question: "하드 어텐션이 소프트 어텐션보다 학습하기 어려운 이유는 무엇일까요?",
    options: [
      "파라미터가 더 많기 때문입니다.",
      "위치 하나를 고르는 일은 미분할 수 없기 때문입니다.",
      "더 많은 위치에 점수를 매겨야 하기 때문입니다.",
    ],
    answer: 1,
    why: "샘플링은 미분할 수 없습니다. 그래서 표본으로 그래디언트를 추정하는데(REINFORCE), 추정값의 분산이 큽니다.",
    labels: {
      soft: "소프트, 글로벌", hard: "하드, 글로벌", local: "소프트, 로컬(예측 방식)", step: "쓸 단어", map: "{model}: 문장 전체", row: "{model}: 이 단어",
      seen: "{all}개 위치 중 어텐션 가중치가 0보다 큰 위치는 {n}개입니다.",
      most: "가장 많이 보는 단어: “{word}” (어텐션 가중치 {p})",
      drawn: "확률이 가장 높은 위치를 고릅니다: “{word}” (확률 {p})",
      centre: "중심 pₜ = {p} (첫 단어를 0으로 셉니다).",
      window: "윈도는 양쪽으로 D = {D}, σ = {sigma}입니다. softmax 뒤에 가우시안을 곱하므로 어텐션 가중치의 합은 1이 아니라 {sum}입니다.",
    },
  },
} satisfies LessonTexts;
