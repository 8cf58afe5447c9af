"""Texts in, texts out: sentences, glossary and tags around the batched search. What every API of the server calls."""

import asyncio
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from jumok.decoding.options import Options
from jumok.decoding.translation import Translation
from jumok.errors import JumokError
from jumok.server import pieces, projection
from jumok.server.asking import Asking, asking
from jumok.server.batcher import Batcher, Versioned
from jumok.server.crew import Crew
from jumok.server.glossary import Glossary
from jumok.server.limits import Limits
from jumok.server.metrics import Metrics
from jumok.server.planning import MARKS, Piece, Planned, plan
from jumok.server.problems import RefusedError, invalid, too_large, too_late
from jumok.server.runs import ServedRun, served_runs
from jumok.server.work import Plain
from jumok.server.worker import Loading

SURROGATE = re.compile("[\ud800-\udfff]")
DETECTED = 2000
"""Characters by which a language is recognised."""
INLINE = 4000
"""Characters that are split and put together again in the event loop; longer requests have a thread for it."""


@dataclass(frozen=True)
class Wish:
    """How a text is to be translated."""

    beam: int = 5
    alternatives: int = 0
    format: str = "text"
    alignment: bool = False
    attention: bool = False
    glossary: Mapping[str, str] = field(default_factory=dict[str, str])
    """Terms of the request."""
    standing: Glossary | None = None
    """Terms of the client's key, of which the request's come first."""
    keep: tuple[str, ...] = ()
    """Pieces of text that must not be translated."""
    sentences: bool = False
    """Whether more than the words of each sentence is wanted."""

    @property
    def whole(self) -> bool:
        """Whether answers tell about each sentence."""
        return self.sentences or self.alignment or self.attention


class Sentence(NamedTuple):
    """A sentence of a text: what was found, and how its n best read with tags and protected pieces."""

    source: str
    texts: tuple[str, ...]
    found: Translation | Plain
    version: str

    @property
    def whole(self) -> Translation:
        """What was found; only for who asked for it."""
        assert not isinstance(self.found, Plain)
        return self.found


@dataclass(frozen=True)
class Answer:
    """A translated text."""

    text: str
    alternatives: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    run: str


class Service:
    """The runs of a server, with workers that translate; `start` it inside an event loop and `close` it there."""

    def __init__(
        self, folders: Sequence[Path], loading: Loading, workers: int = 1, limits: Limits | None = None
    ) -> None:
        self.limits, self.metrics = limits or Limits(), Metrics()
        self.on_texts: Callable[[Sequence[str]], None] = lambda _: None
        self.runs = served_runs(folders)
        paths = {name: str(run.folder) for name, run in self.runs.items()}
        own = replace(loading, folders=paths)
        self.crew = Crew(own, workers, on_lost=self.metrics.lost.inc, on_changed=self._changed)
        self._batcher: Batcher | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reloading: set[asyncio.Task[None]] = set()
        self._reviving: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Begins to serve."""
        self._loop = asyncio.get_running_loop()
        self._batcher = Batcher(self.crew, self.limits, on_batch=self.metrics.batch.observe)
        self.metrics.queue.set_function(lambda: self.batcher.waiting)

    @property
    def batcher(self) -> Batcher:
        """The queue of the loop that started the service."""
        if self._batcher is None:
            raise RefusedError(503, "starting", "The server is starting.", retry=1)
        return self._batcher

    def no_room(self) -> RefusedError | None:
        """What a request is told while not even one sentence more would be answered in time."""
        return self._batcher.refusal() if self._batcher is not None and self._batcher.full else None

    async def close(self) -> None:
        """Ends the workers."""
        if self._batcher is not None:
            await self._batcher.close()

    async def reload(self) -> dict[str, str]:
        """Loads the runs again as they are on disk; gives the version of each."""
        loop = asyncio.get_running_loop()
        runs = await loop.run_in_executor(None, served_runs, [run.folder for run in self.runs.values()])
        ready = await loop.run_in_executor(None, self.crew.reload)
        self.runs = runs
        return ready.versions

    def reload_soon(self) -> None:
        """Begins to load the runs again; where that fails who runs the server is told."""
        task = asyncio.get_running_loop().create_task(self._reloaded())
        self._reloading.add(task)
        task.add_done_callback(self._reloading.discard)

    async def _reloaded(self) -> None:
        try:
            await self.reload()
        except JumokError as error:
            print(f"Not loaded again, the runs are served as they were: {error}", file=sys.stderr, flush=True)

    def _changed(self) -> None:
        """Has all workers load what one of them had to; called by threads."""
        print("jumok serve: a run has changed on disk and is loaded again", file=sys.stderr, flush=True)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.reload_soon)

    def revive(self) -> None:
        """Begins to start workers again, once at a time: while nobody is sent here no request would do it."""
        if self._reviving is None or self._reviving.done():
            self._reviving = asyncio.get_running_loop().run_in_executor(None, self._revived)

    def _revived(self) -> None:
        try:
            self.crew.revive()
        except JumokError as error:  # for who runs the server; its clients are told no path
            print(f"jumok serve: a worker cannot be replaced: {error}", file=sys.stderr, flush=True)

    def find(self, run: str | None = None, source: str | None = None, target: str | None = None) -> ServedRun:
        """The run of a name, which must translate what is asked for, or the first that does."""
        if run is not None:
            if run not in self.runs:
                raise RefusedError(404, "unknown_run", f"There is no run '{run}'; there are {', '.join(self.runs)}.")
            one = self.runs[run]
            if not all(own in (asked or own, "?") for asked, own in ((source, one.source), (target, one.target))):
                raise RefusedError(400, "unknown_pair", f"The run '{run}' translates {one.source}→{one.target}.")
            return one
        for one in self.runs.values():
            if source in (None, one.source) and target in (None, one.target):
                return one
        pairs = ", ".join(dict.fromkeys(f"{one.source}→{one.target}" for one in self.runs.values()))
        asked = f"{source or 'any'}→{target or 'any'}"
        raise RefusedError(400, "unknown_pair", f"{asked} is not served; there are {pairs}.")

    def detect(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """Source languages with how sure it is: the one whose vocabulary writes the beginning in the fewest tokens."""
        text = beginning(texts)
        check_request([text], Wish(), self.limits)
        best: dict[str, float] = {}
        for run in self.runs.values():
            if run.source != "?":
                ids = run.tokenizer.encode(text)
                tokens = max(1, len(ids))
                known = sum(token != 1 for token in ids) / tokens
                best[run.source] = max(best.get(run.source, 0.0), known * min(1.0, len(text) / tokens / 4 + 0.1))
        total = sum(best.values()) or 1.0
        return sorted(((code, value / total) for code, value in best.items()), key=lambda one: -one[1])

    # ------------------------------------------------------------ translating

    async def translate(self, texts: Sequence[str], run: ServedRun, wish: Wish) -> list[Answer]:
        """The translation of each text, by the deadline of the request."""
        asked = asking.get() or Asking()
        until = asked.arrived + self.limits.deadline
        try:
            async with asyncio.timeout(until - time.monotonic()):
                return await self._translate(texts, run, wish, asked.charge, until)
        except TimeoutError:
            raise too_late() from None

    async def _translate(
        self, texts: Sequence[str], run: ServedRun, wish: Wish, charge: Callable[[int], None], until: float
    ) -> list[Answer]:
        check_request(texts, wish, self.limits)
        self.on_texts(texts)
        characters = sum(map(len, texts))
        self.metrics.characters.labels(run.name).inc(characters)
        little = characters <= INLINE and len(wish.glossary) + len(wish.keep) <= 8
        asked = (texts, run, wish)
        todo = prepare(*asked) if little else await asyncio.to_thread(prepare, *asked)
        if todo.terms > self.limits.glossary:
            raise too_large(f"A request has at most {self.limits.glossary} terms in its texts; send less text.")
        found = await self.batcher.translate(run.name, todo.lines, todo.options, wish.whole, until, charge)
        self.metrics.sentences.labels(run.name).inc(len(found))
        done = (todo, found, run.name, wish)
        return complete(*done) if little else await asyncio.to_thread(complete, *done)


def beginning(texts: Sequence[str]) -> str:
    """The first characters of some texts together: by them a language is recognised."""
    found = ""
    for text in texts:
        if len(found) >= DETECTED:
            break
        found += f" {text[:DETECTED]}"
    return found[1 : DETECTED + 1]


def check_request(texts: Sequence[str], wish: Wish, limits: Limits) -> None:
    """Raises where a request is beyond the limits."""
    if len(texts) > limits.texts:
        raise too_large(f"A request has at most {limits.texts} texts, not {len(texts)}.")
    for text in texts:
        if len(text) > limits.characters:
            raise too_large(f"A text has at most {limits.characters} characters, not {len(text)}.")
        if SURROGATE.search(text):
            raise invalid("The text has a lone surrogate; it is not Unicode text.")
    if wish.attention and sum(map(len, texts)) > limits.attention:
        raise too_large(f"Attention is returned for at most {limits.attention} characters in a request.")
    if wish.alternatives > limits.alternatives:
        raise too_large(f"There are at most {limits.alternatives} alternatives.")
    if any(map(SURROGATE.search, (*wish.keep, *wish.glossary, *wish.glossary.values()))):
        raise invalid("What is to be kept or a term has a lone surrogate; it is not Unicode text.")
    if wish.beam > limits.beam or len(wish.glossary) > limits.glossary:
        raise too_large(f"The beam is at most {limits.beam}, a glossary has at most {limits.glossary} terms.")


@dataclass(frozen=True)
class Todo:
    """A request on the way to the workers: its texts as plans, and the lines to be searched with their options."""

    plans: list[list[str | Planned]]
    pieces: list[Piece]
    lines: list[str]
    options: list[Options]
    terms: int = 0
    """Terms of glossaries that stand in it."""


def prepare(texts: Sequence[str], run: ServedRun, wish: Wish) -> Todo:
    """The sentences of a request."""
    plans = [plan(text, run, wish.format == "html", wish.keep) for text in texts]
    pieces = [piece for parts in plans for part in parts if isinstance(part, Planned) for piece in part.pieces]
    glossary = Glossary(wish.glossary, under=wish.standing) if wish.glossary or wish.standing else None
    terms = [glossary.found(piece.shown) if glossary else {} for piece in pieces]
    options = [options_of(piece, wish, tuple(own.values())) for piece, own in zip(pieces, terms, strict=True)]
    return Todo(plans, pieces, [piece.line for piece in pieces], options, len(set().union(*terms)))


def complete(todo: Todo, found: Sequence[Versioned], run: str, wish: Wish) -> list[Answer]:
    """The texts of a request, of their translated sentences."""
    done = iter([finish(piece, one) for piece, one in zip(todo.pieces, found, strict=True)])
    return [assemble(parts, done, run, wish) for parts in todo.plans]


def options_of(piece: Piece, wish: Wish, required: tuple[str, ...]) -> Options:
    """How a sentence is searched: with the glossary's terms that stand in it, and links if something follows them."""
    linked = wish.alignment or piece.linked
    return options_like(max(wish.beam, wish.alternatives + 1), wish.alternatives + 1, wish.attention, linked, required)


@lru_cache(256)
def options_like(beam: int, nbest: int, attention: bool, alignment: bool, require: tuple[str, ...]) -> Options:
    """The same object for the same options: sentences are batched by them."""
    return Options(beam=beam, nbest=nbest, attention=attention, alignment=alignment, require=require)


def finish(piece: Piece, found: Versioned) -> Sentence:
    """A sentence's n best with its tags, protected pieces and capitals."""
    best = found.translation
    if isinstance(best, Plain):
        texts = [finish_one(piece, text.split(" "), ()) for text in best.hypotheses]
    else:
        texts = [finish_one(piece, list(one.target_words), one.alignment) for one in (best, *best.alternatives)]
    return Sentence(piece.sentence, tuple(texts), best, found.version)


def finish_one(piece: Piece, words: list[str], aligned: Sequence[projection.Link]) -> str:
    """One hypothesis as the client gets it."""
    sentence = piece.sentence
    words = [word.upper() for word in words] if piece.shouts else words
    links = projection.usable(aligned, len(sentence.split()), len(words)) if piece.linked else []
    words = pieces.restore(sentence, piece.fixed, words, links)
    if len(words) == 1 and sentence[-1:].isalnum() and len(sentence.split()) == 1 and sentence not in words:
        words = [words[0].rstrip(".。")]  # a word alone is not a sentence
    if not piece.escaped:
        return " ".join(filter(None, words))
    words = [escape(word, quote=False) for word in words]
    before, elements, after = projection.balanced(piece.tags)
    inside = projection.wrap(sentence, elements, words, links)
    return with_kept(piece, "".join(tag.text for tag in before) + inside + "".join(tag.text for tag in after))


def with_kept(piece: Piece, text: str) -> str:
    """A translation with elements instead of their marks."""
    return SURROGATE.sub(lambda mark: piece.kept[ord(mark[0]) - MARKS], text) if piece.kept else text


def assemble(parts: "Sequence[str | Planned]", done: Iterator[Sentence], run: str, wish: Wish) -> Answer:
    """A text of its sentences; alternative k has the k-th best of each sentence, or its last."""
    sentences: list[Sentence] = []
    drawn: list[list[str]] = [[] for _ in range(wish.alternatives + 1)]
    for part in parts:
        if isinstance(part, str):
            for text in drawn:
                text.append(part)
            continue
        own = [next(done) for _ in part.pieces]
        sentences += own
        for k, text in enumerate(drawn):
            text.append(part.split.join([one.texts[min(k, len(one.texts) - 1)] for one in own]))
    best, *rest = ("".join(text) for text in drawn)
    others = tuple(text for text in dict.fromkeys(rest) if text != best)
    return Answer(best, others, tuple(sentences), run)
