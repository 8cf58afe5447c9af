import type { LessonTexts } from "../text";

export const positions = {
  en: {
    story: [
      "A recurrent network reads words one after the other, so it knows their order. Self-attention looks at all of them at once: a weighted sum does not depend on the order of its terms. Put the words into another order, and each word gets the very same output.",
      "The Transformer therefore adds a vector to each word that tells its position: sines and cosines of different wavelengths (Vaswani et al. 2017). “The dog bites a man” and “a man bites the dog” are then different sentences.",
    ],
    play: "Swap the dog and the man, or move any word with its arrows, without positions. Then add positions and do it again.",
    question: "Without positions, “dog” and “man” change places. What happens to the output of “bites”?",
    options: ["It stays exactly the same.", "It turns around its sign.", "It becomes the output of “dog”."],
    answer: 0,
    why: "“bites” sees the same keys and values in another order, and their weighted sum is the same. Only positions tell who bites whom.",
    labels: {
      choice: "Positions", without: "Without positions", with: "With positions",
      swap: "Swap “{a}” and “{b}”", reverse: "Reverse", first: "First order", left: "Move “{word}” to the left", right: "Move “{word}” to the right",
      position: "position {n}", output: "output", change: "changed by",
      unchanged: "No output has changed: attention does not see the order.", changed: "The outputs have changed, by up to {n}: the order counts.",
      chart: "Sinusoidal positions", place: "position", dimension: "dimension {n}", legend: "Strips are vectors of {n} numbers: blue is negative, orange positive. The words have random vectors; the attention over them is computed here.",
    },
  },
  ko: {
    story: [
      "순환 신경망은 단어를 하나씩 차례로 읽으므로 순서를 압니다. 셀프 어텐션은 모든 단어를 한꺼번에 봅니다. 가중합은 더하는 순서와 상관이 없으므로, 단어의 순서를 바꿔도 각 단어의 출력은 똑같습니다.",
      "그래서 트랜스포머는 단어마다 위치를 나타내는 벡터를 더합니다. 이 벡터는 파장이 서로 다른 사인과 코사인으로 이루어집니다(Vaswani et al. 2017). 그러면 ‘the dog bites a man’과 ‘a man bites the dog’는 다른 문장이 됩니다.",
    ],
    play: "위치를 더하지 않은 채 dog와 man을 맞바꾸거나 화살표로 단어를 옮겨 보세요. 그런 다음 위치를 더하고 다시 해 보세요.",
    question: "위치를 더하지 않고 ‘dog’와 ‘man’의 자리를 바꾸면 ‘bites’의 출력은 어떻게 될까요?",
    options: ["정확히 그대로입니다.", "부호가 반대로 바뀝니다.", "‘dog’의 출력이 됩니다."],
    answer: 0,
    why: "‘bites’가 보는 키와 밸류는 순서만 다르고 내용이 같으므로 가중합도 같습니다. 누가 누구를 무는지는 위치를 더해야 알 수 있습니다.",
    labels: {
      choice: "위치", without: "위치 없음", with: "위치 더하기",
      swap: "‘{a}’ ↔ ‘{b}’ 맞바꾸기", reverse: "뒤집기", first: "처음 순서", left: "‘{word}’ 왼쪽으로", right: "‘{word}’ 오른쪽으로",
      position: "위치 {n}", output: "출력", change: "변화량",
      unchanged: "아무 출력도 바뀌지 않았습니다. 어텐션은 순서를 보지 못합니다.", changed: "출력이 최대 {n}만큼 바뀌었습니다. 이제 순서가 반영됩니다.",
      chart: "사인 함수로 나타낸 위치", place: "위치", dimension: "차원 {n}", legend: "띠는 수 {n}개짜리 벡터이며, 파란색은 음수, 주황색은 양수입니다. 단어 벡터는 무작위이고, 어텐션은 이 화면에서 계산합니다.",
    },
  },
} satisfies LessonTexts;
