"""The sum over all alignments of a sentence: a hidden Markov chain over source positions.

Target words are written from left to right. Before each word a coin is thrown: with probability p₀ the word comes from
no source word (null) and the position stays; otherwise the position jumps and the source word there writes it:

    α_j(i) = (1 − p₀) Σ_i' α_{j−1}(i') a(i | i') p(e_j | f_i)  +  p₀ α_{j−1}(i) p(e_j | null)
    p(e | f) = Σ_i α_T(i)

(Vogel, Ney and Tillmann 1996; null as a step in place, after Och and Ney 2003.) The first position is drawn from a
distribution of its own, also when the first word is null. Everything is differentiable, and the gradient of
log p(e | f) by log p(e_j | f_i) is the posterior probability that word j came from word i: the attention.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Chain(NamedTuple):
    """The probabilities of a batch; source positions that are padding have no jump and no start into them."""

    log_emit_BTS: Tensor
    """log p(e_j | f_i)"""
    log_null_BT: Tensor
    """log p(e_j | null)"""
    jump_BSS: Tensor
    """a(i | i') at [b, i', i]"""
    start_BS: Tensor
    """The first position's."""
    null: Tensor
    """p₀"""
    mask_BT: Tensor
    """Words outside it are not counted."""


def log_likelihood(chain: Chain) -> Tensor:
    """log p(e | f) of each sentence [B]."""
    log_emit_BTS, log_null_BT, jump_BSS, start_BS, null, mask_BT = chain
    # Emissions are scaled by the largest of each word, the forward variable by its sum: nothing underflows.
    peak_BT = torch.maximum(log_emit_BTS.amax(-1), log_null_BT).detach()
    emit_BTS = (log_emit_BTS - peak_BT[..., None]).exp() * (1 - null)
    null_BT1 = (log_null_BT - peak_BT).exp()[..., None] * null
    total_B = (peak_BT * mask_BT).sum(-1)
    forward_BS = start_BS
    arrive_BS = start_BS
    for j in range(emit_BTS.shape[1]):
        if j > 0:
            arrive_BS = torch.bmm(forward_BS[:, None], jump_BSS)[:, 0]
        step_BS = arrive_BS * emit_BTS[:, j] + forward_BS * null_BT1[:, j]
        scale_B = step_BS.sum(-1).clamp_min(torch.finfo(step_BS.dtype).tiny)
        real_B = mask_BT[:, j]
        total_B = total_B + scale_B.log().where(real_B, 0.0)
        forward_BS = (step_BS / scale_B[:, None]).where(real_B[:, None], forward_BS)
    return total_B


def posteriors(chain: Chain) -> Tensor:
    """p(a_j = i | e, f) [B, T, S]: the attention of each target word; what is missing to one is null's."""
    with torch.enable_grad():
        fixed = Chain(*(part.detach() for part in chain))
        leaf_BTS = fixed.log_emit_BTS.requires_grad_()
        (weights_BTS,) = torch.autograd.grad(log_likelihood(fixed).sum(), leaf_BTS)
    return weights_BTS
