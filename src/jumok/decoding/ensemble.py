"""Several models that write together: at each step the mean of their probabilities decides.

p(y_t | …) = 1/M Σ_m p_m(y_t | …)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.errors import RunError
from jumok.models.contract import AttentionMaps, DecoderState, Memory
from jumok.models.seq2seq import Seq2Seq


@dataclass(frozen=True)
class EnsembleState:
    """A state of each member."""

    members: tuple[DecoderState, ...]

    def select(self, index_N: Tensor, *, same_sources: bool = False) -> "EnsembleState":
        """The rows of every member."""
        return EnsembleState(tuple(state.select(index_N, same_sources=same_sources) for state in self.members))


@dataclass(frozen=True)
class EnsembleOutput:
    """The mean distribution as logits, and the attention of the first member."""

    logits_BV: Tensor
    attention: AttentionMaps


class Ensemble:
    """Models over one target vocabulary; each reads the source through a tokenizer of its own."""

    def __init__(self, members: Sequence[Seq2Seq]) -> None:
        sizes = sorted({model.target_size for model in members})
        if len(sizes) != 1:
            raise RunError(f"an ensemble needs one target vocabulary, these have {sizes} words.")
        self.members = tuple(members)

    def init_state(self, memory: Sequence[Memory]) -> EnsembleState:
        """The state before the first word, from the memory of each member."""
        return EnsembleState(tuple(m.init_state(part) for m, part in zip(self.members, memory, strict=True)))

    def step(
        self, previous_B: Tensor, state: EnsembleState, *, need_weights: bool = False
    ) -> tuple[EnsembleOutput, EnsembleState]:
        """The mean of the members' next-word distributions."""
        log_probs: list[Tensor] = []
        states: list[DecoderState] = []
        attention = AttentionMaps()
        for number, (model, before) in enumerate(zip(self.members, state.members, strict=True)):
            first = number == 0
            output, after = model.step(previous_B, before, need_weights=need_weights and first)
            log_probs.append(output.logits_BV.log_softmax(dim=-1))
            states.append(after)
            attention = output.attention if first else attention
        mean_BV = torch.stack(log_probs).logsumexp(dim=0) - math.log(len(log_probs))
        return EnsembleOutput(mean_BV, attention), EnsembleState(tuple(states))
