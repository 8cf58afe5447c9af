"""A worker's place: what was sent to it, and whose answer is next."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from jumok.server.work import Batch, Done, Ready


@dataclass(eq=False)
class Worker:
    """One process and the end of its pipe."""

    process: SpawnProcess
    pipe: Connection
    ready: Ready = field(default_factory=lambda: Ready({}))
    ended: bool = False

    def send(self, batch: Batch) -> None:
        """Hands a batch over; that a process is dead is noticed by who waits for its answer."""
        with suppress(OSError):
            self.pipe.send(batch)

    def end(self) -> None:
        """Ends the process, whatever it is doing. Its pipe stays open: who is just sending must see it broken."""
        self.ended = True
        self.process.kill()
        self.process.join()


class Place:
    """A worker and the batches that it has: one more may be sent while it searches, so that it never waits for the
    server. Each batch has its turn, in the order in which they were sent; only who has the turn reads answers."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.early: dict[int, Done] = {}
        """Answers to batches that come later: a batch that is sent again is behind them."""
        self._sending = threading.Lock()
        self._turn = threading.Condition()
        self._order: deque[object] = deque()

    @contextmanager
    def sent(self, batch: Batch) -> Iterator[Worker]:
        """Sends a batch and waits for its turn; gives the worker that has it."""
        with self._sending:
            self._order.append(batch)
            worker = self.worker
            try:
                worker.send(batch)
            except BaseException:
                self._order.pop()
                raise
        with self._waited(batch):
            yield worker

    def send_again(self, batch: Batch) -> Worker:
        """Sends the batch that has its turn to the worker that is here now."""
        with self._sending:
            self.worker.send(batch)
            return self.worker

    def put(self, worker: Worker) -> None:
        """A worker instead of one that has ended; for who has the turn."""
        with self._sending:
            before, self.worker = self.worker, worker
            before.pipe.close()

    def change(self, worker: Worker) -> None:
        """A worker instead of one that is well: that one answers what it has, and ends."""
        with self._sending:
            self._order.append(worker)
            before, self.worker = self.worker, worker
        with self._waited(worker):
            before.end()
            before.pipe.close()

    @contextmanager
    def _waited(self, who: object) -> Iterator[None]:
        """Waits for a turn, and lets the next one have it afterwards."""
        with self._turn:
            self._turn.wait_for(lambda: self._order[0] is who)
        try:
            yield
        finally:
            with self._turn:
                self._order.popleft()
                self._turn.notify_all()
