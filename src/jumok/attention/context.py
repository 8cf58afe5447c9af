"""Context: the weighted sum of the values. (Over windows: `kernels.window_sum`.)"""

from jaxtyping import Float
from torch import Tensor


def weighted_sum(
    weights: Float[Tensor, "*batch T S"], values: Float[Tensor, "*batch S D"]
) -> Float[Tensor, "*batch T D"]:
    """c_t = Σ_i α_{t,i} v_i."""
    return weights @ values
