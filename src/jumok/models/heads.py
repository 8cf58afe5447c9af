"""Heads: what turns a decoder's outputs into words."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from jumok.errors import ShapeError
from jumok.models.contract import Decoded, Head, Memory, TokenLoss
from jumok.models.cross_entropy import tiled_cross_entropy
from jumok.models.embedding import TokenEmbedding
from jumok.shapes import PAD

LOGITS_AT_ONCE = 4_000_000


class LinearHead(Head):
    """Logits of each word from the decoder's outputs: o Wᵀ + b.

    Given an embedding, W is that embedding's matrix (Press and Wolf 2017) and is stored once, with the
    embedding.
    """

    def __init__(self, output_size: int, count: int, tied: TokenEmbedding | None = None) -> None:
        super().__init__()
        # A tuple hides the module from torch, so that the shared matrix has one name in the state dict.
        self._tied = None if tied is None else (tied,)
        if tied is None:
            self.own_weight = nn.Parameter(torch.empty(count, output_size).normal_(0.0, 1.0 / math.sqrt(output_size)))
        elif (tied.count, tied.size) != (count, output_size):
            raise ShapeError(
                f"An output layer of {count} words and size {output_size} cannot share an embedding "
                f"of {tied.count} words and size {tied.size}; make them equal or do not tie them."
            )
        self.bias = nn.Parameter(torch.zeros(count))

    @property
    def weight(self) -> Tensor:
        """The matrix [V, D]."""
        return self.own_weight if self._tied is None else self._tied[0].weight

    @property
    def layer(self) -> tuple[Tensor, Tensor]:
        return self.weight, self.bias

    def forward(self, outputs: Tensor) -> Tensor:
        return linear(outputs, self.weight, self.bias)

    def logits(self, outputs: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        return self(outputs)

    def loss(self, decoded: Decoded, memory: Memory, target_BT: Tensor, smoothing: float) -> TokenLoss:
        return tiled_cross_entropy(decoded.outputs_BTD, self.weight, self.bias, target_BT, smoothing)

    def log_probs(self, decoded: Decoded, memory: Memory, target_BT: Tensor) -> Tensor:
        mask_BT = target_BT != PAD
        outputs_ND, target_N1 = decoded.outputs_BTD[mask_BT], target_BT[mask_BT][:, None]
        rows = max(1, LOGITS_AT_ONCE // len(self.weight))
        found_BT = torch.zeros(mask_BT.shape, dtype=torch.float64, device=mask_BT.device)
        parts = [
            given_log_probs(self(some_ND), some_N1)
            for some_ND, some_N1 in zip(outputs_ND.split(rows), target_N1.split(rows), strict=True)
        ]
        found_BT[mask_BT] = torch.cat(parts)
        return found_BT


def given_log_probs(logits_NV: Tensor, target_N1: Tensor) -> Tensor:
    """log p [N] of one given word in each row of logits."""
    return (logits_NV.gather(1, target_N1)[:, 0] - logits_NV.logsumexp(dim=-1)).double()
