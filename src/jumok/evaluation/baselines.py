"""Summaries that need no model, printed beside every one: a score without them says little.

lead-n   the first n sentences of the text
random   one sentence of the text, drawn
oracle   the sentences that fit the reference best: what taking whole sentences can reach
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from jumok.evaluation.rouge import Tokenisation, Tokenise, tokeniser
from jumok.text.sentences import sentences_of

MOST_SENTENCES = 4


def baselines(
    texts: Sequence[str], references: Sequence[str], tokenisation: Tokenisation, seed: int = 1
) -> dict[str, list[str]]:
    """The summaries of each baseline; lead-n takes as many sentences as references have, and lead-1 is always there."""
    parts = [sentences_of(text) or [""] for text in texts]
    usual = round(sum(len(sentences_of(reference)) for reference in references) / max(1, len(references)))
    leads = {f"lead-{n}": ["\n".join(some[:n]) for some in parts] for n in sorted({1, max(1, usual)})}
    draw, tokenise = Random(seed), tokeniser(tokenisation)
    drawn = [draw.choice(some) for some in parts]
    best = [oracle(some, reference, tokenise) for some, reference in zip(parts, references, strict=True)]
    return {**leads, "random": drawn, "oracle": best}


def oracle(sentences: Sequence[str], reference: str, tokenise: Tokenise) -> str:
    """Sentences chosen one after the other while ROUGE-1 + ROUGE-2 rises (Nallapati et al. 2017), in their order."""
    wanted = _counts(tokenise(reference))
    counted = [_counts(tokenise(sentence)) for sentence in sentences]
    chosen: list[int] = []
    total, best = (Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()), 0.0
    while len(chosen) < min(MOST_SENTENCES, len(sentences)):
        gains = [(_overlap(_added(total, one), wanted), -n) for n, one in enumerate(counted) if n not in chosen]
        gain, place = max(gains)
        if gain <= best:
            break
        best, total = gain, _added(total, counted[-place])
        chosen.append(-place)
    return "\n".join(sentences[n] for n in sorted(chosen or [0]))


Counts = tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]


def _counts(tokens: list[str]) -> Counts:
    return Counter((token,) for token in tokens), Counter(pairwise(tokens))


def _added(one: Counts, other: Counts) -> Counts:
    return one[0] + other[0], one[1] + other[1]


def _overlap(found: Counts, wanted: Counts) -> float:
    """ROUGE-1 + ROUGE-2, both F1."""
    return sum(map(_f1, found, wanted))


def _f1(found: Counter[tuple[str, ...]], wanted: Counter[tuple[str, ...]]) -> float:
    both = found.total() + wanted.total()
    return 2 * (found & wanted).total() / both if both else 0.0
