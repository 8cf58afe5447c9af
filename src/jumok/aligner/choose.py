"""From posterior attention to links, with nothing to tune.

Matrices have target words as rows and source words as columns, as everywhere in `jumok.alignment`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jumok.alignment import Link, argmax_links, threshold_links

Matrix = NDArray[np.float32]


class Expected(NamedTuple):
    """The threshold on link probabilities that promises the least alignment error, and the error it promises."""

    threshold: float
    error: float


def most_likely_links(attention: Sequence[Matrix]) -> list[list[Link]]:
    """Each target word's most likely source word, or none where coming from no word is likelier than that."""
    return [argmax_links(weights, null=1.0 - weights.sum(axis=1)) if weights.size else [] for weights in attention]


def expected_error(probability: Sequence[Matrix]) -> Expected:
    """Where to cut probabilities of links so that, if they are true, the expected alignment error is least.

    With links A and n true ones, AER = 1 − 2|A ∩ S| / (|A| + |S|). Under the probabilities, |A ∩ S| is expected to be
    the sum of those in A and |S| the sum of all; the best A of each size holds the largest ones.
    """
    flat = [weights.ravel() for weights in probability if weights.size]
    if not flat:
        return Expected(0.5, 0.0)
    falling = np.sort(np.concatenate(flat).astype(np.float64))[::-1]
    found = falling.cumsum()
    error = 1.0 - 2.0 * found / (np.arange(1, len(falling) + 1) + found[-1])
    best = int(error.argmin())
    return Expected(max(float(falling[best]), float(np.finfo(np.float32).tiny)), float(error[best]))


def consensus(forward: Sequence[Matrix], backward: Sequence[Matrix]) -> list[list[Link]]:
    """The links that promise the least error under the mean of both directions' probabilities.

    Both are matrices [target, source]: those of the backward model are turned round already.
    """
    mean = [np.asarray((one + other) / 2, np.float32) for one, other in zip(forward, backward, strict=True)]
    threshold = expected_error(mean).threshold
    return [threshold_links(weights, threshold) if weights.size else [] for weights in mean]
