"""The sums behind each score, written out: `e_0 = 10×0 + 5×1 + 10×1 = 15`."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from jumok.inspect.numbers import Array, factor, inner_product, short, show, signed_sum
from jumok.inspect.steps import Look
from jumok.inspect.worked import WRITERS, Sum, WorkedScore, worked_score

_MOST_ROWS = 12
_MOST_COLUMNS = 8
# Products of the three factors of `general` for one key, and lines for all keys.
_MOST_PRODUCTS = 9
_MOST_LINES = 24


def sums_of(
    score: str, look: Look, keys: Array, seen: Sequence[int], parameters: Mapping[str, Array]
) -> tuple[str, ...]:
    """Lines of arithmetic for each position that is seen, where the score has them and they fit on a line."""
    if len(seen) > _MOST_ROWS or keys.shape[1] > _MOST_COLUMNS:
        return ()
    if score in WRITERS:
        if any(max(parameter.shape, default=0) > 2 * _MOST_COLUMNS for parameter in parameters.values()):
            return ()
        if score == "general" and look.query.size * keys.shape[1] > _MOST_PRODUCTS:
            return tuple(_by_row(look, keys, seen))
        return tuple(_written_out(score, look, keys, seen, parameters))
    write = _SUMS.get(score)
    return () if write is None else tuple(write(look, keys, seen))


# ---------------------------------------------------------------- scores with every product


def _written_out(
    score: str, look: Look, keys: Array, seen: Sequence[int], parameters: Mapping[str, Array]
) -> list[str]:
    coverage = look.terms["coverage"].value if "coverage" in look.terms else np.zeros(len(keys))
    found = {i: worked_score(score, look.query, keys[i], parameters, float(coverage[i])) for i in seen}
    whole = sum(len(layer) for worked in found.values() for layer in worked.layers) <= _MOST_LINES
    return [line for i, worked in found.items() for line in lines_of(worked, i, hidden=whole)]


def lines_of(worked: WorkedScore, i: int, hidden: bool = True) -> list[str]:
    """The score of key i: a line per hidden unit, and one for the score, with cross terms on a line of their own."""
    *layers, (top,) = worked.layers
    lines = [_unit_line(unit, i) for layer in layers for unit in layer] if hidden else []
    if worked.score == "general":
        return lines + _cross_lines(top, i)
    through = {"additive": "v_aᵀ u", "concat": "v_aᵀ u", "coverage": "v_aᵀ u"}.get(worked.score, "")
    return [*lines, f"e_{i} = {f'{through}_{i} = ' if through else ''}{_products(top)} = {show(top.value)}"]


def _unit_line(unit: Sum, i: int) -> str:
    name, _, number = unit.name.partition("_")
    return f"{name}_{{{i},{number}}} = tanh({_products(unit)}) = tanh({show(unit.total)}) = {show(unit.value)}"


def _products(unit: Sum) -> str:
    bias = f" + {factor(unit.bias)}" if unit.bias else ""
    return " + ".join("×".join(map(factor, product.factors)) for product in unit.products) + bias


def _cross_lines(top: Sum, i: int) -> list[str]:
    """The products of one index, those of two different ones, and both together."""
    lines, totals = [], []
    for sign, cross in (("=", False), ("≠", True)):
        products = [product for product in top.products if product.cross is cross]
        values = [product.value for product in products]
        written = " + ".join("×".join(map(factor, product.factors)) for product in products)
        if written:
            totals.append(sum(values))
            lines.append(f"k_{i}, a {sign} b: {written} = {signed_sum(values)} = {show(totals[-1])}")
    return [*lines, f"e_{i} = {signed_sum(totals)} = {show(top.value)}"]


def _by_row(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    """qᵀW first, where writing out every product would take too long."""
    W, qW = look.terms["W"].value, look.terms["qW"].value
    lines = [f"(qᵀW)_{j} = {inner_product(look.query, W[:, j])} = {show(qW[j])}" for j in range(len(qW))]
    return lines + [f"e_{i} = {inner_product(qW, keys[i])} = {show(look.scores[i])}" for i in seen]


# ---------------------------------------------------------------- the others


def _scaled_dot(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    root = f"√{keys.shape[1]}"
    return [f"e_{i} = ({inner_product(look.query, keys[i])}) / {root} = {show(look.scores[i])}" for i in seen]


def _cosine(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    beta = float(look.terms["beta"].value)
    norm = float(np.linalg.norm(look.query))
    return [
        f"e_{i} = {short(beta)} × {short(float(look.query @ keys[i]))} / "
        f"({short(norm)}×{short(float(np.linalg.norm(keys[i])))}) = {show(look.scores[i])}"
        for i in seen
    ]


def _kernel(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    distances = np.linalg.norm(keys - look.query, axis=-1)
    h = float(look.terms["h"].value)
    lines: list[str] = []
    for i in seen:
        K = math.exp(look.scores[i])
        lines.append(f"e_{i} = log K({short(distances[i])} / {short(h)}) = log {short(K)} = {show(look.scores[i])}")
    return lines


_SUMS: dict[str, Callable[[Look, Array, Sequence[int]], list[str]]] = {
    "scaled_dot": _scaled_dot,
    "cosine": _cosine,
    "kernel": _kernel,
}
