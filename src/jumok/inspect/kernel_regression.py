"""Nadaraya–Watson as it came about in 1964: the plain mean, weights that nothing normalises, and the estimator."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from jumok.attention import build, nadaraya_watson, plain_mean, unnormalised
from jumok.errors import InputError
from jumok.inspect.mechanism import Request, explain
from jumok.inspect.numbers import Array
from jumok.inspect.record import as_array
from jumok.inspect.steps import Explanation, Look, Step
from jumok.inspect.texts import Texts


def explain_regression(request: Request, lang: str = "en") -> Explanation:
    """The look at one place, with the two estimates that came before the normalised one."""
    say = Texts(lang)
    base = explain(request, lang)
    if base.parts != {"score": "kernel", "scope": "global", "align": "softmax"}:
        return base
    looks = tuple(_with_history(base, look, say) for look in base.looks)
    estimates = [_estimates(base, look) for look in looks]
    history = {
        name: [found[name] for found in estimates] if len(looks) > 1 else estimates[0][name] for name in estimates[0]
    }
    return replace(base, looks=looks, more={"estimates": history})


def _with_history(base: Explanation, look: Look, say: Texts) -> Look:
    found, n = _estimates(base, look), len(base.keys)
    mean = Step(say("mean.title"), "ŷ = (1/n) Σ_i y_i", {"ŷ": found["plain_mean"]}, say("mean.text", n=n))
    kernel = look.terms["K"].value
    raw = Step(
        say("unnormalised.title"),
        "ŷ(x) = (1/n) Σ_i α(x, x_i) y_i",
        {"α(x, x_i)": kernel, "Σ α(x, x_i) / n": np.asarray(kernel).sum() / n, "ŷ": found["unnormalised"]},
        say("unnormalised.text", share=f"{float(np.asarray(kernel).sum()) / n:.4f}"),
    )
    score, *rest = look.steps
    return replace(look, steps=(mean, score, raw, *rest))


def _estimates(base: Explanation, look: Look) -> dict[str, Array]:
    sizes = {"query_dim": base.keys.shape[1], "key_dim": base.keys.shape[1]}
    query, keys, values = (torch.from_numpy(array)[None] for array in (look.query[None], base.keys, base.values))
    mask = None if base.mask is None else torch.from_numpy(np.atleast_2d(base.mask)[:1])[None]
    mean = build("uniform", **sizes).double()
    raw = build(base.name, **sizes, **{**base.options, "normalise": "unnormalised"}).double()
    with torch.no_grad():
        return {
            "plain_mean": as_array(mean(query, keys, values, mask).context[0, 0]),
            "unnormalised": as_array(raw(query, keys, values, mask).context[0, 0]),
            "normalised": look.context,
        }


@dataclass(frozen=True)
class Curves:
    """The three estimates over a grid of places, and the weights [grid, data] of the normalised one."""

    x: Array
    y: Array
    grid: Array
    mean: Array
    unnormalised: Array
    normalised: Array
    weights: Array
    bandwidth: float
    profile: str


def curves(explanation: Explanation, points: int = 400) -> Curves:
    """The estimates over the range of the data, for data with one number in and one number out."""
    if explanation.keys.shape[1] != 1 or explanation.values.shape[1] != 1:
        raise InputError(
            "The picture of a kernel regression needs keys and values of one number each, such as --keys '0;1;2' "
            f"--values '1;3;2', got sizes {explanation.keys.shape[1]} and {explanation.values.shape[1]}."
        )
    order = np.argsort(explanation.keys[:, 0], kind="stable")
    x, y = explanation.keys[order, 0], explanation.values[order, 0]
    grid = np.linspace(x.min(), x.max(), points) if x.max() > x.min() else np.array([x.min()])
    bandwidth = float(explanation.looks[0].terms["h"].value)
    profile: str = explanation.options.get("profile", "gaussian")
    at, data_x, data_y = (torch.from_numpy(array.copy()) for array in (grid, x, y))
    found = nadaraya_watson(at, data_x, data_y, bandwidth, profile)
    assert found.weights is not None
    weights = as_array(found.weights[0])
    # Where a compact kernel reaches no datum there is no estimate, and the curve has a gap.
    normalised = np.where(weights.any(-1), as_array(found.context[0, :, 0]), np.nan)
    return Curves(
        x,
        y,
        grid,
        as_array(plain_mean(at, data_x, data_y).context[0, :, 0]),
        as_array(unnormalised(at, data_x, data_y, bandwidth, profile).context[0, :, 0]),
        normalised,
        weights,
        bandwidth,
        profile,
    )
