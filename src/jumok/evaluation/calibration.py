"""Whether confidences mean what they say: right words and sentences, reliability, and a curve that corrects them.

A word of a translation is right if it is one of those of a longest common subsequence of the translation's and the
reference's words. A sentence is right to a degree: 2·LCS / (words of the translation + words of the reference). A
confidence c is calibrated if, of all words with that confidence, the share c is right; of sentences, if their mean
degree is c.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jumok.errors import InputError
from jumok.evaluation.chart import Chart, Series
from jumok.run.calibration import Curve

BINS = 10
FOLDS = 5
FEWEST = 20
"""Observations that a step of a curve rests on at least."""
MOST_STEPS = 50
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Bin:
    """Confidences between two bounds: how many, their mean, and how many of them were right."""

    low: float
    high: float
    count: int
    mean: float
    rate: float


@dataclass(frozen=True)
class Reliability:
    """The reliability curve: confidences in bins of equal width."""

    bins: tuple[Bin, ...]

    @property
    def count(self) -> int:
        """How many confidences."""
        return sum(one.count for one in self.bins)

    @property
    def error(self) -> float:
        """The expected calibration error (Guo et al. 2017): Σ_b n_b/n · |mean confidence − rate of right ones|."""
        return sum(one.count * abs(one.mean - one.rate) for one in self.bins) / max(1, self.count)

    def mean(self, name: str) -> float:
        """The mean of all confidences (`mean`), or the rate of right ones (`rate`)."""
        return sum(one.count * float(getattr(one, name)) for one in self.bins) / max(1, self.count)


@dataclass(frozen=True)
class Fitted:
    """A curve, and reliability before it and after; after: each part corrected by a curve of the other parts."""

    curve: Curve
    before: Reliability
    after: Reliability


def right_words(words: Sequence[str], reference: Sequence[str]) -> list[bool]:
    """For each word whether it belongs to a longest common subsequence with the reference; the earliest words count
    where there are several."""
    lengths = [[0] * (len(reference) + 1) for _ in range(len(words) + 1)]
    for i in range(len(words) - 1, -1, -1):
        row, below = lengths[i], lengths[i + 1]
        for j in range(len(reference) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if words[i] == reference[j] else max(below[j], row[j + 1])
    found, i, j = [False] * len(words), 0, 0
    while i < len(words) and j < len(reference):
        if words[i] == reference[j]:
            found[i], i, j = True, i + 1, j + 1
        elif lengths[i][j + 1] == lengths[i][j]:
            j += 1
        else:
            i += 1
    return found


def degree(right: Sequence[bool], reference: Sequence[str]) -> float:
    """To which degree a sentence is right: 2·LCS / (words + words of the reference)."""
    both = len(right) + len(reference)
    return 2 * sum(right) / both if both else 1.0


def fit_curve(confidences: Sequence[float], outcomes: Sequence[float]) -> Curve:
    """The curve that never falls with the least squared error (isotonic regression, pool adjacent violators).

    Its mean over the given confidences is the mean of the outcomes, and confidences that are right already stay as
    they are. A step rests on FEWEST observations at least, so that a few lucky ones are not taken for certainty.
    """
    if not confidences:
        raise InputError("there is nothing to fit a calibration to: no translation has a word; train the run longer.")
    starts, means, counts = _groups(np.asarray(confidences, dtype=float), np.asarray(outcomes, dtype=float))
    blocks: list[tuple[float, float, float]] = []
    for block in zip(starts, means, counts, strict=True):
        blocks.append(block)
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (start, mean, count), (_, next_mean, next_count) = blocks[-2:]
            both = count + next_count
            blocks[-2:] = [(start, (mean * count + next_mean * next_count) / both, both)]
    levels = (min(1.0, max(0.0, mean)) for _, mean, _ in blocks)
    return Curve(tuple(start for start, _, _ in blocks), tuple(levels))


def _groups(confidences: Values, outcomes: Values) -> tuple[list[float], list[float], list[float]]:
    """Lowest confidence, mean outcome and size of groups of neighbours; equal confidences stay together."""
    order = np.argsort(confidences, kind="stable")
    ordered, least = confidences[order], max(FEWEST, len(order) // MOST_STEPS)
    cuts = [0]
    for at in np.flatnonzero(np.diff(ordered)) + 1:
        if at - cuts[-1] >= least and len(order) - at >= least:
            cuts.append(int(at))
    sizes = np.diff([*cuts, len(order)]).astype(float)
    means = np.add.reduceat(outcomes[order], cuts) / sizes
    return ordered[cuts].tolist(), means.tolist(), sizes.tolist()


def reliability(confidences: Sequence[float], outcomes: Sequence[float]) -> Reliability:
    """The reliability curve of confidences; bins without any are left out."""
    given, right = np.asarray(confidences, dtype=float), np.asarray(outcomes, dtype=float)
    places = np.minimum((given * BINS).astype(int), BINS - 1)
    found: list[Bin] = []
    for number in np.unique(places):
        inside = places == number
        means = float(given[inside].mean()), float(right[inside].mean())
        found.append(Bin(int(number) / BINS, (int(number) + 1) / BINS, int(inside.sum()), *means))
    return Reliability(tuple(found))


def fit(confidences: Sequence[float], outcomes: Sequence[float], folds: Sequence[int]) -> Fitted:
    """The curve of all observations; `folds` says of which part each is, so that no part corrects itself."""
    corrected = list(confidences)
    for part in set(folds):
        others = [n for n, fold in enumerate(folds) if fold != part]
        if others:
            curve = fit_curve([confidences[n] for n in others], [outcomes[n] for n in others])
            corrected = [curve(c) if f == part else c for c, f in zip(corrected, folds, strict=True)]
    curve = fit_curve(confidences, outcomes)
    return Fitted(curve, reliability(confidences, outcomes), reliability(corrected, outcomes))


def reliability_chart(found: Sequence[tuple[str, Fitted]], title: str) -> Chart:
    """The reliability curves before and after, beside the line on which confidences mean what they say."""
    lines = [Series("as they should be", (0.0, 1.0), (0.0, 1.0))]
    for name, fitted in found:
        for when, curve in (("before", fitted.before), ("after", fitted.after)):
            x, y = (tuple(getattr(one, side) for one in curve.bins) for side in ("mean", "rate"))
            lines.append(Series(f"{name}, {when} (ECE {curve.error:.3f})", x, y))
    return Chart(title, "confidence", "right", tuple(lines), from_zero=True)
