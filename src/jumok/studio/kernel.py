"""Kernel regression of 1964, with the studio's points."""

import numpy as np
import torch
from torch import Tensor

from jumok.attention import nadaraya_watson, plain_mean, unnormalised
from jumok.studio.payload_views import KernelAnswer, KernelRequest
from jumok.studio.problems import invalid
from jumok.studio.reading import matrix, rounded


def regress(request: KernelRequest) -> KernelAnswer:
    """The three estimates over a grid, and the weights of one query."""
    if len(request.x) != len(request.y):
        raise invalid(f"There are {len(request.x)} x and {len(request.y)} y; give one y for each x.")
    x, y = (torch.tensor(values, dtype=torch.float64) for values in (request.x, request.y))
    low, high = float(x.min()), float(x.max())
    room = (high - low) * 0.1 or 1.0
    grid = torch.linspace(low - room, high + room, request.points, dtype=torch.float64)
    normalised = nadaraya_watson(grid, x, y, request.bandwidth, request.profile)
    at = torch.tensor([request.at], dtype=torch.float64)
    look = nadaraya_watson(at, x, y, request.bandwidth, request.profile)
    assert normalised.weights is not None
    assert look.weights is not None
    assert look.scores is not None
    weights_GN, scores_N, weights_N = normalised.weights[0], look.scores[0, 0], look.weights[0, 0]
    return KernelAnswer(
        grid=[float(value) for value in np.round(grid.numpy(), 6)],
        mean=_curve(plain_mean(grid, x, y).context[0, :, 0]),
        unnormalised=_curve(unnormalised(grid, x, y, request.bandwidth, request.profile).context[0, :, 0]),
        # Where a compact kernel sees no datum there is nothing to average: no estimate, not 0.
        normalised=_curve(normalised.context[0, :, 0].masked_fill(weights_GN.sum(-1) == 0, torch.nan)),
        scores=_curve(scores_N),
        weights=[round(float(weight), 6) for weight in weights_N],
        prediction=rounded(float(look.context[0, 0, 0]), 6) if float(weights_N.sum()) > 0 else None,
        weights_grid=matrix(weights_GN.numpy()),
    )


def _curve(values: Tensor) -> list[float | None]:
    return [rounded(value, 6) for value in values.tolist()]
