import type { LessonTexts } from "../text";

export const copying = {
  en: {
    story: [
      "A headline takes names and numbers over as they are, and most of them were never seen in training. A vocabulary cannot hold them: a model that only generates must write <unk>, or another name.",
      "The pointer (See, Liu and Manning 2017) writes each word in one of two ways. With probability p_gen it is generated from the vocabulary, otherwise it is copied from the place of the report where the decoder looks. A word that both ways can write gets both shares.",
      "A decoder that looks at the same place again says the same thing again. Coverage is the sum of the attention so far; the coverage loss is what a new look shares with it. A summary may skip words: what was never looked at costs nothing.",
    ],
    play: "Move p_gen and watch which word wins; Corbadin and Velton are in no vocabulary. Then compare a headline that repeats itself with one that moves on.",
    question: "How can the model write Corbadin, a name that is not in its vocabulary?",
    options: ["By raising p_gen to 1.", "By looking at it in the report and lowering p_gen.", "By a larger coverage loss."],
    answer: 1,
    why: "p_vocab(Corbadin) is 0, so all of its probability is (1 − p_gen) · α. With p_gen = 1 it is 0. Coverage only keeps the decoder from looking twice.",
    labels: {
      generate: "p_gen", word: "Word", unknown: "(not in the vocabulary)",
      claim: "The likeliest word is {word}, with p = {p}.",
      coverage: "Coverage before each written word", again: "Repeats itself", new: "Moves on",
      repeats: "The third and fourth word look where the first two did. Coverage loss:", moves: "Each word looks at something new. Coverage loss:",
    },
  },
  ko: {
    story: [
      "제목은 이름과 숫자를 그대로 가져다 씁니다. 그런데 이름과 숫자는 대부분 학습할 때 본 적이 없고, 어휘에 모두 담을 수도 없습니다. 생성만 하는 모델은 <unk>나 다른 이름을 쓸 수밖에 없습니다.",
      "포인터(See, Liu, Manning 2017)는 단어를 두 가지 방법으로 씁니다. p_gen의 확률로 어휘에서 생성하고, 그렇지 않으면 디코더가 보고 있는 자리의 단어를 복사합니다. 두 방법으로 모두 쓸 수 있는 단어는 두 확률을 더합니다.",
      "같은 자리를 다시 보는 디코더는 같은 말을 다시 합니다. 커버리지는 지금까지의 어텐션을 더한 값이고, 커버리지 손실은 새 어텐션이 커버리지와 겹치는 만큼입니다. 요약은 단어를 건너뛰어도 되므로 한 번도 보지 않은 단어에는 손실이 없습니다.",
    ],
    play: "p_gen을 움직이며 어느 단어가 이기는지 보세요. Corbadin과 Velton은 어휘에 없습니다. 그다음 같은 말을 되풀이하는 제목과 그렇지 않은 제목을 비교해 보세요.",
    question: "어휘에 없는 이름 Corbadin을 모델은 어떻게 쓸 수 있을까요?",
    options: ["p_gen을 1로 올려서", "본문에서 그 이름을 보고 p_gen을 낮춰서", "커버리지 손실을 키워서"],
    answer: 1,
    why: "p_vocab(Corbadin)은 0이므로 확률은 모두 (1 − p_gen) · α에서 옵니다. p_gen = 1이면 0이 됩니다. 커버리지는 같은 곳을 두 번 보지 않게 할 뿐입니다.",
    labels: {
      generate: "p_gen", word: "단어", unknown: "(어휘에 없음)",
      claim: "확률이 가장 높은 단어는 {word}이고 p = {p}입니다.",
      coverage: "단어를 쓰기 전의 커버리지", again: "되풀이함", new: "다음으로 나아감",
      repeats: "셋째와 넷째 단어가 첫째와 둘째 단어가 본 곳을 다시 봅니다. 커버리지 손실:", moves: "단어마다 새로운 곳을 봅니다. 커버리지 손실:",
    },
  },
} satisfies LessonTexts;
