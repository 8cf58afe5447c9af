"""Identities that hold for every mechanism of the catalogue."""

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck

from jumok.attention import Attention, build
from jumok.attention.normalise import Entmax, Entmax15, Softmax, Sparsemax
from jumok.attention.scope import Global
from jumok.attention.score import Additive, Concat, General, Perceptron
from tests.attention.conftest import CONTENT, NAMES, B, D, Q, S, T


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_a_distribution_inside_the_mask(name, make, tensors):
    query, keys, values = tensors()
    mask = torch.rand(B, T, S, generator=torch.Generator().manual_seed(1)) > 0.4
    out = make(name)(query, keys, values, mask)
    weights = out.weights if out.weights.dim() == 4 else out.weights.unsqueeze(1)
    assert (weights >= 0).all()
    assert (weights[~mask.unsqueeze(1).expand_as(weights)] == 0).all()
    total = weights.sum(-1)
    alive = mask.any(-1).unsqueeze(1)
    if name == "luong-local-p":  # as published the Gaussian comes after the softmax
        assert (total <= 1 + 1e-9).all()
        assert (total[alive] > 0).all()
    elif name in ("causal", "window"):  # a row may have nothing left inside both scope and mask
        assert ((total - 1).abs().lt(1e-9) | (total == 0)).all()
    else:
        torch.testing.assert_close(total, alive.expand_as(total).to(total.dtype))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_rows_with_nothing_to_attend_give_zeros_and_finite_gradients(name, dtype, make, tensors):
    attend = make(name, dtype).train()
    query, keys, values = (states.requires_grad_() for states in tensors(dtype))
    mask = torch.ones(B, T, S, dtype=torch.bool)
    mask[0] = False
    mask[1, 2] = False
    for need_weights in (True, False):
        out = attend(query, keys, values, mask, need_weights)
        assert out.context.dtype == dtype
        assert out.context.isfinite().all()
        if name != "transformer":  # its output projection adds a bias
            assert (out.context[0] == 0).all()
            assert (out.context[1, 2] == 0).all()
        loss = out.context.float().sum() + (0 if out.log_prob is None else out.log_prob.float().sum())
        loss.backward()
        leaves = [query, keys, values, *attend.parameters()]
        assert all(leaf.grad is None or leaf.grad.isfinite().all() for leaf in leaves)


@pytest.mark.parametrize("name", CONTENT)
def test_masking_equals_dropping_columns(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    keep = torch.tensor([0, 2, 3, 6, 10])
    mask = torch.zeros(S, dtype=torch.bool)
    mask[keep] = True
    masked = attend(query, keys, values, mask.expand(1, 1, S))
    dropped = attend(query, keys[:, keep], values[:, keep])
    torch.testing.assert_close(masked.context, dropped.context)
    torch.testing.assert_close(masked.weights[..., keep], dropped.weights)


@pytest.mark.parametrize("name", CONTENT)
def test_permuting_the_source_permutes_the_weights(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    order = torch.randperm(S, generator=torch.Generator().manual_seed(3))
    straight, permuted = attend(query, keys, values), attend(query, keys[:, order], values[:, order])
    torch.testing.assert_close(permuted.weights, straight.weights[..., order])
    torch.testing.assert_close(permuted.context, straight.context)


@pytest.mark.parametrize("name", NAMES)
def test_padding_changes_nothing(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    straight = attend(query, keys, values)
    garbage = torch.full((B, 4, 1), 1e3, dtype=keys.dtype)
    longer = (
        torch.cat([keys, garbage.expand(-1, -1, Q)], 1),
        torch.cat([values, garbage.expand(-1, -1, D)], 1),
    )
    mask = torch.arange(S + 4) < S
    padded = attend(query, *longer, mask.expand(1, 1, -1))
    torch.testing.assert_close(padded.context, straight.context)
    torch.testing.assert_close(padded.weights[..., :S], straight.weights)


@pytest.mark.parametrize("name", NAMES)
def test_without_weights_the_context_is_the_same(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    mask = torch.rand(B, 1, S, generator=torch.Generator().manual_seed(8)) > 0.3
    for given_mask in (None, mask):
        whole = attend(query, keys, values, given_mask)
        lean = attend(query, keys, values, given_mask, need_weights=False)
        torch.testing.assert_close(lean.context, whole.context)


@pytest.mark.parametrize("name", NAMES)
def test_prepared_keys_stand_for_keys_and_steps_for_the_whole(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    mask = (torch.arange(S) < torch.tensor([[S], [7], [9]])).unsqueeze(1)
    whole = attend(query, keys, values, mask)
    prepared = attend.prepare(keys, values, mask)
    state = attend.initial_state(prepared)
    for t in range(T):
        at = torch.full((B, 1), t)
        step = attend(query[:, t : t + 1], prepared, positions=at, state=state)
        state = step.state
        torch.testing.assert_close(step.context, whole.context[:, t : t + 1])
        torch.testing.assert_close(step.weights, whole.weights[..., t : t + 1, :])


@pytest.mark.parametrize("name", NAMES)
def test_selected_rows_attend_as_before(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    mask = (torch.arange(S) < torch.tensor([[S], [7], [9]])).unsqueeze(1)
    rows = torch.tensor([2, 0, 0, 1, 2])
    expected = attend(query, keys, values, mask).context[rows]
    selected = attend(query[rows], attend.prepare(keys, values, mask).select(rows))
    torch.testing.assert_close(selected.context, expected)


@pytest.mark.parametrize("name", NAMES)
def test_imposed_weights_are_obeyed(name, make, tensors):
    attend = make(name)
    query, keys, values = tensors()
    weights = torch.rand(B, T, S, dtype=torch.float64)
    out = attend(query, keys, values, override=weights)
    if name == "transformer":
        assert (out.weights == weights.unsqueeze(1)).all()
    else:
        torch.testing.assert_close(out.context, weights @ values)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"hard", "uniform", "sparsemax"}))
def test_gradients_are_right(name, make, tensors):
    """Numerical differentiation agrees; sparsemax is checked in entmax's own tests, as it is not smooth."""
    torch.manual_seed(2)
    attend = make(name)
    query, keys, values = (states[:2, :3].clone().requires_grad_() for states in tensors())
    mask = torch.tensor([[True, True, True], [True, True, False]]).unsqueeze(1)
    for need_weights in (True, False):
        context = lambda q, k, v, w=need_weights: attend(q, k, v, mask, w).context  # noqa: E731
        assert gradcheck(context, (query, keys, values), atol=1e-6)


def test_concat_is_additive_with_the_matrices_side_by_side(tensors):
    query, keys, _ = tensors()
    additive, concat = Additive(Q, Q, 17).double(), Concat(Q, Q, 17).double()
    with torch.no_grad():
        concat.W.copy_(torch.cat([additive.W_q, additive.W_k], 1))
        concat.v.copy_(additive.v)
    torch.testing.assert_close(concat(query, concat.prepare(keys)), additive(query, additive.prepare(keys)))
    # … and both are what Luong wrote: vᵀ tanh(W [q; k_i]).
    pairs = torch.cat([query.unsqueeze(2).expand(-1, -1, S, -1), keys.unsqueeze(1).expand(-1, T, -1, -1)], -1)
    torch.testing.assert_close(torch.tanh(pairs @ concat.W.T) @ concat.v, concat(query, concat.prepare(keys)))


def test_one_perceptron_layer_cannot_use_the_query(tensors):
    query, keys, values = tensors()
    attend = Attention(Perceptron(Q, Q, layers=1), Global(), Softmax()).double()
    one, other = attend(query, keys, values), attend(query.flip(1) * 5, keys, values)
    torch.testing.assert_close(one.weights, other.weights)
    deep = Attention(Perceptron(Q, Q, layers=3), Global(), Softmax()).double()
    assert (deep(query, keys, values).weights - deep(query.flip(1) * 5, keys, values).weights).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("W", "score"), [([[1, 0], [0, 1]], -13.0), ([[1, 0], [0, 4]], -58.0), ([[1, 7], [-8, 4]], -141.0)]
)
def test_general_score_by_hand(W, score):
    general = General(2, 2).double()
    with torch.no_grad():
        general.W.copy_(torch.tensor(W))
    query, key = torch.tensor([[[1.0, 3.0]]]).double(), torch.tensor([[[2.0, -5.0]]]).double()
    assert general(query, general.prepare(key)).item() == score


def test_entmax_runs_from_softmax_to_sparsemax(tensors):
    scores = tensors()[0]
    near_one = Entmax(1 + 1e-4, learn_alpha=False).double()(scores)
    torch.testing.assert_close(near_one, Softmax()(scores), atol=1e-3, rtol=0)
    torch.testing.assert_close(Entmax(1.0, learn_alpha=False)(scores), Softmax()(scores))
    torch.testing.assert_close(Entmax(2.0, learn_alpha=False).double()(scores), Sparsemax()(scores))
    torch.testing.assert_close(Entmax(1.5).double()(scores), Entmax15()(scores))


def test_learned_alpha_gets_a_gradient(tensors):
    align = Entmax(1.5).double()
    align(tensors()[0]).square().sum().backward()
    assert align.a.grad is not None
    assert align.a.grad.abs() > 0


def test_temperature_divides_the_scores(make, tensors):
    query, keys, values = tensors()
    warm = make("general", temperature=3.0)
    expected = (warm(query, keys, values).scores / 3.0).softmax(-1)
    torch.testing.assert_close(warm(query, keys, values).weights, expected)
    lean = warm(query, keys, values, need_weights=False)
    torch.testing.assert_close(lean.context, expected @ values)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    sizes=st.tuples(*[st.integers(1, 6)] * 3),
    heads=st.booleans(),
    data=st.data(),
)
def test_any_shape_and_mask(name, sizes, heads, data):
    """Any number of queries and keys, with and without a head dimension, under any broadcastable mask."""
    batch, queries, keys_n = sizes
    leading = (batch, 2) if heads and name != "transformer" else (batch,)
    torch.manual_seed(0)
    attend = build(name, query_dim=Q, key_dim=Q, value_dim=D).double().eval()
    draw = partial(torch.randn, dtype=torch.float64)
    query, keys = draw(*leading, queries, Q), draw(*leading, keys_n, Q)
    values = draw(*leading, keys_n, D)
    shape = [data.draw(st.sampled_from([1, size])) for size in (*leading, queries)] + [keys_n]
    bits = data.draw(st.lists(st.booleans(), min_size=1, max_size=8))
    mask = (
        torch.tensor(bits).repeat(-(-torch.Size(shape).numel() // len(bits)))[: torch.Size(shape).numel()].view(shape)
    )
    out = attend(query, keys, values, mask)
    context_dim = attend.context_dim(D)
    assert out.context.shape == (*leading, queries, context_dim)
    assert out.context.isfinite().all()
    wide = mask.unsqueeze(1) if name == "transformer" else mask
    assert (out.weights.masked_select(~wide.expand_as(out.weights)) == 0).all()
    lean = attend(query, keys, values, mask, need_weights=False)
    torch.testing.assert_close(lean.context, out.context)
