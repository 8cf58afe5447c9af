"""SNAIL's blocks: causal, with the published reach, and the same whole as step by step."""

import pytest
import torch

from jumok.errors import ShapeError
from jumok.models.snail import AttentionBlock, DenseBlock, Stack, TemporalBlock, dilations

B, T, D = 3, 11, 7


def stack(mechanism: str = "scaled_dot") -> Stack:
    """Attention, convolutions, attention."""
    first = AttentionBlock(D, 5, 3, mechanism)
    middle = TemporalBlock(first.size, T, 2)
    return Stack([first, middle, AttentionBlock(middle.size, 5, 13, mechanism)]).double()


BLOCKS = {
    "dense": lambda: DenseBlock(D, 2, 5).double(),
    "temporal": lambda: TemporalBlock(D, T, 3).double(),
    "attention": lambda: AttentionBlock(D, 5, 3).double(),
    "additive": lambda: stack("bahdanau"),
    "window": lambda: stack("window"),
    "sparse": lambda: stack("sparsemax"),
    "stack": stack,
}


@pytest.fixture(params=BLOCKS, autouse=False)
def block(request):
    torch.manual_seed(2)
    return BLOCKS[request.param]()


def states(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def test_a_later_input_changes_nothing_before_it(block):
    x = states(B, T, D)
    changed = x.clone()
    changed[:, 6] += 10
    before, after = block(x).states, block(changed).states
    assert torch.equal(before[:, :6], after[:, :6])
    assert not torch.equal(before[:, 6:], after[:, 6:])


def test_what_was_given_stands_beside_what_was_found(block):
    x = states(B, T, D)
    found = block(x).states
    assert torch.equal(found[..., :D], x)
    assert found.shape == (B, T, block.size)


def test_stepping_with_a_cache_is_the_whole_pass(block):
    x = states(B, T, D)
    whole, cache = block(x, need_weights=True), block.empty(x)
    for t in range(T):
        one = block.step(x[:, t : t + 1], cache, need_weights=True)
        cache = one.cache
        torch.testing.assert_close(one.states[:, 0], whole.states[:, t])
        for stepped, full in zip(one.weights, whole.weights, strict=True):
            torch.testing.assert_close(stepped[:, 0], full[:, t, : t + 1])


def test_candidates_see_the_past_and_themselves_alone(block):
    past, candidates = states(B, T, D), states(B, 4, D) + 1
    together = block.step(candidates, block(past).cache).states
    for c in range(4):
        alone = block(torch.cat([past, candidates[:, c : c + 1]], 1)).states[:, -1]
        torch.testing.assert_close(together[:, c], alone)


@pytest.mark.parametrize(("length", "expected"), [(2, [1]), (5, [1, 2, 4]), (8, [1, 2, 4]), (9, [1, 2, 4, 8])])
def test_dilations_double_until_the_sequence_is_covered(length, expected):
    assert dilations(length) == expected
    assert TemporalBlock(D, length, 2).reach >= length


def test_the_reach_is_exact():
    block = TemporalBlock(D, 8, 3).double()
    x = states(1, 20, D).requires_grad_()
    block(x).states[0, -1, D:].sum().backward()
    seen = x.grad[0].abs().sum(1) > 0
    assert seen.nonzero().flatten().tolist() == list(range(20 - block.reach, 20))
    assert block.reach == 8


def test_the_dense_block_is_the_published_formula():
    """tanh(W_f * x) ⊙ σ(W_g * x) with torch's own dilated convolution, padded on the left."""
    block, x = DenseBlock(D, 3, 5).double(), states(B, T, D)
    kernel = torch.stack([block.past.weight, block.now.weight], -1)
    padded = torch.nn.functional.pad(x.mT, (3, 0))
    found, gate = torch.nn.functional.conv1d(padded, kernel, block.now.bias, dilation=3).chunk(2, 1)
    torch.testing.assert_close(block(x).states[..., D:], (found.tanh() * gate.sigmoid()).mT)


def test_a_dilation_of_nothing_is_refused():
    with pytest.raises(ShapeError, match="at least 1"):
        DenseBlock(D, 0, 5)


@pytest.mark.parametrize("length", [1, 2, T])
def test_all_dense_blocks_at_once_are_one_after_the_other(length):
    """Outputs, caches and gradients, also of sequences that are shorter than the reach."""
    torch.manual_seed(4)
    block, found = TemporalBlock(D, T, 3).double(), []
    for forward in (block.forward, super(TemporalBlock, block).forward):
        x = states(B, length, D).requires_grad_()
        done = forward(x)
        kept = [part for cache in done.cache for part in cache]
        total = (done.states * states(B, length, block.size)).sum() + sum(part.square().sum() for part in kept)
        found.append(
            [done.states, *kept, *torch.autograd.grad(total, [x, *block.parameters()], materialize_grads=True)]
        )
    for together, apart in zip(*found, strict=True):
        torch.testing.assert_close(together, apart)
