"""The worker processes: handed batches, replaced when they die, ended when they are late."""

import multiprocessing
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from jumok.errors import RunError
from jumok.server.problems import failed_twice, too_late
from jumok.server.work import Batch, Done, Failed, Ready, Trouble
from jumok.server.worker import Loading, main

TRIES = 2
START_SECONDS = 120.0


@dataclass
class Worker:
    """One process and the end of its pipe."""

    process: SpawnProcess
    pipe: Connection
    ready: Ready = field(default_factory=lambda: Ready({}))

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        self.pipe.close()
        self.process.kill()
        self.process.join()


def start_worker(loading: Loading) -> Worker:
    """A worker that has loaded its models; raises what went wrong there."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=main, args=(theirs, loading), daemon=True, name="jumok-worker")
    process.start()
    theirs.close()
    worker = Worker(process, ours)
    try:
        told = ours.recv() if ours.poll(START_SECONDS) else Failed("The model was not loaded in two minutes.")
    except EOFError:
        told = Failed("The process that loads the model ended; is there enough memory?")
    if not isinstance(told, Ready):
        worker.end()
        raise RunError(told.problem)
    worker.ready = told
    return worker


class Crew:
    """A fixed number of workers."""

    def __init__(self, loading: Loading, size: int, on_lost: Callable[[], None] = lambda: None) -> None:
        self.loading, self.size, self._on_lost = loading, size, on_lost
        self._starting = ThreadPoolExecutor(size, thread_name_prefix="jumok-start")
        self.workers: list[Worker] = list(self._starting.map(lambda _: start_worker(loading), range(size)))
        self._locks = [threading.Lock() for _ in range(size)]
        self._reloading = threading.Lock()
        self.closed = False

    @property
    def ready(self) -> Ready:
        """Versions and engines of the models that are loaded."""
        return self.workers[0].ready

    @property
    def processes(self) -> list[int]:
        """The ids of the processes."""
        return [worker.process.pid or 0 for worker in self.workers]

    def translate(self, place: int, batch: Batch, until: float) -> tuple[Done, Ready]:
        """What the worker at a place makes of a batch, and which versions made it.

        A worker that dies is replaced and the batch is tried once more; if that one dies too, its lines are tried one
        by one, so that only the line that ends processes fails. A worker that is not done by `until` (of
        `time.monotonic`) is ended, because a search cannot be stopped from outside.
        """
        with self._locks[place]:
            for _ in range(TRIES):
                if (done := self._attempt(place, batch, until)) is not None:
                    return done, self.workers[place].ready
            if len(batch.lines) == 1:
                raise failed_twice()
            alone = [Batch(batch.number, batch.run, (line,), batch.options) for line in batch.lines]
            found = [self._attempt(place, one, until) for one in alone]
            lost = Trouble(str(failed_twice()), ours=True)
            results = [lost if one is None else one.results[0] for one in found]
            return Done(batch.number, results), self.workers[place].ready

    def _attempt(self, place: int, batch: Batch, until: float) -> Done | None:
        """What the worker made of a batch; None where it died over it and was replaced."""
        worker = self.workers[place]
        try:
            worker.pipe.send(batch)
            if not worker.pipe.poll(max(0.0, until - time.monotonic())):
                self._replace(place)
                raise too_late()
            return worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(place)
            return None

    def _replace(self, place: int) -> None:
        """A new worker instead of a dead or late one."""
        self.workers[place].end()
        self._on_lost()
        if not self.closed:
            self.workers[place] = start_worker(self.loading)

    def reload(self) -> Ready:
        """Workers with the runs as they are on disk now, one after the other; nothing under way is dropped.

        Where the runs cannot be loaded the workers stay as they are, and the error says why.
        """
        with self._reloading:
            for place in range(self.size):
                fresh = start_worker(self.loading)
                with self._locks[place]:
                    old, self.workers[place] = self.workers[place], fresh
                old.end()
            return self.ready

    def close(self) -> None:
        """Ends every worker."""
        self.closed = True
        for worker in self.workers:
            worker.end()
        self._starting.shutdown(wait=False)
