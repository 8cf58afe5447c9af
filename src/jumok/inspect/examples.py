"""Vectors to explain a mechanism with when none are given: small enough to check by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jumok.attention import Mechanism
from jumok.inspect.numbers import Array

DECODER_STATE = np.array([[10.0, 5.0, 10.0]])
ENCODER_STATES = np.array([[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]])

# Seven positions, so that a window leaves some of them out.
_LONG = np.array(
    [
        [0.0, 1.0, 1.0],
        [5.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [0.0, 5.0, 1.0],
        [2.0, 0.0, 2.0],
        [1.0, 3.0, 0.0],
        [0.0, 0.0, 4.0],
    ]
)
_FOUR_WIDE = np.array([[0.0, 1.0, 1.0, 2.0], [2.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0], [0.0, 2.0, 1.0, 3.0]])
# With these signs what has been read already scores less.
_COVERAGE = {"v": np.array([[1.0, 1.0, 1.0]]), "w_c": np.array([[-2.0, -2.0, -2.0]])}


@dataclass(frozen=True)
class Example:
    """Queries, keys and values, where the first query stands, and the options and parameters that suit them."""

    query: Array
    keys: Array
    values: Array | None = None
    position: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Array] = field(default_factory=dict)


def example_for(mechanism: Mechanism, options: Mapping[str, Any], seed: int) -> Example:
    """Vectors that show what is special about the mechanism."""
    score, scope = options.get("score", mechanism.score), options.get("scope", mechanism.scope)
    # Ten times smaller than the worked example's, whose softmax is all but one-hot under any score.
    query = DECODER_STATE / 10
    if "heads" in mechanism.options or "heads" in options:
        return Example(np.array([[1.0, 0.5, 1.0, -1.0]]), _FOUR_WIDE, options={"heads": 2})
    if score == "kernel":
        return _regression(seed) if mechanism.name == "nadaraya-watson" else _few_points()
    if scope in ("local_m", "local_p"):
        return Example(query, _LONG, position=3, options={"D": 1 if scope == "local_m" else 2})
    if scope == "window":
        return Example(query, _LONG, position=3, options={"w": 1})
    if scope == "causal":
        return Example(query, ENCODER_STATES, position=1)
    if score == "coverage":
        # The same query twice: only what has been read already can make the second look differ from the first.
        return Example(np.repeat(query, 2, 0), ENCODER_STATES, parameters=_COVERAGE)
    if options.get("align", mechanism.align) in ("sparsemax", "entmax15", "entmax"):
        # Scores near each other, so that some weights are exactly zero and more than one is not.
        return Example(query / 5, ENCODER_STATES)
    if score == "dot":
        return Example(DECODER_STATE, ENCODER_STATES)
    return Example(query, ENCODER_STATES)


def _few_points() -> Example:
    return Example(np.array([[1.25]]), np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1.0], [3.0], [2.0], [0.0]]))


def _regression(seed: int) -> Example:
    """Thirty noisy measurements of a wave on a slope, and a place in their midst to predict at."""
    chance = np.random.default_rng(seed)
    x = np.round(np.sort(chance.uniform(0.0, 12.0, 30)), 2)
    y = np.round(2 * np.sin(x) + 0.4 * x + chance.normal(0.0, 0.5, 30), 2)
    return Example(np.array([[6.0]]), x[:, None], y[:, None])
