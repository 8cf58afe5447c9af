"""Attention of short sentences equals torch's fused kernel and the plain formula, results and gradients."""

import math
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from jumok.attention import build
from jumok.attention.short_kernel import SHORT_CELLS, is_short, short_attention
from tests.rounding import assert_rounded, exact


def heads(T: int, S: int, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    """Queries, keys and values of 3 sentences and 2 heads, cut out of wider tensors as a model does."""
    torch.manual_seed(T * S)
    sizes = ((T, 5), (S, 5), (S, 7))
    wide = [torch.randn(3, n, 2 * (size + 1), dtype=dtype) for n, size in sizes]
    return [
        part[..., : 2 * size].unflatten(-1, (2, size)).transpose(1, 2).requires_grad_()
        for part, (_, size) in zip(wide, sizes, strict=True)
    ]


@pytest.mark.parametrize("kind", ["open", "padded", "causal"])
def test_contexts_and_gradients_equal_torch(kind: str) -> None:
    inputs = heads(7, 7)
    mask = None
    if kind == "padded":
        mask = (torch.arange(7) < torch.tensor([[7], [3], [5]]))[:, None, None, :]
    if kind == "causal":
        mask = torch.ones(7, 7, dtype=torch.bool).tril_()
    ours = short_attention(*inputs, None if mask is None else ~mask, 1 / math.sqrt(5))
    theirs = F.scaled_dot_product_attention(*inputs, mask)
    torch.testing.assert_close(ours, theirs)
    slope = torch.randn_like(ours)
    found, expected = (torch.autograd.grad((out * slope).sum(), inputs) for out in (ours, theirs))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_gradients_are_those_of_the_function() -> None:
    query, keys, values = heads(3, 5)
    assert torch.autograd.gradcheck(lambda q, k, v: short_attention(q, k, v, None, 0.7), (query, keys, values))


def test_only_short_ones_that_learn_go_this_way() -> None:
    query, keys, values = heads(7, 11, torch.float32)
    assert is_short(query, keys, values)
    long = torch.randn(1, 1, SHORT_CELLS, 4)
    assert not is_short(long, long, long)
    assert not is_short(query[:, :, :1], keys, values)
    with torch.no_grad():
        assert not is_short(query, keys, values)


def test_a_mechanism_gives_the_same_either_way_and_zeros_where_nothing_may_be_seen() -> None:
    torch.manual_seed(0)
    attend = build("transformer", query_dim=8, key_dim=8, heads=2)
    query, keys = torch.randn(3, 5, 8), torch.randn(3, 7, 8)
    mask = (torch.arange(7) < torch.tensor([[7], [0], [4]]))[:, None, :]
    double = deepcopy(attend).double()
    expected = exact(lambda: [double(query.double(), keys.double(), mask=mask).context])
    for need_weights in (False, True):
        assert_rounded([attend(query, keys, mask=mask, need_weights=need_weights).context], expected)
