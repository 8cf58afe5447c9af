"""What the inspector finds: hypotheses of a search, and a target as the model wrote it, word by word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.attention.terms import Terms
from jumok.data.sources import Tokens
from jumok.decoding.hypothesis import BeamTree, Hypothesis
from jumok.inspect.numbers import Array
from jumok.inspect.sentence import Subject
from jumok.models.contract import Memory
from jumok.shapes import EOS


@dataclass(frozen=True)
class Found:
    """What a search found, best first, and all it looked at."""

    best: list[Hypothesis]
    tree: BeamTree


@dataclass(frozen=True)
class Mixture:
    """p(w) = p_gen · p_vocab(w) + (1 − p_gen) · Σ_i α_i [x_i = w], for each token written and EOS."""

    p_gen: list[float]
    p_vocab: list[float]
    """Of the token that was written."""
    attended: list[float]
    """Σ_i α_i over the places of the source that have the token."""

    @property
    def copied(self) -> list[float]:
        """Which share of each token's probability was copied."""
        taken = [(1 - g) * a for g, a in zip(self.p_gen, self.attended, strict=True)]
        made = [g * p for g, p in zip(self.p_gen, self.p_vocab, strict=True)]
        return [one / max(1e-30, one + other) for one, other in zip(taken, made, strict=True)]


@dataclass(frozen=True)
class Replay:
    """A target as the model wrote it: one row for each token and EOS; attention over the columns of the sentence."""

    sentence: Subject
    ids: tuple[int, ...]
    log_prob_TV: Tensor
    encoder: list[Array]
    decoder: list[Array]
    cross: list[Array]
    mixture: Mixture | None = None
    """How each word was made, where the head copies and no weights were imposed."""

    @property
    def log_probs(self) -> list[float]:
        """log p of each token and EOS."""
        written = torch.tensor([*self.ids, EOS], device=self.log_prob_TV.device)
        return self.log_prob_TV.gather(-1, written[:, None])[:, 0].tolist()

    @property
    def log_prob(self) -> float:
        """log P of the target, EOS counted."""
        return math.fsum(self.log_probs)


def mixture_of(terms: Terms, memory: Memory, written: Sequence[int]) -> Mixture | None:
    """How the written tokens were made, by the terms of a head that copies."""
    if "p_gen" not in terms or not isinstance(memory.source, Tokens):
        return None
    token_T1 = torch.tensor(written, device=memory.mask_BS.device)[:, None]
    same_TS = memory.source.ids_BS[0] == token_T1
    return Mixture(
        terms["p_gen"].value[0].tolist(),
        terms["p_vocab"].value[0].gather(-1, token_T1)[:, 0].tolist(),
        (terms["copy"].value[0] * same_TS).sum(-1).tolist(),
    )
