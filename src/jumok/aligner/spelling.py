"""Words as bags of letter n-grams, so that the forms of a word share what is learned about each.

A language with rich inflection shows most forms once or twice: λόγος, λόγου, λόγῳ. Their stems and endings are common.
Case, accents and other combining marks are folded away first; n-grams see the word's ends, `<λογου>`.
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence

LENGTHS = (2, 3, 4, 5)
_WHOLE = "="
"""Begins the feature that is the whole word, which no n-gram can be mistaken for: n-grams have no equals sign first."""


def fold(word: str) -> str:
    """The word in lower case without combining marks; a word of nothing else stays what it is.

    Hangul syllables are folded into letters (jamo) and then n-grams see these.
    """
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)) or word


def is_mark(word: str) -> bool:
    """Whether the word has neither letter nor digit: punctuation."""
    return not any(letter.isalnum() for letter in word)


def ngrams(word: str) -> list[str]:
    """The different n-grams of a folded word with its ends, in order."""
    ended = f"<{word}>"
    pieces = (ended[at : at + length] for length in LENGTHS for at in range(len(ended) - length + 1))
    return list(dict.fromkeys(pieces))


def features(words: Sequence[str], *, spelled: bool = True) -> tuple[list[list[int]], int]:
    """The feature numbers of each word and how many there are: the word itself and its n-grams.

    An n-gram of a single word says no more than the word and is left out; `spelled=False` leaves out all of them.
    """
    grams = [[piece for piece in ngrams(word) if piece[0] != _WHOLE] if spelled else [] for word in words]
    shared = Counter(piece for pieces in grams for piece in pieces)
    numbers: dict[str, int] = {}
    rows: list[list[int]] = []
    for word, pieces in zip(words, grams, strict=True):
        kept = [_WHOLE + word, *(piece for piece in pieces if shared[piece] > 1)]
        rows.append([numbers.setdefault(piece, len(numbers)) for piece in kept])
    return rows, len(numbers)
