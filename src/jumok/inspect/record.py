"""What one query computed, as a record of named numbers: the terms of the model, taken out of their batch.

Terms know their own axes (`jumok.attention.terms`), so nothing here looks at sizes to find out what a dimension is.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, float64

from jumok.attention.terms import Term
from jumok.inspect.numbers import Array
from jumok.inspect.steps import Look

Record = Mapping[str, Term]
"""Terms by name, with arrays as values: of one sentence and one query."""


def as_array(tensor: Tensor) -> Array:
    """The tensor as numpy sees it, in double precision where it has a point."""
    tensor = tensor.detach().cpu()
    return np.array((tensor.to(float64) if tensor.is_floating_point() else tensor).numpy())


def record_of(terms: Mapping[str, Term]) -> dict[str, Term]:
    """The terms of a batch with one sentence and one query, without the dimensions of the two."""
    return {name: _of_one_query(term) for name, term in terms.items()}


def _of_one_query(term: Term) -> Term:
    """One number for each query stays a row of one number."""
    value, axes = as_array(term.value), term.axes
    value = value.squeeze(tuple(range(term.batch_dims)))
    if "target" in axes[:-1]:
        place = axes.index("target")
        value, axes = value.squeeze(place), (*axes[:place], *axes[place + 1 :])
    return replace(term, value=value, axes=axes)


def look_of(terms: Mapping[str, Term], keys_SK: Array, values_SD: Array, position: int) -> Look:
    """One query's look at the keys; of several heads each has values of its own."""
    record = record_of(terms)
    values = record["v_h"].value if "v_h" in record else values_SD
    scores, weights = record["scores"], record["weights"]
    alignment = weights.value[..., None] * values
    record["keys"] = Term(keys_SK, ("source", "key"), "k_i")
    record["alignment"] = Term(alignment, (*weights.axes, "value"), "a_i")
    return Look(
        query=record["query"].value,
        position=position,
        scores=scores.value,
        weights=weights.value,
        alignment=alignment,
        context=record["context"].value,
        terms=record,
        steps=(),
    )


def window_of(record: Record) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """The source positions of a local window and which of them count, [W] or [heads, W]; None where all are seen."""
    if "window" not in record:
        return None
    places, inside = np.broadcast_arrays(record["window"].value, record["mask"].value)
    return places.astype(np.int64), inside.astype(np.bool_)


def over_source(term: Term, record: Record, size: int, missing: float) -> Term:
    """A term over the places of a window, put at the source positions that they are."""
    window = window_of(record)
    if window is None or "window" not in term.axes or term is record["window"]:
        return term
    at = term.axes.index("window")
    narrow = np.moveaxis(term.value, at, -1)
    wide = np.full((*narrow.shape[:-1], size), missing)
    if "head" in term.axes:
        for head, (places, inside) in enumerate(zip(*map(np.atleast_2d, window), strict=True)):
            wide[head][..., places[inside]] = narrow[head][..., inside]
    else:  # the heads, if there are any, share their window
        places, inside = np.atleast_2d(window[0])[0], np.atleast_2d(window[1])[0]
        wide[..., places[inside]] = narrow[..., inside]
    axes = tuple("source" if axis == "window" else axis for axis in term.axes)
    return replace(term, value=np.moveaxis(wide, -1, at), axes=axes)
