"""The sum over all alignments of a sentence: a hidden Markov chain over source positions.

Target words are written from left to right. Before each word a coin is thrown: with probability p₀ the word comes from
no source word (null) and the position stays; otherwise the position jumps and the source word there writes it:

    α_j(i) = (1 − p₀) Σ_i' α_{j−1}(i') a(i | i') p(e_j | f_i)  +  p₀ α_{j−1}(i) p(e_j | null)
    p(e | f) = Σ_i α_T(i)

(Vogel, Ney and Tillmann 1996; null as a step in place, after Och and Ney 2003.) The first position is drawn from a
distribution of its own, also when the first word is null. Everything is differentiable, and the gradient of
log p(e | f) by log p(e_j | f_i) is the posterior probability that word j came from word i: the attention.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Emissions = Float[Tensor, "B T S"]


def log_likelihood(
    log_emit_BTS: Emissions,
    log_null_BT: Float[Tensor, "B T"],
    jump_BSS: Float[Tensor, "B S S"],
    start_BS: Float[Tensor, "B S"],
    null: Float[Tensor, ""],
    mask_BT: Bool[Tensor, "B T"],
) -> Float[Tensor, "B"]:
    """log p(e | f) of each sentence; source positions that are padding have no jump and no start into them.

    `jump_BSS[b, i', i]` is a(i | i'), `null` is p₀, and words outside the mask are not counted.
    """
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


def posteriors(
    log_emit_BTS: Emissions,
    log_null_BT: Float[Tensor, "B T"],
    jump_BSS: Float[Tensor, "B S S"],
    start_BS: Float[Tensor, "B S"],
    null: Float[Tensor, ""],
    mask_BT: Bool[Tensor, "B T"],
) -> Emissions:
    """p(a_j = i | e, f): the attention of each target word over the source; what is missing to one is null's."""
    with torch.enable_grad():
        leaf_BTS = log_emit_BTS.detach().requires_grad_()
        fixed = (log_null_BT.detach(), jump_BSS.detach(), start_BS.detach(), null.detach())
        total = log_likelihood(leaf_BTS, *fixed, mask_BT).sum()
        (weights_BTS,) = torch.autograd.grad(total, leaf_BTS)
    return weights_BTS
