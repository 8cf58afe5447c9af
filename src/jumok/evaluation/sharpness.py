"""How spread out attention is: entropy, sharpness, and the number of positions it is effectively on.

H(α) = − Σ_i α_i ln α_i        0 when one position has everything, ln n when all n have the same
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok.errors import ShapeError


@dataclass(frozen=True)
class AttentionShape:
    """Means over rows (queries that attend to anything at all)."""

    rows: int
    entropy: float
    """in nats"""
    relative_entropy: float
    """entropy / ln n for n positions that may be attended: 0 is one position, 1 is uniform"""
    effective_positions: float
    """exp(entropy): over how many positions a uniform row of that entropy would spread"""
    sharpness: float
    """the largest weight of the row"""


def row_entropy(weights: ArrayLike) -> NDArray[np.float64]:
    """Entropy in nats of each row [..., S], after making it sum to 1 (a local window's may not); NaN for a
    zero row.
    """
    rows = _distributions(weights)
    logs = np.log(rows, where=rows > 0, out=np.zeros_like(rows))
    # + 0.0 turns the −0.0 of a one-hot row into 0.
    return -(rows * logs).sum(axis=-1) + 0.0


def _distributions(weights: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(weights, dtype=np.float64)
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise ShapeError(f"attention weights are [..., source]; these have shape {rows.shape}")
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise ShapeError("attention weights must be finite and not negative; give the weights, not the scores")
    sums = rows.sum(axis=-1, keepdims=True)
    return np.divide(rows, sums, where=sums > 0, out=np.full_like(rows, np.nan))


def attention_shape(weights: ArrayLike, mask: ArrayLike | None = None) -> AttentionShape:
    """The shape of all rows of weights [..., S]; mask True = may be attended, broadcast to the weights.

    A row that has no weight (padding, a mechanism that looked away) counts for nothing.
    """
    rows = _distributions(weights)
    allowed = np.ones(rows.shape, dtype=bool)
    if mask is not None:
        try:
            allowed = np.broadcast_to(np.asarray(mask, dtype=bool), rows.shape)
        except ValueError:
            raise ShapeError(f"the mask {np.shape(mask)} does not fit weights {rows.shape}") from None
    positions = allowed.sum(axis=-1).reshape(-1)
    flat = rows.reshape(-1, rows.shape[-1])
    kept = ~np.isnan(flat).any(axis=1)
    if not kept.any():
        return AttentionShape(0, 0.0, 0.0, 0.0, 0.0)
    entropy = row_entropy(flat[kept])
    # With one position there is nothing to be uncertain about: 0/ln 1 is taken as 0.
    most = np.log(np.maximum(positions[kept], 1))
    relative = np.divide(entropy, most, where=most > 0, out=np.zeros_like(entropy))
    return AttentionShape(
        rows=int(kept.sum()),
        entropy=float(entropy.mean()),
        relative_entropy=float(relative.mean()),
        effective_positions=float(np.exp(entropy).mean()),
        sharpness=float(flat[kept].max(axis=1).mean()),
    )


def combine_shapes(shapes: Iterable[AttentionShape]) -> AttentionShape:
    """The shape of many sentences together, each weighing as many rows as it has."""
    every = [shape for shape in shapes if shape.rows]
    rows = sum(shape.rows for shape in every)
    if not rows:
        return AttentionShape(0, 0.0, 0.0, 0.0, 0.0)

    def mean(values: Iterable[float]) -> float:
        return sum(value * shape.rows for value, shape in zip(values, every, strict=True)) / rows

    return AttentionShape(
        rows,
        mean(shape.entropy for shape in every),
        mean(shape.relative_entropy for shape in every),
        mean(shape.effective_positions for shape in every),
        mean(shape.sharpness for shape in every),
    )
