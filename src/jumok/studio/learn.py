"""Watching a run learn: one fixed pair under the weights of many steps."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from jumok.data.phrasebook import Example
from jumok.run.names import WEIGHTS
from jumok.studio import payload
from jumok.studio.gold import GoldBook, link_score, pair_of
from jumok.studio.payload_views import Frame, LearnAnswer, LearnRequest
from jumok.studio.problems import RefusedError
from jumok.studio.reading import alignment, text_of
from jumok.studio.runs import NamedRun, saved_steps, stamp_of
from jumok.studio.scenes import reference_of
from jumok.studio.sessions import Session, Sessions, weights_path
from jumok.studio.sources import Source, picture_read, read_source
from jumok.studio.targets import read_target
from jumok.studio.translate import gold_answer
from jumok.text.normal import words_of

KEPT = 512


class Frames:
    """Frames that were asked for lately. Kept weights do not change, so a live run costs only its newest frame."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._made: OrderedDict[Hashable, Frame] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Frame]) -> Frame:
        """The frame of that key, made if need be."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        frame = make()
        with self._lock:
            self._made[key] = frame
            while len(self._made) > self._kept:
                self._made.popitem(last=False)
        return frame


def learn(run: NamedRun, sessions: Sessions, request: LearnRequest, book: GoldBook, kept: Frames) -> LearnAnswer:
    """A frame for each step, oldest first, and the best weights last where all steps were asked for."""
    steps = wanted_steps(run, request.steps)
    last = _newest(run, sessions, steps)
    asked = Asked(request.text, request.picture)
    source = asked.read(last)
    example = book.find(pair_of(last), source.text)
    given = request.target if request.target and words_of(request.target) else None
    target = given or (example.target if example else asked.reference(last) or asked.write(last))
    known = example if example is not None and example.target == target else None
    frames: list[Frame] = []
    for step in steps:
        try:
            key = (run.id, step, stamp_of(weights_path(run, step)), asked, target)
            frames.append(kept.get(key, lambda step=step: _frame(sessions.open(run, step), asked, target, known)))
        except RefusedError as error:
            if error.code == "not_ready" or request.steps is None:
                continue  # a live run prunes checkpoints while they are listed
            raise
    gold = None
    if example is not None:
        gold = gold_answer(example, known is not None, frames[-1].alignment if frames and known else None)
    shown = read_target(last, target, source.sentence)
    return LearnAnswer(
        run=last.ref,
        source_words=list(source.words),
        target_words=words_of(text_of(last, source.sentence, shown.ids)),
        target=target,
        gold=gold,
        frames=frames,
        picture=picture_read(source.sentence),
        notes=[*source.notes, *shown.notes],
    )


@dataclass(frozen=True)
class Asked:
    """What is looked at while a run learns."""

    text: str
    picture: str | None

    def read(self, session: Session) -> Source:
        """The source as a model reads it."""
        return read_source(session, self.text, self.picture)

    def write(self, session: Session) -> str:
        """What a model writes greedily."""
        source = self.read(session)
        return text_of(session, source.sentence, session.search(source.plan, 1).best[0].ids)

    def reference(self, session: Session) -> str | None:
        """The one caption of a drawn scene, in the language of the run."""
        return reference_of(session, self.picture)


def _frame(session: Session, asked: Asked, target: str, known: Example | None) -> Frame:
    """What the weights of one step make of the pair, and what they would write themselves."""
    source = asked.read(session)
    done = session.inspector.replay(source.plan, read_target(session, target, source.sentence).ids)
    found = alignment(session, done)
    return Frame(
        step=session.step,
        hash=session.run.hash,
        log_prob=round(done.log_prob, 6),
        token_log_probs=[round(value, 5) for value in done.log_probs],
        alignment=found,
        score=link_score(found.links, known) if found is not None and known is not None else None,
        own=asked.write(session),
    )


def wanted_steps(run: NamedRun, asked: list[int] | None) -> list[int | None]:
    """The steps that were asked for, or all there are, evenly thinned out, with the best weights (None) last."""
    if asked is not None:
        return list(dict.fromkeys(asked))
    kept = [saved.step for saved in saved_steps(run.folder)]
    most = payload.MAX_FRAMES - 1
    if len(kept) > most:
        kept = [kept[round(n * (len(kept) - 1) / (most - 1))] for n in range(most)]
    best = [None] if (run.folder / WEIGHTS).is_file() else []
    return [*kept, *best]


def _newest(run: NamedRun, sessions: Sessions, steps: list[int | None]) -> Session:
    """The best weights, or before there are any the newest of the steps."""
    try:
        return sessions.open(run)
    except RefusedError:
        if not steps:
            raise
        return sessions.open(run, steps[-1])
