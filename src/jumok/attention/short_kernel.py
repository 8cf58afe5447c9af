"""softmax(scale · QKᵀ) V for short sentences, where torch's fused kernel spends its time on setting out.

The fused kernel never holds the matrix of scores; for a few dozen words that matrix is a few kilobytes per head, and
six batched products with the weights kept take half the kernel's time on a CPU; the compiled kernel, which reads heads
where they lie instead of copying them first, half of that again. The plain path is `Attention` with weights.
"""

import math
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from jumok.compiled import kernels

# The compiled kernel keeps all weights of a head in the nearest cache.
COMPILED_CELLS = 128 * 128
# Measured: at 15 × 15 half the time of torch's fused kernel, at 32 × 32 the same.
SHORT_CELLS = 600


def is_short(query: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Whether these products are better off here: heads, float32 on a CPU, several queries, few cells."""
    T, S = query.shape[-2], keys.shape[-2]
    alike = query.dtype == keys.dtype == values.dtype == torch.float32 and query.dim() == keys.dim() == 4
    return alike and query.device.type == "cpu" and T > 1 and T * S <= SHORT_CELLS and torch.is_grad_enabled()


def is_compiled(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> bool:
    """Whether the compiled kernel takes these: alike heads of whole registers, and a mask that hides keys or none."""
    T, S, size = query.shape[-2], keys.shape[-2], query.shape[-1]
    alike = query.dim() == keys.dim() == 4 and values.shape == keys.shape and keys.shape[-1] == size
    whole = alike and size % kernels.LANES == 0 and all(part.stride(-1) == 1 for part in (query, keys, values))
    by_key = mask is None or mask.shape == (len(query), 1, 1, S)
    return whole and by_key and T > 1 and T * S <= COMPILED_CELLS and kernels.usable(query, keys, values)


def compiled_attention(
    query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool, scale: float
) -> Tensor:
    """The contexts [B, H, T, K] by the compiled kernel; `mask` [B, 1, 1, S] must leave each sentence a key."""
    return cast(Tensor, _CompiledAttention.apply(query, keys, values, mask, causal, scale))  # pyright: ignore[reportUnknownMemberType]


class _CompiledAttention(torch.autograd.Function):
    """The kernel of `native/learn.c`; the weights are kept."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool, scale: float
    ) -> Tensor:
        visible = None if mask is None else mask.flatten(1).contiguous()
        ctx.looks = kernels.Looks(query, keys, values, visible, causal, scale)
        return ctx.looks.forward()

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, *grad_outputs: Tensor
    ) -> tuple[Tensor | None, ...]:
        looks = cast(kernels.Looks, ctx.looks)
        return *looks.backward(grad_outputs[0]), None, None, None


def short_attention(query: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None, scale: float) -> Tensor:
    """The contexts [B, H, T, D] of queries [B, H, T, K]; `hidden` is True where a query must not look.

    No row may be hidden wholly. It can be differentiated once.
    """
    return cast(Tensor, _ShortAttention.apply(query, keys, values, hidden, scale))  # pyright: ignore[reportUnknownMemberType]


class _ShortAttention(torch.autograd.Function):
    """Six batched products; the weights are kept."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, keys: Tensor, values: Tensor, hidden: Tensor | None, scale: float) -> Tensor:
        q, k, v = query.flatten(0, 1), keys.flatten(0, 1), values.flatten(0, 1)
        weights = torch.bmm(q, k.mT).mul_(scale)
        if hidden is not None:
            weights.view(*query.shape[:-1], -1).masked_fill_(hidden, -math.inf)
        weights = torch.softmax(weights, -1)
        ctx.save_for_backward(q, k, v, weights)
        ctx.scale, ctx.heads = scale, query.shape[:2]
        # Written word by word, heads side by side, as the next product reads it.
        B, H, T, _ = query.shape
        context_BTHD = query.new_empty(B, T, H, v.shape[-1])
        context_BTHD.copy_(torch.bmm(weights, v).view(B, H, T, -1).transpose(1, 2))
        return context_BTHD.transpose(1, 2)

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, *grad_outputs: Tensor
    ) -> tuple[Tensor | None, ...]:
        q, k, v, weights = cast(tuple[Tensor, Tensor, Tensor, Tensor], ctx.saved_tensors)
        grad = grad_outputs[0].flatten(0, 1)
        d_v = torch.bmm(weights.mT, grad)
        # ∂/∂e = α ⊙ (g − Σ α g)
        d_scores = torch.bmm(grad, v.mT)
        d_scores -= (weights * d_scores).sum(-1, keepdim=True)
        d_scores.mul_(weights).mul_(ctx.scale)
        heads = cast(tuple[int, int], tuple(ctx.heads))
        d_q, d_k = torch.bmm(d_scores, k), torch.bmm(d_scores.mT, q)
        d_query, d_keys, d_values = (part.view(*heads, *part.shape[1:]) for part in (d_q, d_k, d_v))
        return d_query, d_keys, d_values, None, None
