"""The arithmetic of one step, with the model's real numbers: what `explain` does for an example, for a live model.

Titles, texts, formulas and names of terms are those of `jumok.inspect`; the numbers are `StepOutput.terms`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from jumok.attention import Attention, MultiHead
from jumok.config import DecoderConfig
from jumok.inspect.procedure import ALIGN_TERMS, HEAD_TERMS, LABELS, SCOPE_TERMS, Working, steps_of
from jumok.inspect.steps import Look, Step
from jumok.inspect.texts import Texts
from jumok.models.contract import DecoderState, StepOutput
from jumok.shapes import BOS
from jumok.studio import payload
from jumok.studio.edits import EditedModel, Plan, check_tokens, plan
from jumok.studio.mathml import formula
from jumok.studio.payload import TERM_NUMBERS, Both, Candidate
from jumok.studio.payload_steps import Stage, StepAnswer, StepRequest, Term
from jumok.studio.reading import Array, as_array, matrix, rounded, top_words
from jumok.studio.runs import describe_mechanism
from jumok.studio.sessions import Session
from jumok.studio.sources import Source, encode, read_source

Axis = Literal["head", "source", "unit"]
_NAMES = {"query": "q", "keys": "k_i", "scores": "e_i", "weights": "α_i", "alignment": "a_i", "context": "c"}
_NAMES |= {"state": "s_t", "output": "o_t", "coverage": "c_i", "before gaussian": "softmax(e)_i"}
# Everything after `score` that is not the score's own.
_LATER = {"query", "scores", "weights", "context", "state", "output", "layers", *SCOPE_TERMS, *ALIGN_TERMS, *HEAD_TERMS}
_PER_SOURCE = {"scores", "weights", "exp", "mask", "gaussian", "K", "cos", "dots", "distance/h", "before gaussian", "p"}
_PER_SOURCE |= {"coverage", "carried"}
_WORKED = 200
_WORDS = Both(
    en="The output vector is compared with every word of the vocabulary; a softmax turns it into probabilities.",
    ko="출력 벡터를 어휘의 모든 단어와 비교하고, softmax로 확률을 구합니다.",
)
_STATE = Both(
    en="Without attention the decoder sees the source only through the state it started with.",
    ko="어텐션이 없으면 디코더는 처음에 받은 은닉 상태를 통해서만 원문을 봅니다.",
)


@dataclass(frozen=True)
class Taken:
    """One step of the model and what it started from."""

    output: StepOutput
    before: DecoderState
    plan: Plan


def work_through(session: Session, request: StepRequest) -> StepAnswer:
    """The stages of the step that comes after the prefix."""
    source = read_source(session, request.text)
    check_tokens(session, request.prefix, end=False)
    made = plan(session, source, request.edits, request.prefix)
    layer = session.layer(request.layer) if session.looks else 0
    with torch.inference_mode():
        taken = take_step(session, made, request.prefix)
        stages = attention_stages(session, taken, layer) if session.looks else []
        stages += last_stages(session, taken, bool(session.looks))
        log_prob_V = taken.output.logits_BV[0].double().log_softmax(-1)
        cross = taken.output.attention.cross
        terms = layer_terms(taken.output, layer)
        previous = request.prefix[-1] if request.prefix else BOS
        return StepAnswer(
            run=session.ref,
            position=len(request.prefix),
            previous=Candidate(id=previous, text=session.target.token(previous), log_prob=None),
            source=source.side,
            layer=layer,
            layers=len(session.looks),
            heads=cross[layer].shape[1] if cross else 0,
            mechanism=describe_mechanism(session.run.config),
            scores=_row(terms["scores"], made.source, -np.inf) if cross else None,
            weights=_row(cross[layer], made.source, 0.0) if cross else None,
            stages=stages,
            top=top_words(session, log_prob_V),
        )


def take_step(session: Session, made: Plan, prefix: Sequence[int]) -> Taken:
    """The step after the prefix, with its terms."""
    model = EditedModel(session.run.model, made)
    memory, _ = encode(session, made.source)
    state = model.init_state(memory)
    inputs = [torch.tensor([token], device=session.device) for token in (BOS, *prefix)]
    for previous in inputs[:-1]:
        _, state = model.step(previous, state)
    output, _ = model.step(inputs[-1], state, need_weights=True, need_terms=True)
    return Taken(output, state, made)


def layer_terms(output: StepOutput, layer: int) -> Mapping[str, Any]:
    """The terms of one layer; a recurrent decoder has only one."""
    layers: Any = output.terms.get("layers")
    return output.terms if layers is None else {**layers[layer], "state": output.terms["state"]}


def _row(tensor: Tensor, source: Source, missing: float) -> payload.Matrix:
    """[heads, source] of one query, at the original's columns."""
    array = as_array(tensor).reshape(-1, len(source.columns))
    if len(source.columns) == source.width:
        return matrix(array)
    wide = np.full((len(array), source.width), missing)
    wide[:, list(source.columns)] = array
    return matrix(wide)


# ---------------------------------------------------------------- stages


def attention_stages(session: Session, taken: Taken, layer: int) -> list[Stage]:
    """Score, scope, align and context of one layer, each with its terms."""
    attend, terms = session.looks[layer], dict(layer_terms(taken.output, layer))
    inner = attend.attention if isinstance(attend, MultiHead) else attend
    memory = taken.before.memory
    terms["keys"] = memory.states_BSD
    values = terms["v_h"] if isinstance(attend, MultiHead) else memory.states_BSD
    terms["alignment"] = terms["weights"][..., 0, :, None] * values
    described = describe(session, attend, terms, len(taken.plan.source.columns))
    writer = TermWriter(attend, terms, taken.plan.source)
    return [
        Stage(
            id=stage,
            title=Both(en=english.title, ko=korean.title),
            formula=formula(english.formula),
            text=Both(en=english.text, ko=korean.text),
            worked=[line for line in english.worked if len(line) <= _WORKED],
            terms=writer.terms(names_of(stage, inner, terms)),
        )
        for stage, english, korean in described
    ]


def describe(
    session: Session, attend: Attention | MultiHead, terms: Mapping[str, Any], width: int
) -> list[tuple[Any, Step, Step]]:
    """The id of each stage with its words in both languages, from `jumok.inspect`."""
    arrays = {name: _bare(as_array(term)) for name, term in terms.items() if isinstance(term, Tensor)}
    keys = arrays["keys"].reshape(width, -1)
    heads = attend.heads if isinstance(attend, MultiHead) else None
    rows = (heads, width) if heads else (width,)
    look = Look(
        query=arrays["query"],
        position=0,
        scores=arrays["scores"].reshape(rows),
        weights=arrays["weights"].reshape(rows),
        alignment=arrays["alignment"],
        context=arrays["context"],
        terms=arrays,
        steps=(),
    )
    values = arrays["v_h"] if heads else keys
    # Hard attention takes the best position when decoding: its log-probability is told with it.
    taken = None if heads or "p" not in arrays else float(np.log(arrays["p"].reshape(rows)[look.weights.argmax()]))
    working = Working(attend, look, keys, values, session.run.config.model.decoder.attention, False, taken)
    stages = ["project"] if heads else []
    stages += ["score"] + ([] if working.inner.scope.name == "global" else ["scope"]) + ["align"]
    stages += (["gaussian"] if "gaussian" in arrays else []) + ["alignment", "context", "decoder"]
    told = [steps_of(working, Texts(lang)) for lang in ("en", "ko")]
    return list(zip(stages, *told, strict=True))[:-1]


def _bare(array: Array) -> Array:
    """The array without the dimensions of the one sentence and the one query."""
    while array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    return array


def names_of(stage: str, inner: Attention, terms: Mapping[str, Any]) -> list[str]:
    """The terms that a stage shows, those that there are."""
    own = [name for name in terms if name not in _LATER and name not in ("keys", "alignment", "products", "coverage")]
    wanted = {
        "project": ["query", "q_h", "k_h", "v_h"],
        "score": ["query", "keys", "coverage", *own, "scores"],
        "scope": [name for name in SCOPE_TERMS if name != "gaussian"],
        "align": ["scores", *ALIGN_TERMS, *([] if "gaussian" in terms else ["weights"])],
        "gaussian": ["gaussian", "weights"],
        "alignment": ["weights", "alignment"],
        "context": ["heads", "context"],
    }
    return [name for name in wanted[stage] if isinstance(terms.get(name), Tensor)]


def last_stages(session: Session, taken: Taken, attends: bool) -> list[Stage]:
    """The new state and the words, which every model has."""
    terms = taken.output.terms
    decoder = session.run.config.model.decoder
    texts = [Texts(lang) for lang in ("en", "ko")]
    titles = Both(en=texts[0]("decoder.other.title"), ko=texts[1]("decoder.other.title"))
    writer = TermWriter(None, terms, taken.plan.source)
    names = [name for name in ("context", "state", "output") if isinstance(terms.get(name), Tensor)]
    return [
        Stage(
            id="decoder",
            title=titles if attends else Both(en="Move to the next state", ko="다음 은닉 상태로 진행하기"),
            formula=formula(decoder.step_formula),
            text=_decoder_text(texts, decoder, attends),
            worked=[],
            terms=writer.terms(names),
        ),
        Stage(
            id="words",
            title=Both(en="Choose a word", ko="단어 고르기"),
            formula=formula("p = softmax(E o_t + b)"),
            text=_WORDS,
            worked=[],
            terms=writer.terms(["output"]),
        ),
    ]


def _decoder_text(texts: list[Texts], decoder: DecoderConfig, attends: bool) -> Both:
    if not attends:
        return _STATE
    english, korean = (say(f"decoder.{decoder.step_text}", context="c") for say in texts)
    return Both(en=english, ko=korean)


# ---------------------------------------------------------------- terms


class TermWriter:
    """Turns tensors into terms: batch and query dimensions dropped, windows spread out, axes named."""

    def __init__(self, attend: Attention | MultiHead | None, terms: Mapping[str, Any], source: Source) -> None:
        self._terms, self.source = terms, source
        self.heads = attend.heads if isinstance(attend, MultiHead) else 1
        self.parameters = {
            part for name, _ in (attend.named_parameters() if attend is not None else []) for part in name.split(".")
        }
        self.window = self._window()

    def _window(self) -> tuple[list[int], list[bool]] | None:
        """The source places of a local window and which of them count, where a mechanism computed only those."""
        index = self._terms.get("window")
        if not isinstance(index, Tensor):
            return None
        places = as_array(index).reshape(-1, index.shape[-1])[0].astype(int).tolist()
        mask = self._terms.get("mask")
        inside = as_array(mask).reshape(-1, mask.shape[-1])[0].astype(bool).tolist() if isinstance(mask, Tensor) else []
        return places, inside or [True] * len(places)

    def terms(self, names: Sequence[str]) -> list[Term]:
        """The terms of those names, in that order."""
        return [self.term(name) for name in names]

    def term(self, name: str) -> Term:
        """One term."""
        array = as_array(self._terms[name])
        shape = [size for size in array.shape[:-1] if size != 1] + list(array.shape[-1:])
        array, axes = self._named(name, array.reshape(shape))
        shown = cut(array)
        label = _NAMES.get(name) or LABELS.get(name, name)
        return Term(
            name=name,
            label=label,
            axes=axes,
            shape=list(array.shape),
            shown=list(shown.shape),
            data=[rounded(value) for value in shown.ravel().tolist()],
        )

    def _named(self, name: str, array: Array) -> tuple[Array, list[Axis]]:
        """What each dimension runs over; dimensions over the source are brought to the original's columns."""
        axes: list[Axis] = []
        known = name in self.parameters
        window = self.window
        widths = {len(self.source.columns)} | ({len(window[0])} if window else set())
        for place, size in enumerate(array.shape):
            last = place == array.ndim - 1
            if place == 0 and not last and self.heads > 1 and size == self.heads and not known:
                axes.append("head")
            elif not known and size in widths and (name in _PER_SOURCE if last else "source" not in axes):
                axes.append("source")
            else:
                axes.append("unit")
        if "source" in axes:
            array = self._spread(array, axes.index("source"))
        return array, axes

    def _spread(self, array: Array, axis: int) -> Array:
        """Values of a window among all positions the model read, and those among all of the original."""
        moved = np.moveaxis(array, axis, -1)
        if self.window is not None and moved.shape[-1] == len(self.window[0]) != len(self.source.columns):
            places, inside = self.window
            everywhere = np.full((*moved.shape[:-1], len(self.source.columns)), np.nan)
            for number, (place, counts) in enumerate(zip(places, inside, strict=True)):
                if counts:
                    everywhere[..., place] = moved[..., number]
            moved = everywhere
        if moved.shape[-1] != self.source.width:
            wide = np.full((*moved.shape[:-1], self.source.width), np.nan)
            wide[..., list(self.source.columns)] = moved
            moved = wide
        return np.moveaxis(moved, -1, axis)


def cut(array: Array) -> Array:
    """The array with its last dimension cut so that it can be sent."""
    if array.size <= TERM_NUMBERS or array.ndim == 0:
        return array
    rows = array.size // array.shape[-1]
    return array[..., : max(1, TERM_NUMBERS // rows)]
