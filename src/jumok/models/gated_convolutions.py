"""All dense blocks of a temporal block in one operation, for learning from long sequences.

    y_t = [x_t; tanh(f_t) ⊙ σ(g_t)],   [f; g]_t = W_now x_t + b + W_past x_{t−d}        for each block, d = 1, 2, 4, …

Block by block, as `DenseBlock.forward` reads, every block copies all that was found before it, multiplies it twice and
adds up two gradients of it. Here the outputs of all blocks share one buffer: a block reads its first columns, writes
the next ones, and multiplies once by both taps. The results are the same up to rounding (a test compares them).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


class _GatedConvolutions(torch.autograd.Function):
    """Outputs [B, T, D + layers · F] from inputs [B, T, D] and (W_now, b, W_past) of each layer."""

    @staticmethod
    def forward(ctx: Any, states_BTD: Tensor, dilations: Sequence[int], *weights: Tensor) -> Tensor:
        B, T, size = states_BTD.shape
        filters = weights[0].shape[0] // 2
        out = states_BTD.new_empty(B, T, size + filters * len(dilations))
        out[..., :size] = states_BTD
        halves: list[Tensor] = []
        for number, dilation in enumerate(dilations):
            now, bias, past = weights[3 * number : 3 * number + 3]
            both = (_rows(out, size) @ torch.cat([now, past]).T).view(B, T, -1)
            summed = both[..., : 2 * filters] + bias
            summed[:, dilation:] += both[:, : max(0, T - dilation), 2 * filters :]
            found, gate = summed[..., :filters].tanh(), summed[..., filters:].sigmoid()
            torch.mul(found, gate, out=out[..., size : size + filters])
            halves += [found, gate]
            size += filters
        ctx.save_for_backward(out, *halves, *weights)
        ctx.dilations = tuple(dilations)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        layers = len(ctx.dilations)
        out, *kept = ctx.saved_tensors
        halves, weights = kept[: 2 * layers], kept[2 * layers :]
        B, T, size = out.shape
        filters = weights[0].shape[0] // 2
        total = gradients[0].clone(memory_format=torch.contiguous_format)
        found_gradients: list[Tensor | None] = [None] * len(weights)
        taps = out.new_empty(B, T, 4 * filters)
        for number in reversed(range(layers)):
            size -= filters
            now, _, past = weights[3 * number : 3 * number + 3]
            mine = total[..., size : size + filters]
            _into_taps(taps, mine, halves[2 * number], halves[2 * number + 1], ctx.dilations[number])
            flat = taps.view(B * T, -1)
            by_weight = flat.T @ _rows(out, size)
            found_gradients[3 * number] = by_weight[: 2 * filters]
            found_gradients[3 * number + 1] = flat[:, : 2 * filters].sum(0)
            found_gradients[3 * number + 2] = by_weight[2 * filters :]
            _rows(total, size).addmm_(flat, torch.cat([now, past]))
        return total[..., :size], None, *found_gradients


def _into_taps(taps_BTF: Tensor, gradient: Tensor, found: Tensor, gate: Tensor, dilation: int) -> None:
    """Fills in the gradients by what the tap at t gave to f and g, then by what it gave `dilation` steps later."""
    filters, length = found.shape[-1], found.shape[1]
    torch.mul(gradient * gate, 1 - found * found, out=taps_BTF[..., :filters])
    torch.mul(gradient * found, gate * (1 - gate), out=taps_BTF[..., filters : 2 * filters])
    kept = max(0, length - dilation)
    taps_BTF[:, :kept, 2 * filters :] = taps_BTF[:, dilation:, : 2 * filters]
    taps_BTF[:, kept:, 2 * filters :] = 0


def _rows(buffer_BTD: Tensor, size: int) -> Tensor:
    """The first columns of every position as one matrix, without a copy."""
    return buffer_BTD.view(-1, buffer_BTD.shape[-1])[:, :size]


def gated_convolutions(states_BTD: Tensor, dilations: Sequence[int], weights: Sequence[Tensor]) -> Tensor:
    """What dense blocks with these dilations and weights (W_now, b, W_past of each) find, beside the inputs."""
    return _GatedConvolutions.apply(states_BTD, dilations, *weights)  # type: ignore[no-any-return]
