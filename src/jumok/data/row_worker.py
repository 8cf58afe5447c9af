"""The part of loading that another process may do. It knows no torch, so that the process starts quickly."""

import signal
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

from jumok.data.bucketing import Position, TokenBatches
from jumok.data.store import PairSource, TokenPair


@dataclass(frozen=True)
class RowWork:
    """What is needed to find the rows of each batch; it can be sent to another process."""

    pairs: PairSource
    order: TokenBatches
    position: Position

    def __getstate__(self) -> tuple[PairSource, TokenBatches, Position]:
        order = self.order
        if order.lengths is self.pairs.lengths():
            # Mapped again on the other side: a pickle would copy millions of numbers into its memory.
            order = copy(order)
            order.lengths = order.lengths[:0]
        return self.pairs, order, self.position

    def __setstate__(self, state: tuple[PairSource, TokenBatches, Position]) -> None:
        pairs, order, position = state
        if len(order.lengths) == 0:
            order.lengths = pairs.lengths()
        for name, value in (("pairs", pairs), ("order", order), ("position", position)):
            object.__setattr__(self, name, value)

    def rows(self) -> Iterator[tuple[Position, np.ndarray, list[TokenPair]]]:
        """Each batch's place, sentence numbers and pairs, without end."""
        for place, numbers in self.order.from_position(self.position):
            yield place, numbers, [self.pairs.pair(int(number), place.epoch) for number in numbers]


@dataclass(frozen=True)
class Failure:
    """An error on its way to whoever waits for a batch."""

    error: BaseException


def send_rows(work: RowWork, sender: Connection) -> None:
    """Send the rows through the pipe until it breaks; what goes wrong is sent too."""
    # Ctrl-C reaches the whole group; the parent decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for place, numbers, rows in work.rows():
            sender.send((place, numbers, rows))
    except BrokenPipeError:
        return
    except Exception as error:
        sender.send(Failure(error))
