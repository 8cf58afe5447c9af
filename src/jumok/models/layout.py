"""How the positions of a source are arranged, for everyone who draws, names or merges them.

    Words      pieces of words, one after another; a word may have several
    Grid       regions of a picture, row by row
    Episode    examples of an episode, each with its class

A frontend gives the layout with its vectors, and the memory keeps it. The words of a batch differ from sentence to
sentence, so its layout is a bare `Words()`; whoever shows one sentence names its pieces (`named`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from jumok.errors import ShapeError

if TYPE_CHECKING:
    from jumok.text.tokenizer import Tokenizer

NO_UNIT = -1
"""The unit of a position that is part of none, such as the end of a sentence."""


class Layout(ABC):
    """An arrangement of positions."""

    kind: ClassVar[str]
    """As a page knows it."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """How the positions lie in a drawing: `(S,)` in a row, `(rows, columns)` in a picture."""

    @abstractmethod
    def label(self, position: int) -> str:
        """How a position is called, in a table or beside a drawing."""

    @property
    def count(self) -> int:
        """How many positions there are."""
        total = 1
        for size in self.shape:
            total *= size
        return total

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of every position, in order."""
        return tuple(self.label(position) for position in range(self.count))

    @property
    def units(self) -> tuple[str, ...]:
        """What attention is summed over, by name: words where positions are pieces of them, else the positions."""
        return self.labels

    @property
    def unit_of_position(self) -> tuple[int, ...]:
        """The unit that each position is part of; `NO_UNIT` for none."""
        return tuple(range(self.count))

    def named(self, pieces: Sequence[str], words: Sequence[str], word_of_piece: Sequence[int]) -> "Layout":
        """The layout of one source, given its text; one that needs no text is the same."""
        return self

    def as_json(self) -> dict[str, Any]:
        """`kind`, `shape`, the label of every position, and what else a page needs to draw it."""
        return {"kind": self.kind, "shape": [*self.shape], "labels": [*self.labels]}


@dataclass(frozen=True)
class Words(Layout):
    """Pieces one after another, as in a sentence."""

    kind = "words"
    pieces: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    word_of_piece: tuple[int, ...] = ()

    @classmethod
    def of(cls, tokenizer: "Tokenizer", ids: Sequence[int], words: Sequence[str], end: int | None = None) -> "Words":
        """The layout of a tokenized sentence; `end` is the token after its last word, where it is a position too."""
        pieces = [tokenizer.token(token) for token in ids]
        word_of_piece = list(tokenizer.word_of_read(ids, words))
        if end is not None:
            pieces.append(tokenizer.token(end))
            word_of_piece.append(NO_UNIT)
        return cls(tuple(pieces), tuple(words), tuple(word_of_piece))

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.pieces),)

    def label(self, position: int) -> str:
        return self.pieces[position]

    @property
    def units(self) -> tuple[str, ...]:
        return self.words

    @property
    def unit_of_position(self) -> tuple[int, ...]:
        return self.word_of_piece

    def named(self, pieces: Sequence[str], words: Sequence[str], word_of_piece: Sequence[int]) -> "Words":
        return Words(tuple(pieces), tuple(words), tuple(word_of_piece))

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "words": [*self.words], "word_of_position": [*self.word_of_piece]}


@dataclass(frozen=True)
class Grid(Layout):
    """Regions of a picture, row by row from the top left."""

    kind = "grid"
    rows: int
    columns: int

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise ShapeError(f"A grid needs at least one row and one column, got {self.rows} × {self.columns}.")

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.rows, self.columns)

    def label(self, position: int) -> str:
        row, column = self.place(position)
        return f"row {row + 1}, column {column + 1}"

    def place(self, position: int) -> tuple[int, int]:
        """Row and column of a region, from 0."""
        if not 0 <= position < self.count:
            raise ShapeError(f"There is no region {position}: a grid of {self.rows} × {self.columns} has {self.count}.")
        return divmod(position, self.columns)

    def box(self, position: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of a region, as shares of the picture."""
        row, column = self.place(position)
        return column / self.columns, row / self.rows, 1 / self.columns, 1 / self.rows


@dataclass(frozen=True)
class Episode(Layout):
    """Examples that a model is shown before it answers; attention is summed over those of a class."""

    kind = "episode"
    class_of_example: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.class_of_example),)

    def label(self, position: int) -> str:
        return f"example {position + 1}: {self.class_of_example[position]}"

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.class_of_example))

    @property
    def unit_of_position(self) -> tuple[int, ...]:
        number = {name: n for n, name in enumerate(self.units)}
        return tuple(number[name] for name in self.class_of_example)

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "classes": [*self.units], "class_of_position": [*self.unit_of_position]}


WORDS = Words()
