"""ROUGE of summaries by rouge-score, over tokens that suit the script: its own drop every letter that is not Latin.

    ROUGE-n  = F1 of the n-grams of summary and reference                            Lin (2004)
    ROUGE-L  = F1 of their longest common subsequence
    ROUGE-Lsum = the same, sentence by sentence: the union of the subsequences of each reference sentence

A corpus score is the mean over summaries. `tests/evaluation/test_rouge.py` compares `stemmed` with stored outputs of
ROUGE-1.5.5.pl, which computes Lsum and calls it ROUGE-L.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize

from jumok.errors import DataError, InputError, did_you_mean
from jumok.text.sentences import sentences_of

Tokenisation = Literal["stemmed", "words", "characters", "morphemes"]
TOKENISATIONS: tuple[Tokenisation, ...] = ("stemmed", "words", "characters", "morphemes")
ROUGE = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L", "rougeLsum": "ROUGE-Lsum"}
_WORD = re.compile(r"[^\W_]+")
_BEYOND_LATIN = re.compile(r"[^\W\d_]")
Tokenise = Callable[[str], list[str]]


@dataclass(frozen=True)
class Score:
    """A mean over summaries in per cent, with its 95% bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Rouge:
    """ROUGE of each summary of a corpus: `of_each[measure]` are F1 from 0 to 100."""

    tokenisation: Tokenisation
    of_each: dict[str, np.ndarray]

    def score(self, measure: str, samples: int = 1000, seed: int = 1) -> Score:
        """The mean of a measure, with the interval of the percentile bootstrap over summaries."""
        values = self.of_each[measure]
        drawn = np.random.default_rng(seed).integers(0, len(values), (samples, len(values)))
        low, high = np.percentile(values[drawn].mean(1), (2.5, 97.5))
        return Score(float(values.mean()), float(low), float(high))

    def mean(self, measure: str) -> float:
        """The mean of a measure."""
        return float(self.of_each[measure].mean())


class _Tokens:
    """A function of text as rouge-score wants it."""

    def __init__(self, tokenise: Tokenise) -> None:
        self.tokenize = tokenise


def rouge(
    summaries: Sequence[str], references: Sequence[str], tokenisation: Tokenisation, measures: Sequence[str] = ()
) -> Rouge:
    """ROUGE of summaries against one reference each; Lsum splits both into sentences."""
    if not summaries or len(summaries) != len(references):
        raise DataError(f"{len(summaries)} summaries cannot be compared with {len(references)} references.")
    wanted = list(measures or ROUGE)
    scorer = RougeScorer(wanted, tokenizer=_Tokens(tokeniser(tokenisation)))
    lines = [
        ("\n".join(sentences_of(reference)), "\n".join(sentences_of(summary)))
        for summary, reference in zip(summaries, references, strict=True)
    ]
    found = [scorer.score(*pair) for pair in lines]
    return Rouge(tokenisation, {name: np.array([100 * one[name].fmeasure for one in found]) for name in wanted})


def tokeniser(name: str) -> Tokenise:
    """The function that cuts a text into what ROUGE counts."""
    if name not in TOKENISATIONS:
        raise InputError(
            f"there is no tokenisation {name!r}{did_you_mean(name, TOKENISATIONS)}; use one of "
            f"{', '.join(TOKENISATIONS)}."
        )
    return {"stemmed": _stemmed(), "words": words, "characters": characters, "morphemes": morphemes}[name]


def usual_tokenisation(texts: Sequence[str]) -> Tokenisation:
    """`stemmed` for text in Latin letters without accents, as ROUGE-1.5.5 reads it; `characters` for all other."""
    letters = [letter for text in texts[:200] for letter in _BEYOND_LATIN.findall(text)]
    plain = sum(letter.isascii() for letter in letters)
    return "stemmed" if plain >= 0.8 * len(letters) else "characters"


@cache
def _stemmed() -> Tokenise:
    """Words of a–z and 0–9, lower-cased, those of more than three letters stemmed.

    By Porter's algorithm as he published it, which ROUGE-1.5.5 has too; rouge-score's own choice adds extensions
    (skies → sky) and differs from it.
    """
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    return lambda text: tokenize(text, stemmer)


def words(text: str) -> list[str]:
    """Runs of letters and digits of any script, lower-cased."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def characters(text: str) -> list[str]:
    """Letters and digits of any script one by one, lower-cased; a Hangul syllable is one character."""
    return list("".join(words(text)))


def morphemes(text: str) -> list[str]:
    """Korean morphemes, lower-cased, without punctuation (kiwipiepy)."""
    return [form for part in _kiwi().tokenize(text) if (form := part.form.lower()) and _WORD.search(form)]


@cache
def _kiwi() -> Any:
    if find_spec("kiwipiepy") is None:
        raise InputError("morphemes need kiwipiepy; install it with: pip install 'jumok[korean]'.")
    from kiwipiepy import Kiwi  # pyright: ignore[reportMissingImports]

    return Kiwi()
