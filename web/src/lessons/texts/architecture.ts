import type { LessonTexts } from "../text";

export const architecture = {
  en: {
    story: [
      "The Transformer is an encoder and a decoder without recurrence (Vaswani et al. 2017). Each is a stack of equal layers, and attention is in three places: the encoder looks at the source, the decoder at what it has written, and the decoder at the encoder.",
      "Every part keeps the width d, so that its output can be added to its input and layers can be stacked.",
    ],
    play: "Open each part: what it does, its formula, and where it is in a Jumok run. Then change the number of heads and watch the number of parameters.",
    question: "Where do the keys and values of cross-attention come from?",
    options: ["From the output of the encoder.", "From the words the decoder has written.", "From a matrix that is learned, the same for every sentence."],
    answer: 0,
    why: "Queries come from the decoder, keys and values from the encoder's last layer: the target looks at the source, as in the first attention model.",
    labels: {
      layers: "Layers N", width: "Width d", heads: "Heads h", all: "Parameters with 8,000 words on each side:", picture: "Parts of the Transformer",
      times: "{n} × layer", memory: "to every layer of the decoder", source: "source words", target: "target words, shifted by one", next: "probability of the next word",
      parameters: "Parameters", head: "Width of a head", run: "In a run", key: "Configuration", see: "To see it",
      embedding: "Embedding + position", "embedding.says": "Each word becomes a vector of width d, and a vector of its position is added to it. The decoder reads the target shifted by one: <s> first.", "embedding.see": "Lesson “Positions”.",
      self: "Self-attention", "self.says": "Each source word looks at all source words, in h heads at once: Q, K and V come from the same states.", "self.see": "Translate view, map “Encoder self-attention”.",
      masked: "Masked self-attention", "masked.says": "Each target word looks at itself and the words before it; later ones are masked, because they are not written yet.", "masked.see": "Translate view, map “Decoder self-attention”.",
      cross: "Cross-attention", "cross.says": "Each target word looks at the source: Q comes from the decoder, K and V from the output of the encoder.", "cross.see": "Translate view, map “Cross-attention”.",
      norm: "Add and normalise", "norm.says": "The part's output is added to its input, a shortcut for the gradient, and each vector is normalised: after the part as published (post), or before it, which trains more steadily and is Jumok's default (pre).", "norm.see": "Parameter names of the run.",
      feed: "Feed-forward", "feed.says": "Two layers with max(0, ·) between them, the same for every position, four times as wide inside.", "feed.see": "Parameter names of the run.",
      output: "Linear + softmax", "output.says": "The last state becomes one score for each word of the vocabulary, and a softmax makes probabilities. The matrix is that of the embedding; only the bias is new.", "output.see": "View “Step by step”, the last step.",
    },
  },
  ko: {
    story: [
      "트랜스포머는 순환이 없는 인코더와 디코더입니다(Vaswani et al. 2017). 둘 다 같은 모양의 층을 쌓은 것이고, 어텐션은 세 곳에 있습니다. 인코더는 원문을, 디코더는 자신이 쓴 단어를 보고, 디코더는 인코더의 출력도 봅니다.",
      "모든 구성 요소가 폭 d를 유지하므로 출력을 입력에 더할 수 있고 층을 쌓을 수 있습니다.",
    ],
    play: "구성 요소를 하나씩 열어 무슨 일을 하는지, 식은 무엇인지, Jumok 모델의 어디에 있는지 보세요. 그런 다음 헤드 수를 바꾸면서 파라미터 수를 살펴보세요.",
    question: "크로스 어텐션의 키와 밸류는 어디에서 올까요?",
    options: ["인코더의 출력", "디코더가 지금까지 쓴 단어", "모든 문장에 똑같이 쓰는 학습된 행렬"],
    answer: 0,
    why: "쿼리는 디코더에서, 키와 밸류는 인코더의 마지막 층에서 옵니다. 첫 어텐션 모델과 똑같이 번역문이 원문을 봅니다.",
    labels: {
      layers: "층 수 N", width: "폭 d", heads: "헤드 수 h", all: "원문과 번역문의 어휘가 각각 8,000개일 때 파라미터 수:", picture: "트랜스포머의 구성 요소",
      times: "층 {n}개", memory: "디코더의 모든 층으로", source: "원문 단어", target: "한 칸 밀린 번역문 단어", next: "다음 단어의 확률",
      parameters: "파라미터 수", head: "헤드 하나의 폭", run: "모델 안에서", key: "설정", see: "보는 곳",
      embedding: "임베딩 + 위치", "embedding.says": "각 단어를 폭이 d인 벡터로 바꾸고 위치 벡터를 더합니다. 디코더는 <s>로 시작해 한 칸 밀린 번역문을 읽습니다.", "embedding.see": "강의 ‘위치’",
      self: "셀프 어텐션", "self.says": "원문의 각 단어가 원문의 모든 단어를 헤드 h개로 동시에 봅니다. Q, K, V가 모두 같은 은닉 상태에서 나옵니다.", "self.see": "번역 화면의 ‘인코더 셀프 어텐션’ 맵",
      masked: "마스크드 셀프 어텐션", "masked.says": "번역문의 각 단어가 자신과 앞의 단어만 봅니다. 뒤의 단어는 아직 쓰이지 않았으므로 마스크로 가립니다.", "masked.see": "번역 화면의 ‘디코더 셀프 어텐션’ 맵",
      cross: "크로스 어텐션", "cross.says": "번역문의 각 단어가 원문을 봅니다. Q는 디코더에서, K와 V는 인코더의 출력에서 나옵니다.", "cross.see": "번역 화면의 ‘크로스 어텐션’ 맵",
      norm: "더하기와 정규화", "norm.says": "구성 요소의 출력을 입력에 더해 그래디언트의 지름길을 만들고, 벡터마다 정규화합니다. 논문에서는 구성 요소 다음에(post), Jumok의 기본값에서는 더 안정적으로 학습되도록 그 앞에(pre) 정규화합니다.", "norm.see": "모델의 파라미터 이름",
      feed: "피드포워드", "feed.says": "두 층 사이에 max(0, ·)를 두며, 모든 위치에 똑같이 적용하고, 안쪽의 폭은 네 배입니다.", "feed.see": "모델의 파라미터 이름",
      output: "선형 변환 + softmax", "output.says": "마지막 은닉 상태에서 어휘의 단어마다 점수를 하나씩 구하고 softmax로 확률을 만듭니다. 행렬은 임베딩의 행렬을 함께 쓰며, 새로 생기는 것은 편향뿐입니다.", "output.see": "‘단계별 계산’ 화면의 마지막 단계",
    },
  },
} satisfies LessonTexts;
