"""A score of one query and one key as data, with every product in it: what `explain` prints and a lesson lets one move.

    worked_score("general", [1, 3], [2, -5], {"W": [[1, 7], [-8, 4]]})

has one sum of four products, 1×1×2 and 4×3×(−5) on the diagonal of W and the cross terms 7×1×(−5) and (−8)×3×2; its
value is −141. A score with layers has one sum per unit of each layer. `as_json` gives the same as lists and numbers.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jumok.errors import InputError
from jumok.inspect.numbers import Array, to_plain

Parameters = Mapping[str, Array]


@dataclass(frozen=True)
class Product:
    """Named numbers that are multiplied; `cross` where they belong to different indices of query and key."""

    names: tuple[str, ...]
    factors: tuple[float, ...]
    cross: bool = False

    @property
    def value(self) -> float:
        """The product."""
        return math.prod(self.factors)

    def as_json(self) -> dict[str, Any]:
        """The product as plain lists and numbers."""
        return {"names": list(self.names), "factors": list(self.factors), "cross": self.cross, "value": self.value}


@dataclass(frozen=True)
class Sum:
    """The sum of some products and a bias, and what an activation makes of it."""

    name: str
    products: tuple[Product, ...]
    bias: float | None = None
    tanh: bool = False

    @property
    def total(self) -> float:
        """The products and the bias, added up."""
        return sum((product.value for product in self.products), self.bias or 0.0)

    @property
    def value(self) -> float:
        """The total, through tanh where the sum is a hidden unit."""
        return math.tanh(self.total) if self.tanh else self.total

    def as_json(self) -> dict[str, Any]:
        """The sum as plain lists and numbers."""
        return {
            "name": self.name,
            "products": [product.as_json() for product in self.products],
            "bias": self.bias,
            "activation": "tanh" if self.tanh else None,
            "total": self.total,
            "value": self.value,
        }


@dataclass(frozen=True)
class WorkedScore:
    """A score written out: its layers, each a sum per unit, the last of them the score itself."""

    score: str
    query: Array
    key: Array
    parameters: Parameters
    layers: tuple[tuple[Sum, ...], ...]

    @property
    def value(self) -> float:
        """The score."""
        return self.layers[-1][0].value

    def as_json(self) -> dict[str, Any]:
        """The worked score as plain lists and numbers."""
        return {
            "score": self.score,
            "query": to_plain(self.query),
            "key": to_plain(self.key),
            "parameters": to_plain(dict(self.parameters)),
            "layers": [[unit.as_json() for unit in layer] for layer in self.layers],
            "value": self.value,
        }


def worked_score(
    score: str,
    query: Sequence[float] | Array,
    key: Sequence[float] | Array,
    parameters: Mapping[str, Any] | None = None,
    coverage: float = 0.0,
) -> WorkedScore:
    """The score of one query and one key, written out; parameters have the names of the formula, such as W or v_a."""
    if score not in WRITERS:
        raise InputError(f"The score '{score}' cannot be written out; one of {', '.join(WRITERS)}.")
    q, k = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    named = {name: np.asarray(value, dtype=np.float64) for name, value in (parameters or {}).items()}
    return WorkedScore(score, q, k, named, WRITERS[score](q, k, named, coverage))


Layers = tuple[tuple[Sum, ...], ...]


def _dot(q: Array, k: Array, named: Parameters, coverage: float) -> Layers:
    products = (Product((f"q_{a}", f"k_{a}"), (float(q[a]), float(k[a]))) for a in range(len(q)))
    return ((Sum("e", tuple(products)),),)


def _general(q: Array, k: Array, named: Parameters, coverage: float) -> Layers:
    W = named["W"]
    products = (
        Product((f"W_{a}{b}", f"q_{a}", f"k_{b}"), (float(W[a, b]), float(q[a]), float(k[b])), cross=a != b)
        for a in range(len(q))
        for b in range(len(k))
    )
    return ((Sum("e", tuple(products)),),)


def _additive(q: Array, k: Array, named: Parameters, coverage: float) -> Layers:
    inputs = [("W_q", "q", named["W_q"], q), ("W_k", "k", named["W_k"], k)]
    if "w_c" in named:
        inputs.append(("w_c", "cov", named["w_c"][:, None], np.array([coverage])))
    hidden = _layer("u", inputs, None, tanh=True)
    return hidden, _top("v_a", named["v_a"], hidden, None)


def _concat(q: Array, k: Array, named: Parameters, coverage: float) -> Layers:
    hidden = _layer("u", [("W", "[q; k]", named["W"], np.concatenate([q, k]))], None, tanh=True)
    return hidden, _top("v_a", named["v_a"], hidden, None)


def _perceptron(q: Array, k: Array, named: Parameters, coverage: float) -> Layers:
    count = 1 + sum(name.startswith("W_") and name[2:].isdigit() for name in named)
    name = lambda n: "e" if n == count else "u" if count == 2 else f"u{n}"  # noqa: E731
    inputs = [("W_q", "q", named["W_q"], q), ("W_k", "k", named["W_k"], k)]
    layers = [_layer(name(1), inputs, named.get("b_1"), tanh=count > 1)]
    for n in range(2, count + 1):
        below = np.array([unit.value for unit in layers[-1]])
        inputs = [(f"W_{n}", name(n - 1), named[f"W_{n}"], below)]
        layers.append(_layer(name(n), inputs, named.get(f"b_{n}"), tanh=n < count))
    return tuple(layers)


def _layer(
    name: str, inputs: Sequence[tuple[str, str, Array, Array]], bias: Array | None, tanh: bool
) -> tuple[Sum, ...]:
    """One sum per row of the matrices: (matrix's name, vector's name, matrix, vector) of each input."""
    units = len(inputs[0][2])
    return tuple(
        Sum(
            name if units == 1 and not tanh else f"{name}_{a}",
            tuple(
                Product((f"{matrix}_{a}{j}", f"{vector}_{j}"), (float(W[a, j]), float(x[j])))
                for matrix, vector, W, x in inputs
                for j in range(len(x))
            ),
            None if bias is None else float(bias[a]),
            tanh,
        )
        for a in range(units)
    )


def _top(name: str, weights: Array, hidden: tuple[Sum, ...], bias: float | None) -> tuple[Sum, ...]:
    products = (Product((f"{name}_{a}", unit.name), (float(weights[a]), unit.value)) for a, unit in enumerate(hidden))
    return (Sum("e", tuple(products), bias),)


WRITERS: dict[str, Callable[[Array, Array, Parameters, float], Layers]] = {
    "dot": _dot,
    "general": _general,
    "additive": _additive,
    "coverage": _additive,
    "concat": _concat,
    "perceptron": _perceptron,
}
