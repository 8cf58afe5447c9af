"""Alignment error rate, precision and recall against gold links (Och and Ney 2003).

With the links A of the aligner, the sure gold links S and the possible ones P ⊇ S:

    precision = |A ∩ P| / |A|      recall = |A ∩ S| / |S|      AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

Over a corpus the counts are summed first and divided once, so long sentences weigh more. A ratio of nothing
to nothing (no links given, no sure links asked for) is perfect: nothing is wrong and nothing is missing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jumok.alignment.alignment import Link, Links
from jumok.errors import DataError


@dataclass(frozen=True)
class AlignmentCounts:
    """What the three ratios are made of; add the counts of sentences to get those of a corpus."""

    predicted: int = 0
    """|A|"""
    sure: int = 0
    """|S|"""
    predicted_sure: int = 0
    """|A ∩ S|"""
    predicted_possible: int = 0
    """|A ∩ P|, sure links included"""

    def __add__(self, other: "AlignmentCounts") -> "AlignmentCounts":
        return AlignmentCounts(
            self.predicted + other.predicted,
            self.sure + other.sure,
            self.predicted_sure + other.predicted_sure,
            self.predicted_possible + other.predicted_possible,
        )

    def score(self) -> "AlignmentScore":
        hits = self.predicted_sure + self.predicted_possible
        return AlignmentScore(
            aer=1.0 - _ratio(hits, self.predicted + self.sure),
            precision=_ratio(self.predicted_possible, self.predicted),
            recall=_ratio(self.predicted_sure, self.sure),
            counts=self,
        )


@dataclass(frozen=True)
class AlignmentScore:
    """Error rate (0 is perfect, 1 is worst), precision and recall, with the counts behind them."""

    aer: float
    precision: float
    recall: float
    counts: AlignmentCounts

    def __str__(self) -> str:
        return f"AER {self.aer:.3f}  precision {self.precision:.3f}  recall {self.recall:.3f}"


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def count_links(predicted: Iterable[Link], gold: Links) -> AlignmentCounts:
    """The counts of one sentence pair; a link predicted twice counts once."""
    links = set(predicted)
    return AlignmentCounts(
        predicted=len(links),
        sure=len(gold.sure),
        predicted_sure=len(links & gold.sure),
        predicted_possible=len(links & (gold.sure | gold.possible)),
    )


def score_alignment(predicted: Iterable[Link], gold: Links) -> AlignmentScore:
    """The score of one sentence pair."""
    return count_links(predicted, gold).score()


def score_alignments(predicted: Sequence[Iterable[Link]], gold: Sequence[Links]) -> AlignmentScore:
    """The score of a corpus: counts summed over all sentence pairs.

    predicted   the links of each pair
    gold        its gold links, sure and possible
    """
    if len(predicted) != len(gold):
        raise DataError(f"{len(predicted)} sentences are aligned, but there are gold links for {len(gold)}")
    counts = (count_links(links, links_of_gold) for links, links_of_gold in zip(predicted, gold, strict=True))
    return sum(counts, AlignmentCounts()).score()
