"""Formulas that lessons of the tour show, by lesson and by the part of it they belong to."""

FORMULAS: dict[str, dict[str, str]] = {
    "encoder-decoder": {
        "encoder": "h_i^{(e)} = tanh(W_e x_i + U_e h_{i−1}^{(e)})",
        "handed": "h_0^{(d)} = h_n^{(e)}",
        "decoder": "h_t^{(d)} = tanh(W_d y_{t−1} + U_d h_{t−1}^{(d)})",
    },
    "five-steps": {
        "scores": "e_i = qᵀ h_i",
        "weights": "α_i = exp(e_i) / Σ_j exp(e_j)",
        "alignment": "a_i = α_i h_i",
        "context": "c = Σ_i a_i",
    },
    "worked-scores": {
        "dot": "e = qᵀ k = Σ_i q_i k_i",
        "general": "e = qᵀ W k = Σ_i Σ_j W_{i j} q_i k_j",
        "single": "e = wᵀ [q; k] + b",
        "multi": "e = vᵀ tanh(W [q; k])",
    },
    "gradient-path": {
        "recurrent": "∂h_1^{(d)} / ∂h_i^{(e)} ~ λ × λ × … × λ = λ^{n−i+1}",
        "attention": "c_t = Σ_i α_{t i} h_i → ∂c_t / ∂h_i = α_{t i}",
    },
    "query-key-value": {
        "mean": "ŷ = Σ_i y_i / n",
        "unnormalised": "ŷ(x) = Σ_i K(x, x_i) y_i / n",
        "normalised": "ŷ(x) = Σ_i K(x, x_i) y_i / Σ_j K(x, x_j)",
    },
    "generalise": {
        "similarity": "e_i = f_{att}(q, X_i)",
        "weights": "a = softmax(e)",
        "output": "y = Σ_i a_i X_i",
        "scaled": "e_i = qᵀ X_i / √{D_Q}",
        "many": "E = Q Xᵀ / √{D_Q}",
        "rows": "A = softmax(E)",
        "outputs": "Y = A X",
        "keys": "K = X W_k",
        "values": "V = X W_v",
        "apart": "Y = softmax(Q Kᵀ / √{D_Q}) V",
    },
    "scale": {"attention": "softmax(Q Kᵀ / √{d_k}) V", "variance": "Var(q · k) = d_k"},
    "positions": {
        "attention": "softmax(X Xᵀ / √d) X",
        "even": "PE(pos, 2i) = sin(pos / 10000^{2i/d})",
        "odd": "PE(pos, 2i + 1) = cos(pos / 10000^{2i/d})",
    },
    "architecture": {
        "embedding": "x_i = √d E(w_i) + PE(i)",
        "attention": "head = softmax(Q Kᵀ / √{d_k}) V",
        "heads": "[head_1; …; head_h] W_O",
        "post": "LayerNorm(x + Sublayer(x))",
        "pre": "x + Sublayer(LayerNorm(x))",
        "feed": "FFN(x) = max(0, x W_1 + b_1) W_2 + b_2",
        "output": "p(y_t) = softmax(E s_t + b)",
    },
    "image-attention": {
        "score": "e_{t i} = f_{att}(a_i, h_{t−1})",
        "weights": "α_{t i} = exp(e_{t i}) / Σ_k exp(e_{t k})",
        "context": "z_t = Σ_i α_{t i} a_i",
        "taken": "z_t = a_i, i = argmax_k α_{t k}",
    },
    "copying": {
        "pointer": "p(w) = p_{gen} p_{vocab}(w) + (1 − p_{gen}) p_{copy}(w)",
        "copy": "p_{copy}(w) = Σ_{i: x_i = w} α_i",
        "coverage": "L_t = Σ_i min(α_{t i}, c_{t i})",
    },
    "snail": {
        "attention": "softmax(mask(Q Kᵀ / √{d_k})) V",
        "filter": "f_t = tanh(W_f [x_{t−d}; x_t])",
        "gate": "g_t = σ(W_g [x_{t−d}; x_t])",
        "convolution": "y_t = [x_t; f_t · g_t]",
    },
    "sagan": {
        "weights": "β_{j i} = exp(f(x_i)ᵀ g(x_j)) / Σ_k exp(f(x_k)ᵀ g(x_j))",
        "found": "o_j = Σ_i β_{j i} h(x_i)",
        "output": "y_j = γ o_j + x_j",
    },
}
