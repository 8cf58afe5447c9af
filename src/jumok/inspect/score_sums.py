"""The sums behind each score, written out: `e_0 = 10×0 + 5×1 + 10×1 = 15`."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from jumok.inspect.numbers import Array, inner_product, short, show
from jumok.inspect.steps import Look

_MOST_ROWS = 12
_MOST_COLUMNS = 8


def sums_of(score: str, look: Look, keys: Array, seen: Sequence[int]) -> tuple[str, ...]:
    """A line of arithmetic for each position that is seen, where the score has one and it fits on a line."""
    write = _SUMS.get(score)
    if write is None or len(seen) > _MOST_ROWS or keys.shape[1] > _MOST_COLUMNS:
        return ()
    return tuple(write(look, keys, seen))


def _dot(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    return [f"e_{i} = {inner_product(look.query, keys[i])} = {show(look.scores[i])}" for i in seen]


def _scaled_dot(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    root = f"√{keys.shape[1]}"
    return [f"e_{i} = ({inner_product(look.query, keys[i])}) / {root} = {show(look.scores[i])}" for i in seen]


def _general(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    W, qW = np.atleast_2d(look.terms["W"]), np.atleast_1d(look.terms["qW"])
    lines = [
        f"(qᵀW)_{j} = {inner_product(look.query, W.reshape(len(look.query), -1)[:, j])} = {show(qW[j])}"
        for j in range(len(qW))
    ]
    return lines + [f"e_{i} = {inner_product(qW, keys[i])} = {show(look.scores[i])}" for i in seen]


def _tanh(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    v = np.atleast_1d(look.terms["v"])
    if len(v) > _MOST_COLUMNS:
        return []
    hidden = np.asarray(look.terms["tanh"]).reshape(-1, len(v))
    window = look.terms.get("window")
    row = {int(i): n for n, i in enumerate(range(len(keys)) if window is None else np.atleast_1d(window))}
    if window is not None:
        # At the edge of the source clamped places repeat; the one inside the window is the one with the mask.
        mask = np.atleast_1d(look.terms["mask"]).astype(bool)
        row = {int(i): n for n, i in enumerate(np.atleast_1d(window)) if mask[n]}
    return [f"e_{i} = vᵀ tanh_{i} = {inner_product(v, hidden[row[i]])} = {show(look.scores[i])}" for i in seen]


def _cosine(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    beta = float(look.terms["beta"])
    norm = float(np.linalg.norm(look.query))
    return [
        f"e_{i} = {short(beta)} × {short(float(look.query @ keys[i]))} / "
        f"({short(norm)}×{short(float(np.linalg.norm(keys[i])))}) = {show(look.scores[i])}"
        for i in seen
    ]


def _kernel(look: Look, keys: Array, seen: Sequence[int]) -> list[str]:
    distances = np.linalg.norm(keys - look.query, axis=-1)
    h = float(look.terms["h"])
    lines: list[str] = []
    for i in seen:
        K = math.exp(look.scores[i])
        lines.append(f"e_{i} = log K({short(distances[i])} / {short(h)}) = log {short(K)} = {show(look.scores[i])}")
    return lines


_SUMS: dict[str, Callable[[Look, Array, Sequence[int]], list[str]]] = {
    "dot": _dot,
    "scaled_dot": _scaled_dot,
    "general": _general,
    "additive": _tanh,
    "concat": _tanh,
    "coverage": _tanh,
    "cosine": _cosine,
    "kernel": _kernel,
}
