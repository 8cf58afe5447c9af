"""Translations and references that differ in their use of capitals: BLEU and chrF then count every one as an error."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from jumok.evaluation.metrics import CorpusScores, MetricOptions, score_corpus
from jumok.text.normal import words_of

# One side has next to no capitals where fewer than this share of the other side's words with capitals have one.
NEXT_TO_NONE = 0.1

Side = Literal["translations", "references"]


@dataclass(frozen=True)
class IgnoringCase:
    """The scores of one system without regard to case, and which side is written without capitals, if one is."""

    lowercased: Side | None
    scores: CorpusScores


def capitals(lines: Iterable[str]) -> float:
    """The share of words that have a capital letter."""
    words = [word for line in lines for word in words_of(line)]
    return sum(any(letter.isupper() for letter in word) for word in words) / max(1, len(words))


def lowercased_side(translations: Sequence[str], references: Sequence[Sequence[str]]) -> Side | None:
    """The side that is written without capitals where the other one has them, or None."""
    ours, theirs = capitals(translations), capitals(line for stream in references for line in stream)
    if ours < NEXT_TO_NONE * theirs:
        return "translations"
    return "references" if theirs < NEXT_TO_NONE * ours else None


def score_ignoring_case(
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    options: MetricOptions | None,
    *,
    always: bool = False,
) -> IgnoringCase | None:
    """The scores without regard to case where one side is lower-cased, or `always`; None if `options` ignore it."""
    options = options or MetricOptions()
    side = lowercased_side(translations, references)
    if options.lowercase or (side is None and not always):
        return None
    return IgnoringCase(side, score_corpus(translations, references, replace(options, lowercase=True)))
