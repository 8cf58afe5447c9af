"""Self-attention with heads, rotary positions and the cache of keys and values that stepping reads."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from jumok.attention.attention import Attended, Attention
from jumok.attention.coverage import StatefulScore
from jumok.attention.normalise import Hard
from jumok.attention.rotary import Rotary
from jumok.attention.scope import Causal, Global, Window
from jumok.errors import ConfigError, ShapeError
from jumok.models.recurrent import xavier_linear

FIRST_ROOM = 16


class Buffer:
    """Room for keys and values [2, B, H, room, K], of which the first `filled` positions are written.

    Written positions never change, so any number of caches of any length may share a buffer.
    """

    def __init__(self, past: Tensor, length: int, room: int) -> None:
        pairs, count, heads, _, size = past.shape
        self.data = past.new_empty(pairs, count, heads, room, size)
        self.data[..., :length, :] = past[..., :length, :]
        self.filled = length


@dataclass(frozen=True)
class KeyValueCache:
    """Keys and values of the words so far.

    Appending writes into spare room, which doubles when it is used up; a cache that was continued another way
    before (a beam that splits, a what-if) moves to a buffer of its own. Where gradients are wanted nothing is
    written in place and each step makes a new tensor.
    """

    buffer: Buffer | None
    grown: Tensor | None
    length: int

    @classmethod
    def empty(cls) -> "KeyValueCache":
        """The cache before the first word."""
        return cls(None, None, 0)

    @property
    def both(self) -> Tensor | None:
        """Keys and values [2, B, H, length, K]."""
        if self.buffer is not None:
            return self.buffer.data[..., : self.length, :]
        return self.grown

    def append(self, new: Tensor) -> "KeyValueCache":
        """The cache with keys and values [2, B, H, 1, K] of one more word."""
        if torch.is_grad_enabled() and (new.requires_grad or (self.grown is not None and self.grown.requires_grad)):
            past = self.both
            return KeyValueCache(None, new if past is None else torch.cat([past, new], dim=-2), self.length + 1)
        buffer = self.buffer
        if buffer is None or buffer.filled != self.length or buffer.data.shape[-2] == self.length:
            past = self.both
            buffer = Buffer(new if past is None else past, self.length, max(FIRST_ROOM, 2 * self.length))
        buffer.data[..., self.length : self.length + 1, :] = new
        buffer.filled = self.length + 1
        return KeyValueCache(buffer, None, self.length + 1)

    def select(self, index_N: Tensor) -> "KeyValueCache":
        """The rows named by `index_N`."""
        past = self.both
        return self if past is None else KeyValueCache(None, past.index_select(1, index_N), self.length)


class SelfAttention(nn.Module):
    """Multi-head attention of a sequence to itself by any mechanism over vectors of a head's size.

    Queries, keys and values come from one product. With `causal` a position sees itself and what was before it.
    """

    def __init__(self, size: int, heads: int, attend: Attention, *, causal: bool, rotary: bool) -> None:
        super().__init__()
        if size % heads:
            raise ShapeError(f"A Transformer of size {size} cannot be split into {heads} equal heads.")
        self.heads = heads
        self.W_qkv = xavier_linear(size, 3 * size)
        with torch.no_grad():
            for part in self.W_qkv.weight.chunk(3):
                nn.init.xavier_uniform_(part)
        self.W_o = xavier_linear(size, size)
        self.rotary = Rotary(size // heads) if rotary else None
        self.attend = attend
        self.masked = causal and not make_causal(attend)

    def project(self, states_BTD: Tensor, first: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values [B, H, T, K] of the positions from `first` on."""
        count, steps, size = states_BTD.shape
        # Split before the heads: the gradient is then one concatenation.
        parts = self.W_qkv(states_BTD).split(size, dim=-1)
        query, keys, values = (part.view(count, steps, self.heads, -1).transpose(1, 2) for part in parts)
        if self.rotary is None:
            return query, keys, values
        position_T = torch.arange(first, first + steps, device=states_BTD.device)
        return self.rotary(query, position_T), self.rotary(keys, position_T), values

    def forward(
        self, states_BTD: Tensor, mask_BS: Tensor | None = None, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """The new states of a whole sequence, and the weights [B, H, T, T] when asked for."""
        mask = None if mask_BS is None else mask_BS[:, None, None, :]
        if self.masked:
            length = states_BTD.shape[1]
            mask = torch.ones(1, 1, length, length, dtype=torch.bool, device=states_BTD.device).tril_()
        attended: Attended = self.attend(*self.project(states_BTD, 0), mask, need_weights)
        return self.join(attended.context), attended.weights if need_weights else None

    def step(
        self, state_BD: Tensor, cache: KeyValueCache, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None, KeyValueCache]:
        """The new state of one more word, its weights [B, H, 1, t] over itself and the past, and the cache."""
        query, keys, values = self.project(state_BD[:, None], cache.length)
        cache = cache.append(torch.stack([keys, values]))
        past = cache.both
        assert past is not None
        position = torch.full((1,), cache.length - 1, device=state_BD.device)
        attended: Attended = self.attend(query, past[0], past[1], None, need_weights, positions=position)
        return self.join(attended.context)[:, 0], attended.weights if need_weights else None, cache

    def join(self, context_BHTK: Tensor) -> Tensor:
        """The heads' contexts side by side, mixed by W_o."""
        return self.W_o(context_BHTK.transpose(1, 2).flatten(2))


ANOTHER = "choose another of `jumok mechanisms`"


def check_self_attention(
    attend: Attention,
    named: str,
    positions: int | None = None,
    *,
    stateful: str = ANOTHER,
    rewarded: str = ANOTHER,
) -> None:
    """Refuses a mechanism by which `positions` cannot look at each other; `named` says which it is.

    `stateful` and `rewarded` say what to do about one that carries a state, and about one that is trained by reward.
    """
    if isinstance(attend.score, StatefulScore):
        raise ConfigError(
            f"{named} carries a state from one query to the next, which self-attention does not have; {stateful}."
        )
    if isinstance(attend.normaliser, Hard) and attend.normaliser.estimator == "reinforce":
        raise ConfigError(f"{named} cannot be trained by reward; {rewarded}.")
    most = attend.score.most_keys
    if positions is not None and most is not None and most < positions:
        raise ShapeError(f"{named} knows {most:,} positions, and {positions:,} look at each other here; {ANOTHER}.")


def make_causal(attend: Attention) -> bool:
    """Gives a mechanism the causal form of its scope, which its kernels know; False where a mask must do it."""
    if isinstance(attend.scope, Global):
        attend.scope = Causal()
    elif isinstance(attend.scope, Window):
        attend.scope = Window(attend.scope.D, causal=True)
    return isinstance(attend.scope, Causal | Window)
