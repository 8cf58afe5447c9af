"""The history of back-pointers that hypotheses are read from when the search is over.

During search nothing is copied but row numbers: each step notes for every row which row of the step before it
grew from. The tokens and the attention of a hypothesis are collected at the end, by following those pointers
backwards, so attention follows each hypothesis through every reordering.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from jumok.decoding.alignment_choice import reason_against
from jumok.decoding.lists import bools, float_rows, floats, int_rows, ints
from jumok.decoding.outcome import BeamNode, BeamTree, Hypothesis, NodeState, SentenceAttention, Weights
from jumok.errors import InputError
from jumok.models.contract import AttentionMaps

__all__ = [
    "BeamNode",
    "BeamTree",
    "Ends",
    "History",
    "Hypothesis",
    "Keep",
    "NodeState",
    "SentenceAttention",
    "Traced",
    "Weights",
    "as_numpy",
    "read_hypotheses",
    "reduce_cross",
    "trace",
]


@dataclass(frozen=True)
class Keep:
    """What is kept of the attention: nothing, the one matrix that alignment reads, or every layer and head."""

    layer: int | None = None
    """The cross-attention layer for alignment, None for none."""
    heads: tuple[int, ...] | None = None
    """Its heads, None for all."""
    everything: bool = False

    @property
    def any(self) -> bool:
        return self.everything or self.layer is not None


def reduce_cross(cross: list[Tensor], layer: int, heads: tuple[int, ...] | None) -> Tensor | None:
    """The mean over the heads of one layer, [B, T, S]; None where the model has no cross attention."""
    if not cross:
        return None
    if reason := reason_against(layer, heads, len(cross), cross[0].shape[1]):
        raise InputError(reason)
    weights_BHTS = cross[layer]
    if heads is not None:
        weights_BHTS = weights_BHTS[:, list(heads)]
    return weights_BHTS.mean(dim=1)


@dataclass
class StepRecord:
    """One step of the search: the rows after it, and the attention of the rows before it."""

    parent_N: Tensor
    token_N: Tensor
    log_prob_N: Tensor
    cross_MS: Tensor | None
    maps: AttentionMaps | None


@dataclass
class History:
    """The steps so far."""

    keep: Keep
    steps: list[StepRecord] = field(default_factory=list[StepRecord])

    def attention_of(self, maps: AttentionMaps) -> tuple[Tensor | None, AttentionMaps | None]:
        """The part of a step's attention that is kept."""
        cross_MS = None
        if self.keep.layer is not None:
            cross_MTS = reduce_cross(maps.cross, self.keep.layer, self.keep.heads)
            cross_MS = None if cross_MTS is None else cross_MTS[:, 0]
        return cross_MS, maps if self.keep.everything else None

    def add(self, parent_N: Tensor, token_N: Tensor, log_prob_N: Tensor, maps: AttentionMaps) -> None:
        """Notes a step."""
        cross_MS, kept = self.attention_of(maps)
        self.steps.append(StepRecord(parent_N, token_N, log_prob_N, cross_MS, kept))


class Ends(NamedTuple):
    """Finished hypotheses to be read from a history, each with the row that EOS was appended to.

    `step_M` is the step that wrote EOS, `row_M` the row before that step, `sentence_M` the sentence of the batch.
    """

    sentence_M: Tensor
    step_M: Tensor
    row_M: Tensor
    log_prob_M: Tensor
    score_M: Tensor
    truncated_M: Tensor

    def select(self, index: Tensor) -> "Ends":
        """The given ends, in that order."""
        return Ends(*(column[index] for column in self))


@dataclass
class Traced:
    """What following the back-pointers collects, over the M ends and T = longest steps."""

    token_MT: Tensor
    log_prob_MT: Tensor
    """Cumulative."""
    cross_MTS: Tensor | None
    decoder: list[Tensor]
    cross: list[Tensor]


def trace(history: History, ends: Ends) -> Traced:
    """Tokens and attention of each end, collected by following its back-pointers from the last step to the first."""
    count, longest = len(ends.row_M), int(ends.step_M.max()) + 1
    device = ends.row_M.device
    token_MT = torch.zeros(count, longest, dtype=torch.long, device=device)
    log_prob_MT = torch.zeros(count, longest, dtype=torch.float64, device=device)
    steps = history.steps[:longest]
    traced = Traced(token_MT, log_prob_MT, *_empty_maps(steps, count, longest))
    # Before step t a hypothesis is row `row_M` of the rows that step t − 1 left.
    row_M = ends.row_M.clone()
    for t in range(longest - 1, -1, -1):
        under_way = (t < ends.step_M).nonzero()[:, 0]
        if len(under_way):
            record, rows = steps[t], row_M[under_way]
            token_MT[under_way, t] = record.token_N[rows]
            log_prob_MT[under_way, t] = record.log_prob_N[rows]
            row_M[under_way] = record.parent_N[rows]
        looking = (t <= ends.step_M).nonzero()[:, 0]
        _collect(traced, steps[t], t, looking, row_M[looking])
    at_M = torch.arange(count, device=device)
    log_prob_MT[at_M, ends.step_M] = ends.log_prob_M
    return traced


def _empty_maps(steps: list[StepRecord], count: int, longest: int) -> tuple[Tensor | None, list[Tensor], list[Tensor]]:
    """Zeros that the attention of all steps is written into."""
    first = steps[0]
    cross_MTS = None
    if first.cross_MS is not None:
        cross_MTS = first.cross_MS.new_zeros(count, longest, first.cross_MS.shape[-1])
    if first.maps is None:
        return cross_MTS, [], []
    decoder = [layer.new_zeros(count, layer.shape[1], longest, longest) for layer in first.maps.decoder]
    cross = [layer.new_zeros(count, layer.shape[1], longest, layer.shape[-1]) for layer in first.maps.cross]
    return cross_MTS, decoder, cross


def _collect(traced: Traced, record: StepRecord, t: int, ends: Tensor, rows: Tensor) -> None:
    """Writes the attention of step t for those ends that were under way."""
    if traced.cross_MTS is not None and record.cross_MS is not None:
        traced.cross_MTS[ends, t] = record.cross_MS[rows]
    if record.maps is None:
        return
    for collected, layer in zip(traced.cross, record.maps.cross, strict=True):
        collected[ends, :, t] = layer[rows, :, 0]
    for collected, layer in zip(traced.decoder, record.maps.decoder, strict=True):
        collected[ends, :, t, : layer.shape[-1]] = layer[rows, :, 0]


def read_hypotheses(history: History, ends: Ends, encoder: list[Tensor], source_lengths: list[int]) -> list[Hypothesis]:
    """The hypotheses of the ends, in their order; attention is cut to each sentence's own lengths."""
    if len(ends.row_M) == 0:
        return []
    traced = trace(history, ends)
    everything = history.keep.everything
    sentences, steps = ints(ends.sentence_M), ints(ends.step_M)
    scores, truncated = floats(ends.score_M), bools(ends.truncated_M)
    token_MT, log_prob_MT = int_rows(traced.token_MT), float_rows(traced.log_prob_MT)
    found: list[Hypothesis] = []
    for m, (sentence, end) in enumerate(zip(sentences, steps, strict=True)):
        sums = log_prob_MT[m][: end + 1]
        source = source_lengths[sentence]
        attention = _cut(traced, encoder, m, sentence, end + 1, source) if everything else None
        cross = traced.cross_MTS
        found.append(
            Hypothesis(
                ids=tuple(token_MT[m][:end]),
                log_prob=sums[-1],
                score=scores[m],
                token_log_probs=tuple(now - before for now, before in zip(sums, [0.0, *sums], strict=False)),
                truncated=truncated[m],
                cross_TS=None if cross is None else as_numpy(cross[m, : end + 1, :source]),
                attention=attention,
            )
        )
    return found


def _cut(traced: Traced, encoder: list[Tensor], m: int, sentence: int, target: int, source: int) -> SentenceAttention:
    return SentenceAttention(
        encoder=[as_numpy(layer[sentence, :, :source, :source]) for layer in encoder],
        decoder=[as_numpy(layer[m, :, :target, :target]) for layer in traced.decoder],
        cross=[as_numpy(layer[m, :, :target, :source]) for layer in traced.cross],
    )


def as_numpy(weights: Tensor) -> Weights:
    """A copy of its own in float32, so that no batch stays in memory behind one sentence."""
    return np.array(weights.detach().to(device="cpu", dtype=torch.float32).numpy())
