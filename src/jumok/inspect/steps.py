"""What an explanation is: values only. How it looks is decided in `render.py` and `picture.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jumok.attention.terms import Term
from jumok.inspect.numbers import Array, to_plain

StepName = Literal["project", "score", "scope", "align", "gaussian", "alignment", "context", "decoder", "history"]
# Those that an explanation has as fields of their own.
_FIELDS = {"query", "keys", "scores", "weights", "alignment", "context"}


@dataclass(frozen=True)
class Step:
    """One step of the arithmetic: its formula, the numbers it gave, the sums written out, and what they mean."""

    title: str
    formula: str
    numbers: Mapping[str, Any]
    text: str
    worked: tuple[str, ...] = ()
    name: StepName = "history"
    terms: tuple[str, ...] = ()
    """The names of all terms that the step takes and gives, in the order of the arithmetic."""
    kind: Literal["step", "use", "measurement"] = "step"

    def as_json(self) -> dict[str, Any]:
        """The step as plain lists and numbers."""
        return {
            "kind": self.kind,
            "title": self.title,
            "formula": self.formula,
            "numbers": to_plain(self.numbers),
            "worked": list(self.worked),
            "text": self.text,
        }


@dataclass(frozen=True)
class Look:
    """One query's look at the keys: scores and weights [S] (or [H, S]), alignment vectors, context, and the steps."""

    query: Array
    position: int
    scores: Array
    weights: Array
    alignment: Array
    context: Array
    terms: Mapping[str, Term]
    """Everything that was computed, by name."""
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Explanation:
    """A mechanism worked through in numbers, one look per query."""

    name: str
    title: str
    intro: str
    parts: Mapping[str, str]
    paper: str
    keys: Array
    values: Array
    looks: tuple[Look, ...]
    lang: str
    mask: Any = None
    parameters: Mapping[str, Array] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        from jumok.inspect.render import plain

        return plain(self)

    def as_json(self) -> dict[str, Any]:
        """One object; with a single query its arrays have no leading dimension for the queries."""
        one = len(self.looks) == 1

        def each(name: str) -> Any:
            values = [to_plain(getattr(look, name)) for look in self.looks]
            return values[0] if one else values

        steps = [[step.as_json() for step in look.steps] for look in self.looks]
        terms = [
            {name: to_plain(term.value) for name, term in look.terms.items() if name not in _FIELDS}
            for look in self.looks
        ]
        return {
            "mechanism": self.name,
            **self.parts,
            "paper": self.paper,
            "options": to_plain(self.options),
            "parameters": to_plain(self.parameters),
            "query": each("query"),
            "position": each("position"),
            "keys": to_plain(self.keys),
            "values": to_plain(self.values),
            "mask": to_plain(self.mask),
            "scores": each("scores"),
            "weights": each("weights"),
            "alignment": each("alignment"),
            "context": each("context"),
            "terms": terms[0] if one else terms,
            "steps": steps[0] if one else steps,
            **to_plain(self.more),
        }
