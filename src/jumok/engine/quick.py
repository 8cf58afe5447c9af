"""A quick engine: lines in batches for workers that search outside of Python."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from jumok.decoding.engine import Abilities, Read
from jumok.decoding.jobs import Job, copies_unknown, knows_unknown, longest_output, make_job
from jumok.decoding.options import Options
from jumok.decoding.outcome import Hypothesis
from jumok.engine.weights import Parts
from jumok.errors import InputError

# How many batches each of several workers gets at least, so that none waits long for another at the end.
BATCHES_EACH, FEWEST = 4, 8


@dataclass(frozen=True)
class Asked:
    """A batch for a searcher: sources come without EOS."""

    sources: Sequence[Sequence[int]]
    longest: Sequence[int]
    """The longest output of each source."""
    options: Options
    weights: bool
    """Whether attention weights are wanted."""
    unknown: bool
    """Whether UNK may be written."""


class Searcher(Protocol):
    """Searches a batch of token ids, without Python's lock."""

    name: str
    abilities: Abilities
    workers: int
    rows_together: int
    """Rows (sentences × beam) of a batch: enough to use a matrix well, few enough to stay in cache."""

    def search(self, asked: Asked) -> list[list[Hypothesis]]:
        """The hypotheses of each source of a batch, best first."""
        ...

    def map(self, work: Callable[[Any], Any], batches: Sequence[Any]) -> Iterable[Any]:
        """The results of `work` on each batch, by as many workers as there are."""
        ...


@contextmanager
def no_cyclic_collection() -> Iterator[None]:
    """Python's search for reference cycles waits: a window of translations makes none, and looking through them again
    and again took 15 of the 50 µs that Python spends on a sentence."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class QuickEngine:
    """Greedy and beam search by a searcher, whose abilities are the engine's."""

    visible = None

    def __init__(self, run: Parts, searcher: Searcher) -> None:
        self.run, self.searcher = run, searcher
        self.runs = (run,)
        self.name, self.abilities = searcher.name, searcher.abilities

    def search(self, inputs: Sequence[str], options: Options, read: Read) -> None:
        """Calls `read` with what was found for each line, from the worker that found it."""

        def work(numbers: Sequence[int]) -> None:
            source, longest = self.run.source_tokenizer, self.run.longest_input
            jobs = {number: make_job(inputs[number], source, longest) for number in numbers}
            jobs = {number: job for number, job in jobs.items() if job.ids}
            for (number, job), found in zip(jobs.items(), self._search([*jobs.values()], options), strict=True):
                read(number, job, found, None)

        with no_cyclic_collection():
            for _ in self.searcher.map(work, self._batches(inputs, options.beam)):
                pass

    def _batches(self, lines: Sequence[str], beam: int) -> list[list[int]]:
        """The numbers of lines that are searched together."""
        # Tokens are counted by the workers; characters tell nearly as well which lines go together. The longest go
        # first, so that none of them ends last.
        busy = sorted((n for n, line in enumerate(lines) if line.strip()), key=lambda n: -len(lines[n]))
        share = -(-len(busy) // (BATCHES_EACH * self.searcher.workers)) if self.searcher.workers > 1 else len(busy)
        size = max(1, min(self.searcher.rows_together // beam, max(share, FEWEST)))
        return [busy[first : first + size] for first in range(0, len(busy), size)]

    def _search(self, jobs: Sequence[Job], options: Options) -> list[list[Hypothesis]]:
        """The hypotheses of each job of a batch."""
        if not jobs:
            return []
        config, source, target = self.run.config, self.run.source_tokenizer, self.run.target_tokenizer
        longest = [longest_output(job, options, config, source, target, self.run.reach) for job in jobs]
        if options.min_length > min(longest):
            raise InputError("the shortest allowed output is longer than the longest; lower min_length.")
        weights = options.alignment or options.attention or copies_unknown(target, options)
        unknown = knows_unknown(target) and options.unknown != "forbid"
        return self.searcher.search(Asked([job.ids for job in jobs], longest, options, weights, unknown))
