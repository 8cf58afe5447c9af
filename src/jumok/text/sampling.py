"""Subword regularisation: segmentations of a word drawn at random, as a pure function of the numbers drawn.

Two samplers, for the two kinds of pieces. Both work on one word at a time, because no piece reaches over a
space.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

Draw = Callable[[], float]
"""Gives the next number in [0, 1)."""

UNKNOWN_PENALTY = 10.0
"""How much less likely than the rarest piece an unknown character is."""


@dataclass(frozen=True)
class Lattice:
    """All segmentations of a word, ready to be drawn from.

    For each position `ends[j]` has the pieces that end there: where each begins, its text, and the running
    sum of the probabilities that it is the last piece of the word's first j characters.
    """

    begins: list[list[int]]
    pieces: list[list[str]]
    cumulative: list[list[float]]

    def draw(self, draw: Draw) -> list[str]:
        """One segmentation, drawn backwards from the end of the word."""
        end = len(self.begins) - 1
        reverse: list[str] = []
        while end > 0:
            chosen = bisect_right(self.cumulative[end], draw())
            # The sum may fall short of 1 by rounding.
            chosen = min(chosen, len(self.begins[end]) - 1)
            reverse.append(self.pieces[end][chosen])
            end = self.begins[end][chosen]
        reverse.reverse()
        return reverse


def lattice_of(word: str, scores: Mapping[str, float], longest: int, unknown: float, alpha: float) -> Lattice:
    """The lattice of P(x)^alpha over the segmentations x of the word (Kudo 2018, forward filtering).

        a_0 = 0;  a_j = log sum_{pieces w = word[i:j]} exp(a_i + alpha * log p(w))
        p(last piece is word[i:j]) = exp(a_i + alpha * log p(w) - a_j)

    A character that is no piece by itself gets the score `unknown`, so every word has a segmentation.
    """
    forward = [0.0]
    begins: list[list[int]] = [[]]
    pieces: list[list[str]] = [[]]
    cumulative: list[list[float]] = [[]]
    for end in range(1, len(word) + 1):
        starts: list[int] = []
        texts: list[str] = []
        logs: list[float] = []
        for begin in range(max(0, end - longest), end):
            piece = word[begin:end]
            score = scores.get(piece)
            if score is None:
                if begin != end - 1:
                    continue
                score = unknown
            starts.append(begin)
            texts.append(piece)
            logs.append(forward[begin] + alpha * score)
        highest = max(logs)
        total = highest + log(sum(exp(value - highest) for value in logs))
        running = 0.0
        sums: list[float] = []
        for value in logs:
            running += exp(value - total)
            sums.append(running)
        forward.append(total)
        begins.append(starts)
        pieces.append(texts)
        cumulative.append(sums)
    return Lattice(begins, pieces, cumulative)


def bpe_dropout(word: Sequence[str], scores: Mapping[str, float], rate: float, draw: Draw) -> list[str]:
    """The word's pieces after merges that are each left out with probability `rate` (Provilkov et al. 2020).

    At every step each possible merge is dropped with that probability, the best of the others is done, and
    the word is finished when none is left. A number is drawn only for a merge that would be the best so far,
    which gives the same distribution with fewer draws. Rate 0 is plain BPE.
    """
    symbols = list(word)
    ranks = [scores.get(left + right) for left, right in pairwise(symbols)]
    while True:
        best, best_rank = -1, 0.0
        for place, rank in enumerate(ranks):
            if rank is not None and (best < 0 or rank > best_rank) and (rate == 0.0 or draw() >= rate):
                best, best_rank = place, rank
        if best < 0:
            return symbols
        symbols[best : best + 2] = [symbols[best] + symbols[best + 1]]
        del ranks[best]
        if best > 0:
            ranks[best - 1] = scores.get(symbols[best - 1] + symbols[best])
        if best < len(ranks):
            ranks[best] = scores.get(symbols[best] + symbols[best + 1])
