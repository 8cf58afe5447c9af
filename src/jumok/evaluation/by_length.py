"""Scores by source length: where a fixed-size sentence vector runs out and attention does not (Bahdanau
2015, fig. 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jumok.errors import DataError, InputError
from jumok.evaluation.metrics import MetricOptions, References, reference_streams, score_corpus

BOUNDS = (5, 10, 15, 20, 30, 40, 50)


@dataclass(frozen=True)
class LengthBin:
    """The corpus scores of the sentences with `low` to `high` source words (no upper bound when None)."""

    low: int
    high: int | None
    sentences: int
    mean_length: float
    bleu: float
    chrf: float
    ter: float

    @property
    def label(self) -> str:
        if self.high is None:
            return f"{self.low}+"
        if self.low == 0:
            return f"≤{self.high}"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


def source_lengths(sources: Sequence[str]) -> list[int]:
    """White-space words of each line."""
    return [len(line.split()) for line in sources]


def score_by_length(
    lengths: Sequence[int],
    hypotheses: Sequence[str],
    references: References,
    *,
    bounds: Sequence[int] = BOUNDS,
    options: MetricOptions | None = None,
) -> list[LengthBin]:
    """Corpus scores within each bin of source length that has sentences, shortest first.

    `bounds` are the largest lengths of the bins, (5, 10) for 0–5, 6–10 and 11+; see `source_lengths`.
    """
    if list(bounds) != sorted(set(bounds)) or any(bound < 0 for bound in bounds):
        raise InputError(f"the bounds of length bins must rise from one to the next, not {tuple(bounds)}")
    if len(lengths) != len(hypotheses):
        raise DataError(f"{len(lengths)} source lengths are given for {len(hypotheses)} translations")
    streams = reference_streams(references, len(hypotheses))
    bin_of_sentence = np.searchsorted(np.asarray(bounds, dtype=np.int64), np.asarray(lengths, dtype=np.int64))
    scored: list[LengthBin] = []
    for number in range(len(bounds) + 1):
        chosen = np.nonzero(bin_of_sentence == number)[0].tolist()
        if not chosen:
            continue
        scores = score_corpus(
            [hypotheses[n] for n in chosen], [[stream[n] for n in chosen] for stream in streams], options
        )
        scored.append(
            LengthBin(
                low=bounds[number - 1] + 1 if number else 0,
                high=bounds[number] if number < len(bounds) else None,
                sentences=len(chosen),
                mean_length=float(np.mean([lengths[n] for n in chosen])),
                bleu=scores.bleu.value,
                chrf=scores.chrf.value,
                ter=scores.ter.value,
            )
        )
    return scored
