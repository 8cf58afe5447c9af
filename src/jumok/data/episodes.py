"""Episodes: N classes with K labelled pictures each, and new pictures of the same classes to be named.

Episode `number` of a seed is always the same, whatever was drawn before it: a run that is resumed needs no state. All
queries of an episode share its support set; each is a query of its own to the model, which sees no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from jumok.data.images import PixelStore
from jumok.data.numbered import NumberedBatch
from jumok.errors import DataError
from jumok.text.seeds import stable_seed

TURNS = 4


@dataclass(frozen=True)
class EpisodeBatch(NumberedBatch):
    """Episodes as tensors: the first S pictures of each are its support set, with labels; the others are queries."""

    unit: ClassVar[str] = "queries"
    examples: ClassVar[str] = "episodes"
    pixels_EIHW: Tensor
    support_ES: Tensor
    answers_EQ: Tensor
    classes_EN: Tensor
    """Which class of the data each label stands for; a turned class has a number of its own."""

    @property
    def size(self) -> int:
        return self.answers_EQ.numel()

    @property
    def counts(self) -> dict[str, int]:
        return {"episodes": len(self), "queries": self.size}


@dataclass(frozen=True)
class Classes:
    """Pictures by class: rows of a store, `counts[c]` of them for class c, one class after the other."""

    store: PixelStore
    names: tuple[str, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, store: PixelStore) -> "Classes":
        """The classes that the store's notes name."""
        return cls(store, tuple(store.notes["names"]), tuple(store.notes["counts"]))

    @property
    def first(self) -> np.ndarray:
        """The row of each class's first picture."""
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]])


class Episodes:
    """Draws the episodes of a seed."""

    def __init__(
        self, classes: Classes, ways: int, shots: int, queries: int, seed: int, *, rotations: bool = False
    ) -> None:
        few = [name for name, count in zip(classes.names, classes.counts, strict=True) if count < shots + queries]
        if few:
            raise DataError(
                f"class '{few[0]}' has too few pictures: {shots} shot(s) and {queries} queries need {shots + queries}; "
                "add some, leave the class out, or lower data.shots or data.queries."
            )
        if len(classes.names) < ways:
            raise DataError(
                f"{ways} ways need as many classes; there are {len(classes.names)}. Add classes, or lower data.ways."
            )
        self.classes, self.ways, self.shots, self.queries = classes, ways, shots, queries
        self.seed, self.turns = seed, TURNS if rotations else 1
        self._first = classes.first

    def batch(self, numbers: Sequence[int]) -> EpisodeBatch:
        """The episodes of these numbers."""
        drawn = [self._draw(number) for number in numbers]
        rows_EI, turns_EI, labels_EI, classes_EN = (np.stack([one[part] for one in drawn]) for part in range(4))
        shots = self.ways * self.shots
        labels = torch.from_numpy(labels_EI)
        pixels = torch.from_numpy(self._pixels(rows_EI, turns_EI))
        return EpisodeBatch(list(numbers), pixels, labels[:, :shots], labels[:, shots:], torch.from_numpy(classes_EN))

    def _draw(self, number: int) -> tuple[np.ndarray, ...]:
        """Row, turn and label of each picture (the support set in any order, then the queries), and the classes."""
        random = np.random.Generator(np.random.PCG64(stable_seed(self.seed, "episode", number)))
        # Two turns of one character may meet in an episode: they are different classes.
        chosen = random.choice(len(self.classes.names) * self.turns, self.ways, replace=False)
        of_class, turns = chosen // self.turns, chosen % self.turns
        each = self.shots + self.queries
        rows = np.stack([self._first[c] + random.choice(self.classes.counts[c], each, replace=False) for c in of_class])
        order = random.permutation(self.ways * self.shots)
        label = np.repeat(np.arange(self.ways), self.shots)[order]
        asked = np.repeat(np.arange(self.ways), self.queries)
        labels = np.concatenate([label, asked])
        picked = np.concatenate([rows[:, : self.shots].reshape(-1)[order], rows[:, self.shots :].reshape(-1)])
        return picked, turns[labels], labels, chosen

    def _pixels(self, rows_EI: np.ndarray, turns_EI: np.ndarray) -> np.ndarray:
        pixels = self.classes.store.batch(rows_EI.reshape(-1))
        turns = turns_EI.reshape(-1)
        for turn in range(1, self.turns):
            mine = turns == turn
            pixels[mine] = np.rot90(pixels[mine], turn, axes=(1, 2))
        return pixels.reshape(*rows_EI.shape, *pixels.shape[1:])
