"""The English texts of explanations, with the same keys as `korean.py`."""

ENGLISH: dict[str, str] = {
    "title.worked": "Attention, step by step: one decoder state looks at four encoder states",
    "title.mechanism": "{name}, step by step",
    "intro.worked": "The decoder is about to write a word. Its state (the query) is compared with each encoder "
    "state; the result is one vector that contains what matters in the source now.",
    "intro.other": "A score says how well a key matches the query. The normalised scores are the attention "
    "weights, and the context vector is the sum of the values with these weights.",
    "intro.nadaraya-watson": "The idea is older than its name. In 1964 Nadaraya and Watson predicted y at a new "
    "x by averaging the y_i that were seen nearby, each weighted by how near its x_i is; nobody called it "
    "attention then. The name attention was first used in translation in 2014 (Bahdanau, Cho and Bengio); the "
    "Transformer, which has attention in place of recurrence, followed in 2017.",
    "intro.bahdanau": "The first attention in translation (2014). The keys are the annotations h_i = [→h_i; "
    "←h_i] of a bidirectional encoder: the forward and the backward state of word i, concatenated.",
    "intro.transformer": "Several small attentions in parallel: each head projects query, keys and values itself.",
    "intro.coverage": "The coverage cov_i remembers how much position i has been looked at so far, and the score uses "
    "it. The same query is used twice here, so that only this memory can change the second result.",
    "example.general": "Here the dot product of q with k_0 is {dot} (W = I); with the diagonal of W alone the score "
    "is "
    "{diagonal}, and with the cross terms it is {all}.",
    "example.additive": "Here the small network has two hidden units, u_{{i,0}} and u_{{i,1}}.",
    "example.concat": "Here q = [1 3] and k_0 = [2 -5] are concatenated to [q; k_0] = [1 3 2 -5].",
    "example.perceptron.1": "Here a single layer reads [q; k_0] = [1 3 2 -5] with one weight for each of the four "
    "numbers.",
    "example.perceptron.2": "Here two layers read [q; k_0] = [1 3 2 -5]: two hidden units with tanh, then one sum of "
    "them.",
    "step": "Step {count}. {title}",
    "use": "Use {count}. {title}",
    "measurement": "Measurement. {title}",
    "look.title": "Query {number}: {query} at position {t}",
    "seeded": "seed {seed}, rounded to two decimals",
    "head.score": "score",
    "head.scope": "scope",
    "head.align": "normalise",
    "head.paper": "paper",
    "head.seeded": "parameters",
    "head.query": "query q",
    "head.keys": "keys k",
    "head.values": "values v",
    "head.mask": "mask",
    "project.title": "Project for each head",
    "project.text": "{heads} heads, each with vectors of size {size}; each head has its own projections.",
    "score.title": "Score every key",
    "score.title.scoped": "Score the keys inside the scope",
    "score.hidden": "The score of a position that cannot be seen is −inf, so that its weight is exactly 0.",
    "score.dot": "One number for each of the {n} keys: the dot product with the query. It grows "
    "as the key points more in the direction of the query, and with the key's length.",
    "score.scaled_dot": "The dot product is divided by √d_k = √{d}: without it the spread of the scores grows with "
    "the "
    "size of the vectors and the softmax saturates (see `jumok explain generalise`).",
    "score.general": "The matrix W multiplies every number of the query with every number of a key: W_ab q_a k_b. "
    "With "
    "a = b these are the products of the dot product, each with a weight of its own; those with a ≠ b are cross "
    "terms, "
    "which the dot product does not have. W = I gives the dot product. W is learned.",
    "score.additive": "Query and key are projected into one space and added; tanh is applied to the sum, and the "
    "product with v_a is the score. This small network is learned with the rest, and the sizes may differ.",
    "score.concat": "Query and key are concatenated and multiplied by W. As W [q; k_i] = W_q q + W_k k_i "
    "with W = [W_q W_k], this is the additive score with its two matrices in one.",
    "score.perceptron": "A perceptron reads query and key together, layer by layer, and gives one number.",
    "score.perceptron.one": "With a single layer the query adds the same number to every score, and the softmax "
    "cancels it: the weights do not depend on the query at all. Use layers=2 or more.",
    "score.cosine": "Only directions matter, not lengths; a larger β gives a sharper distribution. "
    "Content-based addressing.",
    "score.location": "The keys are not read at all: the query alone gives the score of each position. Only "
    "positions that were trained have one.",
    "score.kernel": "The nearer the key, the higher the score. It is the logarithm of a kernel K with bandwidth "
    "h, so that the exponential of the softmax gives K again.",
    "score.uniform": "Every key gets the same score, so all weights are 1/n: the plain average, the baseline to beat.",
    "score.coverage": "The additive score with w_c cov_i added inside tanh, where cov_i is the sum of all weights "
    "that position i has "
    "received before.",
    "score.other": "One number for each of the {n} keys.",
    "order.before": "The query is sₜ₋₁, the state before the step: attention is computed first and the step uses "
    "it. Luong's attention uses sₜ, after the step, as its query.",
    "order.after": "The query is sₜ, the state after the step; Bahdanau's attention uses sₜ₋₁, before it.",
    "scope.title": "Choose the keys inside the scope",
    "scope.causal": "The query is at position {t} (counted from 0) and sees nothing after it: {seen} of {n} keys.",
    "scope.window": "The query is at position {t} (counted from 0) and sees the keys up to w positions away: {seen} "
    "of "
    "{n} keys.",
    "scope.local_m": "Monotonic: the window reaches D positions to each side of the query's own position {t} "
    "(counted from 0), {seen} of {n} keys. Nothing else is computed, so the cost grows with D and not with n.",
    "scope.local_p": "Predictive: the centre p_t = n · sigmoid(v_pᵀ tanh(W_p q)) is predicted from the query and lies "
    "between 0 and n = {n}. The window reaches D to each side of it, {seen} of {n} keys; σ = D/2 is the width of the "
    "Gaussian that multiplies their weights below.",
    "scope.other": "{seen} of {n} keys are visible.",
    "align.title": "Turn scores into weights",
    "align.softmax": "All weights are between 0 and 1 and sum to 1: the attention distribution. The exponential is "
    "essential: e_i / Σ e_j without it is not a probability when a score is negative. Subtracting the largest "
    "score from all of them does not change the result and prevents an overflow of exp.",
    "align.sparsemax": "The projection of the scores onto the probability simplex: scores at or below the threshold τ "
    "get exactly 0, the others e_i − τ.",
    "align.entmax15": "Half-way between softmax and sparsemax: [e_i/2 − τ]² above the threshold and exactly 0 "
    "below it.",
    "align.entmax": "γ, the α of α-entmax (named γ here because α_i is a weight), decides how sparse the weights are: "
    "1 is softmax, 2 is sparsemax; it can be learned.",
    "align.hard": "Exactly one position gets all the weight: sampled from p = softmax(e) in training, the best "
    "one when decoding. Sampling is not differentiable; the gradient is estimated with log p (REINFORCE).",
    "align.unnormalised": "The kernel divided by n: near data count more, but the weights need not sum to 1.",
    "align.other": "The weights of this normaliser.",
    "align.nothing": "No position is visible: all weights are 0, and so is the context vector.",
    "hard.draw": "The sampled position is {place}, log p = {log_prob}.",
    "hard.best": "The best position is {place}, log p = {log_prob}.",
    "gaussian.title": "Multiply by a Gaussian around the centre",
    "gaussian.text": "As published, the Gaussian multiplies the weights after the softmax, so they sum to less "
    "than 1; the option renormalise=true makes them sum to 1. The gradient reaches p_t through it.",
    "gaussian.renormalised": "The Gaussian multiplies the weights after the softmax; with renormalise=true they are "
    "divided by their sum and sum to 1 again. The gradient reaches p_t through the Gaussian.",
    "alignment.title": "Multiply each value by its weight",
    "alignment.text": "Not a dot product: each value is scaled as a whole. These are the alignment vectors; "
    "values with a weight near 0 almost vanish. (Bahdanau's word annotation means the encoder state h_i itself.)",
    "context.title": "Sum the alignment vectors",
    "context.text": "The context vector, the weighted sum of the values. Its length is always that of a value "
    "({size}); what varies is their number, one per step of the decoder.",
    "context.kernel": "The weighted mean of the observed values, mostly from nearby data.",
    "context.heads": "The weighted sums of all heads, concatenated and multiplied by W_o: one vector of size {size}.",
    "decoder.other.title": "Pass the context vector to the decoder",
    "decoder.heads.title": "Pass the result to the next layer",
    "decoder.kernel.title": "Read the estimate",
    "decoder.other": "The decoder predicts the next word from this vector and its own state.",
    "decoder.bahdanau": "The decoder computes its next state from this vector, the previous state and the last word.",
    "decoder.luong": "This vector is combined with the state s_t after the step, and the word is predicted from s̃_t.",
    "decoder.heads": "This vector is added to the input of the layer and passed on to the next one.",
    "decoder.kernel": "The context vector is the estimate itself.",
    "words.title": "Choose a word",
    "words.generated": "The output vector is compared with every word of the vocabulary; a softmax turns it into "
    "probabilities.",
    "words.copied": "A word is generated with probability p_gen and copied otherwise: p_vocab is the softmax over the "
    "vocabulary, and what is copied follows the weights α of the source positions that hold the word. The sum is "
    "that of the most likely word.",
    "recap.title": "All in one table (rounded)",
    "recap.key": "key",
    "recap.score": "score",
    "recap.weight": "weight",
    "recap.alignment": "alignment",
    "recap.some": "the {shown} largest of {n} weights, in order of position",
    "mean.title": "Start from the plain mean",
    "mean.text": "Whatever x is, predict the mean of all {n} values: a uniform score under a softmax.",
    "unnormalised.title": "Weight by nearness, without normalising",
    "unnormalised.text": "Near data count more now, but the weights α(x, x_i)/n sum to {share} and not to 1, "
    "so the estimate is biased towards 0. Dividing by Σ α(x, x_i) instead of n gives the Nadaraya–Watson estimator, "
    "and this is "
    "what the softmax does.",
    "generalise.title": "Attention generalised: four steps, three uses and one measurement",
    "generalise.intro": "From the attention of one decoder step to a layer that fits anywhere. Each step changes "
    "one thing, and the numbers show what stays the same.",
    "generalise.seeded": "seed {seed}: five inputs and three queries of size 4",
    "generalise.agree": "({what}: largest difference {gap}.)",
    "generalise.one.title": "One query, a similarity f_att",
    "generalise.one.text": "q is the decoder state and X the encoder states. f_att is a learned network here.",
    "generalise.scaled.title": "f_att becomes the scaled dot product",
    "generalise.scaled.text": "No parameters and much cheaper, with similar quality; why it is scaled is "
    "measured below.",
    "generalise.many.title": "Many queries in one matrix product",
    "generalise.many.text": "All queries at once instead of one per decoder step. The softmax is taken over each row.",
    "generalise.apart.title": "Separate keys and values",
    "generalise.apart.text": "X was used twice: to be compared and to be summed. With a matrix for each, the layer "
    "learns separately what to look for (keys) and what to retrieve (values); V may have another size.",
    "generalise.self.title": "Self-attention",
    "generalise.self.text": "Queries, keys and values all come from the same states, each through its own projection.",
    "generalise.cross.title": "Encoder–decoder attention",
    "generalise.cross.text": "Queries come from the decoder's states S, keys and values from the encoder's states H.",
    "generalise.heads.title": "Multi-head attention",
    "generalise.heads.text": "Several smaller attentions in parallel, then combined: each can look somewhere else.",
    "agree.sum": "y and the sum computed by hand",
    "agree.scaled": "e and the dot products one by one",
    "agree.rows": "Y and the queries one by one",
    "agree.identity": "with W_k = W_v = I, Y and that of step 3",
    "agree.projections": "Y and scaled_dot on the projections",
    "agree.cross": "Y and scaled_dot on the projections",
    "agree.heads": "Y and two small scaled_dots combined",
    "scale.title": "Why the dot product is scaled",
    "scale.text": "Normal vectors, 16 keys, medians of 256 samples. From d = {first} to d = {last} the gradient of "
    "the unscaled softmax shrinks {loss} times while the largest weight reaches {peak}; divided by √d the "
    "largest weight stays at {scaled} and the gradient does not change.",
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
    "table.align": "normalise",
    "table.paper": "paper",
    "table.good_for": "good for",
}
