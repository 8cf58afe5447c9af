"""Subword regularisation: segmentations of a word drawn at random, as a pure function of the numbers drawn.

Two samplers, for the two kinds of pieces. Both work on one word at a time, because no piece reaches over a
space, and both remember what does not depend on chance, because words come again.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log, log1p

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


class BpeSampler:
    """Draws segmentations of words by BPE-dropout (Provilkov et al. 2020); remembers the merges of some
    words.

    At every step each possible merge is dropped with probability `rate`, the best of the others is done, and
    the word is finished when none is left. Most often the best merges are done one after the other as in
    plain BPE: how far that goes before the first drop is one geometric draw, and only the rest is worked out
    again.
    """

    def __init__(self, scores: Mapping[str, float], rate: float) -> None:
        self._scores, self._rate = scores, rate
        # P(the best merge stays k times) = (1 - rate)^k, so k = floor(log u / log(1 - rate)).
        self._scale = 1.0 / log1p(-rate) if 0.0 < rate < 1.0 else 0.0
        self._paths: dict[str, list[list[str]]] = {}

    def draw(self, word: str, draw: Draw) -> list[str]:
        """The pieces of one segmentation."""
        path = self._paths.get(word)
        if path is None:
            if len(self._paths) >= _REMEMBERED:
                self._paths.clear()
            path = self._paths[word] = self._plain(word)
        if self._rate == 0.0:
            return path[-1]
        undisturbed = int(log(1.0 - draw()) * self._scale)
        if undisturbed >= len(path) - 1:
            return path[-1]
        return self._after_a_drop(path[undisturbed], draw)

    def _ranks(self, symbols: list[str]) -> list[float | None]:
        return [self._scores.get(left + right) for left, right in pairwise(symbols)]

    def _plain(self, word: str) -> list[list[str]]:
        """The word's symbols before, between and after the merges of plain BPE."""
        path = [list(word)]
        while True:
            ranks = self._ranks(path[-1])
            place = _best(ranks)
            if place is None:
                return path
            symbols = path[-1]
            path.append([*symbols[:place], symbols[place] + symbols[place + 1], *symbols[place + 2 :]])

    def _after_a_drop(self, start: list[str], draw: Draw) -> list[str]:
        """The end of merging from symbols whose best merge has just been dropped."""
        symbols, ranks, rate, scores = list(start), self._ranks(start), self._rate, self._scores
        dropped = _best(ranks)
        while True:
            best, best_rank = -1, 0.0
            for place, rank in enumerate(ranks):
                # A merge that is not the best so far need not be drawn for: it would not be done anyway.
                if rank is None or (best >= 0 and rank <= best_rank) or place == dropped:
                    continue
                if draw() >= rate:
                    best, best_rank = place, rank
            if best < 0:
                return symbols
            dropped = None
            symbols[best : best + 2] = [symbols[best] + symbols[best + 1]]
            del ranks[best]
            if best > 0:
                ranks[best - 1] = scores.get(symbols[best - 1] + symbols[best])
            if best < len(ranks):
                ranks[best] = scores.get(symbols[best] + symbols[best + 1])


def _best(ranks: list[float | None]) -> int | None:
    """The place of the best merge, the first of equals, or None."""
    place = None
    best = float("-inf")
    for number, rank in enumerate(ranks):
        if rank is not None and rank > best:
            place, best = number, rank
    return place
