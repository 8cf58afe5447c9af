"""One sentence through several runs, side by side: own translations, and one common target read by all."""

import numpy as np

from jumok.inspect.inspector import Replay
from jumok.studio import payload
from jumok.studio.gold import GoldBook, link_score, pair_of
from jumok.studio.payload_views import CompareAnswer, ComparedRun, CompareRequest
from jumok.studio.reading import alignment, matrix, read
from jumok.studio.runs import Runs, describe_mechanism
from jumok.studio.scenes import reference_of
from jumok.studio.sessions import Session, Sessions
from jumok.studio.sources import Source, read_source
from jumok.studio.targets import read_target
from jumok.studio.translate import gold_answer
from jumok.text.normal import normalise, words_of


def compare(runs: Runs, sessions: Sessions, request: CompareRequest, book: GoldBook) -> CompareAnswer:
    """Each run's reading, differences of their maps, and alignment error where gold links are known."""
    opened = [sessions.open(runs.get(one.run), one.step) for one in request.runs]
    sources = [read_source(session, request.text, request.picture) for session in opened]
    # A run may know fewer tokens of a long sentence than another: all are shown the words that all can read.
    shortest = min(sources, key=lambda source: len(source.words))
    text = shortest.text
    if request.picture is None:
        sources = [
            source if source.words == shortest.words else read_source(session, text)
            for session, source in zip(opened, sources, strict=True)
        ]
    own = [_own(session, source, request.beam) for session, source in zip(opened, sources, strict=True)]
    example = next((one for s in opened if (one := book.find(pair_of(s), text))), None)
    if request.target is not None and words_of(request.target):
        target, origin = normalise(request.target), "given"
    elif example is not None:
        target, origin = example.target, "reference"
    elif reference := reference_of(opened[0], request.picture):
        target, origin = reference, "reference"
    else:
        target, origin = own[0].target.text, "first run"
    known = example if example is not None and target == example.target else None
    targets = [read_target(session, target, source.sentence) for session, source in zip(opened, sources, strict=True)]
    common = [
        session.inspector.replay(source.plan, given.ids)
        for session, source, given in zip(opened, sources, targets, strict=True)
    ]
    aligned = [_over_words(session, done, target) for session, done in zip(opened, common, strict=True)]
    first = next((one for one in aligned if one is not None), None)
    answers = [
        ComparedRun(
            run=session.ref,
            mechanism=describe_mechanism(session.run.config.model),
            own=reading,
            text_is_reference=None if example is None else reading.target.text == example.target,
            common_log_prob=round(done.log_prob, 6),
            common=mine,
            difference=_difference(mine, first),
            score=None if mine is None or known is None else link_score(mine.links, known),
        )
        for session, reading, done, mine in zip(opened, own, common, aligned, strict=True)
    ]
    return CompareAnswer(
        source_words=list(shortest.words),
        target=target,
        target_words=words_of(target),
        target_from=origin,
        gold=None if example is None else gold_answer(example, known is not None, aligned[0]),
        runs=answers,
        notes=_cut([*shortest.notes, *(note for given in targets for note in given.notes)]),
    )


def _cut(notes: list[payload.Note]) -> list[payload.Note]:
    """What was cut, each kind once: of the shortest piece that a run could read."""
    shortest: dict[str, payload.Note] = {}
    for note in notes:
        if note.code.endswith("_cut") and (note.count or 0) <= (shortest.get(note.code, note).count or 0):
            shortest[note.code] = note
    return list(shortest.values())


def _own(session: Session, source: Source, beam: int) -> payload.Reading:
    best = session.search(source.plan, beam).best[0]
    done = session.inspector.replay(source.plan, best.ids)
    return read(session, done, best.score, best.truncated, notes=source.notes)


def _over_words(session: Session, done: Replay, target: str) -> payload.Alignment | None:
    """The alignment with a row for every word of the target, also where the run's vocabulary cut it short."""
    found = alignment(session, done)
    if found is None:
        return None
    weights = as_rows(found.weights)
    rows = len(words_of(target))
    full = np.zeros((rows, weights.shape[1]))
    full[: min(rows, len(weights))] = weights[:rows]
    end = [*found.end[:rows], *[0.0] * (rows - len(found.end))]
    return found.model_copy(update={"weights": matrix(full), "end": end})


def as_rows(weights: payload.Matrix) -> np.ndarray:
    """The matrix as numpy has it."""
    return np.array(weights.data, dtype=np.float64).reshape(weights.shape)


def _difference(mine: payload.Alignment | None, first: payload.Alignment | None) -> payload.Matrix | None:
    """What a map has more than the first; None where one is missing, or where pictures are read by other regions."""
    if mine is None or first is None or mine.weights.shape != first.weights.shape:
        return None
    return matrix(as_rows(mine.weights) - as_rows(first.weights))
