"""The network that a Transformer applies at each position, with a gradient of its own.

relu in place on the result of a linear layer over [B, T, D] makes autograd copy the gradient of the wide layer three
times, because that result is a view; as one operation nothing is copied. Other activations take the plain path.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from jumok.models.recurrent import xavier_linear

Activation = Literal["relu", "swish", "gelu"]
# swish: x σ(x) (Ramachandran et al. 2017); gelu: x Φ(x) (Hendrycks and Gimpel 2016)
ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "swish": F.silu, "gelu": F.gelu}
threshold_backward = torch.ops.aten.threshold_backward


class FeedForward(nn.Module):
    """W_2 f(W_1 x): the same two-layer network at each position, with relu as f unless said otherwise."""

    def __init__(self, size: int, hidden: int, activation: Activation = "relu") -> None:
        super().__init__()
        self.activation: Activation = activation
        self.W_1 = xavier_linear(size, hidden)
        self.W_2 = xavier_linear(hidden, size)

    def forward(self, states: Tensor) -> Tensor:
        fused = self.activation == "relu" and states.device.type == "cpu"
        if fused and torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu"):
            return _FeedForward.apply(states, self.W_1.weight, self.W_1.bias, self.W_2.weight, self.W_2.bias)
        return self.plain(states)

    def plain(self, states: Tensor) -> Tensor:
        """As the formula says: the reference."""
        return self.W_2(ACTIVATIONS[self.activation](self.W_1(states)))


class _FeedForward(torch.autograd.Function):
    """Both layers over all positions as rows."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor) -> Tensor:
        x = states.flatten(0, -2)
        hidden = torch.addmm(b_1, x, W_1.t()).relu_()
        ctx.save_for_backward(x, hidden, W_1, W_2)
        return torch.addmm(b_2, hidden, W_2.t()).view(*states.shape[:-1], -1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        x, hidden, W_1, W_2 = ctx.saved_tensors
        d = grads[0].flatten(0, -2)
        d_hidden = d @ W_2
        threshold_backward.grad_input(d_hidden, hidden, 0, grad_input=d_hidden)
        d_states = (d_hidden @ W_1).view(*grads[0].shape[:-1], -1)
        return d_states, d_hidden.t() @ x, d_hidden.sum(0), d.t() @ hidden, d.sum(0)
