"""A source sentence as it was written, as it is given to the model, and how the two lie on each other."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

import torch

from jumok.data.sources import Source, Tokens
from jumok.decoding.batches import pad_sources
from jumok.decoding.jobs import Job
from jumok.errors import InputError
from jumok.models.layout import Layout, Words
from jumok.shapes import EOS, UNK
from jumok.text.normal import words_of
from jumok.text.sentences import sentences_of
from jumok.text.slots import beside
from jumok.text.tokenizer import Tokenizer

How = Literal["remove", "mask", "unknown"]
"""How a word is erased: left out, hidden from cross attention only, or read as an unknown word."""


class Subject(Protocol):
    """What a model is inspected on: a sentence or a picture. Columns are the positions of what was given."""

    @property
    def layout(self) -> Layout:
        """How the columns are shown."""
        ...

    @property
    def columns(self) -> Sequence[int]:
        """The column of each position that is read."""
        ...

    @property
    def hidden(self) -> frozenset[int]:
        """Columns that cross attention may not look at."""
        ...

    @property
    def width(self) -> int:
        """How many columns there are."""
        ...

    @property
    def units(self) -> int:
        """How many parts can be erased: words, or regions."""
        ...

    @property
    def key(self) -> Hashable:
        """Subjects with the same key are encoded the same."""
        ...

    def read_layout(self, layout: Layout) -> Layout:
        """The layout that the frontend gave, with the names of what is read."""
        ...

    def source(self, others: Sequence[Self], device: torch.device) -> Source:
        """This one and others of its kind as a batch."""
        ...

    def job(self, prefix: tuple[int, ...]) -> Job:
        """The search for what is written about it."""
        ...

    def without(self, word: int, how: How) -> Self:
        """The same with one part erased."""
        ...


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
    sentences: tuple[int, ...] = ()
    """For each word of a text the number of its sentence; line breaks end sentences too. Empty if nobody needs it."""

    @classmethod
    def of_text(cls, text: str, tokenizer: Tokenizer, longest: int, most: int | None = None) -> "Sentence":
        """The words of a text, at most so many, cut to what the model takes; it is known which sentence each is of."""
        found = cls.of(words_of(text)[:most], tokenizer, longest)
        numbers = [number for number, one in enumerate(sentences_of(text)) for _ in words_of(one)]
        return replace(found, sentences=tuple(numbers[: len(found.words)]))

    @classmethod
    def of(cls, words: Sequence[str], tokenizer: Tokenizer, longest: int) -> "Sentence":
        """The sentence of these words, cut to what the model takes."""
        tokenizer = beside(tokenizer, " ".join(words))
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

    @property
    def units(self) -> int:
        """How many words there are."""
        return len(self.words)

    @property
    def key(self) -> Hashable:
        """What is read."""
        return self.ids

    def read_layout(self, layout: Layout) -> Layout:
        """The pieces that are read, by name."""
        pieces = [self.layout.pieces[column] for column in self.columns]
        word_of_piece = [self.layout.word_of_piece[column] for column in self.columns]
        return layout.named(pieces, self.layout.words, word_of_piece)

    def source(self, others: "Sequence[Sentence]", device: torch.device) -> Source:
        """This sentence and others, padded."""
        return Tokens(*pad_sources([one.ids[:-1] for one in (self, *others)], device))

    def job(self, prefix: tuple[int, ...]) -> Job:
        """The search for its translation."""
        return Job(self.text, self.words, self.ids[:-1], 0, prefix)

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
