"""SNAIL: temporal convolutions that gather, causal attention that pinpoints (Mishra et al. 2018, arXiv:1707.03141).

    DenseBlock(d, F)      y_t = [x_t; tanh(W_f * x) ⊙ σ(W_g * x)]   convolutions of width 2 over x_{t−d} and x_t
    TemporalBlock(T, F)   dense blocks with d = 1, 2, 4, …, 2^(⌈log2 T⌉−1), until T steps are seen
    AttentionBlock(K, V)  y_t = [x_t; Σ_{s ≤ t} α_ts v_s],  α_t = softmax(q_tᵀ k_s / √K)

Each block puts what it found beside what it was given, so that every later block sees everything before it. A block
does a whole sequence (`forward`), and one more position after it (`step`) from a cache of what it needs of the past. A
step may be tried with several candidates at once, [B, C, D]: each sees the past and itself, never the others, which is
how all queries of an episode share its support set.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.attention import Attention, MultiHead, build
from jumok.attention.scope import LocalM, Window
from jumok.errors import ShapeError
from jumok.models.gated_convolutions import gated_convolutions
from jumok.models.self_attention import check_self_attention, make_causal

Cache = tuple[Tensor, ...]
"""What a block keeps of a sequence: keys and values [B, T, …], or the last states, each [B, 1, D]."""


@dataclass(frozen=True)
class BlockOutput:
    """The states [B, T, D′] of a block, what it keeps for a step, and its weights [B, T, S], if it attends."""

    states: Tensor
    cache: tuple[Cache, ...]
    weights: tuple[Tensor, ...] = ()


class Block(nn.Module, ABC):
    """A causal block: output t depends on inputs up to t."""

    size: int
    """The size of its outputs."""

    @property
    @abstractmethod
    def reach(self) -> int | None:
        """How many steps, its own included, an output depends on; None: all before it."""

    @abstractmethod
    def forward(self, states_BTD: Tensor, need_weights: bool = False) -> BlockOutput:
        """The outputs of a whole sequence, and what a step after it needs."""

    @abstractmethod
    def step(self, states_BCD: Tensor, cache: tuple[Cache, ...], need_weights: bool = False) -> BlockOutput:
        """The outputs of candidates for the position after the cached ones.

        The cache it returns is that of the sequence with the candidate, where there is one; with several, it is the
        one that was given.
        """

    @abstractmethod
    def empty(self, states_BTD: Tensor) -> tuple[Cache, ...]:
        """The cache before the first position; only the size of the batch is read."""


class DenseBlock(Block):
    """[x_t; tanh(W_f * x) ⊙ σ(W_g * x)]: a causal convolution of width 2 and dilation d, gated, beside its input."""

    def __init__(self, input_size: int, dilation: int, filters: int) -> None:
        super().__init__()
        if dilation < 1:
            raise ShapeError(f"A dilation is at least 1, got {dilation}.")
        self.dilation, self.size = dilation, input_size + filters
        # Both convolutions in one product: the first half of the outputs is the filter, the second the gate.
        self.now = nn.Linear(input_size, 2 * filters)
        self.past = nn.Linear(input_size, 2 * filters, bias=False)
        # Xavier for the two taps together, as a convolution of width 2 would be initialised.
        for part in (self.now, self.past):
            bound = (6 / (2 * input_size + 2 * filters)) ** 0.5
            nn.init.uniform_(part.weight, -bound, bound)
        nn.init.zeros_(self.now.bias)

    def forward(self, states_BTD: Tensor, need_weights: bool = False) -> BlockOutput:
        kept = states_BTD.shape[1] - self.dilation
        past_BTF = F.pad(self.past(states_BTD[:, :kept]), (0, 0, self.dilation, 0)) if kept > 0 else None
        return BlockOutput(self._joined(states_BTD, past_BTF), (states_BTD[:, -self.dilation :].split(1, dim=1),))

    def step(self, states_BCD: Tensor, cache: tuple[Cache, ...], need_weights: bool = False) -> BlockOutput:
        last = cache[0]  # one tensor a position: a step moves none of them
        past_B1F = self.past(last[0]) if len(last) == self.dilation else None
        if states_BCD.shape[1] == 1:
            cache = ((*last, states_BCD)[-self.dilation :],)
        return BlockOutput(self._joined(states_BCD, past_B1F), cache)

    @property
    def reach(self) -> int:
        return 1 + self.dilation

    def _joined(self, states_BTD: Tensor, past: Tensor | None) -> Tensor:
        both = self.now(states_BTD)
        found, gate = (both if past is None else both + past).chunk(2, dim=-1)
        return torch.cat([states_BTD, found.tanh() * gate.sigmoid()], dim=-1)

    def empty(self, states_BTD: Tensor) -> tuple[Cache, ...]:
        return ((),)


class AttentionBlock(Block):
    """[x_t; Σ_{s ≤ t} α_ts v_s]: one causal look at the sequence by any mechanism, beside its input.

    A mechanism that cannot look at `length` positions is refused here.
    """

    def __init__(
        self,
        input_size: int,
        key_size: int,
        value_size: int,
        mechanism: str = "scaled_dot",
        length: int | None = None,
    ) -> None:
        super().__init__()
        self.query = nn.Linear(input_size, key_size)
        self.key = nn.Linear(input_size, key_size)
        self.value = nn.Linear(input_size, value_size)
        # At the start a position looks most at those like itself. From independent matrices a block may learn to look
        # at everything but what it searches for (docs/log.md); the paper does not say how they start.
        self.key.load_state_dict(self.query.state_dict())
        attend = build(mechanism, query_dim=key_size, key_dim=key_size, value_dim=value_size, heads=None)
        assert not isinstance(attend, MultiHead)
        check_self_attention(attend, f"Mechanism '{mechanism}'", length)
        self.attend: Attention = attend
        self.masked = not make_causal(attend)
        self.size = input_size + attend.context_dim(value_size)

    def forward(self, states_BTD: Tensor, need_weights: bool = False) -> BlockOutput:
        keys, values = self.key(states_BTD), self.value(states_BTD)
        length = states_BTD.shape[1]
        mask = torch.ones(1, length, length, dtype=torch.bool, device=keys.device).tril_() if self.masked else None
        attended = self.attend(self.query(states_BTD), keys, values, mask, need_weights)
        joined = torch.cat([states_BTD, attended.context], dim=-1)
        return BlockOutput(joined, ((keys, values),), (attended.weights,) if need_weights else ())

    def step(self, states_BCD: Tensor, cache: tuple[Cache, ...], need_weights: bool = False) -> BlockOutput:
        keys, values = (
            _with_own(past, new)
            for past, new in zip(cache[0], (self.key(states_BCD), self.value(states_BCD)), strict=True)
        )
        position = torch.full((1,), keys.shape[2] - 1, device=keys.device)
        query = self.query(states_BCD).unsqueeze(2)
        attended = self.attend(query, keys, values, None, need_weights, positions=position)
        joined = torch.cat([states_BCD, attended.context.squeeze(2)], dim=-1)
        if states_BCD.shape[1] == 1:
            cache = ((keys.squeeze(1), values.squeeze(1)),)
        weights = attended.weights
        return BlockOutput(joined, cache, (weights.squeeze(2),) if need_weights and weights is not None else ())

    @property
    def reach(self) -> int | None:
        scope = self.attend.scope
        return 1 + scope.D if isinstance(scope, Window | LocalM) else None

    def empty(self, states_BTD: Tensor) -> tuple[Cache, ...]:
        sizes = (self.key.out_features, self.value.out_features)
        return (tuple(states_BTD.new_empty(len(states_BTD), 0, size) for size in sizes),)


def _with_own(past_BTK: Tensor, new_BCK: Tensor) -> Tensor:
    """[B, C, T + 1, K]: the past and the candidate itself, for each candidate."""
    count, length, size = past_BTK.shape
    past = past_BTK.unsqueeze(1).expand(count, new_BCK.shape[1], length, size)
    return torch.cat([past, new_BCK.unsqueeze(2)], dim=2)


class Stack(Block):
    """Blocks one after the other."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.size = self.parts[-1].size

    @property
    def parts(self) -> Sequence[Block]:
        """The blocks in order."""
        return list(self.blocks)  # type: ignore[arg-type]

    @property
    def reach(self) -> int | None:
        each = [block.reach for block in self.parts]
        return None if None in each else 1 + sum(reach - 1 for reach in each if reach)

    def forward(self, states_BTD: Tensor, need_weights: bool = False) -> BlockOutput:
        done: list[BlockOutput] = []
        for block in self.parts:
            done.append(block(done[-1].states if done else states_BTD, need_weights))
        return _stacked(done)

    def step(self, states_BCD: Tensor, cache: tuple[Cache, ...], need_weights: bool = False) -> BlockOutput:
        done: list[BlockOutput] = []
        for block in self.parts:
            count = _kept(block)
            mine, cache = cache[:count], cache[count:]
            done.append(block.step(done[-1].states if done else states_BCD, mine, need_weights))
        return _stacked(done)

    def empty(self, states_BTD: Tensor) -> tuple[Cache, ...]:
        return tuple(one for block in self.parts for one in block.empty(states_BTD))


def _stacked(done: Sequence[BlockOutput]) -> BlockOutput:
    return BlockOutput(
        done[-1].states,
        tuple(one for block in done for one in block.cache),
        tuple(one for block in done for one in block.weights),
    )


def _kept(block: Block) -> int:
    """How many blocks inside it keep something."""
    return sum(_kept(part) for part in block.parts) if isinstance(block, Stack) else 1


class TemporalBlock(Stack):
    """Dense blocks whose dilations double until `length` steps are seen."""

    def __init__(self, input_size: int, length: int, filters: int) -> None:
        self.length = length
        layers = dilations(length)
        super().__init__(
            DenseBlock(input_size + number * filters, dilation, filters) for number, dilation in enumerate(layers)
        )

    def forward(self, states_BTD: Tensor, need_weights: bool = False) -> BlockOutput:
        if torch.is_autocast_enabled(states_BTD.device.type) or not states_BTD.shape[1]:
            return super().forward(states_BTD)
        dense = [block for block in self.parts if isinstance(block, DenseBlock)]
        weights = [weight for one in dense for weight in (one.now.weight, one.now.bias, one.past.weight)]
        out = gated_convolutions(states_BTD, [one.dilation for one in dense], weights)
        # Each block keeps the last of its inputs, as it does by itself.
        inputs = ((one.dilation, one.now.in_features) for one in dense)
        return BlockOutput(out, tuple(out[:, -kept:, :size].split(1, dim=1) for kept, size in inputs))


def dilations(length: int) -> list[int]:
    """1, 2, 4, …: ⌈log2 length⌉ of them, which see `length` steps; at least one."""
    return [2**number for number in range(max(1, (length - 1).bit_length()))]
