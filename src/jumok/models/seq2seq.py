"""The interface of every model: encode a source once, then decode it step by step or as a whole.

    memory        = model.encode(source_BS, mask_BS)
    state         = model.init_state(memory)
    output, state = model.step(previous_B, state)          # one word for each sentence
    state         = state.select(index_N)                  # beam reordering: keeps, drops or repeats rows
    decoded       = model.decode(memory, target_in_BT)     # teacher-forced, all positions at once
    logits_BTV    = model.generator(decoded.outputs_BTD)

Modules hold parameters only. What changes while decoding travels in `DecoderState`, so that a state may be
kept, copied and continued in several ways. Attention is an ordinary part of each result.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from jumok.attention import Score
from jumok.errors import InputError, ShapeError
from jumok.models.embedding import Generator, LearnedPositions, TokenEmbedding
from jumok.models.reach import Reach, least
from jumok.models.recurrent import LayerState

# Weights to impose on the cross attention of one step: [B, S] for one head (rnn), [B, H, S] for the heads of
# the last layer (transformer), or for each layer number (negative ones count from the top) [B, H, 1, S].
Override = Tensor | Mapping[int, Tensor]
Terms = Mapping[str, object]


@runtime_checkable
class Selectable(Protocol):
    """Something with a row for each sentence of the batch."""

    def select(self, index: Tensor, /) -> "Selectable":
        """The rows named by `index`, in that order; rows may be left out or repeated."""
        ...


@dataclass(frozen=True)
class Memory:
    """What the encoder read, and what the decoder made of it once a sentence."""

    states_BSD: Float[Tensor, "B S D"]
    """One state for each source position, in the order of the source also when it was read backwards."""
    mask_BS: Bool[Tensor, "B S"]
    """True where a position may be attended."""
    summary: Float[Tensor, "B D"]
    """The sentence vector [B, D]: the encoder's last top state, or the mean state of a Transformer."""
    final: tuple[LayerState, ...] | None = None
    """The last state of each layer of a one-directional recurrent encoder, for a decoder of its make."""
    attention: list[Tensor] = field(default_factory=list)
    """The encoder's self-attention, [B, H, S, S] for each layer; empty unless asked for."""
    prepared: list[Selectable] = field(default_factory=list)
    """Keys and values as each attention of the decoder wants them, projected once a sentence."""

    def select(self, index_N: Tensor) -> "Memory":
        """The memory of the sentences named by `index_N`."""
        return Memory(
            self.states_BSD.index_select(0, index_N),
            self.mask_BS.index_select(0, index_N),
            self.summary.index_select(0, index_N),
            None if self.final is None else select_layers(self.final, index_N),
            [weights.index_select(0, index_N) for weights in self.attention],
            [keys.select(index_N) for keys in self.prepared],
        )


@dataclass(frozen=True)
class AttentionMaps:
    """Attention weights by what looks at what; each a list over layers, empty where there is none."""

    encoder: list[Tensor] = field(default_factory=list)
    """Encoder self-attention [B, H, S, S]."""
    decoder: list[Tensor] = field(default_factory=list)
    """Decoder self-attention [B, H, T, T]; in a step [B, H, 1, t]."""
    cross: list[Tensor] = field(default_factory=list)
    """From target to source [B, H, T, S]; a recurrent decoder has one layer and one head."""


@dataclass(frozen=True)
class StepOutput:
    """What one decoding step gives."""

    logits_BV: Float[Tensor, "B V"]
    attention: AttentionMaps
    terms: Terms
    """Named intermediates when asked for: the attention's own and `query`, `context`, `state`, `output`."""


@dataclass(frozen=True)
class Decoded:
    """What decoding a whole given target gives; `generator` turns outputs into logits."""

    outputs_BTD: Float[Tensor, "B T D"]
    attention: AttentionMaps
    log_prob_BT: Float[Tensor, "B T"] | None
    """Log-probability of the positions that hard attention drew, or None."""


@dataclass(frozen=True)
class Stepped:
    """What a decoder gives for one step."""

    output_BD: Float[Tensor, "B D"]
    state: Selectable
    attention: AttentionMaps
    terms: Terms


@dataclass(frozen=True)
class DecoderState:
    """Where decoding stands. It refers to parameters of no module and is never changed in place."""

    memory: Memory
    inner: Selectable
    """What the decoder itself remembers: recurrent states, or cached keys and values."""
    step: int = 0
    """How many words were taken in."""

    def select(self, index_N: Tensor, *, same_sources: bool = False) -> "DecoderState":
        """The rows named by `index_N`.

        With `same_sources` the caller promises that each row takes the place of a row of the same sentence,
        as in beam search; the memory then stays as it is and is not copied.
        """
        memory = self.memory if same_sources else self.memory.select(index_N)
        return replace(self, memory=memory, inner=self.inner.select(index_N))


class Encoder(nn.Module, ABC):
    """Reads embedded words."""

    size: int

    @abstractmethod
    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        """The memory of a batch, with nothing prepared yet."""


class Decoder(nn.Module, ABC):
    """Writes: turns embedded words and a memory into outputs that the generator scores."""

    output_size: int

    @abstractmethod
    def prepare(self, memory: Memory) -> list[Selectable]:
        """What each attention of this decoder needs of the memory, projected once a sentence."""

    @abstractmethod
    def start(self, memory: Memory) -> Selectable:
        """The state before the first word."""

    @abstractmethod
    def step(
        self,
        words_BE: Tensor,
        state: DecoderState,
        *,
        need_weights: bool = False,
        need_terms: bool = False,
        override: Override | None = None,
    ) -> Stepped:
        """The output for one word of each sentence."""

    @abstractmethod
    def forward(self, words_BTE: Tensor, memory: Memory, need_weights: bool = False) -> Decoded:
        """The outputs for all words of a given target."""


@runtime_checkable
class TeacherForced(Protocol):
    """A batch as `Seq2Seq.forward` reads it."""

    source_BS: Tensor
    source_mask_BS: Tensor
    target_in_BT: Tensor


class Seq2Seq(nn.Module):
    """An encoder, a decoder, their embeddings and the output layer.

    With `source_embedding=None` both sides share the target's embedding.
    """

    def __init__(
        self,
        source_embedding: TokenEmbedding | None,
        target_embedding: TokenEmbedding,
        encoder: Encoder,
        decoder: Decoder,
        generator: Generator,
        *,
        reverse_source: bool = False,
    ) -> None:
        super().__init__()
        self.own_source_embedding = source_embedding
        self.target_embedding = target_embedding
        self.encoder = encoder
        self.decoder = decoder
        self.generator = generator
        self.reverse_source = reverse_source

    @property
    def source_embedding(self) -> TokenEmbedding:
        """The embedding of source words, which may be the target's."""
        return self.target_embedding if self.own_source_embedding is None else self.own_source_embedding

    @property
    def source_size(self) -> int:
        """How many words the source side knows."""
        return self.source_embedding.count

    @property
    def target_size(self) -> int:
        """How many words the target side knows."""
        return self.target_embedding.count

    @property
    def reach(self) -> Reach:
        """How long sentences may be for the parameters of positions that the model has."""
        read, written = (
            [part.count for part in side.modules() if isinstance(part, LearnedPositions)]
            for side in (self.encoder, self.decoder)
        )
        looked_at = [part.most_keys for part in self.decoder.modules() if isinstance(part, Score)]
        return Reach(least([*read, *looked_at]), least(written))

    def encode(self, source_BS: Int[Tensor, "B S"], mask_BS: Bool[Tensor, "B S"], need_weights: bool = False) -> Memory:
        """The memory of a batch of sources, ready for the decoder."""
        check_ids(source_BS, mask_BS)
        if not self.reverse_source:
            memory = self.encoder(self.source_embedding(source_BS), mask_BS, need_weights)
        else:
            index_BS = reversal(mask_BS)
            words_BSE = self.source_embedding(source_BS.gather(1, index_BS))
            memory = unreversed(self.encoder(words_BSE, mask_BS, need_weights), index_BS)
        # Under autocast an encoder may end in half precision; decoders expect the type of the parameters.
        dtype = self.target_embedding.weight.dtype
        memory = replace(memory, states_BSD=memory.states_BSD.to(dtype), summary=memory.summary.to(dtype))
        return self.prepare(memory)

    def prepare(self, memory: Memory) -> Memory:
        """The same memory with the decoder's share of it made anew, for states or a mask that were edited."""
        return replace(memory, prepared=self.decoder.prepare(memory))

    def init_state(self, memory: Memory) -> DecoderState:
        """The state before the first word."""
        return DecoderState(memory, self.decoder.start(memory))

    def step(
        self,
        previous_B: Int[Tensor, " B"],
        state: DecoderState,
        *,
        need_weights: bool = False,
        need_terms: bool = False,
        override: Override | None = None,
    ) -> tuple[StepOutput, DecoderState]:
        """The scores of the next word of each sentence, and the state after taking in the previous one.

        `override` imposes cross-attention weights instead of the model's own: [B, S] for a recurrent decoder;
        for a Transformer [B, H, S] for its last layer, or a mapping from layer to [B, H, 1, S]. They are used
        as given.
        """
        done = self.decoder.step(
            self.target_embedding(previous_B),
            state,
            need_weights=need_weights,
            need_terms=need_terms,
            override=override,
        )
        attention = replace(done.attention, encoder=state.memory.attention if need_weights else [])
        output = StepOutput(self.generator(done.output_BD), attention, done.terms)
        return output, replace(state, inner=done.state, step=state.step + 1)

    def decode(self, memory: Memory, target_in_BT: Int[Tensor, "B T"], *, need_weights: bool = False) -> Decoded:
        """The outputs for a whole given target (BOS first), which `generator` turns into logits."""
        decoded = self.decoder(self.target_embedding(target_in_BT), memory, need_weights)
        if not need_weights:
            return decoded
        return replace(decoded, attention=replace(decoded.attention, encoder=memory.attention))

    def forward(self, batch: TeacherForced, need_weights: bool = False) -> tuple[Float[Tensor, "B T V"], AttentionMaps]:
        """Logits [B, T, V] of a teacher-forced batch, and the attention maps when asked for."""
        memory = self.encode(batch.source_BS, batch.source_mask_BS, need_weights)
        decoded = self.decode(memory, batch.target_in_BT, need_weights=need_weights)
        return self.generator(decoded.outputs_BTD), decoded.attention


def check_ids(source_BS: Tensor, mask_BS: Tensor) -> None:
    """Raises unless sources are a batch of ids with a boolean mask alike, and none is empty."""
    if source_BS.ndim != 2 or mask_BS.shape != source_BS.shape or mask_BS.dtype != torch.bool:
        raise ShapeError(
            "encode needs source ids [B, S] and a boolean mask of the same shape, got "
            f"{list(source_BS.shape)} and {list(mask_BS.shape)} of {mask_BS.dtype}."
        )
    if source_BS.shape[1] == 0:
        raise InputError("There is nothing to encode: the sources have no tokens; end each with EOS.")


def lengths(mask_BS: Tensor) -> Tensor:
    """How far each source reaches: one past its last real position, and at least 1."""
    index_S = torch.arange(1, mask_BS.shape[1] + 1, device=mask_BS.device)
    return (mask_BS * index_S).amax(-1).clamp_min(1)


def reversal(mask_BS: Tensor) -> Tensor:
    """The index that turns each source around within its own length; it is its own inverse."""
    index_S = torch.arange(mask_BS.shape[1], device=mask_BS.device)
    mirrored_BS = lengths(mask_BS)[:, None] - 1 - index_S
    return torch.where(mirrored_BS >= 0, mirrored_BS, index_S)


def reorder(states_BSD: Tensor, index_BS: Tensor) -> Tensor:
    """States with position i taken from `index_BS[:, i]`."""
    return states_BSD.gather(1, index_BS[..., None].expand(-1, -1, states_BSD.shape[-1]))


def unreversed(memory: Memory, index_BS: Tensor) -> Memory:
    """A memory that was read backwards, back in the order of the source."""
    attention: list[Tensor] = []
    for weights_BHSS in memory.attention:
        rows = index_BS[:, None, :, None].expand_as(weights_BHSS)
        columns = index_BS[:, None, None, :].expand_as(weights_BHSS)
        attention.append(weights_BHSS.gather(2, rows).gather(3, columns))
    return replace(memory, states_BSD=reorder(memory.states_BSD, index_BS), attention=attention)


def select_layers(layers: tuple[LayerState, ...], index_N: Tensor) -> tuple[LayerState, ...]:
    """Rows `index_N` of each layer's state."""
    return tuple(tuple(part.index_select(0, index_N) for part in state) for state in layers)
