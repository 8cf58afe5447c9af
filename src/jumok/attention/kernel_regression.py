"""Kernel regression as attention: the three estimates of 1964, each one composition of score × normalise.

Queries are the places to predict at, keys the places of the data, values what was seen there.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from jumok.attention.attention import Attended, Attention
from jumok.attention.normalise import Normaliser, Softmax, Unnormalised
from jumok.attention.scope import Global
from jumok.attention.score import Kernel, Score, Uniform

Points = Float[Tensor, " N"]
Data = Float[Tensor, " M"]


def plain_mean(x: Points, data_x: Data, data_y: Data) -> Attended:
    """ŷ = (1/n) Σ y_i, whatever x is: a uniform score under a softmax."""
    return _estimate(Uniform(1, 1), Softmax(), x, data_x, data_y)


def unnormalised(x: Points, data_x: Data, data_y: Data, bandwidth: float = 1.0, profile: str = "gaussian") -> Attended:
    """ŷ(x) = (1/n) Σ α(x, x_i) y_i with α = K((x − x_i)/h): near data count more, but nothing makes them sum to 1."""
    return _estimate(Kernel(1, 1, profile, bandwidth), Unnormalised(), x, data_x, data_y)


def nadaraya_watson(
    x: Points, data_x: Data, data_y: Data, bandwidth: float = 1.0, profile: str = "gaussian"
) -> Attended:
    """ŷ(x) = Σ K((x − x_i)/h) y_i / Σ K((x − x_j)/h) (Nadaraya 1964, Watson 1964): attention with a kernel score."""
    return _estimate(Kernel(1, 1, profile, bandwidth), Softmax(), x, data_x, data_y)


def _estimate(score: Score, normaliser: Normaliser, x: Tensor, data_x: Tensor, data_y: Tensor) -> Attended:
    attend = Attention(score, Global(), normaliser).to(x.dtype)
    with torch.no_grad():
        return attend(*(points[None, :, None] for points in (x, data_x, data_y)))
