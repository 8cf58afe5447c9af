"""Sentences of many clients, batched for the workers.

A free worker takes the oldest sentence that waits, and with it others of the same run and options whose lengths are
nearest: as many as a search takes at once, or its share where other workers are free too. While all workers are busy
batches form by themselves; an idle server waits for nothing. A busy worker is sent its next batch ahead, so that it has
no pause between two searches; where fewer sentences are under way than would fill all batches, batches are smaller.
"""

import asyncio
import itertools
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.errors import JumokError
from jumok.server.crew import Crew
from jumok.server.limits import Limits
from jumok.server.pace import Pace, kind_of
from jumok.server.problems import RefusedError, changed, failed, invalid, queue_full, too_large, too_late, too_long
from jumok.server.work import Batch, Done, Plain, Ready, Trouble

LOOKED_AT = 4
"""Among how many batches from the front of the queue company is looked for."""
HURRY = 0.25
"""Part of the deadline after which the oldest are taken as they came: lengths that few share would wait for long."""
PATIENCE = 0.7
"""Part of the deadline by which a sentence must be expected to be answered; beyond, a request is refused at once."""
LEAST_SEARCH = 0.5
"""Part of the deadline that the search of a batch has in any case: replacing a worker costs more than finishing."""
FORGOTTEN = 0.5
"""Part of the deadline after which half of what was measured of large batches is forgotten."""
AHEAD = 2
"""Batches that a worker has at most: the one that it searches, and the next."""
FEWEST = 8
"""Sentences of a batch that is sent ahead, at least: with fewer a search makes less of its matrices."""


Key = tuple[str, Options, bool]
"""What sentences must share to be translated together: run, options, and whether whole translations are wanted."""


class Versioned(NamedTuple):
    """A translation and the version of the run that wrote it."""

    translation: Translation | Plain
    version: str


class Request:
    """The sentences that one client asked for together: one future for all of them."""

    def __init__(self, count: int, until: float, answer: "asyncio.Future[list[Versioned]]") -> None:
        self.until, self.answer = until, answer
        self.over = answer.done
        """Whether nobody waits any more: answered, failed, or the client left."""
        self._found: list[Versioned | None] = [None] * count
        self._left = count

    def add(self, place: int, found: Versioned) -> None:
        """One sentence's translation; with the last one the request is answered."""
        self._found[place] = found
        self._left -= 1
        if not self._left and not self.over():
            self.answer.set_result([one for one in self._found if one is not None])

    def fail(self, error: Exception) -> None:
        """The error, for who still waits; of several the first is told."""
        if not self.over():
            self.answer.set_exception(error)


class Waiting:
    """A sentence in the queue."""

    __slots__ = ("key", "length", "line", "place", "request")

    def __init__(self, request: Request, place: int, line: str, key: Key) -> None:
        self.request, self.place, self.line, self.length = request, place, line, len(line)
        self.key = key


class Batcher:
    """The queue in front of a crew; lives in one event loop."""

    def __init__(self, crew: Crew, limits: Limits, on_batch: Callable[[int], None] = lambda _: None) -> None:
        self.crew, self.limits, self._on_batch = crew, limits, on_batch
        self._loop = asyncio.get_running_loop()
        self._queue: deque[Waiting] = deque()
        self._threads = ThreadPoolExecutor(AHEAD * crew.size, thread_name_prefix="jumok-crew")
        self._numbers = itertools.count()
        self._load = [0] * crew.size
        self._inside = 0
        self._free_since = [0.0] * crew.size
        self._pace, self._search = 0.0, 0.0
        self._paces = Pace(FORGOTTEN * limits.deadline)
        self._due: asyncio.Handle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Sentences in the queue."""
        return len(self._queue)

    @property
    def busy(self) -> int:
        """Workers that search."""
        return sum(map(bool, self._load))

    @property
    def expected_wait(self) -> float:
        """Seconds until the workers would come to a sentence that comes now, by how long the last batches took."""
        return (len(self._queue) + self._inside) * self._pace / self.crew.size

    @property
    def full(self) -> bool:
        """Whether one sentence more would be refused."""
        late = self.expected_wait + self._search > PATIENCE * self.limits.deadline
        return len(self._queue) >= self.limits.queue or (bool(self._queue) and late)

    def refusal(self) -> RefusedError:
        """What a request is told that comes while there is no room."""
        return queue_full(max(1, round(self.expected_wait / 2)))

    def _admit(self, run: str, lines: Sequence[str], options: Sequence[Options], left: float) -> None:
        """Raises where these sentences would not be answered in the seconds that are left."""
        count = len(lines)
        if count > self.limits.queue:
            raise too_large(f"A request has at most {self.limits.queue} sentences, not {count}; send several requests.")
        if self.full or len(self._queue) + count > self.limits.queue:
            raise self.refusal()
        if count < FEWEST:
            return
        characters: dict[Options, int] = {}
        for line, one in zip(lines, options, strict=True):
            characters[one] = characters.get(one, 0) + len(line)
        alone = sum(self._paces.expected(kind_of(run, one), size) for one, size in characters.items()) / self.crew.size
        if alone > left:
            raise too_long()
        if self.expected_wait + alone > left:
            raise self.refusal()

    async def translate(
        self,
        run: str,
        lines: Sequence[str],
        options: Sequence[Options],
        whole: bool = True,
        until: float | None = None,
        charge: Callable[[int], None] = lambda _: None,
    ) -> list[Versioned]:
        """Each line's translation under its options; refused at once where there would be none by `until`
        (of `time.monotonic`; the deadline from now if not given), or no room in the queue.

        Without `whole` there may be words alone, where no links are asked for. `charge` is told how many were taken.
        """
        if not lines:
            return []
        left = self.limits.deadline if until is None else until - time.monotonic()
        self._admit(run, lines, options, left)
        charge(len(lines))
        request = Request(len(lines), time.monotonic() + left, self._loop.create_future())
        keys = {one: (run, one, whole or one.alignment or one.attention) for one in set(options)}
        pairs = enumerate(zip(lines, options, strict=True))
        self._queue.extend(Waiting(request, place, line, keys[one]) for place, (line, one) in pairs)
        self._plan()
        try:
            async with asyncio.timeout(left):
                return await request.answer
        except TimeoutError:
            raise too_late() from None

    def _plan(self, seconds: float = 0.0) -> None:
        """Has batches handed out soon: after the other requests that have just arrived."""
        if self._due is None and not self.crew.closed:
            later = self._loop.call_later
            self._due = later(seconds, self._hand_out, True) if seconds else self._loop.call_soon(self._hand_out)

    def _hand_out(self, lingered: bool = False) -> None:
        """Gives batches to free workers, and full ones ahead to busy ones; little waits for company under load."""
        self._due = None
        if self.crew.closed:
            return
        while self._queue and 0 in self._load:
            if self.busy and not lingered and self.limits.linger and len(self._queue) < self._even(self._queue[0]):
                self._plan(self.limits.linger)
                return
            self._begin(self._load.index(0))
        while self._queue and min(self._load) < AHEAD and len(self._queue) >= self._even(self._queue[0]):
            self._begin(self._load.index(min(self._load)))

    def _begin(self, place: int) -> None:
        """Has a worker translate the next batch."""
        if not (taken := self._take()):
            return
        self._on_batch(len(taken))
        self._inside += len(taken)
        self._load[place] += 1
        task = self._loop.create_task(self._work(place, taken))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _most(self, first: Waiting) -> int:
        """Sentences that are searched at once with these options."""
        return max(1, min(self.limits.batch, self.limits.rows // first.key[1].beam))

    def _even(self, first: Waiting) -> int:
        """Sentences of a batch where every worker has one to search and one ahead."""
        under_way = len(self._queue) + self._inside
        return min(self._most(first), max(FEWEST, -(-under_way // (AHEAD * self.crew.size))))

    def _take(self) -> list[Waiting]:
        """The oldest sentence and its nearest by length; those that nobody waits for any more are dropped."""
        # What is due within the time of a sentence could not be answered in time.
        now = time.monotonic()
        soonest = now + min(self._pace, self.limits.deadline / 10)
        while self._queue and (self._queue[0].request.over() or self._queue[0].request.until <= soonest):
            self._queue.popleft()
        if not self._queue:
            return []
        first, most = self._queue[0], self._even(self._queue[0])
        waiting = (one for one in self._queue if one.key == first.key and not one.request.over())
        alike = list(itertools.islice(waiting, LOOKED_AT * most))
        if first.request.until - now > (1 - HURRY) * self.limits.deadline:
            alike.sort(key=lambda one: abs(one.length - first.length))  # the oldest stays first: it came first
        share = -(-len(alike) // max(1, self.crew.size - self.busy))
        taken = alike[: min(most, share)]
        chosen = set(taken)
        self._queue = deque(one for one in self._queue if one not in chosen and not one.request.over())
        return taken

    async def _work(self, place: int, taken: list[Waiting]) -> None:
        """Has a batch translated and answers it."""
        start = time.monotonic()
        try:
            await self._have_translated(place, taken)
        finally:
            now = time.monotonic()
            spent = now - max(start, self._free_since[place])
            self._pace += 0.2 * (spent / len(taken) - self._pace)
            self._search += 0.2 * (spent - self._search)
            if 2 * len(taken) >= self._most(taken[0]):
                run, options, _ = taken[0].key
                self._paces.note(kind_of(run, options), sum(one.length for one in taken), spent)
            self._free_since[place] = now
            self._load[place] -= 1
            self._inside -= len(taken)
            self._plan()

    async def _have_translated(self, place: int, taken: list[Waiting]) -> None:
        """Gives the sentences of a batch what its worker made of them, or what went wrong."""
        run, options, whole = taken[0].key
        batch = Batch(next(self._numbers), run, tuple(one.line for one in taken), options, whole)
        until, least = max(one.request.until for one in taken), LEAST_SEARCH * self.limits.deadline
        try:
            asked = (self.crew.translate, place, batch, until, least)
            answer(taken, *await self._loop.run_in_executor(self._threads, *asked))
        except JumokError as error:
            for one in taken:
                one.request.fail(error)
        except Exception as error:  # a worker's place must outlive whatever happens to one batch
            print(f"jumok serve: {type(error).__name__} in a batch", file=sys.stderr, flush=True)
            for one in taken:
                one.request.fail(failed())

    async def close(self) -> None:
        """Ends the workers; requests that still wait are cancelled."""
        self.crew.closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._loop.run_in_executor(None, self.crew.close)
        self._threads.shutdown(wait=False)


def answer(taken: Sequence[Waiting], done: Done, ready: Ready) -> None:
    """Gives each sentence its translation, or what was wrong with it."""
    version = ready.versions.get(taken[0].key[0], "")
    for one, result in zip(taken, done.results, strict=True):
        if isinstance(result, Trouble):
            one.request.fail(told_of(result))
        else:
            one.request.add(one.place, Versioned(result, version))


def told_of(trouble: Trouble) -> RefusedError:
    """What a client is told of a line that has no translation."""
    if trouble.later:
        return changed()
    return failed(trouble.message) if trouble.ours else invalid(trouble.message)
