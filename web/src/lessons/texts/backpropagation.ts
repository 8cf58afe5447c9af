import type { LessonTexts } from "../text";

export const backpropagation = {
  en: {
    story: [
      "A decoder state does two things: it predicts the next word, and it decides which source words to look at. The loss of a word therefore reaches a source state hᵢ on two direct paths. Through the values, what is read at i changes; through the weights, how much is read at i changes, because hᵢ is also the key that is scored (Bahdanau et al. 2015).",
      "Here an error is seeded: the score of a wrong source word is raised until it gets 90% of the attention, so the context vector is about the wrong word. Then the model takes one step of gradient descent on this one word.",
    ],
    play: "Choose the word that is written and the wrong source word, and move the learning rate. Compare the three rows: the model as it is, with the error, and with the error after one update.",
    question: "What does the gradient through the weights do to the scores?",
    options: [
      "It lowers the score of the wrong word and raises that of the right one.",
      "It lowers all scores alike.",
      "Nothing: only the values have a gradient.",
    ],
    answer: 0,
    why: "The gradient of a score is α times how much worse its value makes the prediction than the average one. The update lowers the score of the wrong word, raises that of the right one, and the probability of the correct word rises.",
    labels: {
      word: "Word that is written", error: "Wrong source word", rate: "Learning rate",
      own: "as it is", wrong: "with the error", updated: "after one update",
      table: "Attention weights and the probability of “{word}”", p: "p of “{word}”", likeliest: "likeliest word",
      paths: "Gradient of the loss at each source state, by path", source: "source word",
      weights: "through the weights", values: "through the values", whole: "both together", push: "score after the update",
      higher: "higher", lower: "lower", same: "no change",
      sum: "The table shows the lengths of gradient vectors. Added as vectors, the two paths are the whole gradient: the largest difference is {gap}, a rounding error.",
      diagram: "Two paths from the loss back to a source state", loss: "loss", context: "context vector c", weight: "weight αᵢ", score: "score eᵢ", state: "source state hᵢ",
      result: "p of “{word}”: {own} as it is, {wrong} with the error, {updated} after one update.",
    },
  },
  ko: {
    story: [
      "디코더 은닉 상태는 두 가지 일을 합니다. 다음 단어를 예측하고, 원문의 어느 단어를 볼지 정합니다. 그래서 한 단어의 손실은 두 갈래의 직접 경로로 인코더 은닉 상태 hᵢ에 도달합니다. 밸류를 지나는 경로는 i에서 읽는 내용을 바꾸고, 어텐션 가중치를 지나는 경로는 i를 얼마나 읽을지를 바꿉니다. hᵢ는 점수를 매기는 키이기도 하기 때문입니다(Bahdanau et al. 2015).",
      "여기서는 일부러 오류를 넣습니다. 엉뚱한 원문 단어가 어텐션의 90%를 받도록 그 점수를 올리면 컨텍스트 벡터가 엉뚱한 단어의 정보를 담게 됩니다. 그런 다음 이 단어 하나에 대해 경사 하강법을 한 번 적용합니다.",
    ],
    play: "쓸 단어와 엉뚱한 원문 단어를 고르고 학습률을 움직여 보세요. 원래 모델, 오류를 넣은 모델, 오류가 있는 채로 한 번 업데이트한 모델의 세 줄을 비교해 보세요.",
    question: "어텐션 가중치를 지나는 그래디언트는 점수를 어떻게 바꿀까요?",
    options: [
      "엉뚱한 단어의 점수를 낮추고 맞는 단어의 점수를 높입니다.",
      "모든 점수를 똑같이 낮춥니다.",
      "바꾸지 않습니다. 밸류에만 그래디언트가 있습니다.",
    ],
    answer: 0,
    why: "점수의 그래디언트는 어텐션 가중치 α에, 그 밸류가 평균보다 예측을 얼마나 나쁘게 하는지를 곱한 값입니다. 업데이트하면 엉뚱한 단어의 점수는 내려가고 맞는 단어의 점수는 올라가, 정답 단어의 확률이 높아집니다.",
    labels: {
      word: "쓸 단어", error: "엉뚱한 원문 단어", rate: "학습률",
      own: "원래 모델", wrong: "오류를 넣었을 때", updated: "한 번 업데이트한 뒤",
      table: "어텐션 가중치와 “{word}”의 확률", p: "“{word}”의 확률", likeliest: "가장 확률이 높은 단어",
      paths: "인코더 은닉 상태별 손실의 그래디언트(경로별)", source: "원문 단어",
      weights: "어텐션 가중치 경로", values: "밸류 경로", whole: "두 경로의 합", push: "업데이트 후 점수",
      higher: "높아짐", lower: "낮아짐", same: "그대로",
      sum: "표의 수는 그래디언트 벡터의 길이입니다. 두 경로의 벡터를 더하면 전체 그래디언트와 같습니다(가장 큰 차이 {gap}, 반올림 오차).",
      diagram: "손실에서 인코더 은닉 상태로 돌아가는 두 경로", loss: "손실", context: "컨텍스트 벡터 c", weight: "어텐션 가중치 αᵢ", score: "점수 eᵢ", state: "은닉 상태 hᵢ",
      result: "“{word}”의 확률: 원래 모델 {own}, 오류를 넣었을 때 {wrong}, 한 번 업데이트한 뒤 {updated}",
    },
  },
} satisfies LessonTexts;
