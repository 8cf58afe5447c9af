// What the numbers of a step are called in words; symbols and code names are the same in both languages.
import type { Both } from "./contract";

const say = (en: string, ko: string): Both => ({ en, ko });

export const TERM_NAMES: Record<string, Both> = {
  query: say("query", "쿼리"), keys: say("keys", "키"), values: say("values", "밸류"), scores: say("scores", "점수"),
  weights: say("attention weights", "어텐션 가중치"), context: say("context vector", "컨텍스트 벡터"), alignment: say("alignment vectors", "정렬 벡터"),
  "W_q q": say("projected query", "투영한 쿼리"), "W_k k": say("projected keys", "투영한 키"), tanh: say("after tanh", "tanh를 적용한 값"), v: say("learned vector", "학습한 벡터"),
  state: say("hidden state", "은닉 상태"), output: say("output vector", "출력 벡터"), products: say("products", "성분별 곱"), dots: say("dot products", "내적"),
  scale: say("scale", "스케일"), exp: say("exponentials", "지수 함수 값"), sum: say("their sum", "합"), threshold: say("threshold", "임곗값"), alpha: say("exponent", "지수"),
  p: say("probabilities of the draw", "샘플링 확률"), share: say("share of the source", "원문에서의 상대 위치"), centre: say("centre of the window", "윈도의 중심"),
  gaussian: say("Gaussian", "가우시안"), "before gaussian": say("weights before the Gaussian", "가우시안을 곱하기 전의 어텐션 가중치"), window: say("window", "윈도"), mask: say("mask", "마스크"),
  coverage: say("coverage", "커버리지"), carried: say("carried over", "이전 시점까지의 누적"), logits: say("logits", "로짓"), p_gen: say("probability of generating", "생성할 확률"), p_vocab: say("probabilities over the vocabulary", "어휘에 대한 확률"), copy: say("weights of copying", "복사 가중치"), probabilities: say("probabilities", "확률"),
};
