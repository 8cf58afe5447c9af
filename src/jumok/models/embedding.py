"""Words as vectors: token embeddings and positions."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from jumok.errors import ShapeError
from jumok.models.dropout import Dropout


class TokenEmbedding(nn.Module):
    """A vector for each word, with dropout.

    Rows start with length about one, which suits an output layer that shares them. A Transformer reads them
    scaled by √E (Vaswani et al. 2017), so that they stand up to the positions that are added. `word_dropout`
    drops whole words, so that no word is learned by its neighbour alone (Gal and Ghahramani 2016).
    """

    def __init__(
        self, count: int, size: int, *, dropout: float, word_dropout: float = 0.0, scaled: bool = False
    ) -> None:
        super().__init__()
        self.count = count
        self.size = size
        self.scale = math.sqrt(size) if scaled else 1.0
        self.weight = nn.Parameter(torch.empty(count, size).normal_(0.0, 1.0 / math.sqrt(size)))
        self.dropout = Dropout(dropout)
        self.word_dropout = Dropout(word_dropout)

    def forward(self, ids: Tensor) -> Tensor:
        words = embedding(ids, self.weight)
        words = self.dropout(words if self.scale == 1.0 else words * self.scale)
        kept = self.word_dropout.scale_like(words[..., :1])
        return words if kept is None else words * kept


class SinusoidalPositions(nn.Module):
    """Waves added to the words (Vaswani et al. 2017).

    p_{i,2k} = sin(i / 10000^{2k/D}),  p_{i,2k+1} = cos(i / 10000^{2k/D})

    With `halves` the sines come first and then the cosines, as in Tensor2Tensor and Marian: the same numbers in another
    order, which matters to weights that were learned with it.
    """

    def __init__(self, size: int, *, halves: bool = False) -> None:
        super().__init__()
        self.size, self.halves = size, halves

    def forward(self, words_BTD: Tensor, first: int = 0) -> Tensor:
        return words_BTD + sinusoids(first, words_BTD.shape[-2], self.size, words_BTD, halves=self.halves)


class LearnedPositions(nn.Module):
    """A learned vector for each of `count` positions, added to the words."""

    def __init__(self, size: int, count: int) -> None:
        super().__init__()
        self.count = count
        self.weight = nn.Parameter(torch.empty(count, size).normal_(0.0, 0.02))

    def forward(self, words_BTD: Tensor, first: int = 0) -> Tensor:
        last = first + words_BTD.shape[-2]
        if last > self.count:
            raise ShapeError(
                f"A sentence of {last} tokens is longer than the {self.count} learned positions; shorten it, "
                "or train with a larger model.decoder.max_positions or with sinusoidal or rotary positions."
            )
        return words_BTD + self.weight[first:last]


class NoPositions(nn.Module):
    """Words as they are, for models that know positions another way (rotary)."""

    def forward(self, words_BTD: Tensor, first: int = 0) -> Tensor:
        return words_BTD


def sinusoids(first: int, count: int, size: int, like: Tensor, *, halves: bool = False) -> Tensor:
    """Sinusoidal vectors [count, size] of the positions from `first` on; with `halves` all sines come first."""
    wide = torch.promote_types(like.dtype, torch.float32)
    index_T = torch.arange(first, first + count, device=like.device, dtype=wide)
    pairs_K = torch.arange(0, size, 2, device=like.device, dtype=wide)
    angles_TK = index_T[:, None] * torch.exp(pairs_K * (-math.log(10_000.0) / size))
    if halves:
        return torch.cat([angles_TK.sin(), angles_TK.cos()], dim=-1)[:, :size].to(like.dtype)
    waves = torch.stack([angles_TK.sin(), angles_TK.cos()], dim=-1).flatten(1)
    return waves[:, :size].to(like.dtype)
