"""Vectors of spelled words, and the lexicon between two lists of them.

    x_w = |F(w)|^(−1/2) Σ_{g ∈ F(w)} v_g            the features F(w) are the word and its n-grams
    log p(e | f) = x_f · y_e + b_e − log Z_f        Z_f = Σ_e' exp(x_f · y_e' + b_e')

Most of the time of an aligner goes into Z: a product of all source words of a batch with all target words there are.
Only Z needs the whole product, so it has a node of its own that keeps one matrix of it and no more.
"""

from collections.abc import Sequence
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from jumok.aligner.spelling import features


class SpelledWords(nn.Module):
    """A vector for each word of a list: the sum of those of its features, scaled to keep its size."""

    def __init__(self, words: Sequence[str], size: int, *, spelled: bool) -> None:
        super().__init__()
        rows, count = features(words, spelled=spelled)
        self.vectors = nn.Parameter(torch.randn(count, size) * 0.1)
        length_N = torch.tensor([len(row) for row in rows])
        feature_F = torch.tensor([number for row in rows for number in row])
        word_F = torch.arange(len(rows)).repeat_interleave(length_N)
        # The same table read by feature: which words have it. The gradient of a sum over features is a sum over words.
        by_feature_F = feature_F.argsort(stable=True)
        words_of_feature_N = torch.bincount(feature_F, minlength=count)
        self.register_buffer("features", feature_F)
        self.register_buffer("lengths", length_N)
        self.register_buffer("begins", length_N.cumsum(0) - length_N)
        self.register_buffer("words", word_F[by_feature_F])
        self.register_buffer("word_begins", words_of_feature_N.cumsum(0) - words_of_feature_N)
        self.features: Tensor
        self.lengths: Tensor
        self.begins: Tensor
        self.words: Tensor
        self.word_begins: Tensor

    def forward(self, words_N: Int[Tensor, " N"]) -> Float[Tensor, "N D"]:
        """The vectors of some words."""
        length_N = self.lengths[words_N]
        offset_N = length_N.cumsum(0) - length_N
        # Feature k of the flat list belongs to word n; it is the (k − offset_n)-th of that word.
        place = torch.arange(int(length_N.sum()), device=words_N.device)
        place = place + (self.begins[words_N] - offset_N).repeat_interleave(length_N)
        return embedding_bag(self.features[place], self.vectors, offset_N, mode="sum") * length_N.rsqrt()[:, None]

    def every(self) -> Float[Tensor, "V D"]:
        """The vectors of all words."""
        table = (self.features, self.begins, self.words, self.word_begins)
        return cast(Tensor, _SumOfAll.apply(self.vectors, *table)) * self.lengths.rsqrt()[:, None]


class _SumOfAll(torch.autograd.Function):
    """Σ of the features of every word; its gradient is the Σ over the words of every feature, just as quick."""

    @staticmethod
    def forward(
        ctx: Any, vectors: Tensor, features: Tensor, begins: Tensor, words: Tensor, word_begins: Tensor
    ) -> Tensor:
        ctx.save_for_backward(words, word_begins)
        return embedding_bag(features, vectors, begins, mode="sum")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        words, word_begins = ctx.saved_tensors
        return embedding_bag(words, gradients[0].contiguous(), word_begins, mode="sum"), None, None, None, None


class _LogNormaliser(torch.autograd.Function):
    """log Σ_e exp(x_f · y_e + b_e) of each row of x.

    The gradient by a row's logits is p(· | f), so  ∂x = g_f Σ_e p(e | f) y_e,  ∂y = Σ_f p(e | f) g_f x_f,
    ∂b = Σ_f p(e | f) g_f: products with the probabilities, which are all that is kept.
    """

    @staticmethod
    def forward(ctx: Any, x_ND: Tensor, y_VD: Tensor, bias_V: Tensor) -> Tensor:
        work_NV = torch.addmm(bias_V, x_ND, y_VD.T)
        peak_N1 = work_NV.amax(-1, keepdim=True)
        work_NV.sub_(peak_N1).exp_()
        sum_N1 = work_NV.sum(-1, keepdim=True)
        ctx.save_for_backward(x_ND, y_VD, work_NV, sum_N1)
        return (sum_N1.log() + peak_N1).squeeze(-1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x_ND, y_VD, work_NV, sum_N1 = ctx.saved_tensors
        # p(e | f) = work / sum; the division goes into the rows instead of the large matrix.
        weight_N1 = gradients[0][:, None] / sum_N1
        return (work_NV @ y_VD) * weight_N1, work_NV.T @ (x_ND * weight_N1), (work_NV.T @ weight_N1).squeeze(-1)


def log_normaliser(
    x_ND: Float[Tensor, "N D"], y_VD: Float[Tensor, "V D"], bias_V: Float[Tensor, " V"]
) -> Float[Tensor, " N"]:
    """log Z of each source word: see above."""
    return cast(Tensor, _LogNormaliser.apply(x_ND, y_VD, bias_V))
