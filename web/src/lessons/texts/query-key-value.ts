import type { LessonTexts } from "../text";

export const queryKeyValue = {
  en: {
    story: [
      "How can y be predicted at a new point x from pairs (x_i, y_i)? The simplest answer ignores x: the plain mean of all y_i. A better one gives more weight to points whose x_i is near x. Nadaraya and Watson (1964) also divided by the sum of these weights, so that they sum to one.",
      "Call x the query, x_i the keys and y_i the values, and it is attention: similarity, normalisation, weighted mean. Nobody called it attention then. Today's attention learns what “near” means; kernel regression fixes it with a kernel and its bandwidth.",
    ],
    play: "Move the query along the axis: the plain mean stays, the other two estimates follow. Points grow with their weights. Then make the bandwidth small, and very large, and compare the first number with the third.",
    question: "What happens to the prediction when the bandwidth grows very large?",
    options: [
      "It becomes the value of the nearest key.",
      "It becomes the plain mean of all values.",
      "It becomes zero.",
    ],
    answer: 1,
    why: "With a wide kernel all keys are about equally near, so all weights are equal: a softmax at high temperature does the same.",
    labels: {
      mean: "1. Plain mean", "mean.says": "The same for every query.",
      unnormalised: "2. Weighted by a kernel", "unnormalised.says": "Near points count more, but nothing makes the weights K average 1: their mean is {sum}.",
      normalised: "3. Normalised", "normalised.says": "The weights sum to one: attention.",
    },
  },
  ko: {
    story: [
      "(x_i, y_i) 쌍을 알 때 새로운 점 x에서 y를 어떻게 예측할까요? 가장 단순한 방법은 x가 무엇이든 모든 y_i의 평균을 출력하는 것입니다. 더 나은 방법은 x_i가 x에 가까울수록 y_i를 더 많이 반영하는 것입니다. Nadaraya와 Watson(1964)은 여기에 더해 가중치의 합으로 나누어 합이 1이 되게 했습니다.",
      "x를 쿼리, x_i를 키, y_i를 밸류라고 부르면 이것이 바로 어텐션입니다. 유사도를 구하고, 정규화하고, 가중 평균을 냅니다. 당시에는 아무도 이를 어텐션이라 부르지 않았습니다. 오늘날의 어텐션은 무엇이 ‘가까운지’를 학습하고, 커널 회귀는 커널과 대역폭으로 그것을 정해 둡니다.",
    ],
    play: "쿼리를 축을 따라 옮겨 보세요. 단순 평균은 그대로이고 나머지 두 추정값은 따라 움직입니다. 점은 어텐션 가중치만큼 커집니다. 그런 다음 대역폭을 아주 작게, 또 아주 크게 하면서 첫 번째 수와 세 번째 수를 비교해 보세요.",
    question: "대역폭이 아주 커지면 예측값은 어떻게 될까요?",
    options: [
      "가장 가까운 키의 밸류가 됩니다.",
      "모든 밸류의 단순 평균이 됩니다.",
      "0이 됩니다.",
    ],
    answer: 1,
    why: "커널이 넓으면 모든 키가 거의 똑같이 가까워서 가중치도 같아집니다. 온도를 높인 softmax도 마찬가지입니다.",
    labels: {
      mean: "1. 단순 평균", "mean.says": "쿼리가 무엇이든 같습니다.",
      unnormalised: "2. 커널로 가중", "unnormalised.says": "가까운 점을 더 많이 반영하지만 가중치 K의 평균이 1이라는 보장이 없습니다. 지금 평균은 {sum}입니다.",
      normalised: "3. 정규화", "normalised.says": "가중치의 합이 1입니다. 이것이 어텐션입니다.",
    },
  },
} satisfies LessonTexts;
