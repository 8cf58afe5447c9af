"""Rotary positions (Su et al. 2021): queries and keys are turned by an angle that grows with their position."""

from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from jumok.compiled import kernels


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
        if positions.dim() == 1 and width == states.shape[-1] and is_compiled(states):
            return cast(Tensor, _Turned.apply(states, cos, sin))  # pyright: ignore[reportUnknownMemberType]
        even, odd = states[..., 0:width:2], states[..., 1:width:2]
        turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)
        return torch.cat([turned, states[..., width:]], -1) if width < states.shape[-1] else turned


def is_compiled(states: Tensor) -> bool:
    """Whether the compiled kernel takes these: heads whose numbers lie together."""
    return states.dim() == 4 and states.stride(-1) == 1 and kernels.usable(states)


class _Turned(torch.autograd.Function):
    """The same in one walk; the gradient is turned back."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        ctx.save_for_backward(cos, sin)
        return kernels.turn(states, cos, sin, back=False)

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, *grad_outputs: Tensor
    ) -> tuple[Tensor | None, ...]:
        cos, sin = cast(tuple[Tensor, Tensor], ctx.saved_tensors)
        return kernels.turn(grad_outputs[0], cos, sin, back=True), None, None
