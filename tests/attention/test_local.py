"""Local scopes: a window computed alone equals the same window cut out of everything."""

import pytest
import torch

from jumok.attention import build
from jumok.attention.scope import LocalP
from tests.attention.conftest import B, Q, S, T


@pytest.mark.parametrize("name", ["luong-local-m", "luong-local-p"])
def test_wide_window_is_global(name, make, tensors):
    query, keys, values = tensors()
    wide = make(name, D=10**6)
    everything = build("general", query_dim=Q, key_dim=Q).double()
    everything.load_state_dict({"score.W": wide.state_dict()["score.W"]})
    local, whole = wide(query, keys, values), everything(query, keys, values)
    torch.testing.assert_close(local.weights, whole.weights)
    torch.testing.assert_close(local.context, whole.context)


@pytest.mark.parametrize("score", ["general", "additive", "location", "kernel", "cosine"])
@pytest.mark.parametrize("scope", ["local_m", "local_p", "window"])
@pytest.mark.parametrize("align", ["softmax", "sparsemax", "hard"])
def test_windowed_path_equals_dense_path(score, scope, align, make, tensors):
    """The dense path with the window as a mask is the reference; the windowed path only computes less."""
    options = {"w": 2} if scope == "window" else {"D": 2}
    attend = make("general", score=score, scope=scope, align=align, **options)
    query, keys, values = tensors()
    mask = (torch.arange(S) < torch.tensor([[S], [7], [9]])).unsqueeze(1)
    positions = torch.tensor([[0, 3, 5, 8, 10]]).expand(B, T)
    narrow = attend(query, keys, values, mask, positions=positions)

    prepared = attend.prepare(keys, values, mask)
    centre = attend.scope.centre(query, positions, prepared.lengths)
    offset = torch.arange(S) - centre.unsqueeze(-1)
    inside = attend.scope.inside(offset) & mask
    dense = build("general", query_dim=Q, key_dim=Q, score=score, align=align).double().eval()
    dense.load_state_dict({k: v for k, v in attend.state_dict().items() if k.startswith(("score", "align"))})
    whole = dense(query, keys, values, inside)
    gain = attend.scope.gain(offset)
    weights = whole.weights if gain is None else whole.weights * gain
    torch.testing.assert_close(narrow.weights, weights)
    torch.testing.assert_close(narrow.context, weights @ values)
    torch.testing.assert_close(narrow.scores[inside], whole.scores[inside])
    lean = attend(query, keys, values, mask, need_weights=False, positions=positions)
    torch.testing.assert_close(lean.context, narrow.context)


def test_predicted_centre_as_published(make, tensors):
    """p_t = n · sigmoid(v_pᵀ tanh(W_p s_t)) with the true length n of each sentence."""
    attend = make("luong-local-p", D=2)
    query, keys, values = tensors()
    lengths = torch.tensor([[S], [7], [9]])
    mask = (torch.arange(S) < lengths).unsqueeze(1)
    scope = attend.scope
    assert isinstance(scope, LocalP)
    p = lengths * torch.sigmoid(torch.tanh(query @ scope.W_p.weight.T) @ scope.v_p.weight.T).squeeze(-1)
    torch.testing.assert_close(attend(query, keys, values, mask).terms["centre"].value, p)


def test_gradient_reaches_the_predicted_centre(make, tensors):
    attend = make("luong-local-p", D=2)
    query, keys, values = tensors()
    attend(query, keys, values).context.square().sum().backward()
    assert attend.scope.W_p.weight.grad.abs().max() > 0
    assert attend.scope.v_p.weight.grad.abs().max() > 0


def test_renormalised_weights_sum_to_one(make, tensors):
    query, keys, values = tensors()
    published, renormalised = make("luong-local-p", D=2), make("luong-local-p", D=2, renormalise=True)
    assert (published(query, keys, values).weights.sum(-1) < 1).all()
    total = renormalised(query, keys, values).weights.sum(-1)
    torch.testing.assert_close(total, torch.ones_like(total))


def test_a_step_far_beyond_the_source_sees_nothing_but_stays_finite(make, tensors):
    attend = make("luong-local-m", D=2)
    query, keys, values = tensors()
    out = attend(query, keys, values, positions=torch.full((B, T), 500))
    assert (out.context == 0).all()
    assert (out.weights == 0).all()


def test_causal_window_looks_back_only(make, tensors):
    query, keys, values = tensors(queries=S)
    weights = make("window", w=2, causal=True)(query, keys, values).weights
    t, i = torch.arange(S)[:, None], torch.arange(S)[None, :]
    assert ((weights > 0) == ((i <= t) & (i >= t - 2))).all()
