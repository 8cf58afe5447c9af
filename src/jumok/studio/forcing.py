"""Teacher forcing and free running on one sentence, and the schedules that mix the two in training."""

from collections.abc import Sequence

from jumok.evaluation.chances import distributions
from jumok.evaluation.exposure import Heard, derail
from jumok.inspect.sentence import Sentence
from jumok.models.layout import Words
from jumok.shapes import EOS
from jumok.studio import payload_lessons as payload
from jumok.studio.payload import Candidate, Side
from jumok.studio.problems import invalid
from jumok.studio.reading import rounded
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source, side_of, source_side
from jumok.studio.targets import whole_target
from jumok.text.normal import words_of
from jumok.text.tokenizer import Tokenizer
from jumok.training.teacher_forcing import parse


def given_pair(session: Session, text: str, target: str, at: int) -> tuple[Sentence, tuple[int, ...]]:
    """Source and target ids of a sentence whose token `at` is looked at; `</s>` is the last."""
    source = read_source(session, text).sentence
    assert isinstance(source, Sentence), "a model that reads pictures was refused"
    ids = whole_target(session, target, source)
    if at > len(ids):
        raise invalid(f"The target has {len(ids)} tokens and `</s>`; there is no token {at}.")
    return source, ids


def target_side(session: Session, source: Sentence, ids: Sequence[int]) -> Side:
    """The target as answers tell it."""
    tokenizer = session.tokenizer_about(source)
    text = tokenizer.decode(ids)
    words = words_of(text)
    return side_of(text, words, (*ids, EOS), Words.of(tokenizer, ids, words, end=EOS))


def force(session: Session, request: payload.ForcingRequest) -> payload.ForcingAnswer:
    """The sentence with the right words fed in, and with a wrong word and the model's own."""
    source, ids = given_pair(session, request.text, request.target, request.at)
    wrong = request.wrong if request.wrong is not None else likeliest_wrong(session, source, ids, request.at)
    if wrong >= session.run.target_tokenizer.size or wrong == [*ids, EOS][request.at]:
        raise invalid(f"The token {wrong} is not a wrong word at place {request.at}; choose another.")
    tokenizer = session.tokenizer_about(source)
    forced, free = derail(session.run.model, source.ids[:-1], ids, request.at, wrong)
    return payload.ForcingAnswer(
        run=session.ref,
        source=source_side(source),
        target=target_side(session, source, ids),
        at=request.at,
        wrong=Candidate(id=wrong, text=tokenizer.token(wrong), log_prob=None),
        forced=_told(tokenizer, forced, ids, request.at),
        free=_told(tokenizer, free, ids, request.at),
    )


def likeliest_wrong(session: Session, source: Sentence, ids: Sequence[int], at: int) -> int:
    """The word with the highest probability at a place, the right one and the end aside."""
    log_prob_V = distributions(session.run.model, source.ids[:-1], ids)[at]
    right = [*ids, EOS][at]
    return next(one for one in log_prob_V.topk(3).indices.tolist() if one not in (right, EOS))


def _told(tokenizer: Tokenizer, heard: Heard, ids: Sequence[int], at: int) -> payload.Heard:
    rest = list(zip(heard.said, [*ids, EOS], strict=True))[at + 1 :]
    return payload.Heard(
        heard=[*tokenizer.names(heard.heard)],
        said=[*tokenizer.names(heard.said)],
        right=[rounded(p, 6) or 0.0 for p in heard.right],
        wrong=sum(said != right for said, right in rest),
    )


def schedule(request: payload.ScheduleRequest) -> payload.ScheduleAnswer:
    """The probability of feeding in the right word over the steps of a training."""
    probability = parse(request.schedule).probability
    last = request.points - 1
    steps = sorted({round(request.steps * n / last) for n in range(request.points)})
    points = [(step, round(probability(step), 6)) for step in steps]
    return payload.ScheduleAnswer(schedule=request.schedule, points=points)
