"""Layer norm (Ba et al. 2016), in one walk over the numbers each way where the compiled kernel can be had."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from jumok.compiled import kernels


class LayerNorm(nn.LayerNorm):
    """torch's layer norm over the last dimension."""

    def __init__(self, size: int) -> None:
        super().__init__(size)

    def forward(self, input: Tensor) -> Tensor:
        if kernels.usable(input, self.weight):
            return _Norm.apply(input, self.weight, self.bias, self.eps)
        return super().forward(input)


class _Norm(torch.autograd.Function):
    """The kernel of `native/learn.c`."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        states = states.contiguous()
        out, kept = kernels.norm(states, gain, bias, epsilon)
        ctx.save_for_backward(states, gain, kept)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return *kernels.norm_back(grads[0].contiguous(), *ctx.saved_tensors), None
