"""Context: the weighted sum of the values, over all positions or over each query's window."""

from jaxtyping import Float
from torch import Tensor


def weighted_sum(
    weights: Float[Tensor, "*batch T S"], values: Float[Tensor, "*batch S D"]
) -> Float[Tensor, "*batch T D"]:
    """c_t = Σ_i α_{t,i} v_i."""
    return weights @ values


def window_sum(
    weights: Float[Tensor, "*batch T W"], values: Float[Tensor, "*batch T W D"]
) -> Float[Tensor, "*batch T D"]:
    """c_t = Σ_i α_{t,i} v_i, where each query brings the values of its own window."""
    return (weights.unsqueeze(-2) @ values).squeeze(-2)
