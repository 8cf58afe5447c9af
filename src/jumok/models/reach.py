"""How long a sentence a model can take: learned positions and scores of locations end somewhere."""

from collections.abc import Iterable
from dataclasses import dataclass

ANY_LENGTH = 1_000_000
"""Tokens that stand for no limit."""


@dataclass(frozen=True)
class Reach:
    """The positions that a model has parameters for on each side; None: for any number of them.

    A source takes one position more than it has tokens, for EOS, and so does a target, for BOS.
    """

    source: int | None = None
    target: int | None = None

    @property
    def source_tokens(self) -> int:
        """Tokens of the longest source, without EOS."""
        return ANY_LENGTH if self.source is None else self.source - 1

    @property
    def target_tokens(self) -> int:
        """Tokens of the longest target, without EOS."""
        return ANY_LENGTH if self.target is None else self.target - 1


def least(limits: Iterable[int | None]) -> int | None:
    """The strictest of several limits; None where there is none."""
    return min((limit for limit in limits if limit is not None), default=None)
