"""The arithmetic of one step in the form of answers: what `jumok explain` shows of an example, for a live model.

The inspector takes the step and puts its named terms into stages, in both languages; here they become JSON.
"""

import math
from collections.abc import Iterable

import numpy as np
import torch

from jumok.attention.terms import Axis, Term
from jumok.config import ModelConfig
from jumok.inspect.inspector import over_columns
from jumok.inspect.model_step import ModelStep
from jumok.inspect.numbers import Array
from jumok.inspect.record import Record, over_source
from jumok.inspect.replay import mixture_of
from jumok.inspect.sentence import Subject
from jumok.inspect.texts import Texts
from jumok.shapes import BOS
from jumok.studio import payload_steps
from jumok.studio.edits import plan_of
from jumok.studio.mathml import formula
from jumok.studio.payload import TERM_NUMBERS, Both, Candidate, Matrix
from jumok.studio.payload_steps import Stage, StepAnswer, StepRequest
from jumok.studio.reading import matrix, rounded, top_words
from jumok.studio.runs import describe_mechanism
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source, source_side

_WORKED = 200
_STATE = Both(
    en="Without attention the decoder sees the source only through the state it started with.",
    ko="어텐션이 없으면 디코더는 처음에 받은 은닉 상태를 통해서만 원문을 봅니다.",
)


@torch.inference_mode()
def work_through(session: Session, request: StepRequest) -> StepAnswer:
    """The stages of the step that comes after the prefix."""
    inspector = session.inspector
    source = read_source(session, request.text, request.picture)
    inspector.check_tokens(request.prefix)
    plan = plan_of(session, source.sentence, request.edits, request.prefix)
    layer = inspector.layer(request.layer) if inspector.looks else 0
    step = inspector.step(plan, request.prefix)
    look = step.look(layer) if inspector.looks else None
    previous = request.prefix[-1] if request.prefix else BOS
    tokenizer = session.tokenizer_about(source.sentence)
    top = top_words(tokenizer, step.log_prob_V)
    return StepAnswer(
        run=session.ref,
        position=step.position,
        previous=Candidate(id=previous, text=tokenizer.token(previous), log_prob=None),
        source=source_side(source.sentence),
        layer=layer,
        layers=len(inspector.looks),
        heads=inspector.heads(layer) if inspector.looks else 0,
        mechanism=describe_mechanism(session.run.config.model),
        scores=None if look is None else _rows(look.scores, plan.sentence, -math.inf),
        weights=None if look is None else _rows(look.weights, plan.sentence, 0.0),
        stages=[
            *(attention_stages(step, layer) if inspector.looks else []),
            *last_stages(session.run.config.model, step, top[0]),
        ],
        top=top,
    )


def _rows(values: Array, sentence: Subject, missing: float) -> Matrix:
    """[heads, source] of one query, at the columns of the sentence as it was written."""
    return matrix(over_columns(np.atleast_2d(values), sentence, missing))


# ---------------------------------------------------------------- stages


def attention_stages(step: ModelStep, layer: int) -> list[Stage]:
    """Score, scope, align and context of one layer, each with its terms."""
    look = step.look(layer)
    english, korean = (step.steps(layer, look, lang) for lang in ("en", "ko"))
    return [
        Stage.model_validate(
            {
                "id": one.name,
                "title": Both(en=one.title, ko=other.title),
                "formula": formula(one.formula),
                "text": Both(en=one.text, ko=other.text),
                "worked": [line for line in one.worked if len(line) <= _WORKED],
                "terms": terms(look.terms, one.terms, step.sentence),
            }
        )
        for one, other in zip(english, korean, strict=True)
    ]


def last_stages(model: ModelConfig, step: ModelStep, likeliest: Candidate) -> list[Stage]:
    """The new state and the words, which every model has."""
    english, korean = (Texts(lang) for lang in ("en", "ko"))
    attends, record, decoder = bool(step.looks), step.decoder, model.decoder
    title = Both(en=english("decoder.other.title"), ko=korean("decoder.other.title"))
    says = (say(f"decoder.{decoder.step_text}", context="c") for say in (english, korean)) if attends else ()
    return [
        Stage(
            id="decoder",
            title=title if attends else Both(en="Move to the next state", ko="다음 은닉 상태로 진행하기"),
            formula=formula(decoder.step_formula),
            text=Both(**dict(zip(("en", "ko"), says, strict=True))) if attends else _STATE,
            worked=[],
            terms=terms(record, [name for name in ("context", "state", "output") if name in record], step.sentence),
        ),
        Stage(
            id="words",
            title=Both(en=english("words.title"), ko=korean("words.title")),
            formula=formula(model.head.words_formula),
            text=Both(en=english(f"words.{model.head.words_text}"), ko=korean(f"words.{model.head.words_text}")),
            worked=_mixed(step, likeliest),
            terms=terms({**record, **step.head}, ["output", *step.head], step.sentence),
        ),
    ]


def _mixed(step: ModelStep, word: Candidate) -> list[str]:
    """How the probability of a word is put together by a head that also copies."""
    found = mixture_of(step.terms.head, step.memory, [word.id])
    if found is None:
        return []
    made, vocabulary, attended = found.p_gen[0], found.p_vocab[0], found.attended[0]
    total = made * vocabulary + (1 - made) * attended
    return [f"p({word.text}) = {made:.4f} · {vocabulary:.4f} + (1 − {made:.4f}) · {attended:.4f} = {total:.4f}"]


# ---------------------------------------------------------------- terms


def terms(record: Record, names: Iterable[str], sentence: Subject) -> list[payload_steps.Term]:
    """The terms of those names, in that order."""
    return [written(name, record[name], record, sentence) for name in names]


def written(name: str, term: Term, record: Record, sentence: Subject) -> payload_steps.Term:
    """One term; what runs over the source is brought to the columns of the sentence as it was written."""
    term = over_source(term, record, len(sentence.columns), math.nan)
    values = np.asarray(term.value, dtype=np.float64)
    if "source" in term.axes:
        at = term.axes.index("source")
        values = np.moveaxis(over_columns(np.moveaxis(values, at, -1), sentence, math.nan), -1, at)
    shown = cut(values)
    return payload_steps.Term.model_validate(
        {
            "name": name,
            "label": term.label or name,
            "axes": [_told(axis) for axis in term.axes],
            "shape": list(values.shape),
            "shown": list(shown.shape),
            "data": [rounded(value) for value in shown.ravel().tolist()],
        }
    )


def _told(axis: Axis) -> str:
    """The page tells heads and source positions from the numbers of a vector."""
    return axis if axis in ("head", "source") else "unit"


def cut(array: Array) -> Array:
    """The array with its last dimension cut so that it can be sent."""
    if array.size <= TERM_NUMBERS or array.ndim == 0:
        return array
    rows = array.size // array.shape[-1]
    return array[..., : max(1, TERM_NUMBERS // rows)]
