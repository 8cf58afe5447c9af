"""A sentence translated, or a given target read: everything the linked views show."""

from jumok.data.phrasebook import Example
from jumok.inspect.inspector import Found, Replay
from jumok.inspect.sentence import Subject
from jumok.studio import payload
from jumok.studio.gold import GoldBook, link_score, pair_of
from jumok.studio.reading import alignment, beam_of, read, text_of
from jumok.studio.scenes import scene_of
from jumok.studio.sessions import Session
from jumok.studio.sources import Source, read_source
from jumok.studio.targets import given_target, read_target


def translate(session: Session, request: payload.TranslateRequest, book: GoldBook) -> payload.TranslateAnswer:
    """The reading of the best hypothesis, or of the target that was given."""
    source = read_source(session, request.text, request.picture)
    given = given_target(session, request.target, request.target_ids, source.sentence)
    if given is not None:
        done = session.inspector.replay(source.plan, given.ids)
        reading = read(session, done, notes=(*source.notes, *given.notes))
        gold = gold_of(session, source, done, book)
        scene = scene_of(session, source, done)
        return payload.TranslateAnswer(reading=reading, gold=gold, scene=scene, beam=None, alternatives=[])
    found = session.search(source.plan, request.beam)
    best = found.best[0]
    done = session.inspector.replay(source.plan, best.ids)
    return payload.TranslateAnswer(
        reading=read(session, done, best.score, best.truncated, notes=source.notes),
        gold=gold_of(session, source, done, book),
        scene=scene_of(session, source, done),
        beam=beam_of(session.tokenizer_about(source.sentence), found.tree),
        alternatives=others(session, source.plan.sentence, found),
    )


def others(session: Session, sentence: Subject, found: Found) -> list[payload.Other]:
    """The hypotheses after the best one."""
    return [
        payload.Other(
            text=text_of(session, sentence, one.ids),
            ids=list(one.ids),
            score=round(one.score, 6),
            log_prob=round(one.log_prob, 6),
        )
        for one in found.best[1:]
    ]


def gold_of(session: Session, source: Source, shown: Replay, book: GoldBook) -> payload.Gold | None:
    """What the phrasebook knows of the sentence, and how the model's links on the reference compare."""
    example = book.find(pair_of(session), source.text)
    if example is None:
        return None
    reference = read_target(session, example.target, source.sentence).ids
    applies = shown.ids == reference
    done = shown if applies else session.inspector.replay(source.plan, reference)
    return gold_answer(example, applies, alignment(session, done))


def gold_answer(example: Example, applies: bool, aligned: payload.Alignment | None) -> payload.Gold:
    """The gold part of an answer."""
    return payload.Gold(
        reference=example.target,
        links=list(example.links),
        applies=applies,
        score=None if aligned is None else link_score(aligned.links, example),
    )
