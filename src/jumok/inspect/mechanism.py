"""Any mechanism of the catalogue, worked through for given vectors.

The module is the one that trains and translates; it is called in double precision, one query at a time, and its named
terms are put into steps.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from jumok.attention import Attended, Attention, Mechanism, MultiHead, Prepared, build, find
from jumok.attention.terms import Term
from jumok.errors import InputError, JumokError, did_you_mean
from jumok.inspect.examples import DECODER_STATE, ENCODER_STATES, Example, example_for
from jumok.inspect.names import formula_name, plain_name
from jumok.inspect.numbers import Array, show
from jumok.inspect.procedure import Working, align_formula, scope_formula, score_formula, steps_of
from jumok.inspect.record import as_array, look_of
from jumok.inspect.steps import Explanation, Look
from jumok.inspect.texts import Texts
from jumok.inspect.worked import worked_score

_LARGEST = 100_000


@dataclass(frozen=True)
class Request:
    """What to explain: a catalogue name, and vectors, parameters and options where they are given."""

    name: str
    query: Array | None = None
    keys: Array | None = None
    values: Array | None = None
    mask: NDArray[np.bool_] | None = None
    parameters: Mapping[str, Array] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    position: int | None = None
    draw: bool = False

    @property
    def chance(self) -> int:
        """The seed of what is drawn."""
        return self.seed or 0


@dataclass(frozen=True)
class Inputs:
    """A request with nothing left open."""

    query: Array
    keys: Array
    values: Array
    mask: NDArray[np.bool_] | None
    position: int
    options: Mapping[str, Any]
    parameters: Mapping[str, Array]
    story: str = ""


def explain(request: Request, lang: str = "en") -> Explanation:
    """The mechanism worked through, one look per query."""
    say = Texts(lang)
    mechanism = find(request.name)
    inputs = complete(request, mechanism)
    attend = module_for(request, inputs)
    inner = attend.attention if isinstance(attend, MultiHead) else attend
    parts = {"score": inner.score.name, "scope": inner.scope.name, "align": inner.normaliser.name}
    formulas = {
        "score": score_formula(inner.score),
        "scope": scope_formula(inner.scope),
        "align": align_formula(inner.normaliser),
    }
    named = parameters_of(attend)
    return Explanation(
        name=mechanism.name,
        title=say("title.mechanism", name=mechanism.name),
        intro=" ".join([say.get(f"intro.{mechanism.name}", "intro.other"), *told(inputs, say)]),
        parts=parts,
        paper=mechanism.paper,
        keys=inputs.keys,
        values=inputs.values,
        looks=looks(attend, inputs, request, mechanism, say),
        lang=lang,
        mask=inputs.mask,
        parameters=named,
        options=dict(inputs.options),
        given={
            part: f"{parts[part]}    {formula}" if formula else parts[part] for part, formula in formulas.items()
        } | ({"seeded": say("seeded", seed=request.chance)} if _seeded(named, inputs) else {}),
    )  # fmt: skip


def told(inputs: Inputs, say: Texts) -> list[str]:
    """What is to be seen in the numbers of an example."""
    if not inputs.story:
        return []
    q, k = inputs.query[0], inputs.keys[0]
    values = {}
    if inputs.story == "general":
        W = inputs.parameters["W"]
        matrices = {"dot": np.eye(len(W)), "diagonal": np.diag(np.diag(W)), "all": W}
        values = {name: show(worked_score("general", q, k, {"W": W}).value) for name, W in matrices.items()}
    return [say(f"example.{inputs.story}", **values)]


def worked_example(lang: str = "en") -> Explanation:
    """The dot product of one decoder state with four encoder states, in five steps."""
    request = Request("dot", query=DECODER_STATE, keys=ENCODER_STATES)
    say = Texts(lang)
    return replace(explain(request, lang), title=say("title.worked"), intro=say("intro.worked"))


def complete(request: Request, mechanism: Mechanism) -> Inputs:
    """The request with the example's vectors, options and parameters where none were given."""
    example = _vectors(request, mechanism)
    values = request.values if request.values is not None else example.values
    values = example.keys if values is None else values
    if len(values) != len(example.keys):
        raise InputError(
            f"--values must have one row for each of the {len(example.keys)} keys, got {len(values)} rows."
        )
    if max(example.query.size, example.keys.size, values.size) > _LARGEST:
        raise InputError(f"An explanation takes at most {_LARGEST} numbers per matrix; give fewer or shorter vectors.")
    if request.values is not None and not np.isfinite(values).all():
        raise InputError("--values must hold finite numbers.")
    position = example.position if request.position is None else request.position
    if position < 0:
        raise InputError(f"--position counts from 0, got {position}.")
    options = {**example.options, **request.options}
    if options.get("score", mechanism.score) == "location":
        options.setdefault("max_length", len(example.keys))
    mask = _checked_mask(request.mask, len(example.query), len(example.keys))
    parameters = {**example.parameters, **request.parameters}
    story = "" if request.parameters else example.story
    return Inputs(example.query, example.keys, values, mask, position, options, parameters, story)


def _vectors(request: Request, mechanism: Mechanism) -> Example:
    """The example, or the given query and keys with nothing of the example left."""
    if request.query is None and request.keys is None:
        found = example_for(mechanism, request.options, request.chance)
        # A seed asks for other parameters than the example's own.
        return found if request.seed is None or not found.story else replace(found, parameters={}, story="")
    if request.query is None or request.keys is None:
        missing, there = ("--query", "--keys") if request.query is None else ("--keys", "--query")
        raise InputError(f"{there} was given without {missing}; give both, or neither to use an example.")
    return Example(request.query, request.keys)


def _checked_mask(mask: NDArray[np.bool_] | None, queries: int, keys: int) -> NDArray[np.bool_] | None:
    if mask is not None and (mask.shape[1] != keys or mask.shape[0] not in (1, queries)):
        raise InputError(
            f"--mask must have one number for each of the {keys} keys (and one row, or one for each of the {queries} "
            f"queries), got {mask.shape[0]} × {mask.shape[1]}."
        )
    return mask


def module_for(request: Request, inputs: Inputs) -> Attention | MultiHead:
    """The mechanism in double precision with seeded parameters of two decimals, and those that were given."""
    sizes = {"query_dim": inputs.query.shape[1], "key_dim": inputs.keys.shape[1]}
    multi_head = inputs.options.get("heads", find(request.name).options.get("heads")) is not None
    value_dim = inputs.values.shape[1] if multi_head else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(request.chance)
        try:
            attend = build(request.name, **sizes, value_dim=value_dim, **inputs.options)
        except JumokError:
            raise
        except (TypeError, ValueError, RuntimeError) as error:
            said = str(error).partition("\n")[0].rstrip(".")
            raise InputError(f"An option of '{request.name}' has a value that cannot be used: {said}.") from None
    attend = attend.double().eval()
    with torch.no_grad():
        for name, parameter in attend.named_parameters():
            parameter.copy_(_tidy(name, parameter))
    for name, rows in inputs.parameters.items():
        set_parameter(attend, name, rows)
    return attend


def _tidy(name: str, parameter: Tensor) -> Tensor:
    """Two decimals a human can follow; a scalar kept as a logarithm is that of the number that was asked for."""
    if parameter.dim():
        return (parameter * 100).round() / 100
    if name.rpartition(".")[2].startswith("log_"):
        return torch.tensor(math.log(float(f"{parameter.exp():.6g}")), dtype=torch.float64)
    return parameter


def set_parameter(attend: nn.Module, name: str, rows: Array) -> None:
    """Puts the rows into the parameter of that name, such as `W` for `score.W` or `W_p` for `scope.W_p.weight`."""
    known = dict(attend.named_parameters())
    shorts = {full: formula_name(full) for full in known}
    found = [full for full in known if name in (full, shorts[full], plain_name(full), full.removesuffix(".weight"))]
    if not found:
        names = ", ".join(shorts.values()) or "none"
        hint = did_you_mean(name, shorts.values())
        raise InputError(f"This mechanism has no parameter '{name}'{hint}; its parameters: {names}.")
    if len(found) > 1:
        raise InputError(f"The parameter '{name}' could be {' or '.join(found)}; give its full name.")
    parameter = known[found[0]]
    want = tuple(parameter.shape)
    fits = rows.shape == want if parameter.dim() == 2 else rows.shape[0] == 1 and rows.size == max(parameter.numel(), 1)
    if not fits:
        shape = " × ".join(str(size) for size in want) or "one number"
        raise InputError(
            f"Parameter {name} must be {shape}, got {' × '.join(str(size) for size in rows.shape)}; other sizes follow "
            "from the vectors and from options such as attention_dim."
        )
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(rows).reshape(want))


def parameters_of(attend: nn.Module) -> dict[str, Array]:
    """Every parameter by the name it has in the formula."""
    return {formula_name(full): as_array(parameter) for full, parameter in attend.named_parameters()}


def _seeded(named: Mapping[str, Array], inputs: Inputs) -> bool:
    """Whether any matrix or vector came from the seed."""
    return any(array.ndim and name not in inputs.parameters for name, array in named.items())


def looks(
    attend: Attention | MultiHead, inputs: Inputs, request: Request, mechanism: Mechanism, say: Texts
) -> tuple[Look, ...]:
    """One look for each query, in order; a mechanism that carries a state passes it on."""
    prepared = attend.prepare(torch.from_numpy(inputs.keys)[None], torch.from_numpy(inputs.values)[None])
    state = attend.initial_state(prepared)
    made: list[Look] = []
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(request.chance)
        if request.draw:
            attend.train()
        for t in range(len(inputs.query)):
            out = _attended(attend, prepared, inputs, t, state)
            state = out.state
            made.append(_look(attend, out, inputs, t, mechanism, request.draw, say))
    return tuple(made)


def _attended(
    attend: Attention | MultiHead, prepared: Prepared, inputs: Inputs, t: int, state: Tensor | None
) -> Attended:
    query = torch.from_numpy(inputs.query[t])[None, None]
    mask = inputs.mask
    row = None if mask is None else torch.from_numpy(mask[t if len(mask) > 1 else 0])[None, None]
    return attend(query, prepared, mask=row, positions=torch.tensor([[inputs.position + t]]), state=state)


def _look(
    attend: Attention | MultiHead,
    out: Attended,
    inputs: Inputs,
    t: int,
    mechanism: Mechanism,
    draw: bool,
    say: Texts,
) -> Look:
    query = Term(torch.from_numpy(inputs.query[t]), ("query",), "q")
    look = look_of({**out.terms, "query": query}, inputs.keys, inputs.values, inputs.position + t)
    if not np.isfinite(look.weights).all() or np.isposinf(look.scores).any():
        raise InputError("The scores are too large for double precision; give smaller vectors or parameters.")
    look = _closed(look, inputs, t)
    working = Working(attend, look, inputs.keys, mechanism.name, draw)
    return replace(look, steps=steps_of(working, say))


def _closed(look: Look, inputs: Inputs, t: int) -> Look:
    """The look without the scores of positions that the scope or the given mask closes."""
    scope, given = (
        look.terms.get("mask"),
        None if inputs.mask is None else inputs.mask[t if len(inputs.mask) > 1 else 0],
    )
    if "window" in look.terms or (scope is None and given is None):
        return look
    mask = Term(given, ("source",), part="scope") if scope is None else scope
    if scope is not None and given is not None:
        mask = replace(scope, value=scope.value & given)
    scores = np.where(mask.value, look.scores, -np.inf)
    terms = {**look.terms, "mask": mask, "scores": replace(look.terms["scores"], value=scores)}
    return replace(look, scores=scores, terms=terms)
