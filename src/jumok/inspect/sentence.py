"""A source sentence as it was written, as it is given to the model, and how the two lie on each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from jumok.errors import InputError
from jumok.models.layout import Words
from jumok.shapes import EOS, UNK
from jumok.text.tokenizer import Tokenizer

How = Literal["remove", "mask", "unknown"]
"""How a word is erased: left out, hidden from cross attention only, or read as an unknown word."""


@dataclass(frozen=True)
class Sentence:
    """A source; `ids` is what the model reads (EOS last), `columns` the place of each of them in what was written."""

    written: tuple[int, ...]
    """The tokens of the sentence as it was written, EOS last."""
    layout: Words
    """How those are shown: the pieces, and the words they make up."""
    ids: tuple[int, ...]
    columns: tuple[int, ...]
    hidden: frozenset[int] = frozenset()
    """Columns that cross attention may not look at."""
    cut: int = 0
    """How many tokens were left out because the model takes no more."""

    @classmethod
    def of(cls, words: Sequence[str], tokenizer: Tokenizer, longest: int) -> "Sentence":
        """The sentence of these words, cut to what the model takes."""
        whole = tokenizer.encode(" ".join(words))
        ids = whole[:longest]
        kept = words[: max(tokenizer.word_of_token(ids), default=-1) + 1]
        written = (*ids, EOS)
        layout = Words.of(tokenizer, ids, kept, end=EOS)
        return cls(written, layout, written, tuple(range(len(written))), cut=len(whole) - len(ids))

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are read."""
        return self.layout.words

    @property
    def text(self) -> str:
        """The words as one line."""
        return " ".join(self.words)

    @property
    def width(self) -> int:
        """How many columns there are in what was written."""
        return len(self.written)

    def without(self, word: int, how: How) -> "Sentence":
        """The sentence with a word erased."""
        if not 0 <= word < len(self.words):
            raise InputError(f"The sentence has {len(self.words)} words, from 0; there is no word {word}.")
        places = {place for place, of in enumerate(self.layout.unit_of_position) if of == word}
        if how == "mask":
            return replace(self, hidden=self.hidden | places)
        pairs = list(zip(self.ids, self.columns, strict=True))
        if how == "unknown":
            return replace(self, ids=tuple(UNK if column in places else token for token, column in pairs))
        kept = [(token, column) for token, column in pairs if column not in places]
        return replace(self, ids=tuple(token for token, _ in kept), columns=tuple(column for _, column in kept))
