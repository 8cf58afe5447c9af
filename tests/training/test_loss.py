"""The tiled loss equals the plain one, gradients included; the other losses follow their formulas."""

import math

import pytest
import torch
import torch.nn.functional as F

from jumok.models import cross_entropy
from jumok.shapes import PAD
from jumok.training import loss
from tests.rounding import EPSILON, assert_rounded, exact


def setting(dtype=torch.float32, B=3, T=7, D=11, V=23, bias=True):
    generator = torch.Generator().manual_seed(5)
    outputs = torch.randn(B, T, D, generator=generator, dtype=dtype)
    weight = torch.randn(V, D, generator=generator, dtype=dtype)
    target = torch.randint(1, V, (B, T), generator=generator)
    target[0, 4:], target[-1, 1:] = PAD, PAD
    return outputs, weight, torch.randn(V, generator=generator, dtype=dtype) if bias else None, target


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.73])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("block", [cross_entropy.BLOCK_NUMBERS, 1])
def test_tiled_loss_equals_plain_loss_with_gradients(monkeypatch, smoothing, bias, block):
    for name in ("BLOCK_NUMBERS", "COMPILED_BLOCK_NUMBERS"):
        monkeypatch.setattr(cross_entropy, name, min(block, getattr(cross_entropy, name)))
    *inputs, target = setting(B=41, T=7, bias=bias)

    def compute(function, dtype):
        leaves = [x if x is None else x.to(dtype).requires_grad_() for x in inputs]
        result = function(*leaves, target, smoothing)
        gradients = torch.autograd.grad(result.total / 17, [leaf for leaf in leaves if leaf is not None])
        return result.total.detach() / 17, result.nll_BT, *gradients

    expected = exact(lambda: compute(cross_entropy.plain_cross_entropy, torch.float64))
    assert_rounded(compute(cross_entropy.tiled_cross_entropy, torch.float32), expected)
    assert_rounded(compute(cross_entropy.plain_cross_entropy, torch.float32), expected)


def test_plain_loss_equals_torch():
    outputs, weight, bias, target = setting(torch.float64)
    ours = cross_entropy.plain_cross_entropy(outputs, weight, bias, target, 0.1)
    logits = F.linear(outputs, weight, bias).flatten(0, 1)
    theirs = F.cross_entropy(logits, target.flatten(), ignore_index=PAD, label_smoothing=0.1, reduction="sum")
    torch.testing.assert_close(ours.total, theirs)


def test_tiled_gradcheck():
    outputs, weight, bias, target = setting(torch.float64, B=2, T=3, D=5, V=7)
    leaves = [leaf.requires_grad_() for leaf in (outputs, weight, bias)]
    assert torch.autograd.gradcheck(lambda *l: cross_entropy.tiled_cross_entropy(*l, target, 0.1).total, leaves)


def test_padding_rows_get_no_gradient_and_count_nothing():
    outputs, weight, bias, target = setting()
    outputs.requires_grad_()
    result = cross_entropy.tiled_cross_entropy(outputs, weight, bias, target, 0.1)
    result.total.backward()
    assert (outputs.grad[target == PAD] == 0).all()
    assert (result.nll_BT[target == PAD] == 0).all()


def test_extreme_logits_stay_finite():
    outputs, weight, bias, target = setting()
    outputs = (outputs * 1e4).requires_grad_()
    result = cross_entropy.tiled_cross_entropy(outputs, weight, bias, target, 0.1)
    result.total.backward()
    assert torch.isfinite(result.total)
    assert torch.isfinite(outputs.grad).all()


def test_bfloat16_rows_meet_float32_weights():
    outputs, weight, bias, target = setting()
    outputs = outputs.bfloat16()
    low = cross_entropy.tiled_cross_entropy(outputs, weight, bias, target, 0.1)
    assert low.total.dtype == torch.float32
    doubles = [x.double() for x in (outputs, weight, bias)]
    expected = exact(lambda: [cross_entropy.plain_cross_entropy(*doubles, target, 0.1).total])
    assert_rounded([low.total], expected, many=torch.finfo(torch.bfloat16).eps / EPSILON)


def test_guided_loss_is_the_entropy_of_gold_when_weights_equal_gold():
    gold = loss.gold_rows([torch.tensor([[0, 0], [1, 0], [2, 1]]), torch.zeros(0, 2, dtype=torch.long)], 3, 5)
    assert gold[0, 0].tolist() == [0.5, 0.5, 0, 0, 0]
    assert gold[1].sum() == 0
    assert gold[0, 2].sum() == 0
    assert loss.guided_alignment_loss(gold, gold).item() == pytest.approx(math.log(2))


def test_reinforce_moves_towards_rewarded_draws():
    """Two positions; drawing the first gives log p = 0, the second −2: the policy learns the first."""
    logit = torch.zeros(2, requires_grad=True)
    generator = torch.Generator().manual_seed(3)
    for _ in range(200):
        policy = logit.softmax(0).detach()
        draws = torch.multinomial(policy, 16, replacement=True, generator=generator)[:, None]
        nll, mask = draws * 2.0, torch.ones_like(draws, dtype=torch.bool)
        log_prob = logit.log_softmax(0)[draws]
        loss_value = loss.reinforce_loss(log_prob, nll, mask, baseline=-nll.mean().item())
        (gradient,) = torch.autograd.grad(loss_value / 16, logit)
        with torch.no_grad():
            logit -= 0.2 * gradient
    assert logit.softmax(0)[0] > 0.95


def test_the_baseline_is_a_moving_mean_of_the_rewards():
    baseline = loss.moved_baseline(0.0, 8.0, first=True)
    assert baseline == 8.0
    assert loss.moved_baseline(baseline, 3.0, first=False) == pytest.approx(0.9 * 8 + 0.1 * 3)
