"""Long sources folded: words are shown where attention falls, what lies between them is one column.

A folded column is a run of words of one sentence, and its weight is the sum of theirs. So every target word keeps its
total, and what the picture leaves out is still there as a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok.alignment.alignment import Matrix, checked_matrix
from jumok.errors import ShapeError

LEAST = 0.1
"""A word on which at least this weight falls, at some target word, is shown."""
CONTEXT = 1
"""Words that are shown on either side of such a word, to read it by."""
_SHORTEST = 3
"""A run of fewer words is shown: its label would be as wide."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a folded picture: words from `start` to `end`, of sentence `sentence`."""

    start: int
    end: int
    sentence: int
    label: str
    folded: bool


@dataclass(frozen=True, eq=False)
class Folded:
    """A matrix [target, column] with its columns."""

    weights: Matrix
    columns: tuple[Column, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What is written over each column: a word, or how many are folded."""
        return tuple(column.label for column in self.columns)


def fold(
    matrix: ArrayLike, words: Sequence[str], sentences: Sequence[int], *, least: float = LEAST, context: int = CONTEXT
) -> Folded:
    """The matrix [target, source word] with words shown where a weight of `least` falls, all others folded.

    `sentences` has the number of words of each sentence. With `least` 0 nothing is folded.
    """
    weights = checked_matrix(matrix, len(words))
    if sum(sentences) != len(words) or any(size < 0 for size in sentences):
        raise ShapeError(f"the sentences have {sum(sentences)} words, but {len(words)} words were given")
    shown_S = _shown(weights, sentences, least, context)
    columns: list[Column] = []
    start = 0
    for sentence, size in enumerate(sentences):
        columns += _columns_of(words, shown_S, start, start + size, sentence)
        start += size
    sums = [weights[:, column.start : column.end].sum(axis=1) for column in columns]
    return Folded(np.stack(sums, axis=1) if sums else weights, tuple(columns))


def _shown(weights: Matrix, sentences: Sequence[int], least: float, context: int) -> NDArray[np.bool_]:
    """Which words are shown: those that were looked at, with neighbours of the same sentence."""
    looked_S = weights.max(axis=0, initial=0.0) >= least
    shown_S = looked_S.copy()
    sentence_S = np.repeat(np.arange(len(sentences)), sentences)
    for distance in range(1, context + 1):
        same = sentence_S[distance:] == sentence_S[:-distance]
        shown_S[distance:] |= looked_S[:-distance] & same
        shown_S[:-distance] |= looked_S[distance:] & same
    return shown_S


def _columns_of(words: Sequence[str], shown_S: NDArray[np.bool_], start: int, end: int, sentence: int) -> list[Column]:
    """The columns of one sentence: words, and runs of words that are folded."""
    columns: list[Column] = []
    place = start
    while place < end:
        last = place
        while last < end and not shown_S[last]:
            last += 1
        if last - place >= _SHORTEST:
            columns.append(Column(place, last, sentence, f"… {last - place}", True))
            place = last
            continue
        stop = max(last, place + 1)
        columns += [Column(i, i + 1, sentence, words[i], False) for i in range(place, stop)]
        place = stop
    return columns
