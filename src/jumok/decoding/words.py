"""Words and phrases that an output must or must not contain, and how they stand in running text.

A word stands in a text where it is found and neither neighbour is a word character: `dog` stands in `a dog.` but not
in `dogs`. With a star at the end, as in `학교*`, anything may follow: particles and endings.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from jumok.errors import InputError
from jumok.shapes import BOS
from jumok.text.normal import normalise

Path = tuple[int, ...]
"""Tokens that write a phrase."""


class Surfaces(Protocol):
    """What each id of a vocabulary writes."""

    @property
    def surfaces(self) -> list[str]:
        """The characters that each id writes; a space begins a new word."""
        ...

    @property
    def first_entry(self) -> int:
        """The first id after the special ids and the bytes."""
        ...


def is_word_character(character: str) -> bool:
    """Letters, digits, marks on them, and the underscore."""
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


@dataclass(frozen=True)
class Phrase:
    """A word, or several with single spaces between them."""

    text: str
    open_end: bool = False
    """Anything may follow."""

    @classmethod
    def parse(cls, written: str, *, lowercase: bool = False) -> "Phrase":
        """The phrase that a user wrote; a star at the end leaves it open."""
        text = normalise(written.lower() if lowercase else written)
        open_end = len(text) > 1 and text.endswith("*")
        text = text[:-1].rstrip() if open_end else text
        if not text:
            raise InputError("a forbidden or required word cannot be empty.")
        return cls(text, open_end)

    def __str__(self) -> str:
        return self.text + ("*" if self.open_end else "")

    @property
    def needs_start(self) -> bool:
        """No word character may stand before it."""
        return is_word_character(self.text[0])

    @property
    def needs_end(self) -> bool:
        """No word character may stand after it."""
        return not self.open_end and is_word_character(self.text[-1])

    def stands_in(self, text: str) -> bool:
        """Whether the phrase stands somewhere in the (normalised) text."""
        return next(self.places_in(text), None) is not None

    def places_in(self, text: str) -> Iterator[tuple[int, int]]:
        """From where to where it stands in the (normalised) text."""
        start = text.find(self.text)
        while start >= 0:
            end = start + len(self.text)
            free_before = not self.needs_start or start == 0 or not is_word_character(text[start - 1])
            free_after = not self.needs_end or end == len(text) or not is_word_character(text[end])
            if free_before and free_after:
                yield start, end
            start = text.find(self.text, start + 1)


def check_agreement(forbidden: Sequence[Phrase], required: Sequence[Phrase]) -> None:
    """Raises `InputError` where a required phrase contains a forbidden one."""
    for wanted in required:
        for unwanted in forbidden:
            if unwanted.stands_in(wanted.text):
                raise InputError(f"'{wanted}' is required, but it contains '{unwanted}', which is forbidden.")


@dataclass(frozen=True)
class RequiredPhrase:
    """A phrase with the token sequences that write it, the shortest first."""

    phrase: Phrase
    segmentations: tuple[Path, ...]

    @property
    def tokens(self) -> int:
        """How many tokens its shortest segmentation has, wherever it stands."""
        return min(len(path) for path in self.segmentations if path[0] != BOS)
