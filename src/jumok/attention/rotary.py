"""Rotary positions (Su et al. 2021): queries and keys are turned by an angle that grows with their position."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Rotary(nn.Module):
    """Turns each pair of coordinates (2i, 2i+1) by position · base^(−2i/d), so that qᵀk depends on distances only."""

    frequencies: Tensor

    def __init__(self, dim: int, base: float = 10_000.0) -> None:
        super().__init__()
        pairs = dim // 2  # an odd last coordinate stays as it is
        exponents = torch.arange(pairs) * 2 / max(dim, 1)
        self.register_buffer("frequencies", base**-exponents, persistent=False)

    def forward(
        self, states: Float[Tensor, "*batch T d"], positions: Int[Tensor, "*#batch T"]
    ) -> Float[Tensor, "*batch T d"]:
        angle = positions.unsqueeze(-1) * self.frequencies
        cos, sin = angle.cos().to(states.dtype), angle.sin().to(states.dtype)
        width = 2 * self.frequencies.shape[0]
        even, odd = states[..., 0:width:2], states[..., 1:width:2]
        turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)
        return torch.cat([turned, states[..., width:]], -1) if width < states.shape[-1] else turned
