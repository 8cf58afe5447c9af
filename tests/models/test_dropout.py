"""Dropout keeps the expected value, follows the seed, and is off when evaluating."""

import pytest
import torch

from jumok.models.dropout import Dropout


@pytest.mark.parametrize("rate", [0.1, 0.37, 0.9])
@pytest.mark.parametrize("shape", [(1401, 1499), (7, 11, 20_003)])
def test_the_rate_and_the_mean_hold(rate, shape):
    torch.manual_seed(2)
    dropped = Dropout(rate).train()(torch.ones(shape))
    assert abs((dropped == 0).float().mean() - rate) < 0.005
    assert abs(dropped.mean() - 1) < 0.02
    assert len(dropped.unique()) == 2
    # Neighbours come from one draw and must not depend on each other.
    zeros = (dropped == 0).flatten().float()
    assert abs((zeros[1:] * zeros[:-1]).mean() - rate**2) < 0.005


def test_the_seed_decides_and_the_gradient_follows():
    inputs = torch.randn(13, 17, requires_grad=True)
    dropout = Dropout(0.5).train()
    torch.manual_seed(4)
    one = dropout(inputs)
    torch.manual_seed(4)
    assert torch.equal(one, dropout(inputs))
    assert not torch.equal(one, dropout(inputs))
    one.sum().backward()
    assert torch.equal(inputs.grad == 0, one == 0)


def test_evaluating_drops_nothing():
    inputs = torch.randn(3, 5)
    assert Dropout(0.5).eval()(inputs) is inputs
    assert Dropout(0.0).train()(inputs) is inputs
