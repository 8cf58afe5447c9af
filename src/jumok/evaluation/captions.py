"""Scores of captions against several references: BLEU-1…4 by sacreBLEU, ROUGE-L and CIDEr-D by the code here.

Texts are taken as they are, words separated by white space; whoever wants lower case or no punctuation does that
first (`plain_words` does what papers on captions do). ROUGE-L is Lin (2004) and CIDEr-D Vedantam et al. (2015), both in
the form of the COCO caption evaluation; `tests/evaluation/test_captions.py` compares them with its own scorer.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from sacrebleu.metrics.bleu import BLEU

from jumok.errors import DataError

ORDERS = 4
BETA = 1.2
"""ROUGE-L weighs recall β² times as much as precision."""
SIGMA = 6.0
"""CIDEr-D: how much a caption may differ in length from its reference before it is punished."""
Ngrams = Counter[tuple[str, ...]]
_PUNCTUATION = re.compile(r"[^\w\s]|_", re.UNICODE)


@dataclass(frozen=True)
class CaptionScores:
    """Corpus scores; BLEU and ROUGE-L from 0 to 100, CIDEr-D from 0 to 10 (papers print it × 100 of a tenth)."""

    bleu: tuple[float, float, float, float]
    """BLEU-1 … BLEU-4 with brevity penalty."""
    bleu_unpenalised: tuple[float, float, float, float]
    """The same without it, as Xu et al. (2015) report."""
    rouge_l: float
    cider_d: float
    exact: float
    """Share of captions that are equal to a reference, in per cent."""
    captions: int
    signature: str
    """sacreBLEU's, of BLEU-4."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


def plain_words(caption: str) -> str:
    """Lower case, without punctuation: `A dog, running.` → `a dog running`."""
    return " ".join(_PUNCTUATION.sub(" ", caption.lower()).split())


def score_captions(captions: Sequence[str], references: Sequence[Sequence[str]]) -> CaptionScores:
    """All scores of captions; `references[i]` are those of picture i, one or more."""
    _check(captions, references)
    scorers = [BLEU(tokenize="none", max_ngram_order=order, force=True) for order in range(1, ORDERS + 1)]
    streams = _streams(references)
    results = [scorer.corpus_score(list(captions), streams) for scorer in scorers]
    b1, b2, b3, b4 = (float(result.score) for result in results)
    u1, u2, u3, u4 = (float(result.score / result.bp) if result.bp else 0.0 for result in results)
    exact = sum(caption in known for caption, known in zip(captions, references, strict=True))
    return CaptionScores(
        (b1, b2, b3, b4),
        (u1, u2, u3, u4),
        rouge_l(captions, references),
        cider_d(captions, references),
        100 * exact / len(captions),
        len(captions),
        str(scorers[-1].get_signature()),
    )


def _check(captions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if not captions:
        raise DataError("there is nothing to score: no captions were given")
    if len(captions) != len(references):
        raise DataError(f"{len(captions)} captions are given, but references of {len(references)} pictures")
    for number, known in enumerate(references):
        if not known:
            raise DataError(f"picture {number} has no reference")


def _streams(references: Sequence[Sequence[str]]) -> list[list[str]]:
    """References as sacreBLEU wants them: one list per place; None, against its types, where a picture has fewer."""
    most = max(len(known) for known in references)
    places = [[known[place] if place < len(known) else None for known in references] for place in range(most)]
    return cast("list[list[str]]", places)


def rouge_l(captions: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Mean over pictures of the F of the longest common subsequence, in per cent.

    P = max_r LCS/|caption|, R = max_r LCS/|r|, F = (1 + β²) P R / (R + β² P), β = 1.2; the maxima are taken apart from
    each other, as COCO's evaluation does.
    """
    return 100 * sum(map(_rouge, captions, references)) / len(captions)


def _rouge(caption: str, known: Sequence[str]) -> float:
    words = caption.split()
    if not words:
        return 0.0
    common = [(_subsequence(words, reference.split()), len(reference.split())) for reference in known]
    precision = max(length for length, _ in common) / len(words)
    recall = max(length / size if size else 0.0 for length, size in common)
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def _subsequence(first: list[str], second: list[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def cider_d(captions: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Mean over pictures of CIDEr-D, from 0 to 10; how rare an n-gram is comes from the references themselves.

    g_n(c) are the counts of n-grams times log(N / documents with it). For each reference r and n = 1…4
    sim_n = Σ min(g_n(c), g_n(r)) · g_n(r) / (‖g_n(c)‖ ‖g_n(r)‖) · exp(−(|c| − |r|)² / 2σ²);
    the score is 10 times its mean over references and n.
    """
    rarity = _rarity(references)
    scores = [_cider(caption, known, rarity) for caption, known in zip(captions, references, strict=True)]
    return sum(scores) / len(scores)


@dataclass(frozen=True)
class _Rarity:
    documents: Ngrams
    log_count: float

    def weigh(self, text: str) -> tuple[list[dict[tuple[str, ...], float]], int]:
        """For each n the weighted counts, and the number of bigrams, which COCO's scorer takes for the length."""
        words = text.split()
        weighted: list[dict[tuple[str, ...], float]] = []
        for order in range(1, ORDERS + 1):
            counts = _ngrams(words, order)
            weighted.append(
                {key: count * (self.log_count - math.log(max(1, self.documents[key]))) for key, count in counts.items()}
            )
        return weighted, max(0, len(words) - 1)


def _ngrams(words: list[str], order: int) -> Ngrams:
    return Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))


def _rarity(references: Sequence[Sequence[str]]) -> _Rarity:
    documents: Ngrams = Counter()
    for known in references:
        seen: set[tuple[str, ...]] = set()
        for order in range(1, ORDERS + 1):
            for reference in known:
                seen.update(_ngrams(reference.split(), order))
        documents.update(seen)
    return _Rarity(documents, math.log(len(references)))


def _cider(caption: str, known: Sequence[str], rarity: _Rarity) -> float:
    mine, length = rarity.weigh(caption)
    total = 0.0
    for reference in known:
        theirs, other = rarity.weigh(reference)
        near = math.exp(-((length - other) ** 2) / (2 * SIGMA**2))
        total += near * sum(map(_similarity, mine, theirs)) / ORDERS
    return 10 * total / len(known)


def _similarity(mine: dict[tuple[str, ...], float], theirs: dict[tuple[str, ...], float]) -> float:
    shared = sum(min(value, theirs[key]) * theirs[key] for key, value in mine.items() if key in theirs)
    size = math.sqrt(sum(v * v for v in mine.values())) * math.sqrt(sum(v * v for v in theirs.values()))
    return shared / size if size else shared
