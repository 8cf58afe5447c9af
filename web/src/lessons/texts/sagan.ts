import type { LessonTexts } from "../text";

export const sagan = {
  en: {
    story: [
      "A convolution sees a few neighbouring pixels, so a network of convolutions needs many layers before one wing of a butterfly can know of the other. Pictures it generates have good textures and wrong shapes.",
      "SAGAN (Zhang et al. 2019) puts self-attention into a generative adversarial network: every pixel of a feature map is a query and looks at all pixels. What it finds, o, is added with a learned factor γ that starts at 0, so the network learns the easy, local part first.",
    ],
    play: "Choose a pixel with the sliders or by clicking. Bright pixels have a large weight; the dashed square is all that convolutions of 3 × 3 see, one after the other: add layers until it holds both wings. Then raise γ from 0.",
    question: "Training starts with γ = 0. What does the attention layer give out then?",
    options: ["Its input, unchanged.", "Zeros.", "The mean of all pixels."],
    answer: 0,
    why: "y = 0 · o + x = x. As γ grows in training, more of what is far away is added.",
    labels: {
      row: "Row", col: "Column", looks: "Where the pixel looks", made: "Output y = γ o + x",
      "looks.picture": "A feature map of a butterfly, shaded by the attention of the chosen pixel", "made.picture": "The feature map that the layer gives out",
      layers: "Convolutions", far: "Attention weight beyond the dashed square:", legend: "Pixels are three numbers from −1 to 1 with random noise; f, g and h are fixed here, where a trained network has learned them.",
      real: "A generator that we trained", "real.picture": "A picture drawn by a trained generator, with the attention of the chosen place",
      "real.how": "This picture was drawn by a small SAGAN after a few minutes of training on eight shapes. Click a place: orange is where it looks in the map of 14 × 14. Nobody told it that shapes have edges and corners.",
      "real.far": "Weight beyond what the convolutions above see:",
      honest: "Does it help?", "honest.said": "In large photographs the authors measured a clear gain. In small pictures others could not find it: on CIFAR-10 (32 × 32) a careful reproduction measured an FID of 14.0 with attention and 13.3 without, where lower is better. A likely reason is in the slider: a generator begins with a map of 4 × 4 or 7 × 7, where a few convolutions see everything. Here too γ has stayed small. Attention lets a pixel look far; whether it must is a question to measure (docs/gan.md).",
    },
  },
  ko: {
    story: [
      "합성곱은 이웃한 몇 픽셀만 봅니다. 그래서 합성곱만 쌓은 신경망에서는 층을 많이 거쳐야 나비의 한쪽 날개가 다른 쪽 날개를 알 수 있고, 생성한 그림은 질감은 좋아도 형태가 틀리곤 합니다.",
      "SAGAN(Zhang et al. 2019)은 적대적 생성 신경망에 셀프 어텐션을 넣습니다. 특징 맵의 각 픽셀이 쿼리가 되어 모든 픽셀을 봅니다. 그 결과 o는 0에서 시작하는 학습 계수 γ를 곱해 더하므로, 신경망은 쉬운 주변 정보부터 학습합니다.",
    ],
    play: "슬라이더나 클릭으로 픽셀을 골라 보세요. 밝은 픽셀일수록 어텐션 가중치가 크고, 점선 사각형은 3 × 3 합성곱을 차례로 거쳤을 때 보이는 전부입니다. 두 날개가 모두 들어올 때까지 층을 늘려 보세요. 그런 다음 γ를 0에서부터 올려 보세요.",
    question: "학습은 γ = 0에서 시작합니다. 이때 어텐션 층은 무엇을 출력할까요?",
    options: ["입력 그대로", "0", "모든 픽셀의 평균"],
    answer: 0,
    why: "y = 0 · o + x = x입니다. 학습하면서 γ가 커지면 멀리 있는 정보가 점점 더 많이 더해집니다.",
    labels: {
      row: "행", col: "열", looks: "픽셀이 보는 곳", made: "출력 y = γ o + x",
      "looks.picture": "고른 픽셀의 어텐션에 따라 밝거나 어두운 나비 특징 맵", "made.picture": "이 층이 출력하는 특징 맵",
      layers: "합성곱 층", far: "점선 사각형 밖의 어텐션 가중치:", legend: "픽셀은 −1에서 1 사이의 수 세 개에 무작위 잡음을 더한 것입니다. 여기서는 f, g, h를 정해 두었지만, 실제 신경망은 이를 학습합니다.",
      real: "직접 학습한 생성자", "real.picture": "학습한 생성자가 그린 그림과, 고른 자리의 어텐션",
      "real.how": "여덟 가지 도형으로 몇 분 동안 학습한 작은 SAGAN이 그린 그림입니다. 자리를 클릭하면 14 × 14 맵에서 그 자리가 보는 곳이 주황색으로 나타납니다. 도형에 변과 꼭짓점이 있다고 알려 준 적은 없습니다.",
      "real.far": "위에서 고른 합성곱 층이 보지 못하는 곳의 어텐션 가중치:",
      honest: "정말 도움이 될까요?", "honest.said": "논문은 큰 사진에서 뚜렷한 향상을 측정했습니다. 그러나 작은 그림에서는 다른 연구자들이 이를 재현하지 못했습니다. CIFAR-10(32 × 32)에서 꼼꼼히 재현한 FID는 어텐션이 있을 때 14.0, 없을 때 13.3이었습니다(낮을수록 좋습니다). 이유는 위의 슬라이더에서 짐작할 수 있습니다. 생성자는 4 × 4나 7 × 7 맵에서 시작하므로 합성곱 몇 층이면 전체를 봅니다. 여기서도 γ는 작게 남았습니다. 어텐션은 픽셀이 멀리 볼 수 있게 해 줍니다. 꼭 필요한지는 측정해 보아야 합니다(docs/gan.md).",
    },
  },
} satisfies LessonTexts;
