import type { LessonTexts } from "../text";

export const encoderDecoder = {
  en: {
    story: [
      "A sequence-to-sequence model reads one sequence and writes another. The encoder is a recurrent network that reads the source word by word; the decoder is a second one that writes the target word by word (Sutskever et al. 2014; Cho et al. 2014).",
      "Each network uses the same parameters at every step, but the two have different ones. The encoder's last state becomes the decoder's first state h₀. The special word <s> starts the output, and </s> ends it; both are entries of the vocabulary.",
    ],
    play: "Step through the sentence, or press Play. Each strip of four cells is a state, computed here by a tiny network with random parameters; the words are an example.",
    question: "What does the decoder of this model know about the source sentence?",
    options: ["All states of the encoder.", "The encoder's last state only.", "The words themselves."],
    answer: 1,
    why: "The only arrow from the encoder to the decoder carries its last state, which becomes h₀ of the decoder. That vector must hold the whole sentence.",
    labels: {
      sentence: "Sentence", encoder: "Encoder", decoder: "Decoder", used: "used {n} times",
      start: "h₀(e) is a vector of zeros: nothing has been read yet.",
      read: "The encoder reads “{word}”. Its new state h{n}(e) comes from this word and the state before, h{before}(e).",
      handed: "The sentence has been read. The last state h{n}(e) becomes the decoder's first state h₀(d).",
      first: "The decoder reads <s>, the mark of the start, and writes “{word}”. Its parameters are not those of the encoder.",
      write: "The decoder reads the word it has just written, “{before}”, and writes “{word}”.",
      end: "The decoder reads “{before}” and writes {word}, the mark of the end. After {n} steps the output is complete.",
      legend: "Blue cells are negative, orange cells positive. Point at a state to read its numbers.",
    },
  },
  ko: {
    story: [
      "시퀀스-투-시퀀스 모델은 시퀀스를 하나 읽고 다른 시퀀스를 씁니다. 인코더는 원문을 한 단어씩 읽는 순환 신경망이고, 디코더는 번역문을 한 단어씩 쓰는 또 하나의 순환 신경망입니다(Sutskever et al. 2014; Cho et al. 2014).",
      "두 신경망은 각각 모든 시점에서 같은 파라미터를 쓰지만, 인코더의 파라미터와 디코더의 파라미터는 서로 다릅니다. 인코더의 마지막 은닉 상태가 디코더의 첫 은닉 상태 h₀이 됩니다. 특수 토큰 <s>는 출력의 시작을, </s>는 끝을 나타내며 둘 다 어휘에 들어 있습니다.",
    ],
    play: "한 시점씩 넘기거나 재생을 눌러 보세요. 네 칸짜리 띠가 은닉 상태 하나이며, 파라미터가 무작위인 아주 작은 신경망으로 이 화면에서 계산합니다. 단어는 예시입니다.",
    question: "이 모델의 디코더는 원문에 대해 무엇을 알고 있을까요?",
    options: ["인코더의 모든 은닉 상태", "인코더의 마지막 은닉 상태뿐", "원문의 단어 자체"],
    answer: 1,
    why: "인코더에서 디코더로 가는 화살표는 하나뿐이고, 그것이 전달하는 마지막 은닉 상태가 디코더의 h₀이 됩니다. 이 벡터 하나에 문장 전체가 담겨야 합니다.",
    labels: {
      sentence: "문장", encoder: "인코더", decoder: "디코더", used: "{n}번 사용",
      start: "h₀(e)는 0으로 채운 벡터입니다. 아직 아무것도 읽지 않았습니다.",
      read: "인코더가 단어 하나(“{word}”)를 읽습니다. 새 은닉 상태 h{n}(e)는 이 단어와 바로 전 은닉 상태 h{before}(e)로 계산합니다.",
      handed: "문장을 다 읽었습니다. 마지막 은닉 상태 h{n}(e)가 디코더의 첫 은닉 상태 h₀(d)가 됩니다.",
      first: "디코더가 시작을 알리는 <s>를 읽고 첫 단어(“{word}”)를 씁니다. 디코더의 파라미터는 인코더의 파라미터와 다릅니다.",
      write: "디코더가 방금 쓴 단어(“{before}”)를 읽고 다음 단어(“{word}”)를 씁니다.",
      end: "디코더가 마지막 단어(“{before}”)를 읽고 끝을 알리는 토큰({word})을 씁니다. {n}번째 시점에서 출력이 끝났습니다.",
      legend: "파란 칸은 음수, 주황 칸은 양수입니다. 은닉 상태에 마우스를 올리면 숫자가 나옵니다.",
    },
  },
} satisfies LessonTexts;
