"""R-Drop in blocks equals the paper's formula, gradients included; two equal passes cost nothing extra."""

import pytest
import torch

from jumok.models.cross_entropy import plain_cross_entropy
from jumok.shapes import PAD
from jumok.training import consistency
from jumok.training.consistency import consistent_cross_entropy, plain_consistent_cross_entropy


def setting(dtype=torch.float64, B=3, T=7, D=11, V=23):
    generator = torch.Generator().manual_seed(5)
    outputs = torch.randn(2 * B, T, D, generator=generator, dtype=dtype)
    weight = torch.randn(V, D, generator=generator, dtype=dtype)
    bias = torch.randn(V, generator=generator, dtype=dtype)
    target = torch.randint(1, V, (B, T), generator=generator)
    target[0, 4:], target[-1, 1:] = PAD, PAD
    return outputs, weight, bias, target


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize("block", [consistency.BLOCK_NUMBERS, 1])
def test_blocks_equal_the_formula_with_gradients(monkeypatch, smoothing, alpha, block):
    monkeypatch.setattr(consistency, "BLOCK_NUMBERS", block)
    found = []
    for blocks in (False, True):
        outputs, weight, bias, target = setting(B=13)
        leaves = [leaf.requires_grad_() for leaf in (outputs, weight, bias)]
        arguments = (outputs, weight, bias, target, smoothing, alpha)
        total = consistent_cross_entropy(*arguments).total if blocks else plain_consistent_cross_entropy(*arguments)
        (total / 17).backward()
        found.append([total.detach(), *(leaf.grad for leaf in leaves)])
    for plain, tiled in zip(*found, strict=True):
        torch.testing.assert_close(tiled, plain)


def test_equal_passes_cost_what_one_pass_costs():
    outputs, weight, bias, target = setting()
    twice = outputs[:3].repeat(2, 1, 1)
    loss = consistent_cross_entropy(twice, weight, bias, target, 0.1, 5.0)
    plain = plain_cross_entropy(outputs[:3], weight, bias, target, 0.1)
    torch.testing.assert_close(loss.total, plain.total)
    torch.testing.assert_close(loss.smoothed, plain.total)
    torch.testing.assert_close(loss.nll_BT, plain.nll_BT)


def test_gradcheck():
    outputs, weight, bias, target = setting(B=2, T=3, D=5, V=7)
    leaves = [leaf.requires_grad_() for leaf in (outputs, weight, bias)]
    assert torch.autograd.gradcheck(lambda *l: consistent_cross_entropy(*l, target, 0.1, 3.0).total, leaves)
