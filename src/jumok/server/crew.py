"""The worker processes: handed batches, replaced when they die, ended when they are late."""

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from jumok.errors import JumokError, RunError
from jumok.server.places import Place, Worker
from jumok.server.problems import failed_twice, no_worker, too_late
from jumok.server.work import Batch, Done, Failed, Ready, Trouble
from jumok.server.worker import Loading, main

TRIES = 2
START_SECONDS = 120.0


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
        ours.close()
        raise RunError(told.problem)
    worker.ready = told
    return worker


def start_workers(loading: Loading, size: int, at_once: int) -> list[Worker]:
    """Workers that have loaded the same weights. Where one cannot be started none stays, and the error says why."""
    with ThreadPoolExecutor(at_once, thread_name_prefix="jumok-start") as pool:
        asked = [pool.submit(start_worker, loading) for _ in range(size)]
    errors = [error for one in asked if (error := one.exception()) is not None]
    started = [one.result() for one in asked if one.exception() is None]
    if any(one.ready.versions != started[0].ready.versions for one in started):
        errors.append(RunError("The runs were written while they were loaded; load them again when they are complete."))
    if errors:
        discard(started)
        raise errors[0]
    return started


def discard(workers: Iterable[Worker]) -> None:
    """Ends workers that have nothing to do."""
    for one in workers:
        one.end()
        one.pipe.close()


class Crew:
    """A fixed number of workers, all of the same weights.

    A worker that has to be replaced after a run has changed on disk can only load what is there now: `on_changed` is
    called then, and the crew is to be loaded again, so that the same text has the same answer everywhere.
    """

    def __init__(
        self,
        loading: Loading,
        size: int,
        on_lost: Callable[[], None] = lambda: None,
        on_changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.loading, self.size, self._on_lost, self._on_changed = loading, size, on_lost, on_changed
        self.places = [Place(one) for one in start_workers(loading, size, at_once=size)]
        self._versions = self.ready.versions
        self._reloading = threading.Lock()
        self.closed = False

    @property
    def ready(self) -> Ready:
        """Versions and engines of the models that are loaded."""
        return self.places[0].worker.ready

    @property
    def processes(self) -> list[int]:
        """The ids of the processes."""
        return [place.worker.process.pid or 0 for place in self.places]

    @property
    def able(self) -> bool:
        """Whether a worker is alive."""
        return any(place.worker.process.is_alive() for place in self.places)

    def revive(self) -> None:
        """New workers instead of those that have ended; raises where the model cannot be loaded."""
        with self._reloading:
            for place in self.places:
                if not (place.worker.process.is_alive() or self.closed):
                    place.change(self._another())

    def _another(self) -> Worker:
        """A worker instead of one that has ended."""
        worker = start_worker(self.loading)
        if worker.ready.versions != self._versions:
            self._on_changed()
        return worker

    def translate(self, number: int, batch: Batch, until: float, least: float = 0.0) -> tuple[Done, Ready]:
        """What the worker at a place makes of a batch, and which versions made it.

        A worker that dies is replaced and the batch is tried once more; if that one dies too, its lines are tried one
        by one, so that only the line that ends processes fails. A worker that is not done by `until` (of
        `time.monotonic`), nor `least` seconds after its turn came, is ended: a search cannot be stopped from outside.
        """
        place = self.places[number]
        with place.sent(batch) as worker:
            until = max(until, time.monotonic() + least)
            if worker.ended and batch.number not in place.early:  # over the batch before this one
                worker = place.send_again(batch)
            for tried in range(TRIES):
                worker = place.send_again(batch) if tried else worker
                if (done := self._receive(place, worker, batch, until)) is not None:
                    return done, worker.ready
            if len(batch.lines) == 1:
                raise failed_twice()
            return self._one_by_one(place, batch, until), place.worker.ready

    def _one_by_one(self, place: Place, batch: Batch, until: float) -> Done:
        """The lines of a batch that has ended two workers."""
        alone = [replace(batch, lines=(line,)) for line in batch.lines]
        found = [self._receive(place, place.send_again(one), one, until) for one in alone]
        lost = Trouble(str(failed_twice()), ours=True)
        return Done(batch.number, [lost if one is None else one.results[0] for one in found])

    def _receive(self, place: Place, worker: Worker, batch: Batch, until: float) -> Done | None:
        """What the worker made of the batch that has its turn; None where it died over it and was replaced."""
        try:
            while batch.number not in place.early:
                if not worker.pipe.poll(max(0.0, until - time.monotonic())):
                    self._replace(place, worker)
                    raise too_late()
                done = worker.pipe.recv()
                place.early[done.number] = done
        except (EOFError, OSError):
            self._replace(place, worker)
            return None
        return place.early.pop(batch.number)

    def _replace(self, place: Place, worker: Worker) -> None:
        """A new worker instead of a dead or late one, if there is none yet; the next batch tries again."""
        worker.end()
        self._on_lost()
        if worker is place.worker and not self.closed:
            try:
                place.put(self._another())
            except JumokError as error:  # for who runs the server; its clients are told no path
                print(f"jumok serve: a worker cannot be replaced: {error}", file=sys.stderr, flush=True)
                raise no_worker() from None

    def reload(self) -> Ready:
        """Workers with the runs as they are on disk now; nothing under way is dropped.

        All of them are started before the first takes its place: where the runs cannot be loaded the workers stay as
        they are, and the error says why.
        """
        with self._reloading:
            started = start_workers(self.loading, self.size, at_once=1)
            if self.closed:
                discard(started)
                return self.ready
            self._versions = started[0].ready.versions
            for place, worker in zip(self.places, started, strict=True):
                place.change(worker)
            return self.ready

    def close(self) -> None:
        """Ends every worker."""
        self.closed = True
        for place in self.places:
            place.worker.end()
