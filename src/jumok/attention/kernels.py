"""What the readable formulas would pay for in memory, computed without it; the plain path stands beside each.

Additive scores without their tensor of tanh values: tiles that stay in cache, computed again in backward.

    scores_TS[t, s] = vᵀ tanh(q_t + k_s)

The plain path writes every tanh, B × T × S × A numbers, and keeps them for backward: 2 GiB for 8 sentences of 512
words and A = 256. The tiled path holds one tile of a few megabytes and computes it once more in backward. That is
also the faster way, because a tanh of sums is nearly free once it is written with exponentials:

    tanh(x) = 2σ(2x) − 1,    σ(2(q + k)) = 1 / (1 + e^(−2q) e^(−2k)),    tanh'(x) = 4σ(2x)(1 − σ(2x))

so T + S exponentials for each of the A channels replace T × S of them; one product, one sum and one division are
left for each cell. All three terms are bounded by their inputs, no difference of large numbers occurs, and the
error of σ is a rounding error.

Windows without a copy of every window: dot products and weighted sums over the rows that an index names.
"""

import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from jumok.errors import JumokError, ShapeError

Queries = Float[Tensor, "*batch T A"]
Keys = Float[Tensor, "*batch S A"]
Scores = Float[Tensor, "*batch T S"]

# A few threads that meet after every operation on a tile wait for each other longer than they help when the machine
# does anything else: up to this many are not worth it, and a tile is worked on by one.
FEW_THREADS = 3
# Tiles of one thread stay near its own cache; those of many are large enough that they rarely meet.
TILE_BYTES_ALONE = 2 << 20
TILE_BYTES_TOGETHER = 8 << 20
# Elsewhere than on CPUs a launch costs more than memory does.
TILE_BYTES_OTHER = 64 << 20
# Measured limits, in cells (one for each query, key and channel): below the first the number of calls is what costs,
# and the plain path has the fewest; below the second everything is in cache, and computing it twice only takes time.
PLAIN_CELLS = 130_000
KEPT_CELLS = 1_100_000


def additive_scores_plain(query: Queries, keys: Keys, v: Float[Tensor, " A"]) -> Scores:
    """vᵀ tanh(q_t + k_s) for each query t and key s, as the formula says: the reference."""
    hidden = torch.tanh(query.unsqueeze(-2) + keys.unsqueeze(-3))
    return hidden @ v


def additive_scores(query: Queries, keys: Keys, v: Float[Tensor, " A"]) -> Scores:
    """vᵀ tanh(q_t + k_s) for each query t and key s, in the memory of its result.

    `query` and `keys` are already projected (W_q q and W_k k) and share their leading dimensions. Half precision is
    computed in float32 inside and rounded once. All but small ones can be differentiated once, not twice.
    """
    if query.shape[:-2] != keys.shape[:-2] or not query.shape[-1] == keys.shape[-1] == v.shape[-1]:
        raise ShapeError(
            "Additive scores need query [*batch, T, A], keys [*batch, S, A] and v [A], got "
            f"{tuple(query.shape)}, {tuple(keys.shape)} and {tuple(v.shape)}."
        )
    cells = query.numel() * keys.shape[-2]
    if cells <= PLAIN_CELLS:
        return additive_scores_plain(query, keys, v)
    if cells <= KEPT_CELLS:
        return additive_scores_kept(query, keys, v)
    return additive_scores_tiled(query, keys, v)


def additive_scores_kept(query: Queries, keys: Keys, v: Float[Tensor, " A"]) -> Scores:
    """The scores by way of 2σ(2x) − 1, which torch computes faster than tanh(x), with σ kept for backward."""
    return cast(Tensor, _KeptAdditiveScores.apply(query, keys, v))  # pyright: ignore[reportUnknownMemberType]


def additive_scores_tiled(query: Queries, keys: Keys, v: Float[Tensor, " A"]) -> Scores:
    """The scores from tiles of σ(2x), of which one is held at a time, forward and backward."""
    return cast(Tensor, _TiledAdditiveScores.apply(query, keys, v))  # pyright: ignore[reportUnknownMemberType]


class Tile(NamedTuple):
    """A box of cells: sentences `n`, queries `t` and keys `s`."""

    n: slice
    t: slice
    s: slice


def tiles(N: int, T: int, S: int, A: int, cells: int) -> Iterator[Tile]:
    """Boxes of at most `cells` cells (or one row of A) that cover N × T × S: whole sentences while they fit."""
    n = max(1, cells // (T * S * A))
    rows = max(1, cells // A)
    # Near a square of rows, because backward adds t + s sums for each t × s cells; four times wider, because keys
    # are the dimension that lies together in memory.
    t = min(T, max(1, math.isqrt(rows // 4)))
    s = min(S, max(1, rows // t))
    t = min(T, max(1, rows // s))
    for n_start in range(0, N, n):
        for t_start in range(0, T, t):
            for s_start in range(0, S, s):
                yield Tile(
                    slice(n_start, min(n_start + n, N)),
                    slice(t_start, min(t_start + t, T)),
                    slice(s_start, min(s_start + s, S)),
                )


class _Sigmoids:
    """σ(2(q_t + k_s)) for any tile, written into memory the caller gives."""

    def __init__(self, query_NTA: Tensor, keys_NSA: Tensor) -> None:
        T, S = query_NTA.shape[-2], keys_NSA.shape[-2]
        self.query, self.keys, self.one = 2 * query_NTA, keys_NSA, query_NTA.new_ones(())
        # T + S exponentials instead of T · S pay only when there are many of both. And they may neither overflow
        # nor underflow: e^100 · e^−100 must stay 1. (NaN compares false and takes the other way, which keeps it.)
        limit = math.log(torch.finfo(query_NTA.dtype).max) / 2 - 1
        self.factored = T >= 4 and S >= 4 and _within(query_NTA, limit) and _within(keys_NSA, limit)
        if self.factored:
            self.query, self.keys = (-2 * query_NTA).exp_(), (-2 * keys_NSA).exp_()

    def write(self, tile: Tile, out: Tensor) -> Tensor:
        query, keys = self.query[tile.n, tile.t].unsqueeze(2), self.keys[tile.n, tile.s].unsqueeze(1)
        if self.factored:
            return torch.addcmul(self.one, query, keys, out=out).reciprocal_()
        return torch.add(query, keys, alpha=2, out=out).sigmoid_()


def _within(values: Tensor, limit: float) -> bool:
    low, high = torch.aminmax(values)
    return bool((low >= -limit) & (high <= limit))


class _Room:
    """Memory for the cells of one tile, used again for the next."""

    def __init__(self, scores_NTS: Tensor, A: int) -> None:
        self.A, self.cells = A, max(A, _tile_bytes(scores_NTS.device) // scores_NTS.element_size())
        self.memory = scores_NTS.new_empty(min(self.cells, scores_NTS.numel() * A))

    def shaped(self, part: Tensor) -> Tensor:
        """The memory as A cells for each score of `part`."""
        return self.memory[: part.numel() * self.A].view(*part.shape, self.A)


def _tile_bytes(device: torch.device) -> int:
    if device.type != "cpu":
        return TILE_BYTES_OTHER
    return TILE_BYTES_ALONE if torch.get_num_threads() == 1 else TILE_BYTES_TOGETHER


@contextmanager
def _few_threads_alone(device: torch.device) -> Generator[None]:
    """One thread inside, where there are only a few of them."""
    threads = torch.get_num_threads()
    if device.type != "cpu" or not 1 < threads <= FEW_THREADS:
        yield
        return
    torch.set_num_threads(1)  # of the calling thread: OpenMP keeps this number for each
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class _TiledAdditiveScores(torch.autograd.Function):
    """`additive_scores` with a backward that computes its tiles again."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        ctx.save_for_backward(query, keys, v)
        with _few_threads_alone(query.device), torch.autocast(query.device.type, enabled=False):
            return _forward(query, keys, v)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, ...]:
        query, keys, v = cast(tuple[Tensor, Tensor, Tensor], ctx.saved_tensors)
        alone, exact = _few_threads_alone(query.device), torch.autocast(query.device.type, enabled=False)
        with alone, exact, torch.no_grad():
            grads = _backward(query, keys, v, grad_outputs[0])
        return _once(grads, query, keys, v)


class _KeptAdditiveScores(torch.autograd.Function):
    """`additive_scores` as a single tile that is kept for backward."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
        wide = torch.promote_types(query.dtype, torch.float32)
        with torch.autocast(query.device.type, enabled=False):
            sigma = torch.add(2 * query.to(wide).unsqueeze(-2), keys.to(wide).unsqueeze(-3), alpha=2).sigmoid_()
            ctx.save_for_backward(query, keys, v, sigma)
            v_A = v.to(wide)
            return (sigma @ (2 * v_A)).sub_(v_A.sum()).to(query.dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, ...]:
        query, keys, v, sigma = cast(tuple[Tensor, Tensor, Tensor, Tensor], ctx.saved_tensors)
        with torch.no_grad(), torch.autocast(query.device.type, enabled=False):
            g, four_v = grad_outputs[0].to(sigma.dtype).unsqueeze(-1), 4 * v.to(sigma.dtype)
            g_sigma = sigma * g
            grad_v = 2 * g_sigma.view(-1, v.shape[0]).sum(0) - g.sum()
            g_slope = g_sigma.addcmul_(g_sigma, sigma, value=-1)
            grad_query = g_slope.sum(-2).mul_(four_v)
            grad_keys = (g_slope.squeeze(-3) if query.shape[-2] == 1 else g_slope.sum(-3)).mul_(four_v)
        return _once((grad_query.to(query), grad_keys.to(keys), grad_v.to(v)), query, keys, v)


def _once(grads: tuple[Tensor, ...], *inputs: Tensor) -> tuple[Tensor, ...]:
    """The gradients, which refuse to be differentiated by the inputs.

    torch's own once_differentiable lets a loss that is linear in the scores through, with second derivatives of zero.
    """
    if not torch.is_grad_enabled():  # nobody builds a graph of gradients
        return grads
    return cast(tuple[Tensor, ...], _OnceOnly.apply(*grads, *inputs))  # pyright: ignore[reportUnknownMemberType]


class _OnceOnly(torch.autograd.Function):
    """Gradients as they are, which refuse to be differentiated by the inputs that follow them, one for each."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(tensor.view_as(tensor) for tensor in tensors[: len(tensors) // 2])

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, ...]:
        raise JumokError(
            "Scores of this size or over windows are differentiable once; for second derivatives use the functions "
            "of jumok.attention.kernels whose names end in _plain."
        )


def _flat(states: Tensor, dtype: torch.dtype) -> Tensor:
    return states.reshape(-1, *states.shape[-2:]).to(dtype)


def _forward(query: Tensor, keys: Tensor, v: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    query_NTA, keys_NSA, v_A = _flat(query, wide), _flat(keys, wide), v.to(wide)
    N, T, A = query_NTA.shape
    S = keys_NSA.shape[1]
    sigmoids = _Sigmoids(query_NTA, keys_NSA)
    scores_NTS = query_NTA.new_empty(N, T, S)
    room = _Room(scores_NTS, A)
    twice_v, sum_v = 2 * v_A, v_A.sum()
    for tile in tiles(N, T, S, A, room.cells):
        part = scores_NTS[tile]
        sigma = sigmoids.write(tile, room.shaped(part))
        # vᵀ(2σ − 1) = 2vᵀσ − Σv
        torch.sub((sigma.view(-1, A) @ twice_v).view_as(part), sum_v, out=part)
    return scores_NTS.to(query.dtype).view(*query.shape[:-1], S)


def _backward(query: Tensor, keys: Tensor, v: Tensor, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    # With g the gradient of a score and σ = σ(2(q_t + k_s)):
    #     ∂/∂v = Σ_ts g (2σ − 1)    ∂/∂q_t = 4v ⊙ Σ_s g σ(1 − σ)    ∂/∂k_s = 4v ⊙ Σ_t g σ(1 − σ)
    wide = torch.promote_types(query.dtype, torch.float32)
    query_NTA, keys_NSA, v_A, grad_NTS = (
        _flat(query, wide),
        _flat(keys, wide),
        v.to(wide),
        _flat(grad, wide),
    )
    (N, T, A), S = query_NTA.shape, keys_NSA.shape[1]
    sigmoids = _Sigmoids(query_NTA, keys_NSA)
    grad_query, sum_g_sigma = torch.zeros_like(query_NTA), torch.zeros_like(v_A)
    grad_keys = torch.empty_like(keys_NSA) if T == 1 else torch.zeros_like(keys_NSA)
    room, room_g, four_v = _Room(grad_NTS, A), _Room(grad_NTS, A), 4 * v_A
    for tile in tiles(N, T, S, A, room.cells):
        part = grad_NTS[tile]
        sigma = sigmoids.write(tile, room.shaped(part))
        g_sigma = torch.mul(sigma, part.unsqueeze(-1), out=room_g.shaped(part))
        sum_g_sigma += g_sigma.sum((0, 1, 2))
        grad_keys_tile = grad_keys[tile.n, tile.s]
        if T == 1:  # a key meets one query: its cell is its gradient, and is written where it belongs
            g_slope = torch.addcmul(g_sigma, g_sigma, sigma, value=-1, out=grad_keys_tile.unsqueeze(1))
            grad_query[tile.n, tile.t] += g_slope.sum(2)
            g_slope *= four_v
        else:
            g_slope = g_sigma.addcmul_(g_sigma, sigma, value=-1)
            grad_query[tile.n, tile.t] += g_slope.sum(2)
            grad_keys_tile += g_slope.sum(1)
    grad_query *= four_v
    if T > 1:
        grad_keys *= four_v
    grad_v = 2 * sum_g_sigma - grad_NTS.sum()
    return grad_query.view_as(query).to(query), grad_keys.view_as(keys).to(keys), grad_v.to(v)


# Windows. Copying the 2D+1 rows of each query costs 2D+1 times the memory of the states, which falls out of cache as
# the source grows. torch's weighted bags of embeddings read the rows where they are.

States = Float[Tensor, "*batch S P"]
Index = Int[Tensor, "*batch T W"]


def window_sum(weights: Float[Tensor, "*batch T W"], states: States, index: Index) -> Float[Tensor, "*batch T P"]:
    """c_t = Σ_w α_{t,w} x_{index[t,w]}, for the rows of `states` that `index` names."""
    dtype = torch.promote_types(weights.dtype, states.dtype)
    wide = torch.promote_types(dtype, torch.float32)
    rows, bags = _rows(states, wide), _bags(states, index)
    context = F.embedding_bag(bags, rows, per_sample_weights=weights.reshape(bags.shape).to(wide), mode="sum")
    return context.view(*index.shape[:-1], states.shape[-1]).to(dtype)


def window_dots(query: Float[Tensor, "*batch T P"], states: States, index: Index) -> Float[Tensor, "*batch T W"]:
    """q_tᵀ x_{index[t,w]}, for the rows of `states` that `index` names."""
    cells = index.numel() * states.shape[-1]
    if cells <= PLAIN_CELLS:
        return window_dots_plain(query, states, index)
    if torch.is_inference_mode_enabled():  # there are no gradients there to borrow: copies, a few windows at a time
        T = index.shape[-2]
        few = max(1, PLAIN_CELLS * T // cells)
        parts = [slice(start, start + few) for start in range(0, T, few)]
        return torch.cat([window_dots_plain(query[..., t, :], states, index[..., t, :]) for t in parts], -2)
    return window_dots_bagged(query, states, index)


def window_dots_bagged(query: Float[Tensor, "*batch T P"], states: States, index: Index) -> Float[Tensor, "*batch T W"]:
    """`window_dots` with no copy of any window."""
    return cast(Tensor, _WindowDots.apply(query, states, index))  # pyright: ignore[reportUnknownMemberType]


def window_dots_plain(query: Float[Tensor, "*batch T P"], states: States, index: Index) -> Float[Tensor, "*batch T W"]:
    """`window_dots` with a copy of every window: the reference."""
    *batch, T, W = index.shape
    windows = _rows(states, states.dtype)[_bags(states, index)].view(*batch, T, W, states.shape[-1])
    return (windows @ query.unsqueeze(-1)).squeeze(-1)


class _WindowDots(torch.autograd.Function):
    """Dot products as the gradient of a weighted sum by its weights: ∂(qᵀ Σ_w α_w x_w) / ∂α_w = qᵀ x_w."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, states: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(query, states, index)
        wide = torch.promote_types(query.dtype, torch.float32)
        rows, bags = _rows(states.detach(), wide), _bags(states, index)
        with torch.enable_grad():
            weights = torch.zeros(bags.shape, dtype=wide, device=rows.device, requires_grad=True)
            context = F.embedding_bag(bags, rows, per_sample_weights=weights, mode="sum")
            (dots,) = torch.autograd.grad(context, weights, _rows(query.detach(), wide))
        return dots.view(index.shape).to(query.dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        # With g the gradient of the dots: ∂/∂q_t = Σ_w g_tw x_w, itself a weighted sum, whose gradient by the rows
        # in the direction of q is Σ_tw g_tw q_t, which is ∂/∂x.
        query, states, index = cast(tuple[Tensor, Tensor, Tensor], ctx.saved_tensors)
        wide = torch.promote_types(query.dtype, torch.float32)
        bags = _bags(states, index)
        with torch.enable_grad():
            rows = _rows(states.detach(), wide).detach().requires_grad_()
            weights = grad_outputs[0].detach().reshape(bags.shape).to(wide)
            grad_query = F.embedding_bag(bags, rows, per_sample_weights=weights, mode="sum")
            (grad_rows,) = torch.autograd.grad(grad_query, rows, _rows(query.detach(), wide))
        grads = grad_query.detach().view_as(query).to(query), grad_rows.view_as(states).to(states)
        return *_once(grads, query, states), None


def _rows(states: Tensor, dtype: torch.dtype) -> Tensor:
    return states.reshape(-1, states.shape[-1]).to(dtype)


def _bags(states: Tensor, index: Tensor) -> Tensor:
    """`index` as rows of the flattened states, one bag for each query."""
    sentences = math.prod(states.shape[:-2])
    first = torch.arange(sentences, device=index.device).mul_(states.shape[-2]).view(-1, 1, 1)
    return (index.reshape(sentences, -1, index.shape[-1]) + first).view(-1, index.shape[-1])
