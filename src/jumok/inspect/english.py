"""The English texts of explanations. Every key stands in `korean.py` too."""

ENGLISH: dict[str, str] = {
    "title.worked": "Attention, step by step: one decoder state looks at four encoder states",
    "title.mechanism": "{name}, step by step",
    "intro.worked": "The decoder is about to write a word. Its state asks, each encoder state answers, and what "
    "comes out is one vector that says what of the source matters now.",
    "intro.other": "Scores say how well each key matches the query, weights turn them into shares, and the "
    "context is the sum of the values with these shares.",
    "intro.nadaraya-watson": "The idea is older than its name. In 1964 Nadaraya and Watson predicted y at a new "
    "x by averaging the y_i that were seen nearby, each weighted by how near its x_i is; nobody called it "
    "attention then. Attention under that name came to translation in 2014 (Bahdanau, Cho and Bengio); 2017 is "
    "the year of the Transformer, which uses nothing else.",
    "intro.bahdanau": "The first attention in translation (2014). The keys are the annotations h_i = [→h_i; "
    "←h_i] of a bidirectional encoder: the forward state and the backward state of word i side by side.",
    "intro.transformer": "Several small looks at once: each head projects query, keys and values for itself.",
    "intro.coverage": "The state c_i remembers how much position i has been looked at so far, and the score sees "
    "it. The same query is asked twice here, so that only the memory can change the second answer.",
    "step": "Step {count}. {title}",
    "look.title": "Query {number}: {query} at position {t}",
    "seeded": "seed {seed}, rounded to two decimals",
    "head.score": "score",
    "head.scope": "scope",
    "head.align": "align",
    "head.paper": "paper",
    "head.seeded": "parameters",
    "head.query": "query q",
    "head.keys": "keys k",
    "head.values": "values v",
    "head.mask": "mask",
    "project.title": "Project for each head",
    "project.text": "{heads} heads, each with vectors of size {size}: every head asks its own question.",
    "score.title": "Score every key",
    "score.dot": "One number for each of the {n} keys: the dot product with the query. The higher it is, the "
    "more the key points where the query points.",
    "score.scaled_dot": "The dot product divided by √{d}: without it the spread of the scores grows with the "
    "size of the vectors and the softmax saturates (see `jumok explain generalise`).",
    "score.general": "The matrix W lets every number of the query meet every number of a key, not only the one "
    "in the same place; with W = I it is the dot product. W is learned.",
    "score.additive": "Query and key are projected into one space and added, tanh bends the sum, and v reads one "
    "number off it. It is a small neural network, learned with the rest, and takes vectors of different sizes.",
    "score.concat": "Query and key are laid end to end and W multiplies both. As W [q; k_i] = W_q q + W_k k_i "
    "with W = [W_q W_k], this is the additive score with its two matrices in one.",
    "score.perceptron": "A multi-layer perceptron reads query and key together and gives one number.",
    "score.perceptron.one": "With a single layer the query adds the same number to every score, and the softmax "
    "cancels it: the weights do not depend on the query at all. Take layers=2 or more.",
    "score.cosine": "Only directions count, lengths do not; β says how sharply. Content-based addressing.",
    "score.location": "The keys are not read at all: the query alone says how good each position is. It knows "
    "only the positions it was trained for.",
    "score.kernel": "The nearer the key, the higher the score. It is the logarithm of a kernel K with bandwidth "
    "h, so that the exponential of the softmax gives K back.",
    "score.uniform": "Every key gets the same score, so all weights are 1/n: the plain average, the baseline to beat.",
    "score.coverage": "The additive score plus w_c c_i, where c_i is the sum of all weights that position i got "
    "before.",
    "score.other": "One number for each of the {n} keys.",
    "order.before": "The query is sₜ₋₁, the state before the step: attention comes first and the step uses it. "
    "Luong's asks with sₜ, after the step.",
    "order.after": "The query is sₜ, the state after the step; Bahdanau's attention asks with sₜ₋₁, before it.",
    "scope.title": "See only what the scope allows",
    "scope.causal": "The query stands at position {t} (counted from 0) and sees nothing after it: {seen} of {n} keys.",
    "scope.window": "The query stands at position {t} and sees its neighbours: {seen} of {n} keys.",
    "scope.local_m": "Monotonic: the window lies around the query's own position {t} (counted from 0), {seen} of "
    "{n} keys. Nothing else is computed, so the cost grows with D and not with n.",
    "scope.local_p": "Predictive: the query itself says where to look, p_t = n · sigmoid(v_pᵀ tanh(W_p s_t)), "
    "somewhere between 0 and n = {n}; {seen} keys lie within D of it.",
    "scope.other": "{seen} of {n} keys are open.",
    "align.title": "Turn scores into weights",
    "align.softmax": "All weights lie between 0 and 1 and sum to 1: the attention distribution. The exponential "
    "is what makes it a softmax; e_i / Σ e_j alone is none and fails as soon as a score is negative. Subtracting "
    "the largest score changes nothing and keeps exp from overflowing.",
    "align.sparsemax": "The nearest point of the simplex: scores at or below the threshold τ get exactly 0, the "
    "others e_i − τ.",
    "align.entmax15": "Half-way between softmax and sparsemax: [e_i/2 − τ]² above the threshold and exactly 0 "
    "below it.",
    "align.entmax": "α decides how sparse the weights are: 1 is softmax, 2 is sparsemax; it can be learned.",
    "align.hard": "Exactly one position gets all the weight: drawn from p = softmax(e) while training, the best "
    "one when decoding. A draw has no gradient; the score-function estimator learns from log p of what was drawn.",
    "align.unnormalised": "The kernel divided by n: near data count more, but nothing makes the weights sum to 1.",
    "align.other": "The weights of this align.",
    "align.nothing": "There is nothing to attend: all weights are 0 and so is the context.",
    "hard.draw": "This draw took position {place}, log p = {log_prob}.",
    "hard.best": "The best position is {place}, log p = {log_prob}.",
    "gaussian.title": "Favour the centre",
    "gaussian.text": "As published, the Gaussian multiplies the weights after the softmax, so they sum to less "
    "than 1; the option renormalise=true makes them sum to 1. The gradient reaches p_t through it.",
    "alignment.title": "Multiply each value by its weight",
    "alignment.text": "Not a dot product: each value is scaled as a whole. These are the alignment vectors; "
    "values with a weight near 0 all but vanish. (Bahdanau's word annotation means the encoder state h_i itself.)",
    "context.title": "Sum the alignment vectors",
    "context.text": "The context vector, the weighted sum of the values. Its length is always that of a value "
    "({size}); what varies is how many there are, one for each step of the decoder.",
    "context.kernel": "The weighted mean of what was seen, most of it from nearby.",
    "context.heads": "Each head's weighted sum, put side by side and mixed by W_o: one vector of size {size}.",
    "decoder.other.title": "Hand the context to the decoder",
    "decoder.kernel.title": "Read off the estimate",
    "decoder.other": "The decoder gets this vector beside its own state and predicts the next word from both.",
    "decoder.bahdanau": "The decoder makes its next state from this vector, the state before and the last word.",
    "decoder.luong": "This vector joins the state s_t after the step, and the word is predicted from s̃_t.",
    "decoder.heads": "This vector is added to what came into the layer, which goes on from there.",
    "decoder.kernel": "The context is the estimate itself.",
    "recap.title": "All in one table (rounded)",
    "recap.key": "key",
    "recap.score": "score",
    "recap.weight": "weight",
    "recap.alignment": "alignment",
    "recap.some": "the {shown} largest of {n} weights",
    "mean.title": "Begin with the plain mean",
    "mean.text": "Whatever x is, predict the mean of all {n} values: a uniform score under a softmax.",
    "unnormalised.title": "Weight by nearness, without normalising",
    "unnormalised.text": "Near data count more now, but the weights α/n sum to {share} and not to 1, so the "
    "estimate is drawn to 0. Dividing by Σ α instead of n is the step that makes it the estimator, and the "
    "softmax does just that.",
    "generalise.title": "Attention generalised, in four steps",
    "generalise.intro": "From the attention of one decoder step to a layer that fits anywhere. Each step changes "
    "one thing, and the numbers show what stays the same.",
    "generalise.seeded": "seed {seed}: five inputs and three queries of size 4",
    "generalise.agree": "({what}: largest difference {gap}.)",
    "generalise.one.title": "One query, a similarity f_att",
    "generalise.one.text": "q is the decoder state and X the encoder states. f_att is a learned network here.",
    "generalise.scaled.title": "f_att becomes the scaled dot product",
    "generalise.scaled.text": "Nothing to learn and far cheaper, with much the same quality; the scale is "
    "measured below.",
    "generalise.many.title": "Many queries in one matrix product",
    "generalise.many.text": "All queries at once instead of one a decoder step. The softmax runs along each row.",
    "generalise.apart.title": "Keys and values part ways",
    "generalise.apart.text": "X was used twice: to be compared and to be summed. With its own matrix for each, a "
    "layer can look for one thing and fetch another; V may even have another size.",
    "generalise.self.title": "Self-attention",
    "generalise.self.text": "Queries, keys and values all come from the same states, each through its own projection.",
    "generalise.cross.title": "Encoder–decoder attention",
    "generalise.cross.text": "Queries come from the decoder's states S, keys and values from the encoder's states H.",
    "generalise.heads.title": "Multi-head attention",
    "generalise.heads.text": "Several smaller looks side by side, then mixed: each head can look somewhere else.",
    "agree.sum": "y and the sum written out by hand",
    "agree.scaled": "e and the dot products one by one",
    "agree.rows": "Y and the queries one by one",
    "agree.identity": "with W_k = W_v = I, Y and that of step 3",
    "agree.projections": "Y and scaled_dot on the projections",
    "agree.cross": "Y and scaled_dot on the projections",
    "agree.heads": "Y and two small scaled_dots put together",
    "scale.title": "Why the dot product is scaled: a measurement",
    "scale.text": "Normal vectors, 16 keys, medians of 256 draws. From d = {first} to d = {last} the gradient of "
    "the unscaled softmax shrinks {loss} times while one weight takes {peak} of everything; divided by √d the "
    "largest weight stays at {scaled} and the gradient where it was.",
    "scale.size": "d",
    "scale.spread": "std of qᵀk",
    "scale.peak": "largest weight, unscaled",
    "scale.peak.scaled": "largest weight, scaled",
    "scale.gradient": "‖∂a/∂e‖, unscaled",
    "scale.gradient.scaled": "‖∂a/∂e‖, scaled",
    "plot.data": "data",
    "plot.mean": "plain mean",
    "plot.unnormalised": "unnormalised (1/n) Σ α y",
    "plot.normalised": "normalised (Nadaraya–Watson)",
    "plot.regression": "Kernel regression: {profile} kernel, h = {h}",
    "plot.weights": "Weights",
    "plot.weight": "weight",
    "plot.at": "predicted at x",
    "plot.datum": "data point i, in order of x_i",
    "plot.position": "source position i",
    "plot.query": "query",
    "plot.head": "head",
    "plot.size": "size d of the vectors",
    "plot.peak": "Largest weight",
    "plot.gradient": "Gradient of the softmax",
    "plot.unscaled": "qᵀk",
    "plot.scaled": "qᵀk / √d",
    "table.name": "name",
    "table.score": "score",
    "table.scope": "scope",
    "table.align": "align",
    "table.paper": "paper",
    "table.good_for": "good for",
}
