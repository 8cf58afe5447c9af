"""A head that can copy: each word is generated from the vocabulary or taken from the source (See et al. 2017)."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, logsigmoid, pad

from jumok.attention.terms import Term, Terms
from jumok.data.sources import Tokens
from jumok.errors import ConfigError
from jumok.models.contract import Decoded, Head, Memory, TokenLoss, logits_loss
from jumok.models.embedding import TokenEmbedding
from jumok.models.pointer_loss import LEAST_COPY, mixture_cross_entropy
from jumok.models.recurrent import xavier_linear
from jumok.shapes import PAD

# Keeps logarithms of a mass finite, and far below what float32 tells from 0 beside a mass of 1.
TINY = 1e-20


class Copying(nn.Module, ABC):
    """Where a pointer reads the distribution over source positions from which it copies."""

    needs_cross: ClassVar[bool]

    @abstractmethod
    def forward(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        """α [B, T, S]: how likely each target position copies each source position."""


class DecoderAttention(Copying):
    """The decoder's own attention: one head of a layer, or the mean of its heads."""

    needs_cross = True

    def __init__(self, layer: int, head: int | None) -> None:
        super().__init__()
        self.layer, self.head = layer, head

    def forward(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        weights_BHTS = cross[self.layer]
        return weights_BHTS.mean(1) if self.head is None else weights_BHTS[:, self.head]


class OwnAttention(Copying):
    """α_t = softmax((W_q o_t)ᵀ (W_k h_i) / √d), used for copying alone."""

    needs_cross = False

    def __init__(self, output_size: int, state_size: int) -> None:
        super().__init__()
        self.W_q = xavier_linear(output_size, output_size, bias=False)
        self.W_k = xavier_linear(state_size, output_size, bias=False)

    def forward(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        query_BTD = self.W_q(outputs_BTD) / math.sqrt(outputs_BTD.shape[-1])
        scores_BTS = query_BTD @ self.W_k(memory.states_BSD).mT
        return scores_BTS.masked_fill(~memory.mask_BS[:, None], -torch.inf).softmax(-1)


@dataclass(frozen=True)
class Mixture:
    """The two parts of a written word's probability, for a batch of positions."""

    gate: Tensor
    """log(p_gen / (1 − p_gen)), [B, T]."""
    copy: Tensor
    """α, [B, T, S]; each row sums to 1, or is 0 where nothing can be copied."""

    @classmethod
    def within(cls, gate_BT: Tensor, weights_BTS: Tensor) -> "Mixture":
        """The mixture of weights that may sum to less than 1: what they leave out is generated.

        With m = Σ_i weights_i:  1 − p_gen = (1 − g) m,  α = weights / m. A window that ends before the source begins
        has m = 0, and so p_gen = 1; a Gaussian over a window has m < 1. Edited weights may sum to more than 1.
        """
        mass_BT = weights_BTS.sum(-1)
        left_BT = (1 - mass_BT).clamp_min(TINY)
        taken_BT = logsigmoid(-gate_BT) + mass_BT.clamp(TINY, 1.0).log()
        made_BT = torch.logaddexp(logsigmoid(gate_BT), logsigmoid(-gate_BT) + left_BT.log())
        return cls(made_BT - taken_BT, weights_BTS / mass_BT.clamp_min(TINY)[..., None])

    @property
    def p_gen(self) -> Tensor:
        """How likely each word is generated rather than copied."""
        return self.gate.sigmoid()


class PointerHead(Head):
    """p(w) = p_gen · p_vocab(w) + (1 − p_gen) · Σ_i α_i [x_i = w].

    The source must be written in the target's vocabulary. Its last `slots` ids are not words: they name the unknown
    words of a source (text.slots), can only be copied, and are left out of p_vocab.

    The paper computes p_gen from context, state and word; here it is σ(w·o_t + b) of the decoder's output o_t, which
    has taken in all three, so that the head serves every decoder.
    """

    def __init__(
        self, output_size: int, count: int, tied: TokenEmbedding | None, copying: Copying, slots: int = 0
    ) -> None:
        super().__init__()
        self.words, self.slots, self.copying = count - slots, slots, copying
        # A tuple hides the module from torch, so that the shared matrix has one name in the state dict.
        self._tied = None if tied is None else (tied,)
        if tied is None:
            self.own_weight = nn.Parameter(
                torch.empty(self.words, output_size).normal_(0.0, 1.0 / math.sqrt(output_size))
            )
        self.bias = nn.Parameter(torch.zeros(self.words))
        self.gate = nn.Linear(output_size, 1)

    @property
    def needs_cross(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the attention over the source must be computed for it."""
        return self.copying.needs_cross

    @property
    def copies_by_outputs(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the attention that copies is its own."""
        return not self.copying.needs_cross

    @property
    def weight(self) -> Tensor:
        """The matrix [V, D] of words that can be generated."""
        return self.own_weight if self._tied is None else self._tied[0].weight[: self.words]

    def mixture(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Mixture:
        """p_gen and α of each position."""
        return Mixture.within(self.gate(outputs_BTD)[..., 0], self.copying(outputs_BTD, memory, cross))

    def terms(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Terms:
        mixed = self.mixture(outputs_BTD, memory, cross)
        log_p_BTV = torch.log_softmax(linear(outputs_BTD, self.weight, self.bias), -1)
        return {
            "p_gen": Term(mixed.p_gen, ("target",)),
            "p_vocab": Term(pad(log_p_BTV.exp(), (0, self.slots)), ("target", "unnamed"), "p_vocab(w)"),
            "copy": Term(mixed.copy, ("target", "source"), "α_i"),
        }

    def copying_weights(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        return self.copying(outputs_BTD, memory, cross)

    def step(self, output_BD: Tensor, memory: Memory, cross: list[Tensor]) -> tuple[Tensor, Tensor | None]:
        outputs_BTD = output_BD[:, None]
        weights_BTS = self.copying_weights(outputs_BTD, memory, cross)
        return self._mixed(outputs_BTD, memory, weights_BTS)[:, 0], weights_BTS[:, 0]

    def logits(self, outputs: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        if outputs.dim() == 2:
            return self.step(outputs, memory, cross)[0]
        return self._mixed(outputs, memory, self.copying_weights(outputs, memory, cross))

    def _mixed(self, outputs: Tensor, memory: Memory, weights_BTS: Tensor) -> Tensor:
        """log p [B, T, V] of all words by the weights of copying."""
        mixed = Mixture.within(self.gate(outputs)[..., 0], weights_BTS)
        logits_BTV = linear(outputs, self.weight, self.bias)
        made_BT1, taken_BT1 = logsigmoid(mixed.gate)[..., None], logsigmoid(-mixed.gate)[..., None]
        ids_BTS = source_ids(memory)[:, None].expand(mixed.copy.shape)
        if torch.is_grad_enabled():
            made_BTV = self._with_slots(torch.log_softmax(logits_BTV, -1) + made_BT1, taken_BT1)
            copied_BTV = torch.zeros_like(made_BTV).scatter_add(-1, ids_BTS, mixed.copy)
            return torch.logaddexp(made_BTV, taken_BT1 + _log_copied(copied_BTV))
        # In place, and logarithms only of words of the source: each pass over the vocabulary counts in a search.
        made_BTV = self._with_slots(torch.log_softmax(logits_BTV, -1).add_(made_BT1), taken_BT1)
        room_BTV = torch.zeros_like(made_BTV) if self.slots else logits_BTV.zero_()  # memory that is at hand
        copied_BTV = room_BTV.scatter_add_(-1, ids_BTS, mixed.copy.to(made_BTV.dtype))
        copied_BTS = taken_BT1 + _log_copied(copied_BTV.gather(-1, ids_BTS))
        return made_BTV.scatter_(-1, ids_BTS, torch.logaddexp(made_BTV.gather(-1, ids_BTS), copied_BTS))

    def _with_slots(self, made_BTV: Tensor, taken_BT1: Tensor) -> Tensor:
        """log p of what is generated, with next to nothing for words that can only be copied."""
        if not self.slots:
            return made_BTV
        never_BTK = (taken_BT1 + math.log(LEAST_COPY)).expand(*taken_BT1.shape[:2], self.slots)
        return torch.cat([made_BTV, never_BTK], -1)

    def loss(self, decoded: Decoded, memory: Memory, target_BT: Tensor, smoothing: float) -> TokenLoss:
        mixed = self.mixture(decoded.outputs_BTD, memory, decoded.attention.cross)
        real_BT = target_BT != PAD
        same_BTS = source_ids(memory)[:, None] == target_BT[..., None]
        copied_BT = (mixed.copy * same_BTS).sum(-1)
        total, nll_N = mixture_cross_entropy(
            decoded.outputs_BTD[real_BT], self.weight, self.bias, target_BT[real_BT], mixed.gate[real_BT],
            copied_BT[real_BT], smoothing,
        )  # fmt: skip
        nll_BT = torch.zeros(target_BT.shape, dtype=nll_N.dtype, device=nll_N.device)
        nll_BT[real_BT] = nll_N.detach()
        return TokenLoss(total, nll_BT)

    def loss_of_logits(self, logits_BTV: Tensor, target_BT: Tensor, smoothing: float) -> TokenLoss:
        return logits_loss(logits_BTV, target_BT, smoothing, self.words)  # what can only be copied gets no share

    def log_probs(self, decoded: Decoded, memory: Memory, target_BT: Tensor) -> Tensor:
        return -self.loss(decoded, memory, target_BT, 0.0).nll_BT.double()


def _log_copied(mass: Tensor) -> Tensor:
    """log of how likely words are copied, −∞ for what is not there to be copied."""
    return mass.clamp_min(LEAST_COPY).log().masked_fill(mass == 0, -torch.inf)


def source_ids(memory: Memory) -> Tensor:
    """The ids [B, S] that can be copied."""
    if not isinstance(memory.source, Tokens):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigError("model.head.kind=pointer copies words, and this source has none; use model.head.kind=linear.")
    return memory.source.ids_BS
