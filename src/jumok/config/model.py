"""`model`: frontend, encoder, decoder and head, each a section whose keys follow from its kind.

A section answers what others want to know of such a part before any weight exists: how it is described, how many
positions it can take, how many heads look at the source. Nobody else asks for a kind.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from jumok.config.kinds import ByKind, Sections
from jumok.config.section import Section

Cell = Literal["tanh", "gru", "lstm"]
Norm = Literal["pre", "post"]
PositionKind = Literal["sinusoidal", "sinusoidal_halves", "learned", "rotary"]
Activation = Literal["relu", "swish", "gelu"]
NO_ATTENTION = "none"
SELF_ATTENTION = "transformer"
WORD_SIZE = 256
RECURRENT_HEADS = 4
MOST_LAYERS = 1000
"""More than anybody stacks; a model is built layer by layer before its size can be refused."""


class SideConfig(Section):
    """What both sides of a model answer."""

    kind: str
    size: int = Field(default=256, ge=1, description="size of a state")
    layers: int = Field(default=1, ge=1, le=MOST_LAYERS, description="stacked layers")

    title: ClassVar[str] = ""
    """The kind as an adjective."""

    @property
    def word_size(self) -> int:
        """The size of word vectors where none is given."""
        return WORD_SIZE

    @property
    def scales_words(self) -> bool:
        """Whether word vectors are scaled by √E before positions are added to them."""
        return False

    def summary(self) -> dict[str, Any]:
        """Kind, size and layers, with cell and direction or heads."""
        found = {"kind": self.kind, "size": self.size, "layers": self.layers, "cell": None, "bidirectional": False}
        return {**found, **self.own_summary()}

    def own_summary(self) -> dict[str, Any]:
        """What a kind adds to the summary."""
        return {}

    def describe(self) -> str:
        """One line for a model card."""
        own = f", {self.own_description()}" if self.own_description() else ""
        return f"{self.kind}, size {self.size}, {self.layers} layer(s){own}"

    def own_description(self) -> str:
        """What a kind adds to that line."""
        return ""


class TransformerKeys(SideConfig):
    """What a Transformer has on either side."""

    title = "Transformer"

    kind: str = Field(default="transformer", description="transformer: layers of self-attention")
    heads: int = Field(default=4, ge=1, description="attention heads")
    ff: int = Field(default=1024, ge=1, description="size of the feed-forward layer")
    norm: Norm = Field(default="pre", description="layer norm before or after each block")
    activation: Activation = Field(default="relu", description="non-linearity of the feed-forward layer")
    positions: PositionKind = Field(
        default="sinusoidal", description="position encoding; sinusoidal_halves: all sines first, as in Marian"
    )
    scale_words: bool = Field(default=True, description="multiply word vectors by √E before positions are added")

    @property
    def word_size(self) -> int:
        return self.size

    @property
    def scales_words(self) -> bool:
        return self.scale_words


class FrontendConfig(Section):
    """What turns a source into the vectors that the encoder reads."""

    kind: str

    @property
    def reads(self) -> str:
        """What a source is: words or pictures."""
        return "words"

    @property
    def frozen(self) -> bool:
        """Whether a part of it never changes, so that what it makes of a source can be stored."""
        return False

    def describe(self) -> str:
        """One line for a model card."""
        return self.kind


class WordsFrontendConfig(FrontendConfig):
    """A vector for each word."""

    kind: str = Field(default="words", description="words: a vector for each word of a text")


class EncoderConfig(SideConfig):
    """The side that reads."""

    def summary(self) -> dict[str, Any]:
        return {"heads": 0, **super().summary()}


class RNNEncoderConfig(EncoderConfig):
    """A recurrent encoder."""

    title = "recurrent"

    kind: str = Field(default="rnn", description="rnn: recurrent layers")
    cell: Cell = Field(default="gru", description="tanh, gru or lstm")
    size: int = Field(default=256, ge=1, description="size of a state; both directions together")
    bidirectional: bool = Field(default=True, description="read from both sides")

    def own_summary(self) -> dict[str, Any]:
        return {"cell": self.cell, "bidirectional": self.bidirectional}

    def own_description(self) -> str:
        return self.cell


class PlainEncoderConfig(EncoderConfig):
    """No encoder: the vectors of the frontend as they are, through a matrix where the sizes differ."""

    title = "plain"

    kind: str = Field(default="plain", description="plain: the vectors of the frontend as they are")
    layers: ClassVar[int] = 1  # pyright: ignore[reportIncompatibleVariableOverride]
    """Not a key of this kind."""


class TransformerEncoderConfig(TransformerKeys, EncoderConfig):
    """A Transformer encoder."""

    attention: str = Field(default=SELF_ATTENTION, description="mechanism of the self-attention: a catalogue name")
    attention_options: dict[str, Any] = Field(default={}, description="options of that mechanism, such as w")

    def own_summary(self) -> dict[str, Any]:
        return {"heads": self.heads}

    def own_description(self) -> str:
        return f"{self.heads} heads{_unusual(self.attention)}"


class DecoderConfig(SideConfig):
    """The side that writes."""

    attention: str = Field(default="bahdanau", description="a name of `jumok mechanisms`, or none")
    attention_options: dict[str, Any] = Field(
        default={}, description="options of the mechanism, such as D or temperature"
    )
    max_positions: int = Field(
        default=512, ge=1, description="longest sentence for learned positions and the location score"
    )

    @property
    def attends(self) -> bool:
        """Whether it looks at the source."""
        return self.attention != NO_ATTENTION

    @property
    def cross_layers(self) -> int:
        """How many layers look at the source."""
        return 1

    @property
    def most_heads(self) -> int:
        """No layer that looks at the source has more heads than this."""
        return int(self.attention_options.get("heads", 1))

    @property
    def several_readings(self) -> bool:
        """Whether layer, heads and step of the attention that aligns words are a choice; one matrix leaves none."""
        return False

    def describe_attention(self) -> str:
        """The mechanism and where it enters, for a model card."""
        return f"`{self.attention}`"

    @property
    def step_text(self) -> str:
        """Which explanation of a decoding step fits: a key of the explainer's texts."""
        return "heads"

    @property
    def step_formula(self) -> str:
        """The formula of a decoding step."""
        return ""


class RNNDecoderConfig(DecoderConfig):
    """A recurrent decoder."""

    title = "recurrent"

    kind: str = Field(default="rnn", description="rnn: recurrent layers")
    cell: Cell = Field(default="gru", description="tanh, gru or lstm")
    order: Literal["before", "after"] = Field(
        default="before", description="attention before or after the recurrent step"
    )
    input_feeding: bool = Field(
        default=False, description="feed the attentional state into the next step (order after)"
    )
    readout: bool = Field(default=True, description="tanh layer over state, context and word before the output")
    gate: bool = Field(default=False, description="scale the context by a learned share of the state (Xu et al. 2015)")

    @classmethod
    def instead(cls) -> dict[str, str]:
        return {"heads": ", or set model.decoder.attention_options.heads for a mechanism with heads"}

    @property
    def most_heads(self) -> int:
        return int(self.attention_options.get("heads", RECURRENT_HEADS))

    def own_summary(self) -> dict[str, Any]:
        return {"cell": self.cell}

    def own_description(self) -> str:
        return self.cell

    def describe_attention(self) -> str:
        return f"{super().describe_attention()}, {self.order} the step"

    @property
    def step_text(self) -> str:
        return "bahdanau" if self.order == "before" else "luong"

    @property
    def step_formula(self) -> str:
        if not self.attends:
            return "s_t = f(s_{t−1}, y_{t−1})"
        if self.order == "before":
            context = "β_t c_t" if self.gate else "c_t"
            return f"s_t = f(s_{{t−1}}, [y_{{t−1}}; {context}])"
        return "s_t = f(s_{t−1}, y_{t−1}),   o_t = tanh(W [c_t; s_t])"


class TransformerDecoderConfig(TransformerKeys, DecoderConfig):
    """A Transformer decoder."""

    self_attention: str = Field(default=SELF_ATTENTION, description="mechanism of the self-attention: a catalogue name")
    self_attention_options: dict[str, Any] = Field(default={}, description="options of that mechanism, such as w")

    @property
    def cross_layers(self) -> int:
        return self.layers

    @property
    def most_heads(self) -> int:
        return max(self.heads, int(self.attention_options.get("heads", 1)))

    @property
    def several_readings(self) -> bool:
        return True

    def own_description(self) -> str:
        return f"{self.heads} heads{_unusual(self.self_attention)}"

    @property
    def step_formula(self) -> str:
        return f"x ← x + c,   x ← x + W_2 {self.activation}(W_1 x)"


def _unusual(mechanism: str) -> str:
    """Names the mechanism of self-attention where it is not the Transformer's own."""
    return "" if mechanism == SELF_ATTENTION else f", self-attention `{mechanism}`"


class HeadConfig(Section):
    """What turns the decoder's outputs into words."""

    words_formula: ClassVar[str] = "p = softmax(E o_t + b)"
    words_text: ClassVar[str] = "generated"
    """Which explanation of choosing a word fits: a key of the explainer's texts."""
    copies: ClassVar[bool] = False
    """Whether words of the source can be copied."""
    kind: str

    def describe(self) -> str:
        """One line for a model card."""
        return self.kind


class LinearHeadConfig(HeadConfig):
    """One matrix, or the target embedding (model.tie_output)."""

    kind: str = Field(default="linear", description="linear: one product with a row for each word")


class PointerHeadConfig(HeadConfig):
    """Words are generated or copied from the source (See et al. 2017)."""

    words_formula = "p(w) = p_gen p_vocab(w) + (1 − p_gen) Σ_i α_i [x_i = w]"
    words_text = "copied"
    copies = True
    kind: str = Field(default="pointer", description="pointer: each word is generated or copied from the source")
    layer: int = Field(default=-1, description="decoder layer whose attention copies")
    head: int | None = Field(default=None, ge=0, description="head of that layer; the mean of its heads if not given")
    own: bool = Field(default=False, description="copy by an attention of its own instead of the decoder's")


FRONTENDS: Sections = {"words": WordsFrontendConfig}
ENCODERS: Sections = {"rnn": RNNEncoderConfig, "transformer": TransformerEncoderConfig, "plain": PlainEncoderConfig}
DECODERS: Sections = {"rnn": RNNDecoderConfig, "transformer": TransformerDecoderConfig}
HEADS: Sections = {"linear": LinearHeadConfig, "pointer": PointerHeadConfig}
# Keys that lead to a section whose class follows from its kind.
BY_KIND = {
    "model.frontend": ByKind("model.frontend", FRONTENDS, "words"),
    "model.encoder": ByKind("model.encoder", ENCODERS, "rnn"),
    "model.decoder": ByKind("model.decoder", DECODERS, "rnn"),
    "model.head": ByKind("model.head", HEADS, "linear"),
}


class ModelConfig(Section):
    """The network."""

    preset: Literal["seq2seq", "rnnsearch", "luong", "transformer"] = Field(
        default="rnnsearch", description="sets the keys below; each can be overridden"
    )
    embedding: int | None = Field(
        default=None, ge=1, description="size of word vectors; 256, or the model's size (transformer)"
    )
    tie_output: bool = Field(default=True, description="output layer shares the target embedding where sizes allow")
    tie_source: bool = Field(default=False, description="both sides share one embedding (needs text.joint)")
    reverse_source: bool = Field(default=False, description="read the source backwards (Sutskever et al. 2014)")
    dropout: float = Field(default=0.1, ge=0, lt=1, description="dropout")
    word_dropout: float = Field(default=0.0, ge=0, lt=1, description="fraction of whole words dropped in training")
    frontend: Annotated[FrontendConfig, BY_KIND["model.frontend"]] = WordsFrontendConfig()
    encoder: Annotated[EncoderConfig, BY_KIND["model.encoder"]] = RNNEncoderConfig()
    decoder: Annotated[DecoderConfig, BY_KIND["model.decoder"]] = RNNDecoderConfig()
    head: Annotated[HeadConfig, BY_KIND["model.head"]] = LinearHeadConfig()
