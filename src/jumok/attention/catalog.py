"""The catalogue: names people know, each one choice of score × scope × normalise, and the door for your own.

    @register
    class Euclid(Score):
        name = "euclid"
        def forward(self, query, keys): return -torch.cdist(query, keys)

makes `build("euclid", …)`, `model.decoder.attention=euclid` and every picture work, without touching this package.
"""

import inspect
import math
import runpy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar, get_args

from jumok.arguments import shown
from jumok.attention import coverage
from jumok.attention import normalise as normalisers
from jumok.attention import scope as scopes
from jumok.attention import score as scores
from jumok.attention.attention import Attention
from jumok.attention.multihead import MultiHead
from jumok.attention.normalise import Normaliser
from jumok.attention.scope import Scope
from jumok.attention.score import Score
from jumok.errors import InputError, JumokError, ShapeError, UnknownNameError, did_you_mean

ENTRY_POINTS = "jumok.mechanisms"
# What `normalise` was called before.
FORMER = "align"
PARTS = ("score", "scope", "normalise", FORMER)


@dataclass(frozen=True)
class Mechanism:
    """A catalogue entry: which score, scope and normaliser, from which paper, and what it is good for."""

    name: str
    score: str
    scope: str = "global"
    normalise: str = "softmax"
    paper: str = ""
    good_for: str = ""
    good_for_ko: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    align: InitVar[str | None] = None
    """The former name of `normalise`."""

    def __post_init__(self, align: str | None) -> None:
        if align is not None:
            object.__setattr__(self, "normalise", align)

    def parts(self, options: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """The names of score, scope and normaliser, of which options may replace each."""
        normalise = options.get("normalise", options.get(FORMER, self.normalise))
        return options.get("score", self.score), options.get("scope", self.scope), normalise


SCORES: dict[str, type[Score]] = {}
SCOPES: dict[str, type[Scope]] = {}
NORMALISERS: dict[str, type[Normaliser]] = {}
MECHANISMS: dict[str, Mechanism] = {}

Part = TypeVar("Part", bound=type)


def register(part: type | None = None, *, paper: str = "", good_for: str = "") -> Any:
    """Adds your own score, scope or normaliser, and a mechanism of the same name that uses it.

    A score is paired with the global scope and softmax; a scope or a normaliser with the general score, which takes
    queries and keys of any size.
    """

    def add(part: Part) -> Part:
        _add_part(part)
        add_mechanism(_default_mechanism(part, paper, good_for or _first_line(part)))
        return part

    return add if part is None else add(part)


def add_mechanism(mechanism: Mechanism) -> None:
    """Adds a named composition to the catalogue; a later one of the same name replaces it."""
    MECHANISMS[mechanism.name] = mechanism


def catalog() -> list[Mechanism]:
    """Every mechanism known now."""
    return list(MECHANISMS.values())


def find(name: str) -> Mechanism:
    """The mechanism of that name."""
    if name not in MECHANISMS:
        load_installed()
    if name not in MECHANISMS:
        raise UnknownNameError(
            f"Unknown attention mechanism '{name}'{did_you_mean(name, MECHANISMS)}; `jumok mechanisms` lists them."
        )
    return MECHANISMS[name]


def build(
    name: str, *, query_dim: int, key_dim: int, value_dim: int | None = None, **options: Any
) -> Attention | MultiHead:
    """The mechanism of that catalogue name for queries and keys of these sizes.

    `score=`, `scope=` and `normalise=` replace a part by name; `heads=` makes it multi-head; every other option goes to
    the part that knows it, such as D, temperature, attention_dim, bandwidth or max_length. `heads=None` is the
    mechanism inside the heads, also where its entry has some.
    """
    mechanism = find(name)
    given = {**mechanism.options, **options}
    if given.get("heads", 1) is None:
        del given["heads"]
    score, scope, normalise = mechanism.parts(given)
    parts = (
        _part(SCORES, "score", score), _part(SCOPES, "scope", scope), _part(NORMALISERS, "normalise", normalise)
    )  # fmt: skip
    given = {key: value for key, value in given.items() if key not in PARTS}
    _check_options(name, given, [*parts, Attention, MultiHead])
    try:
        return _build(parts, query_dim, key_dim, value_dim, given)
    except RuntimeError as error:  # torch's own, of sizes that no tensor can have
        reason = " ".join(str(error).split()).rstrip(".")
        raise ShapeError(f"Mechanism '{name}' cannot be built with {_listed(options)}: {reason}.") from error


def _build(
    parts: tuple[type[Score], type[Scope], type[Normaliser]],
    query_dim: int,
    key_dim: int,
    value_dim: int | None,
    given: dict[str, Any],
) -> Attention | MultiHead:
    heads = given.pop("heads", None)
    if heads is None:
        return _compose(parts, query_dim, key_dim, given)
    if not isinstance(heads, int) or heads < 1:
        raise UnknownNameError(f"heads must be a whole number of at least 1, got {heads!r}.")
    head_dim = given.pop("head_dim", None) or -(-query_dim // heads)
    outer = {key: given.pop(key) for key in ("bias", "output_dim", "rotary") if key in given}
    inner = _compose(parts, head_dim, head_dim, given)
    value_dim = key_dim if value_dim is None else value_dim
    return MultiHead(inner, query_dim=query_dim, key_dim=key_dim, value_dim=value_dim, heads=heads, **outer)


def load_plugins(paths: Iterable[str | Path] = ()) -> None:
    """Runs the user's own files, whose @register'ed parts join the catalogue, and those of installed packages."""
    load_installed()
    for path in paths:
        if not Path(path).exists():
            raise UnknownNameError(f"There is no plugin file {path}.")
        if not Path(path).is_file():
            raise UnknownNameError(f"The plugin {path} is not a regular file; save it as a .py file and name that.")
        _guarded(str(path), lambda path=path: runpy.run_path(str(path)))


@cache
def load_installed() -> None:
    """Loads the parts of installed packages, once; an unknown name is looked for there before it is an error."""
    for entry in entry_points(group=ENTRY_POINTS):
        _guarded(entry.value, entry.load)


def _guarded(where: str, load: Callable[[], object]) -> None:
    try:
        load()
    except JumokError:
        raise
    except Exception as error:
        raise UnknownNameError(f"The plugin {where} failed: {type(error).__name__}: {error}.") from error


def _compose(
    parts: tuple[type[Score], type[Scope], type[Normaliser]],
    query_dim: int,
    key_dim: int,
    given: Mapping[str, Any],
) -> Attention:
    sizes = {"query_dim": query_dim, "key_dim": key_dim}
    score, scope, normaliser = (part(**_own(part, {**given, **sizes})) for part in parts)
    assert isinstance(score, Score)
    assert isinstance(scope, Scope)
    assert isinstance(normaliser, Normaliser)
    return Attention(score, scope, normaliser, **_own(Attention, given, but=("score", "scope", "normaliser")))


def _own(part: type, given: Mapping[str, Any], but: tuple[str, ...] = ()) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key in _options_of(part) and key not in but}


def _options_of(part: type) -> set[str]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name for name, option in inspect.signature(part).parameters.items() if option.kind in named}


def _check_options(name: str, given: Mapping[str, Any], parts: list[type]) -> None:
    sizes = {"query_dim", "key_dim", "value_dim", "score", "scope", "normaliser", "attention"}
    known = set[str]().union(*(_options_of(part) for part in parts), {"head_dim"}) - sizes
    for key, value in given.items():
        if key not in known:
            raise UnknownNameError(
                f"Mechanism '{name}' has no option '{key}'{did_you_mean(key, known)}; "
                f"it takes {', '.join(sorted(known))}."
            )
        for part in parts:
            if key in _options_of(part):
                _check_kind(name, key, value, inspect.signature(part).parameters[key].annotation)


_KINDS: dict[type, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}


def _check_kind(name: str, key: str, value: object, annotation: Any) -> None:
    """Raises where the value of an option is not of the kind that the part's own signature asks for."""
    kinds = get_args(annotation) or (annotation,)
    if not all(kind in _KINDS or kind is type(None) for kind in kinds):
        return  # a kind of the part's own, which it must check itself
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"the option {key} must be finite, not {value}.")
    fitting = float in kinds and isinstance(value, int) and not isinstance(value, bool)
    if not fitting and type(value) not in kinds:
        wanted = " or ".join(_KINDS[kind] for kind in kinds if kind in _KINDS)
        raise InputError(f"the option {key} must be {wanted}, not {shown(value)}.")


def _listed(options: Mapping[str, Any]) -> str:
    listed = ", ".join(f"{key}={shown(value)}" for key, value in options.items())
    return f"the options {listed}" if listed else "its own options"


AnyPart = TypeVar("AnyPart")


def _part(family: dict[str, AnyPart], kind: str, name: Any) -> AnyPart:
    name = str(name)
    if name not in family:
        load_installed()
    if name not in family:
        near = did_you_mean(name, family)
        raise UnknownNameError(f"Unknown {kind} '{name}'{near}; one of {', '.join(family)}.")
    return family[name]


def _add_part(part: type) -> None:
    name = getattr(part, "name", None)
    if not isinstance(name, str) or not name:
        raise UnknownNameError(f"{part.__name__} needs a class attribute `name` before it can be registered.")
    if issubclass(part, Score):
        SCORES[name] = part
    elif issubclass(part, Scope):
        SCOPES[name] = part
    elif issubclass(part, Normaliser):
        NORMALISERS[name] = part
    else:
        raise UnknownNameError(f"{part.__name__} must be a subclass of Score, Scope or Normaliser to be registered.")


def _default_mechanism(part: type, paper: str, good_for: str) -> Mechanism:
    if issubclass(part, Score):
        return Mechanism(part.name, score=part.name, paper=paper, good_for=good_for)
    if issubclass(part, Scope):
        return Mechanism(part.name, score="general", scope=part.name, paper=paper, good_for=good_for)
    assert issubclass(part, Normaliser)
    return Mechanism(part.name, score="general", normalise=part.name, paper=paper, good_for=good_for)


def _first_line(part: type) -> str:
    return (inspect.getdoc(part) or "").partition("\n")[0]


for _family in (scores, scopes, normalisers, coverage):
    for _class in vars(_family).values():
        if inspect.isclass(_class) and issubclass(_class, (Score, Scope, Normaliser)) and "name" in vars(_class):
            _add_part(_class)
