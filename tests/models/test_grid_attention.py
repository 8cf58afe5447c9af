"""Self-attention over a grid: the published formula, any mechanism, and a layer for other people's networks."""

import pytest
import torch
from torch.nn.utils.parametrizations import spectral_norm

from jumok.errors import ShapeError
from jumok.models import GridSelfAttention


def layer_of(channels=16, mechanism="dot", dtype=torch.float32, **given):
    torch.manual_seed(3)
    layer = GridSelfAttention(channels, mechanism, **given).to(dtype)
    torch.nn.init.constant_(layer.gamma, 0.7)
    return layer


def written_out(layer, x_BCHW):
    """y_j = γ W_v Σ_i β_ji W_h x_i + x_j, position by position."""
    f, g, h, v = (part.weight.flatten(1) for part in (layer.f, layer.g, layer.h, layer.v))
    pictures, looks = [], []
    for x_CN in x_BCHW.flatten(2):
        rows = []
        outs = []
        for j in range(x_CN.shape[1]):
            s_N = torch.stack([(f @ x_CN[:, i]) @ (g @ x_CN[:, j]) for i in range(x_CN.shape[1])])
            beta_N = s_N.exp() / s_N.exp().sum()
            o = v @ sum(beta_N[i] * (h @ x_CN[:, i]) for i in range(x_CN.shape[1]))
            outs.append(layer.gamma * o + x_CN[:, j])
            rows.append(beta_N)
        pictures.append(torch.stack(outs, 1))
        looks.append(torch.stack(rows))
    return torch.stack(pictures).view_as(x_BCHW), torch.stack(looks)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_it_is_the_formula_written_out_forward_and_backward(need_weights, layout):
    layer = layer_of()
    x = torch.randn(2, 16, 3, 5).contiguous(memory_format=layout).requires_grad_()
    towards = torch.randn(2, 16, 3, 5)
    found = layer.look(x, need_weights)
    expected, beta = written_out(layer, x)
    of = [x, *layer.parameters()]
    got = torch.autograd.grad((found.features * towards).sum(), of)
    wanted = torch.autograd.grad((expected * towards).sum(), of)
    torch.testing.assert_close(found.features, expected, atol=1e-5, rtol=1e-5)
    for one, same in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, same, atol=1e-5, rtol=1e-5)
    if need_weights:
        torch.testing.assert_close(found.weights, beta, atol=1e-5, rtol=1e-5)
    else:
        assert found.weights is None


def test_a_new_layer_changes_nothing_and_learns_gamma_first():
    torch.manual_seed(1)
    layer = GridSelfAttention(8)
    x = torch.randn(2, 8, 4, 4)
    y = layer(x)
    assert torch.equal(y, x)
    (y**2).sum().backward()
    assert layer.gamma.grad is not None
    assert layer.gamma.grad.abs() > 0
    assert torch.equal(layer.v.weight.grad, torch.zeros_like(layer.v.weight))


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [("scaled_dot", {}), ("additive", {}), ("dot", {"normalise": "sparsemax"}), ("window", {"w": 2}), ("cosine", {})],
)
def test_any_mechanism_of_the_catalogue_is_the_same_with_and_without_weights(mechanism, options):
    layer = layer_of(16, mechanism, torch.float64, inner=3, options=options)
    x = torch.randn(2, 16, 3, 4, dtype=torch.float64)
    shown, plain = layer.look(x), layer(x)
    assert shown.weights.shape == (2, 12, 12)
    torch.testing.assert_close(shown.weights.sum(-1), torch.ones(2, 12, dtype=torch.float64))
    torch.testing.assert_close(shown.features, plain)
    if mechanism == "window":
        far = (torch.arange(12)[:, None] - torch.arange(12)).abs() > 2
        assert shown.weights[:, far].abs().max() == 0


def test_a_spectral_norm_can_be_put_on_each_projection():
    layer = layer_of()
    for name in ("f", "g", "h", "v"):
        spectral_norm(getattr(layer, name), n_power_iterations=20)
    x = torch.randn(2, 16, 3, 5)
    layer(x).sum().backward()
    largest = [
        float(torch.linalg.matrix_norm(part.weight.detach().flatten(1), 2)) for part in (layer.f, layer.g, layer.h)
    ]
    assert largest == pytest.approx([1, 1, 1], abs=1e-2)


def test_a_wrong_number_of_channels_is_named():
    with pytest.raises(ShapeError, match=r"\[B, 16, H, W\], got \[2, 8, 4, 4\]"):
        layer_of()(torch.randn(2, 8, 4, 4))
