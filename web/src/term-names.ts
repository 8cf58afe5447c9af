// What the numbers of a step are called in words; symbols and code names are the same in both languages.
import type { Both } from "./contract";

const say = (en: string, ko: string): Both => ({ en, ko });

const TERM_NAMES: Record<string, Both> = {
  query: say("query", "쿼리"), keys: say("keys", "키"), scores: say("scores", "점수"),
  weights: say("attention weights", "어텐션 가중치"), context: say("context vector", "컨텍스트 벡터"), alignment: say("alignment vectors", "정렬 벡터"),
  "W_q q": say("projected query", "투영한 쿼리"), "W_k k": say("projected keys", "투영한 키"), tanh: say("after tanh", "tanh를 적용한 값"), v: say("learned vector", "학습한 벡터"),
  state: say("hidden state", "은닉 상태"), output: say("output vector", "출력 벡터"), products: say("products", "성분별 곱"), dots: say("dot products", "내적"),
  scale: say("scale", "스케일"), exp: say("exponentials", "지수 함수 값"), sum: say("their sum", "합"), threshold: say("threshold", "임곗값"), alpha: say("exponent", "지수"),
  W: say("learned matrix", "학습한 행렬"), qW: say("query times the matrix", "행렬을 곱한 쿼리"), Wk: say("keys times the matrix", "행렬을 곱한 키"), "W q": say("scores from the query alone", "쿼리만으로 계산한 점수"),
  "layer n": say("layer of the score's network", "점수를 계산하는 신경망의 층"), cos: say("cosines", "코사인 유사도"), beta: say("learned factor of the cosines", "코사인에 곱하는 학습한 계수"),
  "distance/h": say("distance over the bandwidth", "대역폭으로 나눈 거리"), K: say("kernel", "커널"), h: say("bandwidth", "대역폭"), "tanh(W_p s)": say("hidden layer that predicts the centre", "윈도의 중심을 예측하는 은닉층"),
  q_h: say("query of each head", "헤드별 쿼리"), k_h: say("keys of each head", "헤드별 키"), v_h: say("values of each head", "헤드별 밸류"), heads: say("context vector of each head", "헤드별 컨텍스트 벡터"),
  gate: say("gate of the context vector", "컨텍스트 벡터의 게이트"), w_c: say("learned vector of the coverage", "커버리지에 곱하는 학습한 벡터"),
  p: say("probabilities of the draw", "샘플링 확률"), share: say("share of the source", "원문에서의 상대 위치"), centre: say("centre of the window", "윈도의 중심"),
  gaussian: say("Gaussian", "가우시안"), "before gaussian": say("weights before the Gaussian", "가우시안을 곱하기 전의 어텐션 가중치"), window: say("window", "윈도"), mask: say("mask", "마스크"),
  coverage: say("coverage", "커버리지"), carried: say("carried over", "이전 시점까지의 누적"), p_gen: say("probability of generating", "생성할 확률"), p_vocab: say("probabilities over the vocabulary", "어휘에 대한 확률"), copy: say("weights of copying", "복사 가중치"),
};

/** The name of a term in words, if it has one; layers of a network are named alike, whatever their number. */
export function termName(name: string): Both | undefined {
  return TERM_NAMES[name] ?? TERM_NAMES[name.replace(/ \d+$/, " n")];
}
