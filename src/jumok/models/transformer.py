"""The Transformer (Vaswani et al. 2017), with any mechanism between target and source.

    pre-norm    x + f(norm(x))      trains without much warm-up; the paper's code came to it
    post-norm   norm(x + f(x))      the paper's text

Dropout falls on embeddings and on what each sublayer adds, not on attention weights: a mask on the weights
would keep torch from its fused kernels.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from jumok.attention import Attended, Attention, MultiHead, Prepared
from jumok.models.contract import (
    AttentionMaps,
    Decoded,
    Decoder,
    DecoderState,
    Encoder,
    Memory,
    Selectable,
    Stepped,
    Wanted,
)
from jumok.models.cross_attention import as_heads, entropy_BT, imposed, log_prob_BT, step_terms
from jumok.models.dropout import Dropout
from jumok.models.embedding import LearnedPositions, NoPositions, SinusoidalPositions
from jumok.models.feed_forward import Activation, FeedForward
from jumok.models.norm import LayerNorm
from jumok.models.recurrent import xavier_linear
from jumok.models.self_attention import KeyValueCache, SelfAttention

Norm = Literal["pre", "post"]
Positions = SinusoidalPositions | LearnedPositions | NoPositions


@dataclass(frozen=True)
class LayerForm:
    """What the layers of an encoder or a decoder have in common."""

    size: int
    heads: int
    ff: int
    """The size inside the feed-forward network."""
    norm: Norm
    dropout: float
    activation: Activation = "relu"

    def self_attention(self, own: Attention, *, causal: bool, rotary: bool) -> SelfAttention:
        """The heads that look at the layer's own states by the mechanism `own`."""
        return SelfAttention(self.size, self.heads, own, causal=causal, rotary=rotary)

    def feed_forward(self) -> FeedForward:
        """The network that sees one position at a time."""
        return FeedForward(self.size, self.ff, self.activation)

    def last_norm(self) -> nn.Module:
        """What follows the last layer: pre-norm leaves its sum to be normalised."""
        return LayerNorm(self.size) if self.norm == "pre" else nn.Identity()


class Residual(nn.Module):
    """The frame around a sublayer f: x + f(norm(x)), or norm(x + f(x))."""

    def __init__(self, form: LayerForm) -> None:
        super().__init__()
        self.pre = form.norm == "pre"
        self.norm = LayerNorm(form.size)
        self.dropout = Dropout(form.dropout)

    def enter(self, states: Tensor) -> Tensor:
        """What the sublayer sees."""
        return self.norm(states) if self.pre else states

    def leave(self, states: Tensor, change: Tensor) -> Tensor:
        """The states with the sublayer's result added."""
        total = self.dropout.added(states, change)
        return total if self.pre else self.norm(total)


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network."""

    def __init__(self, form: LayerForm, own: Attention, rotary: bool = False) -> None:
        super().__init__()
        self.attention = form.self_attention(own, causal=False, rotary=rotary)
        self.feed_forward = form.feed_forward()
        self.around_attention = Residual(form)
        self.around_feed_forward = Residual(form)

    def forward(self, states_BSD: Tensor, mask_BS: Tensor | None, need_weights: bool) -> tuple[Tensor, Tensor | None]:
        """The new states, and the weights [B, H, S, S] when asked for."""
        change, weights = self.attention(self.around_attention.enter(states_BSD), mask_BS, need_weights)
        states_BSD = self.around_attention.leave(states_BSD, change)
        change = self.feed_forward(self.around_feed_forward.enter(states_BSD))
        return self.around_feed_forward.leave(states_BSD, change), weights


class TransformerEncoder(Encoder):
    """Layers of self-attention over the source; the sentence vector is the mean of the states."""

    def __init__(
        self,
        *,
        form: LayerForm,
        input_size: int,
        positions: Positions,
        own: Sequence[Attention],
    ) -> None:
        super().__init__()
        self.size = form.size
        self.entrance = Entrance(input_size, form.size, positions)
        rotary = isinstance(positions, NoPositions)
        self.layers = nn.ModuleList(EncoderLayer(form, one, rotary) for one in own)
        self.last_norm = form.last_norm()

    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        states_BSD, attention = self.entrance(words_BSE), []
        # Without a mask torch takes its fastest kernel; batches by length often need none.
        key_mask_BS = None if bool(mask_BS.all()) else mask_BS
        for layer in self.layers:
            states_BSD, weights = layer(states_BSD, key_mask_BS, need_weights)
            attention += [] if weights is None else [weights]
        states_BSD = self.last_norm(states_BSD)
        return Memory(states_BSD, mask_BS, masked_mean(states_BSD, mask_BS), attention=attention)


class Entrance(nn.Module):
    """Words at the model's size, with their positions."""

    def __init__(self, input_size: int, size: int, positions: Positions) -> None:
        super().__init__()
        self.W = None if input_size == size else xavier_linear(input_size, size, bias=False)
        self.positions = positions

    def forward(self, words_BTE: Tensor, first: int = 0) -> Tensor:
        return self.positions(words_BTE if self.W is None else self.W(words_BTE), first)


@dataclass(frozen=True)
class LayerPast:
    """What one decoder layer remembers: keys and values, and the state of a mechanism that carries one."""

    cache: KeyValueCache
    attention: Tensor | None

    def select(self, index_N: Tensor) -> "LayerPast":
        """The rows named by `index_N`."""
        carried = None if self.attention is None else self.attention.index_select(0, index_N)
        return LayerPast(self.cache.select(index_N), carried)


@dataclass(frozen=True)
class TransformerState:
    """What a Transformer decoder remembers between two words."""

    layers: tuple[LayerPast, ...]

    def select(self, index_N: Tensor) -> "TransformerState":
        """The rows named by `index_N`."""
        return TransformerState(tuple(past.select(index_N) for past in self.layers))


@dataclass(frozen=True)
class LayerOutput:
    """What one decoder layer gives for a whole target or for one word."""

    states: Tensor
    weights: Tensor | None
    """Self-attention weights, when asked for."""
    query: Tensor
    """What the source was asked with."""
    attended: Attended | None
    """What the source answered."""


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the source by any mechanism, and a feed-forward network."""

    def __init__(
        self, form: LayerForm, own: Attention, cross: Attention | MultiHead | None, rotary: bool = False
    ) -> None:
        super().__init__()
        self.attention = form.self_attention(own, causal=True, rotary=rotary)
        self.cross = cross
        self.feed_forward = form.feed_forward()
        self.around_attention = Residual(form)
        self.around_cross = None if cross is None else Residual(form)
        self.around_feed_forward = Residual(form)

    def forward(self, states_BTD: Tensor, keys: Prepared | None, need_weights: bool) -> LayerOutput:
        """The new states of a whole target, with what was looked at on the way."""
        change, weights = self.attention(self.around_attention.enter(states_BTD), None, need_weights)
        states_BTD = self.around_attention.leave(states_BTD, change)
        return self._look_and_feed(states_BTD, weights, keys, need_weights)

    def step(
        self,
        state_BD: Tensor,
        keys: Prepared | None,
        past: LayerPast,
        need_weights: bool,
        override: Tensor | None,
    ) -> tuple[LayerOutput, LayerPast]:
        """The same for one more word, [B, 1, D]; the past has grown by it."""
        position = torch.full((1, 1), past.cache.length, device=state_BD.device)
        change, weights, cache = self.attention.step(self.around_attention.enter(state_BD), past.cache, need_weights)
        state_B1D = self.around_attention.leave(state_BD, change)[:, None]
        output = self._look_and_feed(state_B1D, weights, keys, need_weights, position, past.attention, override)
        return output, LayerPast(cache, None if output.attended is None else output.attended.state)

    def _look_and_feed(
        self,
        states_BTD: Tensor,
        weights: Tensor | None,
        keys: Prepared | None,
        need_weights: bool,
        positions: Tensor | None = None,
        carried: Tensor | None = None,
        override: Tensor | None = None,
    ) -> LayerOutput:
        query, attended = states_BTD, None
        if self.cross is not None and self.around_cross is not None and keys is not None:
            # Under autocast the keys were projected to half precision, and a mechanism wants one type.
            query = self.around_cross.enter(states_BTD).to(keys.values.dtype)
            attended = self.cross(
                query, keys, need_weights=need_weights, positions=positions, state=carried, override=override
            )
            states_BTD = self.around_cross.leave(states_BTD, attended.context)
        change = self.feed_forward(self.around_feed_forward.enter(states_BTD))
        return LayerOutput(self.around_feed_forward.leave(states_BTD, change), weights, query, attended)


class TransformerDecoder(Decoder):
    """Layers over the target that look at the source through one mechanism each.

    Without attention the sentence vector, through tanh(W_s h), is added to every word: the fixed-vector
    bottleneck.
    """

    def __init__(
        self,
        *,
        form: LayerForm,
        input_size: int,
        positions: Positions,
        own: Sequence[Attention],
        cross: Sequence[Attention | MultiHead | None],
        summary_size: int,
        output_size: int,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        size = form.size
        self.entrance = Entrance(input_size, size, positions)
        rotary = isinstance(positions, NoPositions)
        self.layers = nn.ModuleList(DecoderLayer(form, one, look, rotary) for one, look in zip(own, cross, strict=True))
        self.W_s = xavier_linear(summary_size, size) if cross[0] is None else None
        self.last_norm = form.last_norm()
        self.exit = nn.Identity() if output_size == size else xavier_linear(size, output_size, bias=False)

    def cross_attentions(self) -> list[Attention | MultiHead]:
        return [layer.cross for layer in self._layers() if layer.cross is not None]

    def prepare(self, memory: Memory) -> list[Selectable]:
        mask_B1S = memory.mask_BS[:, None, :]
        return [look.prepare(memory.states_BSD, None, mask_B1S) for look in self.cross_attentions()]

    def start(self, memory: Memory) -> TransformerState:
        layers = self._layers()
        carried = [
            None if keys is None or layer.cross is None else layer.cross.initial_state(keys)
            for layer, keys in zip(layers, self._keys(memory), strict=True)
        ]
        return TransformerState(tuple(LayerPast(KeyValueCache.empty(), state) for state in carried))

    def step(self, words_BE: Tensor, state: DecoderState, wanted: Wanted) -> Stepped:
        inner, looking = state.inner, wanted.weights or wanted.terms
        assert isinstance(inner, TransformerState)
        given = imposed(wanted.override, len(self.layers))
        current_BD = self._enter(words_BE[:, None], state.memory, state.step)[:, 0]
        outputs: list[LayerOutput] = []
        pasts: list[LayerPast] = []
        for number, (layer, keys) in enumerate(zip(self._layers(), self._keys(state.memory), strict=True)):
            output, past = layer.step(current_BD, keys, inner.layers[number], looking, given.get(number))
            current_BD = output.states[:, 0]
            outputs.append(output)
            pasts.append(past)
        output_BD = self.exit(self.last_norm(current_BD))
        looks = [(output.query[:, 0], output.attended) for output in outputs]
        terms = step_terms(looks, current_BD, output_BD) if wanted.terms else None
        maps = attention_maps(outputs) if wanted.weights else AttentionMaps()
        return Stepped(output_BD, TransformerState(tuple(pasts)), maps, terms)

    def forward(self, words_BTE: Tensor, memory: Memory, need_weights: bool = False) -> Decoded:
        states_BTD = self._enter(words_BTE, memory, 0)
        outputs: list[LayerOutput] = []
        for layer, keys in zip(self._layers(), self._keys(memory), strict=True):
            outputs.append(layer(states_BTD, keys, need_weights))
            states_BTD = outputs[-1].states
        maps = attention_maps(outputs) if need_weights else AttentionMaps()
        attended = [output.attended for output in outputs if output.attended is not None]
        drawn, spread = added_up(map(log_prob_BT, attended)), added_up(map(entropy_BT, attended))
        return Decoded(self.exit(self.last_norm(states_BTD)), maps, drawn, spread)

    def _enter(self, words_BTE: Tensor, memory: Memory, first: int) -> Tensor:
        states_BTD = self.entrance(words_BTE, first)
        return states_BTD if self.W_s is None else states_BTD + torch.tanh(self.W_s(memory.summary))[:, None]

    def _layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]

    def _keys(self, memory: Memory) -> list[Prepared | None]:
        keys = [keys for keys in memory.prepared if isinstance(keys, Prepared)]
        return [*keys] or [None] * len(self.layers)


def masked_mean(states_BSD: Tensor, mask_BS: Tensor) -> Tensor:
    """The mean [B, D] of the states that may be attended."""
    mask_BS1 = mask_BS[..., None].to(states_BSD.dtype)
    return (states_BSD * mask_BS1).sum(1) / mask_BS1.sum(1).clamp_min(1)


def attention_maps(outputs: list[LayerOutput]) -> AttentionMaps:
    """The weights of all layers, the target's own and those over the source."""
    own = [output.weights for output in outputs if output.weights is not None]
    return AttentionMaps(decoder=own, cross=[as_heads(output.attended) for output in outputs if output.attended])


def added_up(rows: Iterable[Tensor | None]) -> Tensor | None:
    """The sum [B, T] over the layers that have such; None where none has."""
    found = [row for row in rows if row is not None]
    return torch.stack(found).sum(0) if found else None
