"""Losses about attention: guided alignment, and the reward of hard attention."""

from collections.abc import Sequence

import torch
from torch import Tensor

BASELINE_DECAY = 0.9


def gold_rows(links: Sequence[Tensor], target_length: int, source_length: int) -> Tensor:
    """gold_BTS: each linked target token's links share its row evenly; rows without links are zero.

    `links` holds, for each sentence, pairs [L, 2] of (source token, target token).
    """
    device = links[0].device if links else None
    gold_BTS = torch.zeros(len(links), target_length, source_length, device=device)
    for row_TS, pairs in zip(gold_BTS, links, strict=True):
        row_TS[pairs[:, 1], pairs[:, 0]] = 1.0
    return gold_BTS / gold_BTS.sum(-1, keepdim=True).clamp_min(1.0)


def guided_alignment_loss(weights_BTS: Tensor, gold_BTS: Tensor) -> Tensor:
    """Σ over linked target tokens of the cross entropy from gold links to weights (Chen et al. 2016)."""
    # −Σ_s gold_ts log α_ts; a weight of exactly zero (sparse mechanisms) must not give an infinite loss.
    return -(gold_BTS * weights_BTS.float().clamp_min(1e-8).log()).sum()


def doubly_stochastic_loss(weights_BHTS: Tensor, mask_BT: Tensor) -> Tensor:
    """Σ over sources and heads of Σ_i (1 − Σ_t α_ti)²: every position should be looked at (Xu et al. 2015, eq. 14)."""
    given_BHS = (weights_BHTS * mask_BT[:, None, :, None]).sum(2)
    return ((1 - given_BHS) ** 2).sum() / weights_BHTS.shape[1]


def coverage_loss(weights_BTS: Tensor, mask_BT: Tensor) -> Tensor:
    """Σ_t Σ_i min(α_ti, cov_ti), cov_t = Σ_{t' < t} α_t': looking at the same words again costs (See et al. 2017)."""
    covered_BTS = weights_BTS.cumsum(1) - weights_BTS
    return (torch.minimum(weights_BTS, covered_BTS).sum(-1) * mask_BT).sum()


def reinforce_loss(log_prob_BT: Tensor, nll_BT: Tensor, mask_BT: Tensor, baseline: float) -> Tensor:
    """Σ −A_t log π(a_t): the score-function gradient for hard draws (Williams 1992; Xu et al. 2015).

    A draw is rewarded with the log-likelihood of this and all later tokens, each less the moving baseline:
    A_t = Σ_{t' ≥ t} (log p(y_t') − b).
    """
    reward_BT = (-nll_BT - baseline) * mask_BT
    advantage_BT = reward_BT.flip(1).cumsum(1).flip(1)
    return -(advantage_BT.detach() * log_prob_BT * mask_BT).sum()


def moved_baseline(baseline: float, reward: float, first: bool) -> float:
    """b ← b + (1 − d)(R − b): a moving mean of rewards, which lowers the variance of the score-function gradient."""
    return baseline + (1.0 if first else 1 - BASELINE_DECAY) * (reward - baseline)
