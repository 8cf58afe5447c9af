"""The loss of a mixture of generating and copying, in tiles: the matrix of all logits never exists."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import log_softmax, logsigmoid

from jumok.compiled import kernels
from jumok.models.cross_entropy import BLOCK_NUMBERS, COMPILED_BLOCK_NUMBERS

# No copied word is less likely than this: its logarithm and its gradient stay finite where attention gives a plain 0.
LEAST_COPY = 1e-20


def plain_mixture_cross_entropy(
    rows_ND: Tensor,
    weight_VD: Tensor,
    bias_V: Tensor,
    target_N: Tensor,
    gate_N: Tensor,
    copy_N: Tensor,
    smoothing: float,
) -> tuple[Tensor, Tensor]:
    """The loss written out, the reference for the tiled version: (Σ loss, −log p of each row).

        p(y)  = g p_vocab(y) + (1−g) c             g = σ(gate), c = Σ_i α_i [x_i = y]
        r     = g p_vocab(y) / p(y)                how much of y was generated, taken as a constant
        loss  = −(1−ε) log p(y) − ε r/V Σ_v log p_vocab(v)

    The smoothing of Szegedy et al. (2016) spreads mass over words that are generated; a word that is copied has nothing
    to spread, so ε counts as much as the word was generated. A target at or beyond V cannot be generated.
    """
    log_p_NV = log_softmax(rows_ND @ weight_VD.T + bias_V, -1)
    known_N = target_N < len(weight_VD)
    log_p_N = log_p_NV.gather(1, (target_N * known_N)[:, None])[:, 0].masked_fill(~known_N, -torch.inf)
    made_N, copied_N = logsigmoid(gate_N) + log_p_N, logsigmoid(-gate_N) + copy_N.clamp_min(LEAST_COPY).log()
    nll_N = -torch.logaddexp(made_N, copied_N)
    r_N = (made_N + nll_N).exp().detach()
    return ((1 - smoothing) * nll_N - smoothing * r_N * log_p_NV.mean(-1)).sum(), nll_N.detach()


def mixture_cross_entropy(
    rows_ND: Tensor,
    weight_VD: Tensor,
    bias_V: Tensor,
    target_N: Tensor,
    gate_N: Tensor,
    copy_N: Tensor,
    smoothing: float,
) -> tuple[Tensor, Tensor]:
    """The same loss without a matrix of logits; the gradients are made in the same pass."""
    return _Mixture.apply(rows_ND, weight_VD, bias_V, target_N, gate_N, copy_N, smoothing, torch.is_grad_enabled())  # pyright: ignore


class _Mixture(torch.autograd.Function):
    """(Σ loss, nll_N); forward makes the gradients, backward only scales them."""

    @staticmethod
    def forward(
        ctx: Any, rows_ND, weight_VD, bias_V, target_N, gate_N, copy_N, smoothing: float, need_grad: bool
    ) -> Any:
        with torch.autocast(rows_ND.device.type, enabled=False):
            dtype = weight_VD.dtype
            total, nll_N, gradients = _tiles(
                rows_ND.to(dtype), weight_VD, bias_V, target_N, gate_N.to(dtype), copy_N.to(dtype), smoothing, need_grad
            )
        kinds = (rows_ND.dtype, dtype, dtype, gate_N.dtype, copy_N.dtype)
        ctx.save_for_backward(*(one.to(kind) for one, kind in zip(gradients, kinds, strict=True)))
        ctx.mark_non_differentiable(nll_N)
        return total, nll_N

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        rows, weight, bias, gate, copy = (one * grad_outputs[0].to(one.dtype) for one in ctx.saved_tensors)
        return rows, weight, bias, None, gate, copy, None, None


def _tiles(
    rows_ND: Tensor, weight_VD: Tensor, bias_V: Tensor, target_N: Tensor, gate_N: Tensor, copy_N: Tensor,
    smoothing: float, need_grad: bool,
) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:  # fmt: skip
    """(Σ loss, nll_N, gradients of rows, weight, bias, gate and copy), block by block.

    By the logits the gradient is r times that of an ordinary row, r (p_vocab − ε/V − (1−ε) 1_y): the factor is put on
    the small side of each product. By the gate it is (1−ε)(g − r), by c it is −(1−ε)(1−g)/p(y).
    """
    N, V = len(rows_ND), len(weight_VD)
    rows_ND, W, known_N = rows_ND.contiguous(), weight_VD.contiguous(), target_N < V
    compiled = kernels.usable(rows_ND, W)
    block = max(64, min(1024, (COMPILED_BLOCK_NUMBERS if compiled else BLOCK_NUMBERS) // V))
    ways = _compiled_rows if compiled else _plain_rows
    logits_RV, losses = W.new_empty(min(block, N), V), W.new_empty(2, N)
    d_rows, d_weight, d_bias = torch.empty_like(rows_ND), torch.zeros_like(W), torch.zeros_like(bias_V)
    nll_N, r_N = W.new_empty(N), W.new_empty(N)
    for start in range(0, N, block):
        span = slice(start, min(start + block, N))
        x_RD = rows_ND[span]
        l_RV = torch.mm(x_RD, W.t(), out=logits_RV[: len(x_RD)])
        ways(l_RV, bias_V, (target_N * known_N)[span], smoothing, need_grad, losses[:, span])
        nll_N[span], r_N[span] = _mixed(losses[0, span], known_N[span], gate_N[span], copy_N[span])
        if need_grad:
            r_R = r_N[span]
            torch.mm(l_RV, W, out=d_rows[span])
            d_rows[span] *= r_R[:, None]
            d_weight.addmm_(l_RV.t(), x_RD * r_R[:, None])
            d_bias.addmv_(l_RV.t(), r_R)
    total = ((1 - smoothing) * nll_N + smoothing * r_N * losses[1]).sum()
    d_gate = (1 - smoothing) * (gate_N.sigmoid() - r_N)
    d_copy = -(1 - smoothing) * (logsigmoid(-gate_N) + nll_N).exp() * (copy_N > LEAST_COPY)
    return total, nll_N, (d_rows, d_weight, d_bias, d_gate, d_copy)


def _mixed(vocab_R: Tensor, known_R: Tensor, gate_R: Tensor, copy_R: Tensor) -> tuple[Tensor, Tensor]:
    """(−log p(y), r) of rows whose −log p_vocab(y) is known."""
    made_R = (logsigmoid(gate_R) - vocab_R).masked_fill(~known_R, -torch.inf)
    nll_R = -torch.logaddexp(made_R, logsigmoid(-gate_R) + copy_R.clamp_min(LEAST_COPY).log())
    return nll_R, (made_R + nll_R).exp()


def _compiled_rows(l_RV: Tensor, b: Tensor, y_R: Tensor, smoothing: float, need_grad: bool, losses: Tensor) -> None:
    """Writes −log p_vocab(y) and the smoothing's share into `losses`, and the gradient over the logits."""
    kernels.loss_rows(l_RV, b, y_R.contiguous(), smoothing, torch.zeros_like(b) if need_grad else None, losses)


def _plain_rows(l_RV: Tensor, b: Tensor, y_R: Tensor, smoothing: float, need_grad: bool, losses: Tensor) -> None:
    """`_compiled_rows` in torch."""
    log_p_RV = log_softmax(l_RV + b, -1)
    losses[0] = -log_p_RV.gather(1, y_R[:, None])[:, 0]
    losses[1] = -log_p_RV.mean(-1)
    if need_grad:
        l_RV.copy_(log_p_RV.exp_().sub_(smoothing / l_RV.shape[1]))
        l_RV.scatter_add_(1, y_R[:, None], l_RV.new_full((len(y_R), 1), smoothing - 1))
