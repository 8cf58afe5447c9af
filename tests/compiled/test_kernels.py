"""Each compiled kernel beside the plain path: values and gradients to 1e-5; and life without a compiler."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from jumok.attention.attention import fused_attention
from jumok.attention.rotary import Rotary
from jumok.compiled import kernels
from jumok.compiled.build import NotBuiltError, Part
from jumok.models.cross_entropy import plain_cross_entropy, tiled_cross_entropy
from jumok.models.dropout import Dropout
from jumok.models.norm import LayerNorm
from tests.rounding import EPSILON, assert_rounded, exact

Computed = tuple[Tensor, ...]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The kernels are for threads that work alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(7)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def without(monkeypatch) -> Callable[[Callable[[], Computed]], Computed]:
    """Runs something as if nothing could be compiled."""

    def run(compute: Callable[[], Computed]) -> Computed:
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "available", lambda: False)
            return compute()

    return run


def with_gradients(result: Tensor, *inputs: Tensor) -> Computed:
    """A result and the gradients of its inputs, in a direction that follows from its shape."""
    direction = torch.linspace(-1, 1, result.numel()).to(result.dtype).view(result.shape)
    return result.detach(), *torch.autograd.grad(result, inputs, direction)


def doubled(*tensors: Tensor) -> list[Tensor]:
    """The same numbers in float64, as leaves of their own."""
    return [tensor.detach().double().requires_grad_() for tensor in tensors]


def test_they_are_here():
    """A machine that tests has a compiler, so that nothing below compares the plain path with itself."""
    assert kernels.available()
    assert kernels.usable(torch.ones(3))


@pytest.mark.parametrize("kind", ["open", "padded", "causal"])
@pytest.mark.parametrize(("queries", "keys"), [(2, 2), (17, 17), (31, 31), (67, 67)])
def test_self_attention(kind, queries, keys, without):
    same_attention(kind, queries, keys, without)


@pytest.mark.parametrize("kind", ["open", "padded"])
def test_cross_attention(kind, without):
    same_attention(kind, 13, 29, without)


def same_attention(kind: str, queries: int, keys: int, without) -> None:
    """Contexts and gradients with and without the kernel."""
    packed = [torch.randn(5, count, 3, 32, requires_grad=True) for count in (queries, keys, keys)]
    lengths = torch.tensor([keys, 1, keys - 1, max(1, keys // 2), keys])
    mask = torch.arange(keys)[None] < lengths[:, None] if kind == "padded" else None

    def compute(packed) -> Computed:
        q, k, v = (part.transpose(1, 2) for part in packed)
        given = None if mask is None else mask[:, None, None]
        return with_gradients(fused_attention(q, k, v, given, kind == "causal", 0.3, 0.0), *packed)

    expected = exact(lambda: compute(doubled(*packed)))
    assert_rounded(compute(packed), expected)
    assert_rounded(without(lambda: compute(packed)), expected)


def test_attention_leaves_sentences_without_a_key_to_the_plain_path():
    q, k, v = (torch.randn(2, 3, 5, 16) for _ in range(3))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[1] = False
    context = fused_attention(q, k, v, mask, False, 1.0, 0.0)
    assert context[0].abs().min() > 0
    assert (context[1] == 0).all()


def test_rotary(without):
    rotary, packed = Rotary(32), torch.randn(5, 19, 3, 32, requires_grad=True)
    turned = lambda x: with_gradients(rotary(x.transpose(1, 2), torch.arange(4, 23)), x)  # noqa: E731
    expected = exact(lambda: turned(*doubled(packed)))
    assert_rounded(turned(packed), expected)
    assert_rounded(without(lambda: turned(packed)), expected)


@pytest.mark.parametrize("size", [7, 128])
def test_norm(size, without):
    norm, states = LayerNorm(size), (3 + torch.randn(5, 11, size)).requires_grad_()
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2)
        norm.bias.uniform_(-1, 1)
    compute = lambda norm, x: with_gradients(norm(x), x, norm.weight, norm.bias)  # noqa: E731
    expected = exact(lambda: compute(deepcopy(norm).double(), *doubled(states)))
    assert_rounded(compute(norm, states), expected)
    assert_rounded(without(lambda: compute(norm, states)), expected)


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss(has_bias, smoothing):
    outputs = torch.randn(7, 53, 23, requires_grad=True)
    weight, bias = torch.randn(11_003, 23, requires_grad=True), torch.randn(11_003, requires_grad=True)
    target = torch.randint(0, 11_003, (7, 53))  # 0 is padding
    inputs = (outputs, weight, bias) if has_bias else (outputs, weight)

    def compute(loss, outputs, weight, bias=None) -> Computed:
        found = loss(outputs, weight, bias, target, smoothing)
        leaves = (outputs, weight) if bias is None else (outputs, weight, bias)
        return found.total.detach() / 371, found.nll_BT, *torch.autograd.grad(found.total / 371, leaves)

    expected = exact(lambda: compute(plain_cross_entropy, *doubled(*inputs)))
    partial_sums = 11_003**0.5  # of the exponentials of all words
    assert_rounded(compute(tiled_cross_entropy, *inputs), expected, partial_sums)
    assert_rounded(compute(plain_cross_entropy, *inputs), expected, partial_sums)


def test_loss_of_logits_far_apart():
    """Exponentials that underflow are zero, not noise, and the loss stays exact."""
    outputs = torch.tensor([[[300.0]]])
    weight = torch.tensor([[0.0], [1.0], [-1.0]])
    found = tiled_cross_entropy(outputs, weight, None, torch.tensor([[2]]), 0.0)
    assert float(found.nll_BT) == pytest.approx(600.0)


def test_dropout_drops_its_share_everywhere():
    dropped = Dropout(0.3)(torch.ones(1000, 1000)) == 0
    assert float(dropped.float().mean()) == pytest.approx(0.3, abs=0.003)
    # A coin tossed a thousand times has a share whose deviation is √(0.3 · 0.7 / 1000), along rows and columns alike.
    for dim in (0, 1):
        assert float(dropped.float().mean(dim).std()) == pytest.approx((0.21 / 1000) ** 0.5, rel=0.1)
    for shift in (1, 16, 1000):  # neighbours know nothing of each other
        flat = dropped.flatten().float() - 0.3
        assert abs(float((flat[shift:] * flat[:-shift]).mean())) < 0.001


def test_dropout_keeps_the_mean_and_draws_anew():
    dropout, ones = Dropout(0.1), torch.ones(400, 500)
    first, second = dropout(ones), dropout(ones)
    assert float(first.mean()) == pytest.approx(1.0, abs=0.005)
    assert not torch.equal(first, second)
    torch.manual_seed(7)
    assert torch.equal(first, dropout(ones))


def test_dropout_goes_back_the_way_it_came():
    dropout = Dropout(0.4)
    states, change = torch.randn(7, 31, requires_grad=True), torch.randn(7, 31, requires_grad=True)
    out = dropout.added(states, change)
    d_states, d_change = torch.autograd.grad(out.sum(), (states, change))
    assert torch.equal(d_states, torch.ones(7, 31))
    assert d_change.unique().tolist() == pytest.approx([0, 1 / 0.6], rel=2 * EPSILON)
    # Each sum is rounded once, and so was the factor.
    double = [part.detach().double() for part in (out, states, d_change, change)]
    off = (double[0] - double[1] - double[2] * double[3]).abs()
    assert (off <= 2 * EPSILON * (double[0].abs() + double[1].abs())).all()


@pytest.mark.parametrize("wrong", [torch.float64, torch.bfloat16])
def test_other_types_take_the_plain_path(wrong):
    assert not kernels.usable(torch.ones(3, dtype=wrong))
    norm = LayerNorm(5).to(wrong)
    states = torch.randn(3, 5, dtype=wrong)
    assert torch.equal(norm(states), F.layer_norm(states, (5,), norm.weight, norm.bias))


def test_without_a_compiler_there_are_no_kernels(tmp_path):
    """A process whose PATH has no compiler and whose cache is empty works, and says why the part is missing."""
    code = (
        "from jumok.compiled import kernels; import torch; torch.set_num_threads(1); print(kernels.available());"
        "from jumok.models.norm import LayerNorm; print(LayerNorm(3)(torch.ones(2, 3)).shape)"
    )
    environment = {**os.environ, "PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["False", "torch.Size([2, 3])"]


def test_a_source_that_does_not_compile_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "broken.c"
    source.write_text("this is no C\n")
    with pytest.raises(NotBuiltError, match="could not build the broken part"):
        Part("broken part", source).load()
    assert not list((tmp_path / "cache").rglob("*.so"))
