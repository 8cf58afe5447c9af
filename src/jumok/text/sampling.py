"""Subword regularisation: segmentations of a word drawn at random, as a pure function of the numbers drawn.

Two samplers, for the two kinds of pieces. Both work on one word at a time, because no piece reaches over a
space, and both remember what does not depend on chance, because words come again.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log

Draw = Callable[[], float]
"""Gives the next number in [0, 1)."""

UNKNOWN_PENALTY = 10.0
"""How much less likely than the rarest piece an unknown character is, in logarithms."""
_REMEMBERED = 1 << 15


@dataclass(frozen=True)
class Lattice:
    """All segmentations of a word, ready to be drawn from.

    For each end position: where the pieces that end there begin, their texts, and the running sum of the
    probabilities that each is the last piece up to there.
    """

    begins: list[list[int]]
    pieces: list[list[str]]
    cumulative: list[list[float]]

    def draw(self, draw: Draw) -> list[str]:
        """One segmentation, drawn backwards from the end of the word."""
        end = len(self.begins) - 1
        reverse: list[str] = []
        while end > 0:
            begins = self.begins[end]
            # One piece needs no chance, and the sum may fall short of 1 by rounding.
            chosen = min(bisect_right(self.cumulative[end], draw()), len(begins) - 1) if len(begins) > 1 else 0
            reverse.append(self.pieces[end][chosen])
            end = begins[chosen]
        reverse.reverse()
        return reverse


def prefixes_of(pieces: Collection[str]) -> frozenset[str]:
    """Every beginning of a piece: a substring that is none of them cannot be continued to a piece."""
    return frozenset(piece[:length] for piece in pieces for length in range(1, len(piece) + 1))


def lattice_of(
    word: str, scores: Mapping[str, float], prefixes: Collection[str], unknown: float, alpha: float
) -> Lattice:
    """The lattice of P(x)^alpha over the segmentations x of the word (Kudo 2018, forward filtering).

        a_0 = 0;  a_j = log sum_{pieces w = word[i:j]} exp(a_i + alpha * log p(w))
        p(last piece is word[i:j]) = exp(a_i + alpha * log p(w) - a_j)

    A character that is no piece by itself gets the score `unknown`, so every word has a segmentation.
    """
    begins: list[list[int]] = [[] for _ in range(len(word) + 1)]
    pieces: list[list[str]] = [[] for _ in begins]
    logs: list[list[float]] = [[] for _ in begins]
    cumulative: list[list[float]] = [[] for _ in begins]
    for begin in range(len(word) + 1):
        forward = 0.0
        if begin > 0:
            highest = max(logs[begin])
            forward = highest + log(sum(exp(value - highest) for value in logs[begin]))
            running = 0.0
            for value in logs[begin]:
                running += exp(value - forward)
                cumulative[begin].append(running)
        for end in range(begin + 1, len(word) + 1):
            piece = word[begin:end]
            score = scores.get(piece)
            if score is None and end == begin + 1:
                score = unknown
            if score is not None:
                begins[end].append(begin)
                pieces[end].append(piece)
                logs[end].append(forward + alpha * score)
            if piece not in prefixes:
                break
    return Lattice(begins, pieces, cumulative)


class UnigramSampler:
    """Draws segmentations of words under a unigram model; remembers the lattices of some words."""

    def __init__(self, scores: Mapping[str, float], alpha: float) -> None:
        self._scores, self._alpha = scores, alpha
        self._unknown = min(scores.values(), default=0.0) - UNKNOWN_PENALTY
        self._lattices: dict[str, Lattice] = {}

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        return prefixes_of(self._scores)

    def draw(self, word: str, draw: Draw) -> list[str]:
        """The pieces of one segmentation."""
        lattice = self._lattices.get(word)
        if lattice is None:
            if len(self._lattices) >= _REMEMBERED:
                self._lattices.clear()
            lattice = lattice_of(word, self._scores, self._prefixes, self._unknown, self._alpha)
            self._lattices[word] = lattice
        return lattice.draw(draw)


@dataclass(slots=True)
class _Merging:
    """A word part-way through its merges: its symbols, the merges possible now (the best first), what
    follows."""

    symbols: list[str]
    places: list[int]
    following: list["_Merging | None"]


class BpeSampler:
    """Draws segmentations of words by BPE-dropout (Provilkov et al. 2020); remembers states it has met.

    At every step each possible merge is dropped with probability `rate`, the best of the others is done, and
    the word is finished when none is left. Going through them from the best, the first that stays is the one,
    so numbers are drawn only up to there. Rate 0 is plain BPE.
    """

    def __init__(self, scores: Mapping[str, float], rate: float) -> None:
        self._scores, self._rate = scores, rate
        self._begun: dict[str, _Merging] = {}
        self._states = 0

    def draw(self, word: str, draw: Draw) -> list[str]:
        """The pieces of one segmentation."""
        if self._states >= _REMEMBERED:
            self._begun.clear()
            self._states = 0
        state = self._begun.get(word)
        if state is None:
            state = self._begun[word] = self._state(list(word))
        rate = self._rate
        while True:
            for choice, following in enumerate(state.following):
                if draw() >= rate:
                    state = following or self._merge(state, choice)
                    break
            else:
                return state.symbols

    def _merge(self, state: _Merging, choice: int) -> _Merging:
        place = state.places[choice]
        symbols = state.symbols
        merged = self._state([*symbols[:place], symbols[place] + symbols[place + 1], *symbols[place + 2 :]])
        state.following[choice] = merged
        return merged

    def _state(self, symbols: list[str]) -> _Merging:
        self._states += 1
        scores = self._scores
        ranked = [
            (-rank, place)
            for place, (left, right) in enumerate(pairwise(symbols))
            if (rank := scores.get(left + right)) is not None
        ]
        ranked.sort()
        return _Merging(symbols, [place for _, place in ranked], [None] * len(ranked))
