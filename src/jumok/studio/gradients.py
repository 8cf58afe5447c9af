"""Backpropagation through attention on one word: two paths, and one update that corrects a seeded error."""

from dataclasses import replace

from torch import Tensor

from jumok.errors import InputError
from jumok.evaluation.two_paths import Look, Question, look, paths, push_for, updated
from jumok.studio.forcing import given_pair, target_side
from jumok.studio.payload_lessons import LookAt, PathsAnswer, PathsRequest
from jumok.studio.problems import invalid
from jumok.studio.reading import rounded, top_words
from jumok.studio.sessions import Session
from jumok.studio.sources import source_side
from jumok.text.tokenizer import Tokenizer

DIGITS = 8


def follow_paths(session: Session, request: PathsRequest) -> PathsAnswer:
    """The gradients of a target token by path, and the step before and after an update."""
    source, ids = given_pair(session, request.text, request.target, request.at)
    if request.wrong >= len(source.ids):
        raise invalid(f"The source has {len(source.ids)} tokens, from 0; {request.wrong} is beyond its end.")
    model, right = session.run.model, Question(source.ids[:-1], ids, request.at, request.wrong)
    try:
        own = look(model, right)
    except InputError as error:
        raise invalid(f"The run '{session.named.id}' cannot be shown: {error}") from None
    asked = replace(right, push=push_for(own.weights_S, request.wrong, request.share))
    found = paths(model, asked)
    tokenizer = session.tokenizer_about(source)
    gap = (found.whole_SD - found.weights_SD - found.values_SD).abs().max()
    return PathsAnswer(
        run=session.ref,
        source=source_side(source),
        target=target_side(session, source, ids),
        at=request.at,
        own=_told(tokenizer, own, asked),
        wrong=_told(tokenizer, look(model, asked), asked),
        updated=_told(tokenizer, look(updated(model, asked, request.rate), asked), asked),
        scores=[round(value, DIGITS) for value in found.scores_S.tolist()],
        through_weights=_norms(found.weights_SD),
        through_values=_norms(found.values_SD),
        whole=_norms(found.whole_SD),
        gap=float(gap),
    )


def _told(tokenizer: Tokenizer, found: Look, asked: Question) -> LookAt:
    return LookAt(
        weights=[rounded(value, 6) or 0.0 for value in found.weights_S.tolist()],
        right=round(float(found.log_prob_V[asked.right].exp()), 6),
        top=top_words(tokenizer, found.log_prob_V),
    )


def _norms(gradient_SD: Tensor) -> list[float]:
    return [round(value, DIGITS) for value in gradient_SD.norm(dim=-1).tolist()]
