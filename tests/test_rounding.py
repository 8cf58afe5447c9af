"""The bound that other tests use lets rounding pass and nothing else."""

import pytest
import torch

from tests.rounding import EPSILON, MANY, assert_rounded, exact


def terms(count: int = 1000) -> torch.Tensor:
    return torch.randn(count, 64, generator=torch.Generator().manual_seed(3))


def test_any_order_of_a_sum_passes():
    x = terms()
    expected = exact(lambda: [x.double().sum(0)])
    for order in (torch.arange(1000), torch.randperm(1000), torch.arange(999, -1, -1)):
        one_by_one = torch.zeros(64)
        for row in x[order]:
            one_by_one += row
        assert_rounded([one_by_one], expected, many=1000**0.5)
        assert_rounded([x[order].sum(0)], expected)


@pytest.mark.parametrize("wrong", [lambda y, x: y * 1.001, lambda y, x: y - x[7], lambda y, x: y + 1e-3 * x[7]])
def test_a_factor_or_a_term_that_is_wrong_fails(wrong):
    """Also a thousandth of one term of a thousand."""
    x = terms()
    with pytest.raises(AssertionError, match="rounding errors"):
        assert_rounded([wrong(x.sum(0), x)], exact(lambda: [x.double().sum(0)]))


def test_the_magnitude_of_terms_that_cancel_is_that_of_the_terms():
    """Σ x − Σ x is nothing, but in float32 it is some ε times √Σ x²."""
    x = 1000 * terms().double()
    (found,) = exact(lambda: [(torch.cat([x, -x])).sum(0)])
    assert float(found.value.abs().max()) < 1e-6
    expected = float((2 * x.square().sum(0)).sqrt().max())
    assert expected / 3 < found.magnitude < 5 * expected


def test_gradients_count_too():
    """A bias before a softmax moves nothing: its gradient is zero as a sum of terms that are not."""
    scores, bias = terms(30).double(), torch.zeros(30, 1, dtype=torch.float64, requires_grad=True)

    def compute():
        return torch.autograd.grad(((scores + bias).softmax(-1) * scores).sum(), [bias])

    (found,) = exact(compute)
    assert float(found.value.abs().max()) < 1e-12
    assert 0.01 < found.magnitude < 100
    with pytest.raises(AssertionError):
        assert_rounded([torch.full((30, 1), 2 * MANY * EPSILON * found.magnitude)], [found])


def test_a_unit_at_the_kink_may_count_or_not():
    """relu at ±1e-8 beside numbers of size 1: either slope is right there; without such a unit only one is."""
    x, slopes = torch.tensor([1e-8, -1e-8, 1.0, -1.0]).double(), torch.tensor([3.0, 3.0, 3.0, 3.0]).double()

    def compute():
        leaf = x.clone().requires_grad_()
        return torch.autograd.grad(leaf.relu() @ slopes, [leaf])

    expected = exact(compute)
    for near in ((3.0, 0.0), (0.0, 3.0), (0.0, 0.0), (3.0, 3.0)):
        assert_rounded([torch.tensor([*near, 3.0, 0.0])], expected)
    x[:2] *= 1e7
    with pytest.raises(AssertionError):
        assert_rounded([torch.tensor([0.0, 3.0, 3.0, 0.0])], exact(compute))
