"""The sums behind a predicted window, written out: `p_t = 7×0.57452926 = 4.0217048`."""

from collections.abc import Sequence

import numpy as np

from jumok.attention import Scope
from jumok.attention.scope import LocalP
from jumok.inspect.numbers import inner_product, show
from jumok.inspect.steps import Look

_MOST_COLUMNS = 8
_MOST_ROWS = 12


def centre_sums(scope: Scope, look: Look) -> tuple[str, ...]:
    """How the centre of a predicted window and its two ends come about."""
    if not isinstance(scope, LocalP) or look.terms["centre"].value.size != 1:
        return ()
    hidden, v_p = look.terms["tanh(W_p s)"].value, scope.v_p.weight.detach().numpy()[0]
    share, centre = float(look.terms["share"].value.reshape(())), float(look.terms["centre"].value.reshape(()))
    lines = [
        f"p_t = {round(centre / share)}×{show(share)} = {show(centre)}",
        f"[p_t − D, p_t + D] = [{show(centre - scope.D)}, {show(centre + scope.D)}]",
    ]
    if len(v_p) <= _MOST_COLUMNS:
        summed = f"v_pᵀ tanh(W_p q) = {inner_product(v_p, hidden)} = {show(float(v_p @ hidden))}"
        lines = [summed, f"sigmoid({show(float(v_p @ hidden))}) = {show(share)}", *lines]
    return tuple(lines)


def gaussian_sums(scope: Scope, look: Look, seen: Sequence[int]) -> tuple[str, ...]:
    """The Gaussian at each position of the window."""
    if not isinstance(scope, LocalP) or look.terms["centre"].value.size != 1 or len(seen) > _MOST_ROWS:
        return ()
    centre, sigma = float(look.terms["centre"].value.reshape(())), scope.D / 2
    return tuple(
        f"exp(−({i} − {show(centre)})² / (2×{show(sigma)}²)) = {show(np.exp(-((i - centre) ** 2) / (2 * sigma**2)))}"
        for i in seen
    )
