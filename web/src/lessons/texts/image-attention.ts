import type { LessonTexts } from "../text";

export const imageAttention = {
  en: {
    story: [
      "People look sharply at one part of a picture and only roughly at the rest. If a patch is covered, the other parts tell what belongs there: a nose, two eyes and one pointed ear say “the other ear”, while the sweater and the blanket say nothing about it.",
      "Xu et al. (2015) wrote captions this way. A convolutional network turns each patch i of a picture into an annotation vector a_i; before each word the decoder scores all patches, and the weighted sum z_t is what it sees. Soft attention mixes all patches and learns by backpropagation; hard attention takes one.",
      "Try it on a model that was really trained: the command “jumok train task=captioning” learns to describe drawn scenes, and the view “Picture” of the studio shows where each word of its caption looks. There you can erase a region, move attention to another one, and see how the caption changes.",
    ],
    play: "Choose what the decoder is looking for. Bright patches have a large weight. Then make the attention sharper, and switch to hard attention.",
    question: "The decoder guesses what is behind the yellow square. Which patches get the least weight?",
    options: ["the other ear", "the eyes and the nose", "the sweater, the blanket and the snow"],
    answer: 2,
    why: "Patches of the head match what the decoder looks for, the other ear best of all. Cloth and snow do not, so they add almost nothing to z.",
    labels: {
      word: "The decoder looks for", "word.covered": "what is covered", "word.dog": "“dog”", "word.sweater": "“sweater”", "word.snow": "“snow”",
      kind: "Kind of attention", soft: "Soft", hard: "Hard", sharp: "Sharpness",
      ear: "other ear", eyes: "eyes", nose: "nose", fur: "fur", sweater: "sweater", blanket: "blanket", snow: "snow", hidden: "covered",
      picture: "A dog in a sweater before snow, its left ear covered by a yellow square, in 80 patches shaded by attention",
      legend: "Each share is the sum over the patches of that thing. The annotation vectors are four numbers made for this drawing: head, pointed, cloth, background.",
    },
  },
  ko: {
    story: [
      "사람은 그림의 한 부분을 또렷하게 보고 나머지는 대강 봅니다. 한 부분이 가려져 있으면 다른 부분이 그 자리에 무엇이 있는지 알려 줍니다. 코와 두 눈, 뾰족한 귀 하나를 보면 ‘다른 쪽 귀’임을 알 수 있지만, 스웨터나 담요는 도움이 되지 않습니다.",
      "Xu et al. (2015)은 이런 방식으로 그림의 설명문을 썼습니다. 합성곱 신경망이 그림의 조각 i를 주석 벡터 a_i로 바꾸고, 디코더는 단어를 쓰기 전에 모든 조각에 점수를 매깁니다. 가중합 z_t가 디코더가 보는 것입니다. 소프트 어텐션은 모든 조각을 섞으며 역전파로 학습하고, 하드 어텐션은 하나만 고릅니다.",
      "실제로 학습한 모델에서도 확인할 수 있습니다. 명령 ‘jumok train task=captioning’은 그려진 장면을 설명하도록 학습하고, 스튜디오의 ‘그림’ 화면은 설명문의 단어가 각각 어디를 보는지 보여 줍니다. 영역을 지우거나 어텐션을 다른 곳으로 옮기면 설명문이 어떻게 달라지는지 볼 수 있습니다.",
    ],
    play: "디코더가 무엇을 찾는지 골라 보세요. 밝은 조각일수록 어텐션 가중치가 큽니다. 그런 다음 어텐션을 더 날카롭게 만들고, 하드 어텐션으로도 바꿔 보세요.",
    question: "디코더가 노란 사각형 뒤에 무엇이 있는지 추측합니다. 어텐션 가중치가 가장 작은 조각은 무엇일까요?",
    options: ["다른 쪽 귀", "눈과 코", "스웨터, 담요, 눈밭"],
    answer: 2,
    why: "머리에 속한 조각은 디코더가 찾는 것과 맞고, 다른 쪽 귀가 가장 잘 맞습니다. 옷감과 눈밭은 맞지 않으므로 z에 거의 반영되지 않습니다.",
    labels: {
      word: "디코더가 찾는 것", "word.covered": "가려진 곳", "word.dog": "‘개’", "word.sweater": "‘스웨터’", "word.snow": "‘눈밭’",
      kind: "어텐션의 종류", soft: "소프트", hard: "하드", sharp: "날카로움",
      ear: "다른 쪽 귀", eyes: "눈", nose: "코", fur: "털", sweater: "스웨터", blanket: "담요", snow: "눈밭", hidden: "가려진 곳",
      picture: "눈밭 앞에 스웨터를 입은 개. 왼쪽 귀가 노란 사각형에 가려져 있고, 80개 조각이 어텐션에 따라 밝거나 어둡습니다",
      legend: "비율은 그 사물에 속한 조각의 어텐션 가중치를 모두 더한 것입니다. 주석 벡터는 이 그림을 위해 정한 수 네 개(머리, 뾰족함, 옷감, 배경)입니다.",
    },
  },
} satisfies LessonTexts;
