"""R-Drop: two passes over one batch, each with dropout of its own, must not disagree (Liang et al. 2021).

    ½ (CE_1 + CE_2) + α · ¼ (KL(p_1‖p_2) + KL(p_2‖p_1))        half the paper's sum, so that it is a token's loss

As in the plain loss, product, loss and gradient are made block by block and the logits of a batch never exist.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from jumok.models.cross_entropy import BLOCK_NUMBERS, logits_cross_entropy
from jumok.shapes import PAD


@dataclass(frozen=True)
class ConsistentLoss:
    """`total` carries the gradient; the two others are of both passes' mean, without divergence and gradient."""

    total: Tensor
    smoothed: Tensor
    nll_BT: Tensor


def plain_consistent_cross_entropy(
    outputs_BTD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_BT: Tensor, smoothing: float, alpha: float
) -> Tensor:
    """The total written as in the paper: the reference for the version in blocks."""
    logits_BTV = torch.nn.functional.linear(outputs_BTD, weight_VD, bias_V)
    entropy = logits_cross_entropy(logits_BTV, target_BT.repeat(2, 1), smoothing).total
    one, other = logits_BTV.log_softmax(-1).chunk(2)
    apart_BT = ((one.exp() - other.exp()) * (one - other)).sum(-1)  # KL(p_1‖p_2) + KL(p_2‖p_1)
    return entropy / 2 + alpha / 4 * apart_BT[target_BT != PAD].sum()


def consistent_cross_entropy(
    outputs_BTD: Tensor, weight_VD: Tensor, bias_V: Tensor | None, target_BT: Tensor, smoothing: float, alpha: float
) -> ConsistentLoss:
    """The loss of two passes whose outputs [2B, T, D] follow each other, for one set of targets [B, T]."""
    real_BT = target_BT != PAD
    rows_2ND = torch.stack([outputs_BTD[: len(target_BT)][real_BT], outputs_BTD[len(target_BT) :][real_BT]])
    total, smoothed, nll_N = _Blocks.apply(
        rows_2ND, weight_VD, bias_V, target_BT[real_BT], smoothing, alpha, torch.is_grad_enabled()
    )
    nll_BT = torch.zeros(target_BT.shape, dtype=nll_N.dtype, device=nll_N.device)
    nll_BT[real_BT] = nll_N
    return ConsistentLoss(total, smoothed, nll_BT)


class _Blocks(torch.autograd.Function):
    """(Σ total, Σ smoothed, nll_N) of rows; forward makes the gradients, backward only scales them."""

    @staticmethod
    def forward(
        ctx: Any, rows_2ND, weight_VD, bias_V, target_N, smoothing: float, alpha: float, need_grad: bool
    ) -> Any:
        with torch.autocast(rows_2ND.device.type, enabled=False):
            found = _in_blocks(rows_2ND, weight_VD, bias_V, target_N, smoothing, alpha, need_grad)
        total, smoothed, nll_N, gradients = found
        ctx.save_for_backward(*gradients)
        ctx.has_bias = bias_V is not None
        ctx.mark_non_differentiable(smoothed, nll_N)
        return total, smoothed, nll_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        rows, weight, bias = ctx.saved_tensors
        scale = grad_outputs[0]
        of_bias = bias * scale.to(bias.dtype) if ctx.has_bias else None
        return rows * scale.to(rows.dtype), weight * scale.to(weight.dtype), of_bias, None, None, None, None


def _in_blocks(
    rows_2ND: Tensor,
    weight_VD: Tensor,
    bias_V: Tensor | None,
    target_N: Tensor,
    smoothing: float,
    alpha: float,
    need_grad: bool,
) -> tuple[Tensor, Tensor, Tensor, tuple[Tensor, ...]]:
    """(Σ total, Σ smoothed, mean nll_N, gradients of rows, weight and bias), block by block."""
    wide = torch.promote_types(weight_VD.dtype, torch.float32)
    rows, W = rows_2ND.to(wide), weight_VD.to(wide)
    V, count = len(W), rows.shape[1]
    b = W.new_zeros(V) if bias_V is None else bias_V.to(wide)
    d_rows, d_weight, d_bias = torch.empty_like(rows), torch.zeros_like(W), torch.zeros_like(b)
    nll_N, smoothed, apart = rows.new_zeros(count), rows.new_zeros(()), rows.new_zeros(())
    block = max(32, min(512, BLOCK_NUMBERS // (2 * V)))
    for start in range(0, count, block):
        span = slice(start, min(start + block, count))
        x_2RD, y_R = rows[:, span], target_N[span]
        log_p_2RV = torch.log_softmax(torch.matmul(x_2RD, W.t()).add_(b), dim=-1)
        nll_2R = -log_p_2RV.gather(-1, y_R.expand(2, -1)[..., None])[..., 0]
        nll_N[span] = nll_2R.mean(0)
        smoothed += ((1 - smoothing) * nll_2R - smoothing * log_p_2RV.mean(-1)).sum() / 2
        p_2RV = log_p_2RV.exp()
        gap_RV = log_p_2RV[0] - log_p_2RV[1]
        # KL(p_1‖p_2) and KL(p_2‖p_1)
        divergence_2R = torch.stack([(p_2RV[0] * gap_RV).sum(-1), -(p_2RV[1] * gap_RV).sum(-1)])
        apart += divergence_2R.sum()
        if need_grad:
            g_2RV = _logit_gradient(p_2RV, gap_RV, divergence_2R, y_R, smoothing, alpha)
            d_rows[:, span] = g_2RV @ W
            d_weight.addmm_(g_2RV.flatten(0, 1).t(), x_2RD.flatten(0, 1))
            d_bias += g_2RV.sum((0, 1))
    gradients = (d_rows.to(rows_2ND.dtype), d_weight.to(weight_VD.dtype), d_bias.to(weight_VD.dtype))
    return smoothed + alpha / 4 * apart, smoothed, nll_N, gradients


def _logit_gradient(
    p_2RV: Tensor, gap_RV: Tensor, divergence_2R: Tensor, y_R: Tensor, smoothing: float, alpha: float
) -> Tensor:
    """The gradient of the total by both passes' logits.

    ∂CE_1/∂l_1 = p_1 − ε/V − (1−ε)·1_y;   with g = log p_1 − log p_2
    ∂(KL(p_1‖p_2) + KL(p_2‖p_1))/∂l_1 = p_1 (g − KL(p_1‖p_2)) + p_1 − p_2,   and with the passes exchanged for l_2
    """
    apart_RV = p_2RV[0] - p_2RV[1]
    g_2RV = p_2RV * (0.5 - alpha / 4 * divergence_2R[..., None])
    g_2RV[0].addcmul_(p_2RV[0], gap_RV, value=alpha / 4).add_(apart_RV, alpha=alpha / 4)
    g_2RV[1].addcmul_(p_2RV[1], gap_RV, value=-alpha / 4).sub_(apart_RV, alpha=alpha / 4)
    g_2RV.sub_(0.5 * smoothing / g_2RV.shape[-1])
    y_2R1 = y_R.expand(2, -1)[..., None]
    return g_2RV.scatter_add_(-1, y_2R1, torch.full_like(y_2R1, -0.5 * (1 - smoothing), dtype=g_2RV.dtype))
