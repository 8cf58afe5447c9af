"""From stored pairs to batches, in order, from any position; made ahead of time if wanted.

The order and content of the batches are a function of the position alone. Making them ahead in a thread or a
process changes when they are made, nothing else.
"""

import multiprocessing
import queue
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Literal, TypeVar

import numpy as np

from jumok.data.batch import Batch
from jumok.data.bucketing import START, Position, TokenBatches
from jumok.data.store import PairSource, TokenPair
from jumok.errors import DataError

Worker = Literal["none", "thread", "process"]
T = TypeVar("T")


def make_batch(pairs: PairSource, numbers: np.ndarray, epoch: int) -> Batch:
    """The batch of these sentences as they are read in that epoch."""
    return _assemble([pairs.pair(int(number), epoch) for number in numbers], numbers)


def load_batches(
    pairs: PairSource,
    batches: TokenBatches,
    position: Position = START,
    *,
    worker: Worker = "thread",
    ahead: int = 4,
) -> Iterator[tuple[Position, Batch]]:
    """Endless batches from the position on, each with its own place; save `place.after()` to go on after it.

    `worker` says who makes them: this thread when asked (`none`), a thread (`thread`, for stored ids) or a
    process (`process`, worth its start for subword sampling), up to `ahead` batches early. Close the iterator
    to end them.
    """
    work = _Work(pairs, batches, position)
    if worker == "none":
        yield from work.batches()
    elif worker == "thread":
        yield from _early(work.batches(), ahead)
    else:
        with closing(_received(work)) as received:
            yield from _early(received, ahead)


@dataclass(frozen=True)
class _Work:
    """What a worker needs to make batches; it can be sent to another process."""

    pairs: PairSource
    order: TokenBatches
    position: Position

    def rows(self) -> Iterator[tuple[Position, np.ndarray, list[TokenPair]]]:
        for place, numbers in self.order.from_position(self.position):
            yield place, numbers, [self.pairs.pair(int(number), place.epoch) for number in numbers]

    def batches(self) -> Iterator[tuple[Position, Batch]]:
        return ((place, _assemble(rows, numbers)) for place, numbers, rows in self.rows())


@dataclass(frozen=True)
class _Failure:
    error: BaseException


def _assemble(rows: list[TokenPair], numbers: np.ndarray) -> Batch:
    links = [row.links for row in rows if row.links is not None]
    aligned = len(rows) > 0 and len(links) == len(rows)
    sources, targets = [row.source for row in rows], [row.target for row in rows]
    return Batch.of(sources, targets, numbers, links if aligned else None)


def _early(items: Iterator[T], ahead: int) -> Iterator[T]:
    """The same items, up to `ahead` of them made early by a thread, which ends with this iterator."""
    made: queue.Queue[T | _Failure] = queue.Queue(maxsize=max(1, ahead))
    stop = threading.Event()

    def put(item: T | _Failure) -> None:
        while not stop.is_set():
            with suppress(queue.Full):
                made.put(item, timeout=0.1)
                return

    def run() -> None:
        try:
            for item in items:
                put(item)
                if stop.is_set():
                    return
        except BaseException as error:
            put(_Failure(error))

    thread = threading.Thread(target=run, daemon=True, name="batches")
    thread.start()
    try:
        while True:
            item = made.get()
            if isinstance(item, _Failure):
                raise item.error
            yield item
    finally:
        stop.set()
        thread.join(timeout=5)


def _received(work: _Work) -> Generator[tuple[Position, Batch], None, None]:
    """Batches of rows that another process sends through a pipe.

    A full pipe holds the process back, and a broken one ends it, so it cannot outlive this one.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_rows, args=(work, sender), daemon=True, name="batches")
    process.start()
    sender.close()
    try:
        while True:
            try:
                received = receiver.recv()
            except EOFError as error:
                raise DataError("the process that makes batches has died; train with fewer workers.") from error
            if isinstance(received, _Failure):
                raise received.error
            place, numbers, rows = received
            yield place, _assemble(rows, numbers)
    finally:
        process.terminate()
        process.join(timeout=5)
        receiver.close()


def _send_rows(work: _Work, sender: Connection) -> None:
    # Ctrl-C reaches the whole group; the parent decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for place, numbers, rows in work.rows():
            plain = [
                TokenPair(np.asarray(row.source, np.int32), np.asarray(row.target, np.int32), row.links) for row in rows
            ]
            sender.send((place, numbers, plain))
    except BrokenPipeError:
        return
    except Exception as error:
        sender.send(_Failure(error))
