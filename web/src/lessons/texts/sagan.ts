import type { LessonTexts } from "../text";

export const sagan = {
  en: {
    story: [
      "A convolution sees a few neighbouring pixels, so a network of convolutions needs many layers before one wing of a butterfly can know of the other. Pictures it generates have good textures and wrong shapes.",
      "SAGAN (Zhang et al. 2019) puts self-attention into a generative adversarial network: every pixel of a feature map is a query and looks at all pixels. What it finds, o, is added with a learned factor γ that starts at 0, so the network learns the easy, local part first.",
    ],
    play: "Choose a pixel with the sliders or by clicking. Bright pixels have a large weight; the dashed square is all that a 3 × 3 convolution sees. Then raise γ from 0.",
    question: "Training starts with γ = 0. What does the attention layer give out then?",
    options: ["Its input, unchanged.", "Zeros.", "The mean of all pixels."],
    answer: 0,
    why: "y = 0 · o + x = x. As γ grows in training, more of what is far away is added.",
    labels: {
      row: "Row", col: "Column", looks: "Where the pixel looks", made: "Output y = γ o + x",
      "looks.picture": "A feature map of a butterfly, shaded by the attention of the chosen pixel", "made.picture": "The feature map that the layer gives out",
      far: "Attention weight beyond the 3 × 3 neighbourhood:", legend: "Pixels are three numbers from −1 to 1 with random noise; f, g and h are fixed here, where a trained network has learned them.",
    },
  },
  ko: {
    story: [
      "합성곱은 이웃한 몇 픽셀만 봅니다. 그래서 합성곱만 쌓은 신경망에서는 층을 많이 거쳐야 나비의 한쪽 날개가 다른 쪽 날개를 알 수 있고, 생성한 그림은 질감은 좋아도 형태가 틀리곤 합니다.",
      "SAGAN(Zhang et al. 2019)은 적대적 생성 신경망에 셀프 어텐션을 넣습니다. 특징 맵의 각 픽셀이 쿼리가 되어 모든 픽셀을 봅니다. 그 결과 o는 0에서 시작하는 학습 계수 γ를 곱해 더하므로, 신경망은 쉬운 주변 정보부터 학습합니다.",
    ],
    play: "슬라이더나 클릭으로 픽셀을 골라 보세요. 밝은 픽셀일수록 어텐션 가중치가 크고, 점선 사각형은 3 × 3 합성곱이 보는 전부입니다. 그런 다음 γ를 0에서부터 올려 보세요.",
    question: "학습은 γ = 0에서 시작합니다. 이때 어텐션 층은 무엇을 출력할까요?",
    options: ["입력 그대로", "0", "모든 픽셀의 평균"],
    answer: 0,
    why: "y = 0 · o + x = x입니다. 학습하면서 γ가 커지면 멀리 있는 정보가 점점 더 많이 더해집니다.",
    labels: {
      row: "행", col: "열", looks: "픽셀이 보는 곳", made: "출력 y = γ o + x",
      "looks.picture": "고른 픽셀의 어텐션에 따라 밝거나 어두운 나비 특징 맵", "made.picture": "이 층이 출력하는 특징 맵",
      far: "3 × 3 이웃 밖의 어텐션 가중치:", legend: "픽셀은 −1에서 1 사이의 수 세 개에 무작위 잡음을 더한 것입니다. 여기서는 f, g, h를 정해 두었지만, 실제 신경망은 이를 학습합니다.",
    },
  },
} satisfies LessonTexts;
