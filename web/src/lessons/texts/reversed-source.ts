import type { LessonTexts } from "../text";

export const reversedSource = {
  en: {
    story: [
      "Before attention there was a trick: feed the source in reverse, “I go home” as “home go I” (Sutskever et al. 2014). The first word of the source is then read last, just before the first word of the translation is written, and its trace in the vector is fresh.",
      "Reading backwards does not make the vector larger: the last words of the source are now the ones that are far away. It helps because a translation that begins well continues better.",
    ],
    play: "Switch between the two ways of reading and move the slider: how many steps lie between reading the first source word and writing the first target word? Then compare the curves of the two models, which differ in nothing else.",
    question: "For a source of 8 words, how many words are read after the first one until writing begins, forwards and backwards?",
    options: ["7 forwards, 0 backwards", "0 forwards, 7 backwards", "7 both ways"],
    answer: 0,
    why: "Forwards, the other seven words are read after it; backwards, it is the last word read. The average over all words is the same both ways, so the trick helps most at the beginning, and the rest gains from a good start.",
    labels: {
      way: "Order of reading", forwards: "forwards", backwards: "backwards", reads: "Read in this order:", writes: "Written:",
      distance: "Words read between the first source word and the first target word: {n}",
      places: "Mean probability of a correct word, by its place in the translation, over {n} sentences", axis: "place in the translation",
      first: "first word: {forwards} forwards, {backwards} backwards", all: "all words: {forwards} forwards, {backwards} backwards",
      drawing: "The words in the order of reading, and the way from the first source word to the first target word",
    },
  },
  ko: {
    story: [
      "어텐션이 나오기 전에는 원문을 뒤집어 입력하는 방법이 있었습니다. “I go home”을 “home go I”로 읽는 것입니다(Sutskever et al. 2014). 그러면 원문의 첫 단어를 마지막에, 즉 번역문의 첫 단어를 쓰기 직전에 읽으므로 그 정보가 벡터에 또렷하게 남습니다.",
      "뒤집어 읽어도 벡터가 커지는 것은 아닙니다. 이번에는 원문의 마지막 단어들이 멀어집니다. 그래도 도움이 되는 이유는 시작이 좋은 번역이 더 잘 이어지기 때문입니다.",
    ],
    play: "두 가지 읽는 순서를 바꿔 가며 슬라이더를 움직여 보세요. 원문의 첫 단어를 읽고 나서 번역문의 첫 단어를 쓸 때까지 단어를 몇 개 더 읽나요? 그런 다음 읽는 순서만 다른 두 모델의 곡선을 비교해 보세요.",
    question: "원문이 8단어일 때, 첫 단어를 읽고 나서 쓰기 시작할 때까지 읽는 단어는 몇 개일까요?",
    options: ["순서대로 읽으면 7개, 뒤집어 읽으면 0개", "순서대로 읽으면 0개, 뒤집어 읽으면 7개", "두 경우 모두 7개"],
    answer: 0,
    why: "순서대로 읽으면 나머지 일곱 단어를 그 뒤에 읽고, 뒤집어 읽으면 첫 단어를 마지막에 읽습니다. 모든 단어의 평균 거리는 두 경우가 같으므로 이 방법은 앞부분에 가장 큰 도움이 되고, 나머지는 좋은 시작의 덕을 봅니다.",
    labels: {
      way: "읽는 순서", forwards: "순서대로", backwards: "뒤집어", reads: "읽는 순서:", writes: "쓰는 순서:",
      distance: "원문의 첫 단어와 번역문의 첫 단어 사이에 읽는 단어: {n}개",
      places: "번역문에서의 위치별 정답 단어의 평균 확률({n}문장 평균)", axis: "번역문에서의 위치",
      first: "첫 단어: 순서대로 {forwards}, 뒤집어 {backwards}", all: "모든 단어: 순서대로 {forwards}, 뒤집어 {backwards}",
      drawing: "읽는 순서대로 놓은 단어와, 원문의 첫 단어에서 번역문의 첫 단어까지의 거리",
    },
  },
} satisfies LessonTexts;
