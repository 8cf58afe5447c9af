"""Named numbers of a formula: each with what its dimensions run over and how it is written.

The part that computes a term names it. Whoever shows one asks `axes` and `label`, and never the sizes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from torch import Tensor

Axis = Literal[
    "head",
    "target",  # queries: T
    "source",  # keys: S
    "window",  # the places of a local window: W, where `window` says which source positions they are
    "query",  # numbers of a query: Q
    "key",  # numbers of a key: K
    "value",  # numbers of a value or context: D
    "hidden",  # numbers in between, such as those of an additive score: A
    "state",  # numbers of a decoder's state
    "output",  # numbers of a decoder's output
    "unnamed",
]
Part = Literal["project", "score", "scope", "align", "gain", "outcome", "decoder"]


@dataclass(frozen=True)
class Term:
    """A number, vector or matrix of a formula.

    `axes` names its last dimensions; those in front of them are the batch, and whoever adds a dimension names it.
    """

    value: Any
    """A tensor; an array where it was taken out of its batch."""
    axes: tuple[Axis, ...] = ()
    label: str = ""
    """How the formula writes it; empty: like its name."""
    constant: bool = False
    """The same for every query and sentence, such as a parameter."""
    part: Part = "outcome"
    """Which part of the mechanism computed it; an outcome is what the parts lead to: scores, weights, context."""

    @property
    def batch_dims(self) -> int:
        """How many dimensions in front are not named."""
        return self.value.ndim - len(self.axes)


Terms = dict[str, Term]


def of_part(part: Part, terms: Mapping[str, Term | Tensor], batch_dims: int) -> Terms:
    """The terms of a part. A bare tensor is a term whose axes nobody has named."""
    found: Terms = {}
    for name, term in terms.items():
        if isinstance(term, Tensor):
            constant = term.ndim <= batch_dims
            term = Term(term, ("unnamed",) * (term.ndim if constant else term.ndim - batch_dims), constant=constant)
        found[name] = replace(term, part=part)
    return found


def over_queries(term: Term) -> Term:
    """A term that was computed for each query alone, `[…, T, 1, S]`, as one of all queries: `[…, T, S]`."""
    if term.constant:
        return term
    value, axes = term.value, list(term.axes)
    if "target" in axes:  # each query was scored alone
        place = axes.index("target")
        value = value.squeeze(place - len(axes))
        axes.remove("target")
    return replace(term, value=value, axes=("target", *axes))


def in_window(terms: Terms) -> Terms:
    """Terms of scores over the places of a window, named so."""
    return {
        name: replace(term, axes=tuple("window" if axis == "source" else axis for axis in term.axes))
        for name, term in terms.items()
    }


def over_heads(term: Term, heads: int) -> Term:
    """A term of the attention inside: its last batch dimension is that of the heads, where they do not share it."""
    if term.constant or term.batch_dims == 0:
        return term
    place = -1 - len(term.axes)
    if term.value.shape[place] == 1 != heads:
        return replace(term, value=term.value.squeeze(place))
    return replace(term, axes=("head", *term.axes))
