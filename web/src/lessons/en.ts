import type { LessonTexts } from "./text";

export const lessonsEn: LessonTexts = {
  bottleneck: {
    title: "The bottleneck",
    story: [
      "A sequence-to-sequence model has two halves. The encoder reads the source word by word and keeps one vector of fixed size; the decoder starts from that vector and writes the translation (Sutskever et al. 2014; Cho et al. 2014).",
      "Whether the sentence has three words or thirty, all of its content must fit into a vector of the same size. What was read first is diluted most.",
    ],
    play: "Move the slider to longer sentences. Each bar is the probability that this model, which has no attention, gives to a word of the right translation; the dots are the sentences you have tried.",
    question: "Why do long sentences suffer more than short ones in this model?",
    options: [
      "Its vocabulary lacks the words of long sentences.",
      "The whole sentence must pass through one vector of fixed size.",
      "The decoder is not allowed to write long sentences.",
    ],
    answer: 1,
    why: "The vector between encoder and decoder does not grow with the sentence. The longer the sentence, the more words have to share it.",
  },
  attention: {
    title: "Attention",
    story: [
      "Bahdanau et al. (2015) kept all states of the encoder and let the decoder look at them again before each word. A score says how well each state matches what the decoder needs now; a softmax turns scores into weights that sum to one; the weighted mean of the states is the context vector.",
      "The model is not told which word corresponds to which. The alignment in the picture was learned from pairs of sentences alone.",
    ],
    play: "Type a sentence, or use the one given. Above: the probability that the models without and with attention give to each correct word. Below: where the second model looked.",
    question: "What is the context vector of one step?",
    options: [
      "The last state of the encoder.",
      "The encoder state with the highest score.",
      "The mean of all encoder states, weighted by attention, computed again at every step.",
    ],
    answer: 2,
    why: "The weights differ from step to step, so the context vector does too: no single fixed vector has to hold everything.",
  },
  scores: {
    title: "Ways to score",
    story: [
      "A score is a number for a query and a key. The dot product measures whether they point in the same direction. “General” puts a learned matrix between them (Luong et al. 2015). Additive attention passes both through a small network (Bahdanau et al. 2015).",
      "What follows, the softmax and the weighted mean, is the same for all of them.",
    ],
    play: "The same sentence with three scores. Look for rows where they differ; dashed boxes are the gold links.",
    question: "Which of the three works without any parameters of its own?",
    options: ["dot product", "general", "additive"],
    answer: 0,
    why: "The dot product only multiplies query and key, which must then have the same size. General learns W, additive learns W_q, W_k and v.",
  },
  "soft-hard-global-local": {
    title: "Soft or hard, global or local",
    story: [
      "Soft attention looks at every position to some degree and can be trained by backpropagation. Hard attention picks one position; the choice is sampled, so its gradient must be estimated (Xu et al. 2015).",
      "Global attention scores every position. Local attention predicts a centre and looks only at a window around it, weighted by a Gaussian (Luong et al. 2015).",
    ],
    play: "Compare a soft global, a hard and a local model on one sentence: how many cells of a row have a weight above 0?",
    question: "Why is hard attention harder to train than soft attention?",
    options: [
      "It has more parameters.",
      "The choice of one position is not differentiable.",
      "It must score more positions.",
    ],
    answer: 1,
    why: "Sampling is not differentiable. The gradient is estimated from samples (REINFORCE), and the estimate has a high variance.",
  },
  "query-key-value": {
    title: "Query, key, value — and 1964",
    story: [
      "Nadaraya and Watson (1964) predicted y at a point x by a weighted mean of the known y_i, with more weight on points whose x_i is near. Call x the query, x_i the keys and y_i the values, and it is attention: similarity, normalisation, weighted mean.",
      "Today's attention learns what “near” means; kernel regression fixes it with a kernel and its bandwidth.",
    ],
    play: "Move the query along the axis and watch the points grow with their weights. Then make the bandwidth small, and large.",
    question: "What happens to the prediction when the bandwidth grows very large?",
    options: [
      "It becomes the value of the nearest key.",
      "It becomes the plain mean of all values.",
      "It becomes zero.",
    ],
    answer: 1,
    why: "With a wide kernel all keys are about equally near, so all weights are equal: a softmax at high temperature does the same.",
  },
  "self-attention": {
    title: "Self-attention",
    story: [
      "So far the decoder looked at the encoder. In self-attention a sentence looks at itself: each word is a query, and the same words are keys and values (Cheng et al. 2016; Vaswani et al. 2017).",
      "Every word reaches every other in one step, and all of them at once; a recurrent network needs as many steps as there are words between them.",
    ],
    play: "Rows are words that look, columns words that are looked at. Choose a word and follow its row. Then switch to the decoder's self-attention: why is half of it empty?",
    question: "Why can a word of the decoder not look at later words of the target?",
    options: [
      "They are not written yet when it is computed.",
      "They would make the matrix too large.",
      "They belong to another language.",
    ],
    answer: 0,
    why: "In training the whole target is known, so later words are masked; otherwise the model would copy the answer instead of predicting it.",
  },
  "multi-head": {
    title: "Many heads",
    story: [
      "One attention distribution can express only one relation. Multi-head attention projects queries, keys and values several times into smaller spaces, attends in each, and joins the results (Vaswani et al. 2017).",
      "One head may follow word order, another the verb, another nothing in particular. The mean over heads hides such differences.",
    ],
    play: "Each small picture is a head. Choose some, then the mean of a layer: which heads disappear in it?",
    question: "A model of width 128 has 4 heads. How wide is each head usually?",
    options: ["128", "32", "512"],
    answer: 1,
    why: "The heads share the width: 4 × 32 = 128. Several heads therefore cost about as much as one wide head.",
  },
  transformer: {
    title: "The Transformer",
    story: [
      "“Attention is all you need”: the Transformer has no recurrence at all. The encoder stacks self-attention and feed-forward layers; the decoder adds cross-attention to the encoder in every layer; positions are added as a separate signal.",
      "Cross-attention is still what the first attention model had: the target looks at the source. You know all its parts now.",
    ],
    play: "The recurrent model with attention and the Transformer on the same sentence. Compare their maps and alignment errors, then open it in the other views.",
    question: "What tells a Transformer the order of the words?",
    options: [
      "It reads them one after the other.",
      "Positions are added to the word vectors.",
      "The softmax keeps the order.",
    ],
    answer: 1,
    why: "Attention itself does not see order: shuffle the keys with their values and the result is the same. Positions must be added explicitly.",
  },
};
