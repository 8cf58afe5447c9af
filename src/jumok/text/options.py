"""What a tokenizer can be told, whatever its kind."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from jumok.errors import TextError
from jumok.text.normal import words_of


@dataclass(frozen=True)
class TokenizerOptions:
    """Options of a tokenizer; each kind reads those that concern it."""

    byte_fallback: bool | None = None
    """Spell what is not in the vocabulary in UTF-8 bytes, so that every line comes back whole. None takes the
    kind's own default: on for `bpe`, `unigram` and `characters`; off for `words`, where an unknown word is
    one UNK that the decoder can replace by the word it looked at."""
    sampling: float = 0.0
    """Subword regularisation: the exponent alpha of `unigram` (Kudo 2018), the dropout rate of `bpe`
    (Provilkov et al. 2020). 0 is off."""
    lowercase: bool = False
    """Lower-case every line before anything else; the round trip then gives back the lower-cased line."""
    min_count: int = 1
    """Words (`words`) or characters (`characters`) seen less often stay out of the vocabulary."""
    slots: int = field(default=0, repr=False)  # SentencePiece's hash is over the repr: those of older runs must hold
    """Ids at the end of the vocabulary that name the unknown words of a source (`words`): so they can be copied."""
    character_coverage: float = 0.9999
    """Share of the running characters that `bpe` and `unigram` keep as pieces of their own."""


def line_words(line: str, lowercase: bool) -> list[str]:
    """The words that a tokenizer sees."""
    return words_of(line.lower() if lowercase else line)


MOST_TYPES = 2_000_000


def count_words(lines: Iterable[str], lowercase: bool, most: int = MOST_TYPES) -> Counter[str]:
    """How often each word stands in the lines, in memory that does not grow with them.

    Beyond `most` different words the rarest are forgotten: they could not enter a vocabulary anyway.
    """
    counts: Counter[str] = Counter()
    floor = 1
    for line in lines:
        counts.update(line_words(line, lowercase))
        while len(counts) > most:
            counts = Counter({word: count for word, count in counts.items() if count > floor})
            floor += 1
    if not counts:
        raise TextError("a tokenizer cannot be built from text without words; check that the files are not empty.")
    return counts


def chosen_size(asked: int | None, fixed: int, available: int, kind: str) -> int:
    """How many of the `available` entries to keep beside the `fixed` ones, or an error that names the
    limits."""
    if asked is None:
        return available
    if asked > fixed + available:
        raise TextError(
            f"a {kind} vocabulary of {asked} is larger than the text supports; "
            f"text.size can be at most {fixed + available} here."
        )
    if asked <= fixed:
        raise TextError(f"a {kind} vocabulary of {asked} is too small; text.size must be at least {fixed + 1} here.")
    return asked - fixed
