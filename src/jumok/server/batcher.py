"""Sentences of many clients, batched for the workers.

A free worker takes the oldest sentence that waits, and with it others of the same run and options whose lengths are
nearest: as many as a search takes at once, or its share where other workers are free too. While all workers are busy
batches form by themselves; an idle server waits for nothing.
"""

import asyncio
import itertools
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.errors import JumokError
from jumok.server.crew import Crew
from jumok.server.limits import Limits
from jumok.server.problems import failed, invalid, queue_full, too_large, too_late
from jumok.server.work import Batch, Done, Ready, Trouble

LOOKED_AT = 256
"""Sentences from the front of the queue among which company is looked for."""
PATIENCE = 0.7
"""Part of the deadline that a sentence may be expected to wait; beyond, a request is refused at once."""
LEAST_SEARCH = 0.5
"""Part of the deadline that the search of a batch has in any case."""


@dataclass(frozen=True)
class Versioned:
    """A translation and the version of the run that wrote it."""

    translation: Translation
    version: str


@dataclass(eq=False)
class Waiting:
    """A sentence in the queue."""

    run: str
    line: str
    options: Options
    until: float
    answer: "asyncio.Future[Versioned]"

    @property
    def key(self) -> tuple[str, Options]:
        """What sentences must share to be translated together."""
        return self.run, self.options


class Batcher:
    """The queue in front of a crew; lives in one event loop."""

    def __init__(self, crew: Crew, limits: Limits, on_batch: Callable[[int], None] = lambda _: None) -> None:
        self.crew, self.limits, self._on_batch = crew, limits, on_batch
        self._queue: deque[Waiting] = deque()
        self._arrived = asyncio.Event()
        self._threads = ThreadPoolExecutor(crew.size, thread_name_prefix="jumok-crew")
        self._numbers = itertools.count()
        self.busy = 0
        self._pace = 0.0
        self._tasks = [asyncio.create_task(self._serve(place)) for place in range(crew.size)]

    @property
    def waiting(self) -> int:
        """Sentences in the queue."""
        return len(self._queue)

    @property
    def expected_wait(self) -> float:
        """Seconds that a sentence which comes now would wait, by how long the last batches took."""
        return len(self._queue) * self._pace / self.crew.size

    @property
    def full(self) -> bool:
        """Whether one sentence more would be refused."""
        return len(self._queue) >= self.limits.queue or self.expected_wait > PATIENCE * self.limits.deadline

    def _admit(self, count: int) -> None:
        """Raises where that many sentences more would not be answered in time."""
        if count > self.limits.queue:
            raise too_large(f"A request has at most {self.limits.queue} sentences, not {count}; send several requests.")
        if self.full or len(self._queue) + count > self.limits.queue:
            raise queue_full(max(1, round(self.expected_wait / 2)))

    async def translate(self, run: str, lines: Sequence[str], options: Sequence[Options]) -> list[Versioned]:
        """Each line's translation under its options; refused at once where the queue has no room for all."""
        if not lines:
            return []
        self._admit(len(lines))
        loop, until = asyncio.get_running_loop(), time.monotonic() + self.limits.deadline
        asked = [Waiting(run, line, one, until, loop.create_future()) for line, one in zip(lines, options, strict=True)]
        self._queue.extend(asked)
        self._arrived.set()
        try:
            async with asyncio.timeout(self.limits.deadline):
                return list(await asyncio.gather(*(one.answer for one in asked)))
        except TimeoutError:
            raise too_late() from None
        finally:
            for one in asked:  # the others of a request that failed, or whose client left
                one.answer.cancel()

    async def _serve(self, place: int) -> None:
        """One worker's life: take a batch, have it translated, give the answers out."""
        while True:
            await self._wait_for_work()
            batch = self._take()
            if not batch:
                continue
            self.busy += 1
            self._on_batch(len(batch))
            try:
                await self._work(place, batch)
            finally:
                self.busy -= 1

    async def _wait_for_work(self) -> None:
        """Returns when something waits; under load a little later, for company."""
        while not self._queue:
            self._arrived.clear()
            await self._arrived.wait()
        if self.busy and len(self._queue) < self._most(self._queue[0]) and self.limits.linger:
            await asyncio.sleep(self.limits.linger)

    def _most(self, first: Waiting) -> int:
        """Sentences that are searched at once with these options."""
        return max(1, min(self.limits.batch, self.limits.rows // first.options.beam))

    def _take(self) -> list[Waiting]:
        """The oldest sentence and its nearest by length; those that nobody waits for any more are dropped."""
        # What is due within the time of a sentence could not be answered in time.
        soonest = time.monotonic() + min(self._pace, self.limits.deadline / 10)
        while self._queue and (self._queue[0].answer.done() or self._queue[0].until <= soonest):
            self._queue.popleft()
        if not self._queue:
            return []
        first = self._queue[0]
        front = itertools.islice(self._queue, LOOKED_AT)
        alike = [one for one in front if one.key == first.key and not one.answer.done()]
        alike.sort(key=lambda one: (one is not first, abs(len(one.line) - len(first.line))))
        share = -(-len(alike) // max(1, self.crew.size - self.busy))
        taken = alike[: min(self._most(first), share)]
        chosen = {id(one) for one in taken}
        self._queue = deque(one for one in self._queue if id(one) not in chosen and not one.answer.done())
        return taken

    async def _work(self, place: int, taken: list[Waiting]) -> None:
        """Has a batch translated and answers it."""
        first, start = taken[0], time.monotonic()
        batch = Batch(next(self._numbers), first.run, tuple(one.line for one in taken), first.options)
        # A batch that starts late is not ended at once: replacing a worker costs more than finishing.
        until = max(max(one.until for one in taken), start + LEAST_SEARCH * self.limits.deadline)
        loop = asyncio.get_running_loop()
        try:
            done, ready = await loop.run_in_executor(self._threads, self.crew.translate, place, batch, until)
            answer(taken, done, ready)
        except JumokError as error:
            for one in taken:
                settle(one, error)
        except Exception as error:  # a worker's place must outlive whatever happens to one batch
            print(f"jumok serve: {type(error).__name__} in a batch", file=sys.stderr, flush=True)
            for one in taken:
                settle(one, failed())
        self._pace += 0.2 * ((time.monotonic() - start) / len(taken) - self._pace)

    async def close(self) -> None:
        """Ends the loops; requests that still wait are cancelled."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(None, self.crew.close)
        self._threads.shutdown(wait=False)


def answer(taken: Sequence[Waiting], done: Done, ready: Ready) -> None:
    """Gives each sentence its translation, or what was wrong with it."""
    for one, result in zip(taken, done.results, strict=True):
        if isinstance(result, Trouble):
            settle(one, failed(result.message) if result.ours else invalid(result.message))
        elif not one.answer.done():
            one.answer.set_result(Versioned(result, ready.versions.get(one.run, "")))


def settle(one: Waiting, error: Exception) -> None:
    """The error, for who still waits."""
    if not one.answer.done():
        one.answer.set_exception(error)
        one.answer.exception()  # several sentences of a request may fail; the first one is told
