"""Is one system really better? Paired bootstrap resampling over any number of systems (Koehn 2004).

Test sets are drawn from the test set with replacement, the same draw for every system, and each is scored
from the sentences' sufficient statistics. Draws, intervals and p-values are defined as in sacreBLEU's paired
bootstrap, and agree with it; beyond it every pair is compared, not only each system with the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric

from jumok.errors import DataError, InputError
from jumok.evaluation.metrics import (
    METRICS,
    MetricOptions,
    References,
    build_metric,
    reference_streams,
)

SEED = 12345
"""sacreBLEU's own seed, so that its command line gives the same numbers."""
_DRAWS_AT_ONCE = 64


@dataclass(frozen=True)
class SystemScore:
    """A system's score, and the mean and 95% interval of its scores over the draws."""

    system: str
    score: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedDifference:
    """`system` against `baseline` on the same draws."""

    system: str
    baseline: str
    difference: float
    """score of the system − score of the baseline, on the whole test set"""
    low: float
    high: float
    """the 95% interval of that difference"""
    p_value: float
    """how likely so large a difference, either way, would be if the systems were equally good"""
    wins: float
    """the share of draws in which the system is strictly better"""


@dataclass(frozen=True)
class MetricComparison:
    """All systems and all pairs of them under one metric; each pair has the earlier system as the
    baseline.
    """

    metric: str
    signature: str
    samples: int
    systems: tuple[SystemScore, ...]
    pairs: tuple[PairedDifference, ...]

    def pair(self, system: str, baseline: str) -> PairedDifference:
        """The comparison of two systems by name, in the order they were given."""
        for pair in self.pairs:
            if (pair.system, pair.baseline) == (system, baseline):
                return pair
        raise InputError(f"{system!r} was not compared with the baseline {baseline!r}")


def compare_systems(
    systems: Mapping[str, Sequence[str]],
    references: References,
    *,
    metrics: Sequence[str] = tuple(METRICS),
    samples: int = 1000,
    seed: int = SEED,
    options: MetricOptions | None = None,
) -> list[MetricComparison]:
    """Paired bootstrap of the named systems' translations, one comparison for each metric."""
    if not systems:
        raise InputError("there is no system to compare")
    if samples < 1:
        raise InputError(f"the bootstrap needs at least one sample, not {samples}")
    sizes = {name: len(lines) for name, lines in systems.items()}
    sentences = next(iter(sizes.values()))
    if set(sizes.values()) != {sentences} or sentences == 0:
        listed = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise DataError(f"every system must translate the same sentences, at least one ({listed})")
    streams = reference_streams(references, sentences)
    return [
        _compare_metric(name, build_metric(name, options or MetricOptions()), systems, streams, samples, seed)
        for name in metrics
    ]


def _compare_metric(
    name: str,
    metric: Metric,
    systems: Mapping[str, Sequence[str]],
    streams: list[list[str]],
    samples: int,
    seed: int,
) -> MetricComparison:
    scores: dict[str, float] = {}
    draws: dict[str, NDArray[np.float64]] = {}
    for system, hypotheses in systems.items():
        statistics = sentence_statistics(metric, hypotheses, streams)
        scores[system] = score_statistics(metric, statistics.sum(axis=0))
        draws[system] = np.array([
            score_statistics(metric, sums)
            for counts in _draw_counts(len(statistics), samples, seed)
            for sums in counts @ statistics
        ])  # fmt: skip
    ranked = tuple(_system_score(system, scores[system], draws[system]) for system in systems)
    pairs = tuple(
        _difference(system, baseline, scores, draws, METRICS[name].higher_is_better)
        for baseline, system in combinations(systems, 2)
    )
    signature = f"{metric.get_signature()}|bs:{samples}|seed:{seed}"
    return MetricComparison(name, signature, samples, ranked, pairs)


def sentence_statistics(metric: Metric, hypotheses: Sequence[str], streams: list[list[str]]) -> NDArray[np.float64]:
    """[sentences, statistics]: the counts that, summed over any set of sentences, give its corpus score."""
    # sacreBLEU resamples through this method too; it has no public name.
    return np.array(metric._extract_corpus_statistics(list(hypotheses), streams), dtype=np.float64)


def score_statistics(metric: Metric, sums: NDArray[np.float64]) -> float:
    """The corpus score of summed statistics."""
    return float(metric._compute_score_from_stats(sums.tolist()).score)


def _draw_counts(sentences: int, samples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """[draws, sentences] a piece at a time: how often each sentence is in each draw."""
    generator = np.random.default_rng(seed)
    for start in range(0, samples, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, samples - start)
        drawn = generator.choice(sentences, size=(size, sentences), replace=True)
        yield np.stack([np.bincount(row, minlength=sentences) for row in drawn]).astype(np.float64)


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """The bounds that leave 1/40 of the draws outside on either side."""
    ordered = np.sort(values)
    outside = len(ordered) // 40
    return float(ordered[outside]), float(ordered[len(ordered) - outside - 1])


def _system_score(system: str, score: float, draws: NDArray[np.float64]) -> SystemScore:
    low, high = _interval(draws)
    return SystemScore(system, score, float(draws.mean()), low, high)


def _difference(
    system: str,
    baseline: str,
    scores: Mapping[str, float],
    draws: Mapping[str, NDArray[np.float64]],
    higher_is_better: bool,
) -> PairedDifference:
    real = scores[system] - scores[baseline]
    drawn = draws[system] - draws[baseline]
    low, high = _interval(drawn)
    # Shifted to zero mean, the drawn |differences| stand for chance; p is the share above the real one,
    # with one added so that it is never zero.
    chance = np.abs(drawn) - np.abs(drawn).mean()
    p_value = (int((chance > abs(real)).sum()) + 1) / (len(drawn) + 1)
    better = drawn > 0 if higher_is_better else drawn < 0
    return PairedDifference(system, baseline, real, low, high, p_value, float(better.mean()))
