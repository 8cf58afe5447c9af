"""Dropout whose mask is drawn four numbers at a time.

On a CPU `bernoulli_` draws one 64-bit number for each entry, on one thread; a third of a small Transformer's
step went there. Here each draw is cut into four 16-bit numbers, so the mask costs a quarter of the draws.
"""

import torch
from torch import Tensor, nn

STEPS = 1 << 16


class Dropout(nn.Module):
    """The input with a share of `rate` of its entries at zero and the others scaled up, in training only.

    On a CPU the rate is rounded to the next 1/65,536 and the scale follows the rounded rate, so the expected
    value is exactly the input.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, inputs: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return inputs
        if inputs.device.type != "cpu":
            return nn.functional.dropout(inputs, self.rate)
        return inputs * dropout_scale(self.rate, inputs)

    def scale_like(self, inputs: Tensor) -> Tensor | None:
        """The factors for `inputs` (0 or 1/(1−rate)), drawn at once for a loop that uses them in slices."""
        if not self.training or self.rate == 0:
            return None
        if inputs.device.type != "cpu":
            return nn.functional.dropout(torch.ones_like(inputs), self.rate)
        return dropout_scale(self.rate, inputs)

    def extra_repr(self) -> str:
        return f"rate={self.rate}"


def dropout_scale(rate: float, like: Tensor) -> Tensor:
    """Factors of the shape and type of `like`: 0 with probability `rate`, 1 / (1 − rate) otherwise."""
    count = like.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    dropped = min(round(rate * STEPS), STEPS - 1)
    keep = draws.view(torch.int16)[:count].view(like.shape) >= dropped - STEPS // 2
    return keep.to(like.dtype).mul_(STEPS / (STEPS - dropped))
