"""Dropout without a mask, or with one that is drawn four numbers at a time.

On a CPU `bernoulli_` draws one 64-bit number for each entry, on one thread; a third of a small Transformer's
step went there. The compiled kernel draws one seed, and whether an entry is kept follows from the seed and its place,
on the way back too. Where there is none, each draw is cut into four 16-bit numbers.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from jumok.compiled import kernels

STEPS = 1 << 16


class Dropout(nn.Module):
    """The input with a share of `rate` of its entries at zero and the others scaled up, in training only.

    On a CPU the rate is rounded to the next 2⁻³² (without the compiled kernel 1/65,536) and the scale follows the
    rounded rate, so the expected value is exactly the input.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, inputs: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return inputs
        if inputs.device.type != "cpu":
            return nn.functional.dropout(inputs, self.rate)
        if kernels.usable(inputs):
            return _Dropped.apply(None, inputs, self.rate)
        return inputs * dropout_scale(self.rate, inputs)

    def added(self, states: Tensor, change: Tensor) -> Tensor:
        """The states with what is left of the change."""
        if self.training and self.rate > 0 and states.shape == change.shape and kernels.usable(states, change):
            return _Dropped.apply(states, change, self.rate)
        return states + self(change)

    def scale_like(self, inputs: Tensor) -> Tensor | None:
        """The factors for `inputs` (0 or 1/(1−rate)), drawn at once for a loop that uses them in slices."""
        if not self.training or self.rate == 0:
            return None
        if inputs.device.type != "cpu":
            return nn.functional.dropout(torch.ones_like(inputs), self.rate)
        if kernels.usable(inputs):
            return kernels.dropped(None, torch.ones_like(inputs), *drawn(self.rate))
        return dropout_scale(self.rate, inputs)

    def extra_repr(self) -> str:
        return f"rate={self.rate}"


class _Dropped(torch.autograd.Function):
    """states + dropout(change), or dropout(change), in one walk each way."""

    @staticmethod
    def forward(ctx: Any, states: Tensor | None, change: Tensor, rate: float) -> Tensor:
        ctx.drawn, ctx.alone = drawn(rate), states is None
        return kernels.dropped(None if states is None else states.contiguous(), change.contiguous(), *ctx.drawn)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return None if ctx.alone else grads[0], kernels.dropped(None, grads[0].contiguous(), *ctx.drawn), None


def drawn(rate: float) -> tuple[int, int]:
    """A seed, and how many of 2³² numbers mean that an entry is dropped."""
    return int(torch.randint(1 << 62, ())), min(round(rate * 2**32), 2**32 - 1)


def dropout_scale(rate: float, like: Tensor) -> Tensor:
    """Factors of the shape and type of `like`: 0 with probability `rate`, 1 / (1 − rate) otherwise."""
    count = like.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    dropped = min(round(rate * STEPS), STEPS - 1)
    keep = draws.view(torch.int16)[:count].view(like.shape) >= dropped - STEPS // 2
    return keep.to(like.dtype).mul_(STEPS / (STEPS - dropped))
