"""Attention for a loop that asks one query per sentence at a time, with the gradient written by hand.

A recurrent decoder cannot ask its next query before it has seen the answer to the last, so all the work that does not
wait is done before the loop (`__init__`) or after it (`finish`), and a step writes into memory that is there already.

    scores   additive: vᵀ tanh(q + k_s)      dot: scale · qᵀ k_s
    weights  α = softmax(scores / τ)
    context  c = Σ_s α_s x_s

The plain path is `Attention`; `tests/models/test_whole_decoder.py` holds the two to the same numbers.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class StepForm:
    """A mechanism that these kernels know: softmax over all positions of an additive or dot-product score."""

    W_q: Tensor | None
    """What the query is multiplied by, [A, Q], or None for the query itself."""
    v: Tensor | None
    """The vector [A] of an additive score, or None for a dot product."""
    scale: float
    """What scores are multiplied by before the softmax."""


class AdditiveSteps:
    """vᵀ tanh(q + k_s), step after step, against keys whose exponentials are taken once.

    tanh(x) = 2σ(2x) − 1 with σ(2(q + k)) = 1 / (1 + e^(−2q) e^(−2k)); the −1 adds the same to every score of a row and
    has no part in the softmax.
    """

    def __init__(self, keys_BSA: Tensor, v_A: Tensor, scale: float, query_limit: float) -> None:
        self.keys, self.v = keys_BSA, v_A * scale
        self.scale = scale
        # Neither factor may overflow or vanish alone: e^100 · e^−100 must stay 1. (NaN compares false.)
        limit = math.log(torch.finfo(keys_BSA.dtype).max) / 2 - 1
        low, high = torch.aminmax(keys_BSA)
        self.factored = bool((low >= -limit) & (high <= limit)) and query_limit <= limit
        if self.factored:
            self.keys = (-2 * keys_BSA).exp_()
        self.one = keys_BSA.new_ones(())
        self.twice_v = 2 * self.v
        self.sigma = torch.empty_like(keys_BSA)
        self.slope = self.d_keys = self.sum_g_sigma = self.sigma

    def _sigmoids(self, query_BA: Tensor) -> Tensor:
        query = query_BA[:, None]
        if self.factored:
            return torch.addcmul(self.one, (-2 * query).exp_(), self.keys, out=self.sigma).reciprocal_()
        return torch.add(2 * query, self.keys, alpha=2, out=self.sigma).sigmoid_()

    def scores(self, query_BA: Tensor) -> Tensor:
        """The scores [B, S] of one query for each sentence, each row up to a constant."""
        sigma = self._sigmoids(query_BA)
        return (sigma.view(-1, sigma.shape[-1]) @ self.twice_v).view(sigma.shape[:2])

    def start_backward(self) -> None:
        """Room for the gradients, before the first call of `backward`."""
        self.slope, self.d_keys = torch.empty_like(self.sigma), torch.zeros_like(self.sigma)
        self.sum_g_sigma = torch.zeros_like(self.v)

    def backward(self, query_BA: Tensor, grad_BS: Tensor, out_BA: Tensor) -> None:
        """Writes the query's gradient to `out_BA` and adds to those of keys and v."""
        # ∂/∂q = 4v ⊙ Σ_s g σ(1 − σ)    ∂/∂k_s = 4v ⊙ g σ(1 − σ)    ∂/∂v = Σ_s g (2σ − 1)
        sigma, grad_B1S = self._sigmoids(query_BA), grad_BS[:, None]
        self.sum_g_sigma += torch.bmm(grad_B1S, sigma).sum((0, 1))
        slope = torch.addcmul(sigma, sigma, sigma, value=-1, out=self.slope)
        torch.mul(torch.bmm(grad_B1S, slope)[:, 0], 4 * self.v, out=out_BA)
        self.d_keys.addcmul_(slope, grad_BS[:, :, None])

    def finish(self, query_TBA: Tensor, grad_TBS: Tensor) -> tuple[Tensor, Tensor | None]:
        """The gradients of keys and v, from all steps."""
        return self.d_keys.mul_(4 * self.v), (2 * self.sum_g_sigma - grad_TBS.sum()) * self.scale


class DotSteps:
    """scale · qᵀ k_s, step after step."""

    def __init__(self, keys_BSA: Tensor, scale: float) -> None:
        self.keys, self.scale = keys_BSA, scale

    def scores(self, query_BA: Tensor) -> Tensor:
        """The scores [B, S] of one query for each sentence."""
        return torch.bmm(self.keys, query_BA[:, :, None])[:, :, 0] * self.scale

    def start_backward(self) -> None:
        """Nothing: there is nothing to add up on the way."""

    def backward(self, query_BA: Tensor, grad_BS: Tensor, out_BA: Tensor) -> None:
        """Writes the query's gradient to `out_BA`."""
        out_BA.copy_(torch.bmm(grad_BS[:, None], self.keys)[:, 0]).mul_(self.scale)

    def finish(self, query_TBA: Tensor, grad_TBS: Tensor) -> tuple[Tensor, Tensor | None]:
        """The gradient of the keys, one product for all steps."""
        return torch.bmm(grad_TBS.permute(1, 2, 0), query_TBA.transpose(0, 1)).mul_(self.scale), None


class AttentionSteps:
    """Scores, softmax and weighted sum for T steps, of which the weights are kept."""

    def __init__(
        self,
        scores: AdditiveSteps | DotSteps,
        values_BSC: Tensor,
        hidden_BS: Tensor | None,
        steps: int,
    ) -> None:
        """`hidden_BS` is True at positions that may not be attended; no row may be hidden wholly."""
        self.scores, self.values, self.hidden = scores, values_BSC, hidden_BS
        B, S, _ = values_BSC.shape
        self.weights_TBS = values_BSC.new_empty(steps, B, S)
        self.d_scores_TBS = self.weights_TBS

    def forward(self, t: int, query_BA: Tensor, out_BC: Tensor) -> None:
        """Writes the context of step t."""
        scores_BS = self.scores.scores(query_BA)
        if self.hidden is not None:
            scores_BS.masked_fill_(self.hidden, -math.inf)
        torch.softmax(scores_BS, -1, out=self.weights_TBS[t])
        torch.bmm(self.weights_TBS[t][:, None], self.values, out=out_BC[:, None])

    def start_backward(self) -> None:
        """Room for the gradients, before the first call of `backward`."""
        self.d_scores_TBS = torch.empty_like(self.weights_TBS)
        self.scores.start_backward()

    def backward(self, t: int, query_BA: Tensor, grad_BC: Tensor, grad_BS: Tensor | None, out_BA: Tensor) -> None:
        """Writes the query's gradient, from those of the context and, where given, of the weights."""
        d_weights_BS = torch.bmm(self.values, grad_BC[:, :, None])[:, :, 0]
        if grad_BS is not None:
            d_weights_BS += grad_BS
        # ∂/∂e = α ⊙ (g − Σ α g)
        weights_BS, d_scores_BS = self.weights_TBS[t], self.d_scores_TBS[t]
        d_weights_BS -= (weights_BS * d_weights_BS).sum(-1, keepdim=True)
        torch.mul(weights_BS, d_weights_BS, out=d_scores_BS)
        self.scores.backward(query_BA, d_scores_BS, out_BA)

    def finish(self, query_TBA: Tensor, grad_TBC: Tensor) -> tuple[Tensor, Tensor | None, Tensor]:
        """The gradients of keys, v and values, given each step's query and its context's gradient."""
        d_keys, d_v = self.scores.finish(query_TBA, self.d_scores_TBS)
        return d_keys, d_v, torch.bmm(self.weights_TBS.permute(1, 2, 0), grad_TBC.transpose(0, 1))
