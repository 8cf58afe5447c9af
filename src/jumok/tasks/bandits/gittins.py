"""Gittins indices of Bernoulli arms with Beta beliefs: how much per pull a certain payer may offer before one retires.

    V(a, b; λ) = max(λ (1 + γ + γ² + …),  p (1 + γ V(a + 1, b)) + (1 − p) γ V(a, b + 1)),   p = a / (a + b)
                     retire               pull

The index is the λ at which both are worth the same (Gittins 1979). With a discount γ < 1 time does not end; over n
pulls without discount the sum is the number of pulls left, and the index falls towards the mean as they run out.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

# Fractions λ that are tried; between two of them the difference of both sides is nearly a straight line.
GRID = 401
FAR = 750
"""Pulls after which a belief hardly moves."""
MOST_PULLS = 500
"""Up to so many pulls the indices are computed: half a gigabyte and a minute or two, both growing with the cube."""


def discounted_index(a: int, b: int, discount: float, grid: int = 4001, depth: int = FAR) -> float:
    """The index of an arm with belief Beta(a, b), for rewards that are worth `discount` less each pull.

    After `depth` pulls the belief hardly moves: the arm is then worth its mean for ever.
    """
    offers_L = np.linspace(0.0, 1.0, grid)
    wins = np.arange(depth + 1)[:, None]
    mean = (a + wins) / (a + b + depth)
    worth_WL = np.maximum(offers_L, mean) / (1 - discount)
    for pulls in range(depth - 1, -1, -1):
        pulled_WL = _pulled(a + np.arange(pulls + 1), a + b + pulls, worth_WL, discount)
        if pulls == 0:
            return float(_crossings(offers_L, pulled_WL[0] - offers_L / (1 - discount)))
        worth_WL = np.maximum(offers_L / (1 - discount), pulled_WL)
    raise AssertionError("the loop ends at pull 0")


@lru_cache(maxsize=2)
def finite_indices(pulls: int, grid: int = GRID) -> tuple[np.ndarray, ...]:
    """With so many pulls left [wins, losses]: the index after wins and losses of a flat prior Beta(1, 1).

    An arm can have been pulled as often as pulls are done, so the tables are smaller the more are left; entries that
    cannot be reached are 0.
    """
    found = tuple(np.zeros((pulls - left + 1,) * 2, dtype=np.float32) for left in range(pulls + 1))
    offers_L = np.linspace(0.0, 1.0, grid)
    # One diagonal (the same number of pulls of the arm) after the other, for every number of pulls left.
    worth_HWL = np.zeros((1, pulls + 1, grid))
    for done in range(pulls - 1, -1, -1):
        worth_HWL = _diagonal(found, offers_L, worth_HWL, done)
    return found


def _diagonal(found: Sequence[np.ndarray], offers_L: np.ndarray, later_HWL: np.ndarray, done: int) -> np.ndarray:
    """Fills the indices of beliefs with `done` pulls; [H + 1, wins, λ]: their worth with 0 … H pulls left."""
    wins_W = np.arange(done + 1)
    worth_HWL = np.zeros((len(later_HWL) + 1, done + 1, len(offers_L)))
    for left, later_WL in enumerate(later_HWL, start=1):  # all at once would take several times the memory
        pulled_WL, retired_L = _pulled(1 + wins_W, 2 + done, later_WL, 1.0), left * offers_L
        found[left][wins_W, done - wins_W] = _crossings(offers_L, pulled_WL - retired_L)
        np.maximum(pulled_WL, retired_L, out=worth_HWL[left])
    return worth_HWL


def _pulled(a_W: np.ndarray, total: int, later: np.ndarray, discount: float) -> np.ndarray:
    """[…, W, L]: the worth of a pull; `later` [..., W + 1, L] is that of the beliefs after it."""
    p_W1 = (a_W / total)[:, None]
    return p_W1 * (1 + discount * later[..., 1:, :]) + (1 - p_W1) * discount * later[..., :-1, :]


def _crossings(offers_L: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Where each row of gains [..., L], which falls, passes 0."""
    # The first offer that is not below the index; rounding may leave a little above 0 there.
    after = np.argmax(gain <= 1e-12, axis=-1)[..., None]
    before = np.maximum(after - 1, 0)
    high, low = np.take_along_axis(gain, before, -1), np.take_along_axis(gain, after, -1)
    share = np.divide(high, high - low, out=np.zeros_like(high), where=high > low)
    return (offers_L[before] + (offers_L[after] - offers_L[before]) * share)[..., 0]
