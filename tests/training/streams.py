"""Endless batches for tests."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from jumok.data.bucketing import Position

B = TypeVar("B")


def repeated(position: Position, count: int, batch: Callable[[int], B]) -> Iterator[tuple[Position, B]]:
    """So many batches per epoch, the same ones each time, from a position on."""
    while True:
        if position.batch == count:
            position = Position(position.epoch + 1, 0)
        yield position, batch(position.batch)
        position = position.after()
