"""How the positions of a source are arranged, for everyone who draws or names one."""

from abc import ABC, abstractmethod
from dataclasses import dataclass


class Layout(ABC):
    """An arrangement of positions; it knows how to name one."""

    @abstractmethod
    def label(self, position: int) -> str:
        """A short name of a position that has no name of its own."""


@dataclass(frozen=True)
class Words(Layout):
    """One after another, as in a sentence."""

    def label(self, position: int) -> str:
        return str(position + 1)


WORDS = Words()
