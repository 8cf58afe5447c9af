"""A deterministic model small enough to search exhaustively, with attention that depends on the whole history.

Its logits are drawn once from a seed for each (source word, previous word, history mark): what follows depends on the
source, on the last word and on a running mark of all words before, so that no two hypotheses are alike by accident.
"""

from dataclasses import dataclass, replace
from itertools import product

import torch
from torch import Tensor

from jumok.decoding.scoring import Scoring
from jumok.models.contract import AttentionMaps, StepOutput
from jumok.shapes import BOS, EOS

MARKS = 7


@dataclass(frozen=True)
class ToyState:
    source_BS: Tensor
    mask_BS: Tensor
    mark_B: Tensor
    step: int

    def select(self, index_N: Tensor, *, same_sources: bool = False) -> "ToyState":
        source, mask = (
            (self.source_BS, self.mask_BS) if same_sources else (self.source_BS[index_N], self.mask_BS[index_N])
        )
        return ToyState(source, mask, self.mark_B[index_N], self.step)


class ToyModel:
    """Implements `encode`, `init_state` and `step` over tables."""

    def __init__(self, words: int, *, seed: int = 0, sharpness: float = 1.5) -> None:
        draw = torch.Generator().manual_seed(seed)
        self.words = words
        self.by_source_VV = torch.randn(words, words, generator=draw).double()
        self.by_last_VV = torch.randn(words, words, generator=draw).double()
        self.by_mark_MV = torch.randn(MARKS, words, generator=draw).double()
        self.look_VV = torch.randn(words, words, generator=draw).double()
        self.sharpness = sharpness

    def encode(self, source_BS: Tensor, mask_BS: Tensor) -> ToyState:
        return ToyState(source_BS, mask_BS, torch.zeros(len(source_BS), dtype=torch.long), 0)

    def init_state(self, memory: ToyState) -> ToyState:
        return memory

    def step(self, previous_B: Tensor, state: ToyState, *, need_weights: bool = False) -> tuple[StepOutput, ToyState]:
        mark_B = (state.mark_B * 3 + previous_B) % MARKS
        scores_BS = self.look_VV[previous_B[:, None], state.source_BS] + (mark_B[:, None] * state.source_BS) % 5
        weights_BS = scores_BS.masked_fill(~state.mask_BS, -torch.inf).softmax(-1)
        read_BV = (weights_BS[..., None] * self.by_source_VV[state.source_BS]).sum(1)
        logits_BV = self.sharpness * (read_BV + self.by_last_VV[previous_B] + self.by_mark_MV[mark_B])
        maps = AttentionMaps()
        if need_weights:
            own = torch.full((len(previous_B), 2, 1, state.step + 1), 1.0 / (state.step + 1))
            twin = torch.stack([weights_BS, weights_BS**2], dim=1)[:, :, None]
            maps = AttentionMaps([], [own], [twin])
        return StepOutput(logits_BV, maps, None), replace(state, mark_B=mark_B, step=state.step + 1)


def batch_of(sources: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Padded ids and their mask."""
    longest = max(map(len, sources))
    ids = torch.tensor([source + [0] * (longest - len(source)) for source in sources])
    mask = torch.tensor([[True] * len(source) + [False] * (longest - len(source)) for source in sources])
    return ids, mask


def log_prob_of(model: ToyModel, source: list[int], tokens: tuple[int, ...]) -> tuple[float, list[Tensor]]:
    """The log-probability of a given output with its EOS by stepping through it, and the attention of each step."""
    ids, mask = batch_of([source])
    state = model.init_state(model.encode(ids, mask))
    total, previous, looked = 0.0, BOS, []
    for token in (*tokens, EOS):
        output, state = model.step(torch.tensor([previous]), state, need_weights=True)
        total += float(output.logits_BV.log_softmax(-1)[0, token])
        looked.append(output.attention.cross[0][0, :, 0])
        previous = token
    return total, looked


def every_output(
    model: ToyModel, source: list[int], longest: int, scoring: Scoring
) -> list[tuple[float, tuple[int, ...]]]:
    """Every output of at most `longest` words with its score, best first."""
    found = []
    for length in range(longest + 1):
        for tokens in product([1, *range(4, model.words)], repeat=length):
            log_prob, _ = log_prob_of(model, source, tokens)
            score = scoring.score(torch.tensor(log_prob, dtype=torch.float64), torch.tensor(length + 1))
            found.append((float(score), tokens))
    return sorted(found, reverse=True)
