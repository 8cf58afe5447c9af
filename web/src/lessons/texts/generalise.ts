import type { LessonTexts } from "../text";

export const generalise = {
  en: {
    story: [
      "An attention layer says how much of each input to take. It began with one query q (a state of the decoder), inputs X (the states of the encoder) and a learned similarity f_att. Three changes made it a layer for any network (Vaswani et al. 2017).",
      "First the similarity becomes the scaled dot product. Then all queries are stacked into a matrix Q and computed in one product. Last, the inputs, which were used twice, part ways: keys K = X W_k are compared with the query, and values V = X W_v are summed.",
    ],
    play: "Change a number of X, Q, W_k or W_v and follow it through the four steps. Then set W_k and W_v to the identity matrix.",
    question: "W_k and W_v are both the identity matrix. How does the output of step 4 differ from that of step 3?",
    options: ["It does not differ.", "It becomes the plain mean of the inputs.", "It becomes zero."],
    answer: 0,
    why: "With K = X and V = X step 4 is step 3. Learned W_k and W_v let the layer search by one property of an input and return another.",
    labels: {
      again: "The numbers of the lesson", identity: "Set W_k = W_v = I",
      one: "1. One query", "one.says": "q is the first row of Q; the similarity is the dot product.",
      two: "2. Scaled dot product", "two.says": "Divided by √2, because the vectors have two dimensions.",
      three: "3. Many queries", "three.says": "One row of A and Y for each query.", "same.row": "Difference of the first row of Y from y of step 2:",
      four: "4. Keys and values part ways", "four.says": "K decides where to look, V what to bring back.", "same.all": "Difference of Y from that of step 3:",
    },
  },
  ko: {
    story: [
      "어텐션 층은 각 입력을 얼마나 가져올지 정합니다. 처음에는 쿼리 q 하나(디코더 은닉 상태), 입력 X(인코더 은닉 상태들), 학습하는 유사도 함수 f_att로 시작했습니다. 세 번의 변화를 거쳐 어떤 신경망에든 넣을 수 있는 층이 되었습니다(Vaswani et al. 2017).",
      "먼저 유사도를 스케일드 내적으로 바꿉니다. 다음으로 모든 쿼리를 행렬 Q로 쌓아 행렬 곱 한 번으로 계산합니다. 마지막으로, 두 가지 목적으로 쓰이던 입력을 나눕니다. 키 K = X W_k는 쿼리와 비교하고, 밸류 V = X W_v는 가중합에 씁니다.",
    ],
    play: "X, Q, W_k, W_v의 수를 바꾸고 네 단계를 따라가 보세요. 그런 다음 W_k와 W_v를 단위 행렬로 만들어 보세요.",
    question: "W_k와 W_v가 모두 단위 행렬이면 4단계의 출력은 3단계와 어떻게 다를까요?",
    options: ["다르지 않습니다.", "입력의 단순 평균이 됩니다.", "0이 됩니다."],
    answer: 0,
    why: "K = X이고 V = X이면 4단계는 3단계와 같습니다. W_k와 W_v를 학습하면 입력의 어떤 성질로 찾고 어떤 성질을 가져올지를 따로 정할 수 있습니다.",
    labels: {
      again: "처음 숫자로", identity: "W_k = W_v = I로 만들기",
      one: "1단계. 쿼리 하나", "one.says": "q는 Q의 첫 행이고, 유사도는 내적입니다.",
      two: "2단계. 스케일드 내적", "two.says": "벡터가 2차원이므로 √2로 나눕니다.",
      three: "3단계. 여러 쿼리를 한 번에", "three.says": "쿼리마다 A와 Y의 행이 하나씩 생깁니다.", "same.row": "Y의 첫 행과 2단계 y의 차이:",
      four: "4단계. 키와 밸류의 분리", "four.says": "K는 어디를 볼지, V는 무엇을 가져올지 정합니다.", "same.all": "Y와 3단계 Y의 차이:",
    },
  },
} satisfies LessonTexts;
