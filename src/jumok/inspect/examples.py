"""Vectors to explain a mechanism with when none are given: small enough to check by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jumok.attention import Mechanism
from jumok.inspect.numbers import Array
from jumok.inspect.worked import WorkedScore, worked_score

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


# A decoder state and an encoder state that show how `general` grows out of the dot product: their score is −13 with
# W = I, −58 with W = diag(1, 4) and −141 with the W below, whose cross terms are (−8)×3×2 and 7×1×(−5). The second key
# makes it two to choose from: it wins by the dot product (10) and loses by W (−142).
TWO_WIDE = np.array([[1.0, 3.0]])
TWO_KEYS = np.array([[2.0, -5.0], [7.0, 1.0]])
CROSS_W = np.array([[1.0, 7.0], [-8.0, 4.0]])
# Small, so that no tanh is saturated; concat with these equals additive, and so does a perceptron without its biases.
_W_Q, _W_K = np.array([[0.5, -0.1], [0.2, 0.1]]), np.array([[0.1, 0.2], [-0.3, -0.1]])
_V = np.array([[1.0, -0.5]])
_LAYERS = {
    1: {"W_q": _W_Q[:1], "W_k": _W_K[:1], "b_1": np.array([[0.1]])},
    2: {"W_q": _W_Q, "W_k": _W_K, "b_1": np.array([[0.1, -0.1]]), "W_2": _V, "b_2": np.array([[0.2]])},
}
_TWO_WIDE_PARAMETERS: dict[str, dict[str, Array]] = {
    "general": {"W": CROSS_W},
    "additive": {"W_q": _W_Q, "W_k": _W_K, "v_a": _V},
    "concat": {"W": np.hstack([_W_Q, _W_K]), "v_a": _V},
    "perceptron": {},
}


@dataclass(frozen=True)
class Example:
    """Queries, keys and values, where the first query stands, and the options and parameters that suit them.

    `story` names the text that says what is to be seen in an example with parameters of its own.
    """

    query: Array
    keys: Array
    values: Array | None = None
    position: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Array] = field(default_factory=dict)
    story: str = ""


def example_for(mechanism: Mechanism, options: Mapping[str, Any], seed: int) -> Example:
    """Vectors that show what is special about the mechanism."""
    score, scope, normalise = mechanism.parts(options)
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
    if (scope, normalise) == ("global", "softmax") and score in _TWO_WIDE_PARAMETERS:
        return _two_wide(score, options)
    if normalise in ("sparsemax", "entmax15", "entmax"):
        # Scores near each other, so that some weights are exactly zero and more than one is not.
        return Example(query / 5, ENCODER_STATES)
    if score == "dot":
        return Example(DECODER_STATE, ENCODER_STATES)
    return Example(query, ENCODER_STATES)


def _two_wide(score: str, options: Mapping[str, Any]) -> Example:
    """Two numbers each for query and keys, with parameters of their own unless an option asks for other sizes."""
    parameters, layers = _TWO_WIDE_PARAMETERS[score], options.get("layers", 2)
    if score == "perceptron":
        parameters = _LAYERS.get(layers, {}) if isinstance(layers, int) else {}
    if not parameters or "attention_dim" in options or "identity" in options:
        return Example(TWO_WIDE, TWO_KEYS)
    story = f"perceptron.{layers}" if score == "perceptron" else score
    return Example(TWO_WIDE, TWO_KEYS, parameters=parameters, story=story)


def worked_scores() -> dict[str, WorkedScore]:
    """The examples of scores with every product in them: q = (1, 3), k = (2, −5), and the parameters used above.

    Keys are the names of scores; `general` also with W = I and with the diagonal of W alone, the perceptron with one
    layer and with two.
    """
    query, key = TWO_WIDE[0], TWO_KEYS[0]
    diagonal = np.diag(np.diag(CROSS_W))
    cases: dict[str, tuple[str, Mapping[str, Array]]] = {
        "dot": ("dot", {}),
        "general.identity": ("general", {"W": np.eye(2)}),
        "general.diagonal": ("general", {"W": diagonal}),
        **{score: (score, _TWO_WIDE_PARAMETERS[score]) for score in ("general", "additive", "concat")},
        **{f"perceptron.{layers}": ("perceptron", _LAYERS[layers]) for layers in _LAYERS},
    }
    vectors = ("v_a", "b_1", "b_2")
    return {
        name: worked_score(
            score, query, key, {part: rows[0] if part in vectors else rows for part, rows in parameters.items()}
        )
        for name, (score, parameters) in cases.items()
    }


def _few_points() -> Example:
    return Example(np.array([[1.25]]), np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1.0], [3.0], [2.0], [0.0]]))


def _regression(seed: int) -> Example:
    """Thirty noisy measurements of a wave on a slope, and a place in their midst to predict at."""
    chance = np.random.default_rng(seed)
    x = np.round(np.sort(chance.uniform(0.0, 12.0, 30)), 2)
    y = np.round(2 * np.sin(x) + 0.4 * x + chance.normal(0.0, 0.5, 30), 2)
    return Example(np.array([[6.0]]), x[:, None], y[:, None])
