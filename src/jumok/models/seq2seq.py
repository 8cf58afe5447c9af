"""Every model: encode a source once, then decode it step by step or as a whole.

memory        = model.encode(Tokens(ids_BS, mask_BS))
state         = model.init_state(memory)
output, state = model.step(previous_B, state)          # one word for each sentence
state         = state.select(index_N)                  # beam reordering: keeps, drops or repeats rows
decoded       = model.decode(memory, target_in_BT)     # teacher-forced, all positions at once
logits_BTV    = model.logits(decoded, memory)
"""

from dataclasses import replace
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from jumok.attention import Score
from jumok.data.sources import Source
from jumok.models.contract import (
    AttentionMaps,
    Decoded,
    Decoder,
    DecoderState,
    Encoder,
    Frontend,
    Head,
    Memory,
    Override,
    StepOutput,
    Stepped,
    StepTerms,
    Vectors,
    Wanted,
)
from jumok.models.embedding import LearnedPositions, TokenEmbedding
from jumok.models.frontends import WordsFrontend
from jumok.models.order import reorder
from jumok.models.reach import Reach, least

Part = TypeVar("Part", bound=nn.Module)


@runtime_checkable
class TeacherForced(Protocol):
    """A batch as `Seq2Seq.forward` reads it."""

    target_in_BT: Tensor

    @property
    def source(self) -> Source:
        """What the encoder reads."""
        ...


class Seq2Seq(nn.Module):
    """A frontend, an encoder, a decoder, and the head that chooses words.

    `source_embedding` holds the weights of a frontend of words; with None both sides share the target's embedding.
    """

    def __init__(
        self,
        source_embedding: TokenEmbedding | None,
        target_embedding: TokenEmbedding,
        encoder: Encoder,
        decoder: Decoder,
        head: Head,
        frontend: Frontend,
    ) -> None:
        super().__init__()
        self.frontend = frontend
        self.own_source_embedding = source_embedding
        self.target_embedding = target_embedding
        self.encoder = encoder
        self.decoder = decoder
        self.generator = head  # its weights are stored under this name

    @property
    def head(self) -> Head:
        """What turns outputs into words."""
        return self.generator

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.target_embedding.weight.device

    @property
    def source_embedding(self) -> TokenEmbedding:
        """The embedding of source words, which may be the target's."""
        return self.target_embedding if self.own_source_embedding is None else self.own_source_embedding

    @property
    def reverse_source(self) -> bool:
        """Whether the source is read backwards."""
        return isinstance(self.frontend, WordsFrontend) and self.frontend.reverse

    @property
    def target_size(self) -> int:
        """How many words the target side knows."""
        return self.target_embedding.count

    @property
    def reach(self) -> Reach:
        """How long sentences may be for the parameters of positions that the model has."""
        looks = [score for look in self.decoder.cross_attentions() for score in parts_of(look, Score)]
        own = [score for score in parts_of(self.decoder, Score) if score not in looks]
        read = [part.count for part in parts_of(self.encoder, LearnedPositions)]
        read_keys = [score.most_keys for score in (*parts_of(self.encoder, Score), *looks)]
        written = [part.count for part in parts_of(self.decoder, LearnedPositions)]
        return Reach(least([*read, *read_keys]), least([*written, *(score.most_keys for score in own)]))

    def encode(self, source: Source, need_weights: bool = False) -> Memory:
        """The memory of a batch of sources, ready for the decoder."""
        vectors: Vectors = self.frontend(source)
        memory: Memory = self.encoder(vectors.states_BSE, vectors.mask_BS, need_weights)
        if vectors.order_BS is not None:
            memory = in_order(memory, vectors.order_BS)
        # Under autocast an encoder may end in half precision; decoders expect the type of the parameters.
        dtype = self.target_embedding.weight.dtype
        states_BSD, summary_BD = memory.states_BSD.to(dtype), memory.summary.to(dtype)
        return self.prepare(
            replace(memory, states_BSD=states_BSD, summary=summary_BD, layout=vectors.layout, source=source)
        )

    def prepare(self, memory: Memory) -> Memory:
        """The same memory with the decoder's share of it made again, for states or a mask that were edited."""
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
        wanted = Wanted(need_weights or self.head.needs_cross, need_terms, override)
        done = self.decoder.step(self.target_embedding(previous_B), state, wanted)
        attention = replace(done.attention, encoder=state.memory.attention if need_weights else [])
        logits_BV, copied_BS = self.head.step(done.output_BD, state.memory, done.attention.cross)
        if copied_BS is not None:
            attention = replace(attention, copied=copied_BS[:, None])
        output = StepOutput(logits_BV, attention, self._with_head(done, state.memory))
        return output, replace(state, inner=done.state, step=state.step + 1)

    def _with_head(self, done: Stepped, memory: Memory) -> StepTerms | None:
        """The terms of a step, those of the head among them, where they were asked for."""
        if done.terms is None:
            return None
        return replace(done.terms, head=self.head.terms(done.output_BD[:, None], memory, done.attention.cross))

    def decode(self, memory: Memory, target_in_BT: Int[Tensor, "B T"], *, need_weights: bool = False) -> Decoded:
        """The outputs for a whole given target (BOS first), which the head turns into logits."""
        looks = need_weights or self.head.needs_cross
        decoded = self.decoder(self.target_embedding(target_in_BT), memory, looks)
        if not need_weights:
            return decoded
        return replace(decoded, attention=replace(decoded.attention, encoder=memory.attention))

    def logits(self, decoded: Decoded, memory: Memory) -> Float[Tensor, "B T V"]:
        """The scores of the words at every position of a decoded target."""
        return self.head.logits(decoded.outputs_BTD, memory, decoded.attention.cross)

    def forward(self, batch: TeacherForced, need_weights: bool = False) -> tuple[Float[Tensor, "B T V"], AttentionMaps]:
        """Logits [B, T, V] of a teacher-forced batch, and the attention maps when asked for."""
        memory = self.encode(batch.source, need_weights)
        decoded = self.decode(memory, batch.target_in_BT, need_weights=need_weights)
        return self.logits(decoded, memory), decoded.attention


def in_order(memory: Memory, index_BS: Tensor) -> Memory:
    """A memory of positions that were read in another order, back in the order of the source."""
    attention: list[Tensor] = []
    for weights_BHSS in memory.attention:
        rows = index_BS[:, None, :, None].expand_as(weights_BHSS)
        columns = index_BS[:, None, None, :].expand_as(weights_BHSS)
        attention.append(weights_BHSS.gather(2, rows).gather(3, columns))
    return replace(memory, states_BSD=reorder(memory.states_BSD, index_BS), attention=attention)


def parts_of(module: nn.Module, kind: type[Part]) -> list[Part]:
    """The parts of a module that are of a kind."""
    return [part for part in module.modules() if isinstance(part, kind)]
