"""Label-smoothed cross entropy of an output layer, plain and tiled.

Half of a training step is the output layer. Written plainly it makes a matrix of all target positions by all
words and walks it several times. The tiled version makes product, loss and gradient block by block, so that a
block of logits stays in cache and the whole matrix never exists.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from jumok.compiled import kernels
from jumok.models.contract import TokenLoss, logits_loss
from jumok.shapes import PAD

# A block of logits is at most so many numbers (16 MB in float32): it fits a shared cache, and the product
# with the weights is still large enough to run at full speed.
BLOCK_NUMBERS = 4 * 1024 * 1024
# Where a row is walked only once, blocks of a few megabytes are better.
COMPILED_BLOCK_NUMBERS = 2 * 1024 * 1024


def plain_cross_entropy(
    outputs_BTD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_BT: Tensor, smoothing: float
) -> TokenLoss:
    """The loss written as in the papers: the reference for the tiled version."""
    return logits_cross_entropy(F.linear(outputs_BTD, weight_VD, bias_V), target_BT, smoothing)


def logits_cross_entropy(logits_BTV: Tensor, target_BT: Tensor, smoothing: float) -> TokenLoss:
    """The loss of logits that exist already, the reference for the tiled version."""
    return logits_loss(logits_BTV, target_BT, smoothing, logits_BTV.shape[-1])


def tiled_cross_entropy(
    outputs_BTD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_BT: Tensor, smoothing: float
) -> TokenLoss:
    """The same loss without a matrix of logits; the gradients are made in the same pass."""
    real_BT = target_BT != PAD
    rows_ND, target_N = outputs_BTD[real_BT], target_BT[real_BT]
    total, nll_N = _TiledCrossEntropy.apply(rows_ND, weight_VD, bias_V, target_N, smoothing, torch.is_grad_enabled())
    nll_BT = torch.zeros(target_BT.shape, dtype=nll_N.dtype, device=nll_N.device)
    nll_BT[real_BT] = nll_N.detach()
    return TokenLoss(total, nll_BT)


class _TiledCrossEntropy(torch.autograd.Function):
    """(Σ loss, nll_N) of rows; forward makes the gradients, backward only scales them."""

    @staticmethod
    def forward(ctx: Any, rows_ND, weight_VD, bias_V, target_N, smoothing: float, need_grad: bool) -> Any:
        with torch.autocast(rows_ND.device.type, enabled=False):
            ways = _compiled_tiles if kernels.usable(rows_ND, weight_VD) else _tiles
            total, nll_N, gradients = ways(rows_ND, weight_VD, bias_V, target_N, smoothing, need_grad)
        ctx.save_for_backward(*gradients)
        ctx.has_bias = bias_V is not None
        ctx.mark_non_differentiable(nll_N)
        return total, nll_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        rows, weight, bias = ctx.saved_tensors
        grad_total = grad_outputs[0]
        return (
            rows * grad_total.to(rows.dtype),
            weight * grad_total.to(weight.dtype),
            bias * grad_total.to(bias.dtype) if ctx.has_bias else None,
            None,
            None,
            None,
        )


def _tiles(
    rows_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_N: Tensor, smoothing: float, need_grad: bool
) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
    """(Σ loss, nll_N, gradients of rows, weight and bias), block by block.

    With p = softmax(W x + b), the gradient of the loss by the logits is  p − ε/V − (1−ε)·1_y.  Only p needs
    the vocabulary-wide matrix; the two other terms are one row of sums and one gathered row each. Likewise
    Σ_v logit_v = x·Σ_v W_v + Σ_v b_v, so the smoothing term costs no walk over the logits.
    """
    N, V = len(rows_ND), len(weight_VD)
    W = weight_VD.to(rows_ND.dtype)
    b = W.new_zeros(V) if bias_V is None else bias_V.to(W.dtype)
    wide = torch.promote_types(rows_ND.dtype, torch.float32)  # sums of exponentials are never half precision
    block = max(64, min(1024, BLOCK_NUMBERS // V))
    logits_RV = torch.empty(min(block, N), V, dtype=W.dtype, device=W.device)
    nll_N, lse_N = rows_ND.new_zeros(N, dtype=wide), rows_ND.new_zeros(N, dtype=wide)
    sums_N = (rows_ND @ W.sum(0) + b.sum()).to(wide)
    d_rows = torch.empty_like(rows_ND)
    d_weight, d_bias = torch.zeros_like(W, dtype=wide), W.new_zeros(V, dtype=wide)
    for start in range(0, N, block):
        x_RD, y_R1 = rows_ND[start : start + block], target_N[start : start + block, None]
        span = slice(start, start + len(x_RD))
        l_RV = torch.addmm(b, x_RD, W.t(), out=logits_RV[: len(x_RD)]).to(wide)
        logit_y = l_RV.gather(1, y_R1)
        top = l_RV.amax(1, keepdim=True)
        e_RV = l_RV.sub_(top).exp_()
        z = e_RV.sum(1, keepdim=True)
        lse = top + z.log()
        lse_N[span], nll_N[span] = lse[:, 0], (lse - logit_y)[:, 0]
        if need_grad:
            # p = e/z: the division goes to the small side of each product.
            e_RV = e_RV.to(W.dtype)
            x_over_z = x_RD / z.to(x_RD.dtype)
            torch.mm(e_RV, W, out=d_rows[span])
            d_rows[span] /= z.to(W.dtype)
            if wide == W.dtype:
                d_weight.addmm_(e_RV.t(), x_over_z)
            else:
                d_weight += (e_RV.t() @ x_over_z).to(wide)
            d_bias += (1 / z.to(W.dtype))[:, 0] @ e_RV
    total = ((1 - smoothing) * nll_N + smoothing * (lse_N - sums_N / V)).sum()
    if need_grad:
        _subtract_targets(rows_ND, W, target_N, smoothing, d_rows, d_weight, d_bias)
    return total, nll_N, (d_rows, d_weight.to(weight_VD.dtype), d_bias.to(weight_VD.dtype))


def _compiled_tiles(
    rows_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_N: Tensor, smoothing: float, need_grad: bool
) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
    """`_tiles` with all of the softmax in one walk between the products."""
    N, V = len(rows_ND), len(weight_VD)
    rows_ND, W, target_N = rows_ND.contiguous(), weight_VD.contiguous(), target_N.contiguous()
    b = W.new_zeros(V) if bias_V is None else bias_V
    block = max(64, min(1024, COMPILED_BLOCK_NUMBERS // V))
    logits_RV = W.new_empty(min(block, N), V)
    losses = W.new_empty(2, N)
    d_rows, d_weight, d_bias = torch.empty_like(rows_ND), torch.zeros_like(W), torch.zeros_like(b)
    for start in range(0, N, block):
        x_RD, span = rows_ND[start : start + block], slice(start, min(start + block, N))
        l_RV = torch.mm(x_RD, W.t(), out=logits_RV[: len(x_RD)])
        kernels.loss_rows(l_RV, b, target_N[span], smoothing, d_bias if need_grad else None, losses[:, span])
        if need_grad:
            torch.mm(l_RV, W, out=d_rows[span])
            d_weight.addmm_(l_RV.t(), x_RD)
    nll_N, even_N = losses
    total = ((1 - smoothing) * nll_N + smoothing * even_N).sum()
    return total, nll_N, (d_rows, d_weight, d_bias)


def _subtract_targets(
    rows_ND: Tensor,
    W: Tensor,
    target_N: Tensor,
    smoothing: float,
    d_rows: Tensor,
    d_weight: Tensor,
    d_bias: Tensor,
) -> None:
    """Adds the −ε/V − (1−ε)·1_y part of the gradient to the three."""
    V = len(W)
    d_rows.sub_((1 - smoothing) * W[target_N]).sub_(smoothing / V * W.sum(0))
    rows = rows_ND.to(d_weight.dtype)
    d_weight.index_add_(0, target_N, rows, alpha=-(1 - smoothing)).sub_(smoothing / V * rows.sum(0))
    d_bias.index_add_(0, target_N, torch.ones_like(target_N, dtype=d_bias.dtype), alpha=-(1 - smoothing))
    d_bias.sub_(smoothing / V * len(rows))
