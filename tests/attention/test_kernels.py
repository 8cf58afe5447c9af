"""The fast additive scores equal the plain formula, forward and backward, and hold no tensor of tanh values."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from jumok.attention import build, kernels
from jumok.attention.kernels import (
    additive_scores,
    additive_scores_kept,
    additive_scores_plain,
    additive_scores_tiled,
    tiles,
    window_dots,
    window_dots_bagged,
    window_dots_plain,
    window_sum,
)
from jumok.errors import JumokError, ShapeError
from tests.rounding import assert_rounded, assert_rounded_once, exact

Kernel = Callable[[Tensor, Tensor, Tensor], Tensor]
FAST = pytest.mark.parametrize("kernel", [additive_scores_kept, additive_scores_tiled])
SHAPES = [
    ((), 7, 11, 5),
    ((3,), 7, 11, 5),
    ((2, 3), 1, 13, 17),
    ((5,), 13, 1, 3),
    ((2,), 2, 3, 1),
    ((2, 1, 3), 5, 7, 2),
]


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles of 53 float32 cells, so that small tensors are cut in every direction."""
    for name in ("TILE_BYTES_ALONE", "TILE_BYTES_TOGETHER"):
        monkeypatch.setattr(kernels, name, 53 * 4)


def inputs(
    batch: tuple[int, ...], T: int, S: int, A: int, dtype: torch.dtype = torch.float32, size: float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    draw = torch.Generator().manual_seed(sum(batch) + 31 * T + 37 * S + 41 * A)
    query = torch.randn(*batch, T, A, generator=draw, dtype=torch.float64) * size
    keys = torch.randn(*batch, S, A, generator=draw, dtype=torch.float64) * size
    v = torch.randn(A, generator=draw, dtype=torch.float64)
    return query.to(dtype), keys.to(dtype), v.to(dtype)


def with_gradients(kernel: Kernel, *arguments: Tensor) -> list[Tensor]:
    leaves = [argument.detach().requires_grad_() for argument in arguments]
    scores = kernel(*leaves)
    weight = ((torch.arange(scores.numel()) % 7 - 2) / 4).to(scores.dtype).view_as(scores)  # exact in half precision
    return [scores, *torch.autograd.grad(scores, leaves, weight)]


@FAST
@pytest.mark.parametrize(("batch", "T", "S", "A"), SHAPES)
@pytest.mark.usefixtures("small_tiles")
def test_fast_scores_and_gradients_equal_the_plain_ones(
    kernel: Kernel, batch: tuple[int, ...], T: int, S: int, A: int
) -> None:
    arguments = inputs(batch, T, S, A)
    expected = exact(lambda: with_gradients(additive_scores_plain, *(x.double() for x in arguments)))
    for way in (kernel, additive_scores_plain):
        assert_rounded(with_gradients(way, *arguments), expected)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(1, 400))
def test_tiles_cover_every_cell_once_and_keep_within_their_size(N: int, T: int, S: int, A: int, cells: int) -> None:
    times = torch.zeros(N, T, S)
    for tile in tiles(N, T, S, A, cells):
        times[tile] += 1
        assert times[tile].numel() * A <= max(cells, A)
    assert (times == 1).all()


@FAST
@pytest.mark.parametrize(("batch", "T", "S", "A"), SHAPES)
@pytest.mark.usefixtures("small_tiles")
def test_gradients_are_those_of_the_function(kernel: Kernel, batch: tuple[int, ...], T: int, S: int, A: int) -> None:
    leaves = [x.requires_grad_() for x in inputs(batch, T, S, A, torch.float64)]
    whole = T * S * A < 30  # every single derivative of the small ones, random directions of the others
    assert torch.autograd.gradcheck(kernel, leaves, fast_mode=not whole)


@FAST
@pytest.mark.parametrize("size", [1.0, 60.0, 1000.0])
def test_large_inputs_cancel_as_they_should(kernel: Kernel, size: float) -> None:
    # e^(2·60) is beyond float32: a kernel that trusts its exponentials gives tanh(q + k) = ±1 or NaN for k = −q.
    query, keys, v = inputs((2,), 13, 11, 7, size=size)
    keys[:, :5] = -query[:, :5]
    expected = exact(lambda: with_gradients(additive_scores_plain, query.double(), keys.double(), v.double()))
    for way in (kernel, additive_scores_plain):
        assert_rounded(with_gradients(way, query, keys, v), expected)


@pytest.mark.parametrize("size", [20.0, 43.0])
def test_exponentials_at_the_edge_of_their_range_are_right(size: float) -> None:
    sign = torch.tensor([1.0, -1.0, 1.0, -1.0])
    query, keys = (size * sign).expand(5, 4), torch.stack([size * sign, -size * sign] * 3)
    v = torch.tensor([1.0, 2.0, 3.0, 5.0])
    expected = exact(lambda: [additive_scores_plain(query.double(), keys.double(), v.double())])
    assert_rounded([additive_scores_tiled(query, keys, v)], expected)


@FAST
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.usefixtures("small_tiles")
def test_half_precision_is_rounded_once(kernel: Kernel, dtype: torch.dtype) -> None:
    arguments = inputs((3,), 7, 11, 23, dtype)
    expected = exact(lambda: with_gradients(additive_scores_plain, *(x.double() for x in arguments)))
    assert_rounded_once(with_gradients(kernel, *arguments), expected, dtype)


@FAST
def test_autocast_does_not_reach_inside(kernel: Kernel) -> None:
    query, keys, v = inputs((3,), 7, 11, 23, torch.bfloat16)
    v = v.float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = kernel(query, keys, v)
    expected = exact(lambda: [additive_scores_plain(query.double(), keys.double(), v.double())])
    assert_rounded_once([scores], expected, scores.dtype)


def test_nan_and_infinity_stay_visible() -> None:
    query, keys, v = inputs((2,), 5, 7, 3)
    query[0, 1, 2], keys[1, 3, 0] = torch.nan, torch.inf
    fast, plain = additive_scores_tiled(query, keys, v), additive_scores_plain(query, keys, v)
    torch.testing.assert_close(fast, plain, equal_nan=True)


@pytest.mark.parametrize("sizes", [((2,), 3, 5, 7), ((2,), 47, 53, 67), ((2,), 103, 107, 67)])
def test_every_size_takes_a_way_with_the_same_result(sizes: tuple[tuple[int, ...], int, int, int]) -> None:
    arguments = inputs(*sizes)
    expected = exact(lambda: with_gradients(additive_scores_plain, *(x.double() for x in arguments)))
    assert_rounded(with_gradients(additive_scores, *arguments), expected)


@FAST
def test_layout_of_the_inputs_does_not_matter(kernel: Kernel) -> None:
    query, keys, v = inputs((3, 5), 7, 11, 13, torch.float64)
    heads = query.transpose(0, 1), keys.transpose(0, 1), v.expand(2, 13)[0]
    torch.testing.assert_close(kernel(*heads).transpose(0, 1), additive_scores_plain(query, keys, v))


def test_nothing_of_the_size_of_the_tanh_values_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TILE_BYTES_ALONE", "TILE_BYTES_TOGETHER"):
        monkeypatch.setattr(kernels, name, 1 << 16)
    leaves = [x.requires_grad_() for x in inputs((2,), 67, 71, 31)]
    largest = 0
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        additive_scores_tiled(*leaves).sum().backward()
    for event in profile.events() or ():
        largest = max(largest, event.cpu_memory_usage)
    assert 0 < largest <= 1 << 17  # all of them would be 2·67·71·31·4 = 1.2 MB


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_change_neither_the_scores_nor_their_own_number(threads: int) -> None:
    arguments = inputs((3,), 67, 71, 31)
    expected = exact(lambda: with_gradients(additive_scores_plain, *(x.double() for x in arguments)))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        fast = with_gradients(additive_scores_tiled, *arguments)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert_rounded(fast, expected)


def test_same_bytes_every_time() -> None:
    arguments = inputs((2,), 67, 71, 31)
    once, again = with_gradients(additive_scores_tiled, *arguments), with_gradients(additive_scores_tiled, *arguments)
    assert all(torch.equal(a, b) for a, b in zip(once, again, strict=True))


@FAST
def test_second_derivatives_are_refused(kernel: Kernel) -> None:
    query, keys, v = (x.requires_grad_() for x in inputs((2,), 5, 7, 3))
    (gradient,) = torch.autograd.grad(kernel(query, keys, v).sum(), query, create_graph=True)
    with pytest.raises(JumokError, match="differentiable once"):
        gradient.sum().backward()


@pytest.mark.parametrize(
    ("query", "keys", "v"),
    [((2, 3, 5), (2, 3, 7), 5), ((2, 3, 5), (1, 3, 5), 5), ((2, 3, 5), (3, 5), 5), ((2, 3, 5), (2, 3, 5), 7)],
)
def test_sizes_that_do_not_fit_are_named(query: tuple[int, ...], keys: tuple[int, ...], v: int) -> None:
    with pytest.raises((ShapeError, TypeError)) as error:  # the run-time shape check of the tests comes first
        additive_scores(torch.zeros(query), torch.zeros(keys), torch.zeros(v))
    assert "keys" in str(error.value)


def test_bahdanau_is_the_same_through_tiles_and_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    attend = build("bahdanau", query_dim=7, key_dim=11, attention_dim=13).double()
    query, keys = torch.randn(3, 5, 7).double(), torch.randn(3, 17, 11).double()
    plain = attend(query, keys)
    monkeypatch.setattr(kernels, "PLAIN_CELLS", 0)
    monkeypatch.setattr(kernels, "KEPT_CELLS", 0)
    tiled = attend(query, keys)
    torch.testing.assert_close(tiled.context, plain.context)
    torch.testing.assert_close(tiled.weights, plain.weights)


def windows(
    batch: tuple[int, ...], T: int, S: int, P: int, W: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor]:
    query, states, _ = inputs(batch, T, S, P, dtype)
    return query, states, torch.randint(S, (*batch, T, W), generator=torch.Generator().manual_seed(T))


WINDOWS = pytest.mark.parametrize(
    ("batch", "T", "S", "P", "W"), [((), 7, 11, 5, 3), ((3,), 1, 11, 5, 7), ((2, 3), 13, 5, 2, 11)]
)


@WINDOWS
def test_window_dots_equal_those_of_copies(batch: tuple[int, ...], T: int, S: int, P: int, W: int) -> None:
    query, states, index = windows(batch, T, S, P, W, torch.float64)
    leaves = query.requires_grad_(), states.requires_grad_()
    torch.testing.assert_close(window_dots_bagged(*leaves, index), window_dots_plain(*leaves, index))
    assert torch.autograd.gradcheck(lambda q, x: window_dots_bagged(q, x, index), leaves, fast_mode=True)
    assert torch.autograd.gradcheck(lambda q, x: window_dots_plain(q, x, index), leaves, fast_mode=True)


@WINDOWS
def test_window_sums_equal_those_of_dense_weights(batch: tuple[int, ...], T: int, S: int, P: int, W: int) -> None:
    query, states, index = windows(batch, T, S, P, W, torch.float64)
    weights = window_dots_plain(query, states, index).detach().requires_grad_()
    dense = torch.zeros(*batch, T, S, dtype=torch.float64).scatter_add(-1, index, weights)
    torch.testing.assert_close(window_sum(weights, states, index), dense @ states)
    leaves = weights, states.requires_grad_()
    assert torch.autograd.gradcheck(lambda a, x: window_sum(a, x, index), leaves, fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_windows_in_half_precision_are_rounded_once(dtype: torch.dtype) -> None:
    query, states, index = windows((3,), 7, 11, 23, 5, dtype)
    dots = window_dots_bagged(query, states, index)
    assert_rounded_once([dots], exact(lambda: [window_dots_plain(query.double(), states.double(), index)]), dtype)
    context = window_sum(dots, states, index)
    assert_rounded_once([context], exact(lambda: [window_sum(dots.double(), states.double(), index)]), dtype)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("T", [5, 211])
def test_window_dots_are_the_same_with_and_without_gradients(mode: Callable[[], torch.no_grad], T: int) -> None:
    query, states, index = windows((2,), T, 31, 37, 23, torch.float32)
    with mode():
        dots = window_dots(query, states, index)
    expected = exact(lambda: [window_dots_plain(query.double(), states.double(), index)])
    assert_rounded([dots], expected)
    assert_rounded([window_dots_plain(query, states, index)], expected)


def test_second_derivatives_over_windows_are_refused() -> None:
    query, states, index = windows((2,), 5, 7, 3, 3, torch.float32)
    query, states = query.requires_grad_(), states.requires_grad_()
    (gradient,) = torch.autograd.grad(window_dots_bagged(query, states, index).sum(), query, create_graph=True)
    with pytest.raises(JumokError, match="differentiable once"):
        gradient.sum().backward()
