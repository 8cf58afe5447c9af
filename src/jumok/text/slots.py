"""Ids for unknown words of a source: a word vocabulary that ends in *slots* can have them copied.

The k-th different unknown word of a source is written as the k-th slot, on both sides; beyond the last slot it is UNK.
So an unknown word has an id for the length of one pair, and a text from ids needs the source that they belong to.
"""

from pathlib import Path

from jumok.text.tokenizer import Tokenizer
from jumok.text.vocabulary import UNKNOWN
from jumok.text.words import WordTokenizer


class BesideTokenizer(Tokenizer):
    """A tokenizer with slots beside one source: each slot is one of its unknown words; slots that are left are
    `<unk>`."""

    kind = WordTokenizer.kind

    def __init__(self, words: WordTokenizer, source: str) -> None:
        self.words, self.options, self.unknown = words, words.options, words.unknown(source)
        left = words.options.slots - len(self.unknown)
        named = [(word, " " + word) for word in self.unknown]
        self.vocabulary = words.vocabulary.ending_in([*named, *[(UNKNOWN, " " + UNKNOWN)] * left])

    @property
    def sha256(self) -> str:
        return self.words.sha256

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line's words; unknown ones that the source has too are its slots."""
        return self.words.encode_with(line, self.unknown)

    def save(self, folder: str | Path, side: str) -> None:
        """Write the tokenizer, which knows of no source."""
        self.words.save(folder, side)


def beside(tokenizer: Tokenizer, source: str) -> Tokenizer:
    """The tokenizer for everything that is said of one source: with slots they name its unknown words."""
    if isinstance(tokenizer, WordTokenizer) and tokenizer.options.slots:
        return BesideTokenizer(tokenizer, source)
    return tokenizer


def encode_beside(tokenizer: Tokenizer, line: str, source: str) -> list[int]:
    """`beside(tokenizer, source).encode(line)`, quick enough for every pair of a corpus."""
    if isinstance(tokenizer, WordTokenizer) and tokenizer.options.slots:
        return tokenizer.encode_with(line, tokenizer.unknown(source))
    return tokenizer.encode(line)
