"""Why the dot product is scaled: a measurement of what its size does to the softmax.

For q and k of d independent numbers with variance 1, qᵀk has variance d. As d grows, one weight takes everything and
the Jacobian of the softmax, ∂a/∂e = diag(a) − a aᵀ, goes to zero: nothing is learned through it. Divided by √d, the
scores keep variance 1 and nothing changes with d.
"""

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from jumok.attention import build

SIZES = (1, 4, 16, 64, 256, 1024)


@dataclass(frozen=True)
class Saturation:
    """Medians over many draws for vectors of size d: spread of the scores, largest weight, norm of the gradient."""

    d: int
    spread: float
    peak: float
    peak_scaled: float
    gradient: float
    gradient_scaled: float

    def as_json(self) -> dict[str, Any]:
        """The row as an object."""
        return asdict(self)


def measure_saturation(
    sizes: tuple[int, ...] = SIZES, keys: int = 16, draws: int = 256, seed: int = 0
) -> tuple[Saturation, ...]:
    """One row for each size, from seeded normal queries and keys."""
    chance = torch.Generator().manual_seed(seed)
    rows: list[Saturation] = []
    for d in sizes:
        query = torch.randn(draws, 1, d, generator=chance, dtype=torch.float64)
        states = torch.randn(draws, keys, d, generator=chance, dtype=torch.float64)
        plain, scaled = (build(name, query_dim=d, key_dim=d)(query, states) for name in ("dot", "scaled_dot"))
        assert plain.scores is not None
        assert plain.weights is not None
        assert scaled.weights is not None
        rows.append(
            Saturation(
                d,
                float(plain.scores.std()),
                _peak(plain.weights),
                _peak(scaled.weights),
                _gradient(plain.weights),
                _gradient(scaled.weights),
            )
        )
    return tuple(rows)


def _peak(weights: Tensor) -> float:
    return float(weights.amax(-1).median())


def _gradient(weights: Tensor) -> float:
    """The median Frobenius norm of ∂a/∂e."""
    a = weights.squeeze(-2)
    jacobian = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return float(jacobian.norm(dim=(-2, -1)).median())
