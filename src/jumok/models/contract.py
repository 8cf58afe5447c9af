"""What the parts of a model promise each other, and the values that travel between them.

    vectors       = frontend(source)              words, later regions of a picture or examples of an episode
    memory        = encoder(vectors)
    output, state = decoder.step(word, state)     one word for each sentence
    decoded       = decoder(words, memory)        teacher-forced, all positions at once
    logits        = head.logits(outputs, …)       a score for each word

Modules hold parameters only. What changes while decoding travels in `DecoderState`, so that a state may be kept, copied
and continued in several ways. Attention is an ordinary part of each result.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from jumok.attention import Attention, MultiHead
from jumok.attention.terms import Terms
from jumok.data.sources import Source
from jumok.models.layout import WORDS, Layout
from jumok.models.recurrent import LayerState
from jumok.shapes import PAD

# Weights to impose on the cross attention of one step: [B, S] for one head (rnn), [B, H, S] for the heads of
# the last layer (transformer), or for each layer number (negative ones count from the top) [B, H, 1, S].
Override = Tensor | Mapping[int, Tensor]


@runtime_checkable
class Selectable(Protocol):
    """Something with a row for each sentence of the batch."""

    def select(self, index: Tensor, /) -> "Selectable":
        """The rows named by `index`, in that order; rows may be left out or repeated."""
        ...


@dataclass(frozen=True)
class Vectors:
    """What a frontend makes of a source: a vector for each position, and how positions are arranged."""

    states_BSE: Float[Tensor, "B S E"]
    mask_BS: Bool[Tensor, "B S"]
    layout: Layout = WORDS
    order_BS: Tensor | None = None
    """Which position of the source each vector is of, where they are not in its order; its own inverse."""


@dataclass(frozen=True)
class Memory:
    """What the encoder read, and what the decoder made of it once per sentence."""

    states_BSD: Float[Tensor, "B S D"]
    """One state for each source position, in the order of the source also when it was read backwards."""
    mask_BS: Bool[Tensor, "B S"]
    """True where a position may be attended."""
    summary: Float[Tensor, "B D"]
    """The sentence vector [B, D]: the encoder's last top state, or the mean state of a Transformer."""
    final: tuple[LayerState, ...] | None = None
    """The last state of each layer of a one-directional recurrent encoder, for a decoder like it."""
    attention: list[Tensor] = field(default_factory=list)
    """The encoder's self-attention, [B, H, S, S] for each layer; empty unless asked for."""
    prepared: list[Selectable] = field(default_factory=list)
    """Keys and values as each attention of the decoder wants them, projected once per sentence."""
    layout: Layout = WORDS
    """How the positions are arranged: who draws them asks it."""
    source: Source | None = None
    """What was read, for a head that copies from it."""

    def select(self, index_N: Tensor) -> "Memory":
        """The memory of the sentences named by `index_N`."""
        return Memory(
            self.states_BSD.index_select(0, index_N),
            self.mask_BS.index_select(0, index_N),
            self.summary.index_select(0, index_N),
            None if self.final is None else select_layers(self.final, index_N),
            [weights.index_select(0, index_N) for weights in self.attention],
            [keys.select(index_N) for keys in self.prepared],
            self.layout,
            None if self.source is None else self.source.select(index_N),
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
    copied: Tensor | None = None
    """The weights [B, T, S] by which a head copied in a step; None where it copies nothing."""


@dataclass(frozen=True)
class StepTerms:
    """Everything that one step computed, by name."""

    decoder: Terms
    """`query`, `state` and `output`: the query of the last layer, the new state, and what the head gets."""
    layers: list[Terms] = field(default_factory=list)
    """For each layer that looks at the source, from the bottom: its query and the terms of its mechanism."""
    head: Terms = field(default_factory=dict)
    """What the head computed beyond the scores of words."""


@dataclass(frozen=True)
class StepOutput:
    """What one decoding step gives."""

    logits_BV: Float[Tensor, "B V"]
    attention: AttentionMaps
    terms: StepTerms | None
    """What it computed on the way, when asked for."""


@dataclass(frozen=True)
class Decoded:
    """What decoding a whole given target gives; `generator` turns outputs into logits."""

    outputs_BTD: Float[Tensor, "B T D"]
    attention: AttentionMaps
    log_prob_BT: Float[Tensor, "B T"] | None
    """Log-probability of the positions that hard attention drew, or None."""
    entropy_BT: Float[Tensor, "B T"] | None = None
    """Entropy of the distributions that hard attention drew from, or None."""


@dataclass(frozen=True)
class Stepped:
    """What a decoder gives for one step."""

    output_BD: Float[Tensor, "B D"]
    state: Selectable
    attention: AttentionMaps
    terms: StepTerms | None


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


class Frontend(nn.Module, ABC):
    """Turns a source into vectors."""

    size: int
    """Of a vector."""

    @abstractmethod
    def forward(self, source: Source) -> Vectors:
        """A vector for each position of the sources."""


class Encoder(nn.Module, ABC):
    """Reads the vectors of a frontend."""

    size: int

    @abstractmethod
    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        """The memory of a batch, with nothing prepared yet."""


class Wanted(NamedTuple):
    """What a step should give beside its output, and cross-attention weights that are imposed on it."""

    weights: bool = False
    terms: bool = False
    override: Override | None = None


class Decoder(nn.Module, ABC):
    """Writes: turns embedded words and a memory into outputs that the generator scores."""

    output_size: int

    @abstractmethod
    def cross_attentions(self) -> list[Attention | MultiHead]:
        """The mechanism of each layer that looks at the source, from the bottom; empty without attention."""

    @abstractmethod
    def prepare(self, memory: Memory) -> list[Selectable]:
        """What each attention of this decoder needs of the memory, projected once per sentence."""

    @abstractmethod
    def start(self, memory: Memory) -> Selectable:
        """The state before the first word."""

    @abstractmethod
    def step(self, words_BE: Tensor, state: DecoderState, wanted: Wanted) -> Stepped:
        """The output for one word of each sentence."""

    @abstractmethod
    def forward(self, words_BTE: Tensor, memory: Memory, need_weights: bool = False) -> Decoded:
        """The outputs for all words of a given target."""


@dataclass(frozen=True)
class TokenLoss:
    """Summed label-smoothed loss, and each target token's −log p (no gradient; zero at padding)."""

    total: Tensor
    nll_BT: Tensor


def logits_loss(logits_BTV: Tensor, target_BT: Tensor, smoothing: float, words: int) -> TokenLoss:
    """The loss of logits; smoothing spreads mass over the first `words` ids."""
    # Szegedy et al. 2016:  −(1−ε) log p(y) − ε/V Σ_v log p(v)
    log_p_BTV = log_softmax(logits_BTV.float() if logits_BTV.dtype.itemsize < 4 else logits_BTV, dim=-1)
    real_BT = target_BT != PAD
    nll_BT = -log_p_BTV.gather(-1, target_BT[..., None])[..., 0] * real_BT
    even_BT = -log_p_BTV[..., :words].mean(-1) * real_BT
    return TokenLoss(((1 - smoothing) * nll_BT + smoothing * even_BT).sum(), nll_BT.detach())


class Head(nn.Module, ABC):
    """Turns a decoder's outputs into words: a score for each, and the loss of given ones."""

    needs_cross: ClassVar[bool] = False
    """Whether the attention over the source must be computed for it."""
    copies_by_outputs: ClassVar[bool] = False
    """Whether it copies by an attention of its own, which only the decoder's outputs give."""

    @property
    def layer(self) -> tuple[Tensor, Tensor] | None:
        """Matrix [V, D] and bias [V] of a head whose scores are linear in the outputs; None for all others."""
        return None

    @abstractmethod
    def logits(self, outputs: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        """Scores [B, V] or [B, T, V] of the words, up to a constant per row their log-probabilities."""

    def step(self, output_BD: Tensor, memory: Memory, cross: list[Tensor]) -> tuple[Tensor, Tensor | None]:
        """Scores [B, V] of one step, and the weights [B, S] by which words are copied; None where none are."""
        return self.logits(output_BD, memory, cross), None

    def copying_weights(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor | None:
        """The weights [B, T, S] by which words of a given target are copied; None where none are."""
        return None

    @abstractmethod
    def loss(self, decoded: Decoded, memory: Memory, target_BT: Tensor, smoothing: float) -> TokenLoss:
        """The loss of a given target; how it is tiled is the head's own affair."""

    def loss_of_logits(self, logits_BTV: Tensor, target_BT: Tensor, smoothing: float) -> TokenLoss:
        """The loss of scores that exist already, as when the model is run step by step."""
        return logits_loss(logits_BTV, target_BT, smoothing, logits_BTV.shape[-1])

    def terms(self, outputs_BTD: Tensor, memory: Memory, cross: list[Tensor]) -> Terms:
        """Named numbers of its formula beyond the scores of words; none for a head without any."""
        return {}

    @abstractmethod
    def log_probs(self, decoded: Decoded, memory: Memory, target_BT: Tensor) -> Tensor:
        """log p of each given token [B, T] in float64, 0 at padding."""


def select_layers(layers: tuple[LayerState, ...], index_N: Tensor) -> tuple[LayerState, ...]:
    """Rows `index_N` of each layer's state."""
    return tuple(tuple(part.index_select(0, index_N) for part in state) for state in layers)
