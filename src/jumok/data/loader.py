"""From stored pairs to batches, in order, from any position; made ahead of time if wanted.

The order and content of the batches are a function of the position alone. Making them ahead in a thread or a
process changes when they are made, nothing else.
"""

import multiprocessing
import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from typing import Literal, TypeVar

import numpy as np

from jumok.data.batch import Batch
from jumok.data.bucketing import START, Position, TokenBatches
from jumok.data.row_worker import Failure, RowWork, send_rows
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
    """Endless batches from the position on, each with its own place; save `place.after()` to continue after it.

    `worker` says who makes them: this thread when asked (`none`), a thread (`thread`, for stored ids) or a
    process (`process`, worth its start for subword sampling), up to `ahead` batches early. Close the iterator
    to end them.
    """
    work = RowWork(pairs, batches, position)
    stop = threading.Event()
    if worker == "none":
        yield from _batches(work)
    elif worker == "thread":
        yield from made_early(_batches(work), ahead, stop)
    else:
        with closing(_received(work, stop)) as received:
            yield from made_early(received, ahead, stop)


def _batches(work: RowWork) -> Iterator[tuple[Position, Batch]]:
    return ((place, _assemble(rows, numbers)) for place, numbers, rows in work.rows())


def _assemble(rows: list[TokenPair], numbers: np.ndarray) -> Batch:
    links = [row.links for row in rows if row.links is not None]
    aligned = len(rows) > 0 and len(links) == len(rows)
    sources, targets = [row.source for row in rows], [row.target for row in rows]
    return Batch.of(sources, targets, numbers, links if aligned else None)


def made_early(items: Iterator[T], ahead: int, stop: threading.Event) -> Iterator[T]:
    """The same items, up to `ahead` of them made early by a thread; at the end `stop` is set and ends it."""
    made: queue.Queue[T | Failure] = queue.Queue(maxsize=max(1, ahead))

    def put(item: T | Failure) -> None:
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
            put(Failure(error))

    thread = threading.Thread(target=run, daemon=True, name="batches")
    thread.start()
    try:
        while True:
            item = made.get()
            if isinstance(item, Failure):
                raise item.error
            yield item
    finally:
        stop.set()
        thread.join()


def _received(work: RowWork, stop: threading.Event) -> Generator[tuple[Position, Batch], None, None]:
    """Batches of rows that another process sends through a pipe.

    A full pipe holds the process back, and a broken one ends it, so it cannot outlive this one.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=send_rows, args=(work, sender), daemon=True, name="batches")
    process.start()
    sender.close()
    try:
        while True:
            # Looks up now and then, so that a thread that waits here can be told to stop.
            while not receiver.poll(0.1):
                if stop.is_set():
                    return
            try:
                received = receiver.recv()
            except EOFError as error:
                raise DataError("the process that makes batches has died; train with fewer workers.") from error
            if isinstance(received, Failure):
                raise received.error
            place, numbers, rows = received
            yield place, _assemble(rows, numbers)
    finally:
        process.terminate()
        process.join(timeout=5)
        receiver.close()
