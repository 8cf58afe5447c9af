"""Multi-head attention from the same pieces equals torch's own with copied weights."""

import pytest
import torch
from torch import nn

from jumok.attention import MultiHead, build
from jumok.attention.attention import Prepared
from jumok.attention.rotary import Rotary

B, T, S, D, H = 3, 5, 7, 12, 3


def torchs(key_dim: int = D, value_dim: int = D) -> nn.MultiheadAttention:
    torch.manual_seed(5)
    theirs = nn.MultiheadAttention(D, H, kdim=key_dim, vdim=value_dim, batch_first=True).double().eval()
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=0.3)
    return theirs


def copied(theirs: nn.MultiheadAttention, key_dim: int = D, value_dim: int = D, **options) -> MultiHead:
    ours = build("transformer", query_dim=D, key_dim=key_dim, value_dim=value_dim, heads=H, **options).double().eval()
    assert isinstance(ours, MultiHead)
    if theirs.in_proj_weight is None:
        weights = (theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight)
    else:
        weights = theirs.in_proj_weight.chunk(3)
    with torch.no_grad():
        for layer, weight, bias in zip(
            (ours.W_q, ours.W_k, ours.W_v), weights, theirs.in_proj_bias.chunk(3), strict=True
        ):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
        ours.W_o.weight.copy_(theirs.out_proj.weight)
        ours.W_o.bias.copy_(theirs.out_proj.bias)
    return ours


@pytest.mark.parametrize("need_weights", [True, False])
def test_encoder_decoder_attention_equals_torch(need_weights):
    theirs = torchs(11, 13)
    ours = copied(theirs, 11, 13)
    query, keys, values = (
        torch.randn(B, T, D).double(),
        torch.randn(B, S, 11).double(),
        torch.randn(B, S, 13).double(),
    )
    mask = torch.arange(S) < torch.tensor([[S], [4], [6]])
    out = ours(query, keys, values, mask[:, None, :], need_weights)
    context, weights = theirs(query, keys, values, key_padding_mask=~mask, average_attn_weights=False)
    torch.testing.assert_close(out.context, context)
    if need_weights:
        assert out.weights.shape == (B, H, T, S)
        torch.testing.assert_close(out.weights, weights)


@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_self_attention_equals_torch(need_weights):
    theirs = torchs()
    ours = copied(theirs, scope="causal")
    states = torch.randn(B, T, D, dtype=torch.float64)
    future = torch.ones(T, T, dtype=torch.bool).triu(1)
    context, _ = theirs(states, states, states, attn_mask=future)
    torch.testing.assert_close(ours(states, states, need_weights=need_weights).context, context)


def test_gradients_equal_torchs():
    theirs = torchs()
    ours = copied(theirs)
    states = torch.randn(B, T, D, dtype=torch.float64)
    theirs(states, states, states)[0].square().sum().backward()
    ours(states, states, need_weights=False).context.square().sum().backward()
    grads = torch.cat([layer.weight.grad for layer in (ours.W_q, ours.W_k, ours.W_v)])
    torch.testing.assert_close(grads, theirs.in_proj_weight.grad)


def test_one_head_with_identity_projections_is_plain_attention():
    multi = build("additive", query_dim=7, key_dim=7, heads=1).double()
    with torch.no_grad():
        for layer in (multi.W_q, multi.W_k, multi.W_v, multi.W_o):
            layer.weight.copy_(torch.eye(7))
    query, keys = torch.randn(2, 3, 7).double(), torch.randn(2, 5, 7).double()
    plain = multi.attention(query, keys)
    torch.testing.assert_close(multi(query, keys).context, plain.context)
    torch.testing.assert_close(multi(query, keys).weights.squeeze(1), plain.weights)


def followed_by(cache: Prepared, later: Prepared) -> Prepared:
    keys, values = (torch.cat(both, -2) for both in ((cache.keys, later.keys), (cache.values, later.values)))
    return Prepared(keys, values, None, cache.lengths + later.lengths)


@pytest.mark.parametrize("rotary", [False, True])
def test_a_growing_cache_equals_the_whole_sequence(rotary):
    attend = build("transformer", query_dim=D, key_dim=D, heads=H, scope="causal", rotary=rotary).double().eval()
    states = torch.randn(B, T, D, dtype=torch.float64)
    whole = attend(states, states)
    cache = None
    for t in range(T):
        here = states[:, t : t + 1]
        new = attend.prepare(here, offset=t)
        cache = new if cache is None else followed_by(cache, new)
        step = attend(here, cache, positions=torch.full((B, 1), t))
        torch.testing.assert_close(step.context, whole.context[:, t : t + 1])


def test_rotary_scores_depend_on_distance_alone():
    rotary = Rotary(8).double()
    query, key = torch.randn(1, 1, 8).double(), torch.randn(1, 1, 8).double()

    def score(i: int, j: int) -> torch.Tensor:
        return (rotary(query, torch.tensor([i])) * rotary(key, torch.tensor([j]))).sum()

    torch.testing.assert_close(score(3, 7), score(103, 107))
    torch.testing.assert_close(rotary(query, torch.tensor([5])).norm(), query.norm())
    assert (score(3, 7) - score(3, 8)).abs() > 1e-4
