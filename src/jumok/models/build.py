"""From a config to a model: the only place that knows both.

Every impossible combination is refused here, in one sentence that names the keys, before anything is
allocated.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from jumok.attention import Attention, MultiHead, build, find
from jumok.config import (
    DECODERS,
    ENCODERS,
    FRONTENDS,
    HEADS,
    DecoderConfig,
    EncoderConfig,
    FrontendConfig,
    HeadConfig,
    ModelConfig,
    PointerHeadConfig,
    RNNDecoderConfig,
    RNNEncoderConfig,
    TransformerDecoderConfig,
    TransformerEncoderConfig,
)
from jumok.errors import ConfigError, InputError, ShapeError
from jumok.models.build_images import IMAGE_BUILDERS
from jumok.models.contract import Decoder, Encoder, Frontend, Head
from jumok.models.embedding import (
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
    TokenEmbedding,
)
from jumok.models.frontends import WordsFrontend
from jumok.models.heads import LinearHead
from jumok.models.plain_encoder import PlainEncoder
from jumok.models.pointer import DecoderAttention, OwnAttention, PointerHead
from jumok.models.readout import BareState, Readout
from jumok.models.recurrent import RecurrentStack
from jumok.models.rnn_decoder import RNNDecoder
from jumok.models.rnn_encoder import RNNEncoder
from jumok.models.self_attention import check_self_attention
from jumok.models.seq2seq import Seq2Seq
from jumok.models.start import BridgedStart, CopiedStart
from jumok.models.transformer import LayerForm, Positions, TransformerDecoder, TransformerEncoder

HeadBuilder = Callable[[ModelConfig, int, int, TokenEmbedding | None], Head]
FrontendBuilder = Callable[[ModelConfig, int, TokenEmbedding], Frontend]

ANY_SIZES = ("luong-general", "bahdanau")
"""Mechanisms that compare states of different sizes, for the advice where sizes must be equal."""


def build_model(config: ModelConfig, source_size: int, target_size: int, slots: int = 0) -> Seq2Seq:
    """The model the config describes, for vocabularies of these sizes; weights follow torch's seed.

    `slots` of the target's ids can only be copied. A frontend that reads no words has no use for `source_size`.
    """
    check_combination(config, source_size, target_size)
    decoder = config.decoder
    target_words = config.embedding or decoder.word_size
    target = build_embedding(config, target_size, target_words, decoder.scales_words)
    frontend = build_frontend(config, source_size, target)
    output_size = target_words if config.tie_output else decoder.size
    return Seq2Seq(
        own_embedding(frontend, target),
        target,
        build_encoder(config, frontend.size),
        build_decoder(config, target_words, output_size),
        build_head(config, output_size, target_size, target if config.tie_output else None, slots),
        frontend,
    )


def build_frontend(config: ModelConfig, source_size: int, target: TokenEmbedding) -> Frontend:
    """The frontend of the config; `target` is the embedding that one of words may share."""
    try:
        return FRONTEND_BUILDERS[config.frontend.kind](config, source_size, target)
    except ShapeError as error:
        raise ConfigError(f"model.frontend cannot be built: {error}") from error


def build_words_frontend(config: ModelConfig, source_size: int, target: TokenEmbedding) -> WordsFrontend:
    """A vector for each word."""
    encoder = config.encoder
    size = config.embedding or encoder.word_size
    own = target if config.tie_source else build_embedding(config, source_size, size, encoder.scales_words)
    return WordsFrontend(own, reverse=config.reverse_source)


def own_embedding(frontend: Frontend, target: TokenEmbedding) -> TokenEmbedding | None:
    """The embedding of source words, where they do not share the target's; weights are stored with the model."""
    if not isinstance(frontend, WordsFrontend) or frontend.embedding is target:
        return None
    return frontend.embedding


def build_embedding(config: ModelConfig, count: int, size: int, scaled: bool) -> TokenEmbedding:
    """Word vectors, scaled where positions are added to them."""
    return TokenEmbedding(count, size, dropout=config.dropout, word_dropout=config.word_dropout, scaled=scaled)


def check_model(config: ModelConfig) -> Seq2Seq:
    """Raises the error that `build_model` would raise, at no cost: call it before the data is touched.

    Gives the model without numbers, for a vocabulary of 8.
    """
    with torch.device("meta"):
        return build_model(config, 8, 8)


def check_combination(config: ModelConfig, source_size: int, target_size: int) -> None:
    """Raises where two keys cannot go together."""
    if not config.tie_source:
        return
    if source_size != target_size:
        raise ConfigError(
            f"model.tie_source needs one vocabulary for both sides, got {source_size} and "
            f"{target_size} words; set text.joint=true or model.tie_source=false."
        )
    sizes = (config.embedding or config.encoder.word_size, config.embedding or config.decoder.word_size)
    if sizes[0] != sizes[1]:
        raise ConfigError(
            f"model.tie_source needs word vectors of the same size, got {sizes[0]} and {sizes[1]}; set model.embedding."
        )


def build_encoder(config: ModelConfig, word_size: int) -> Encoder:
    """The encoder of the config."""
    return ENCODER_BUILDERS[config.encoder.kind](config, word_size)


def build_decoder(config: ModelConfig, word_size: int, output_size: int) -> Decoder:
    """The decoder of the config, with the mechanism it names."""
    return DECODER_BUILDERS[config.decoder.kind](config, word_size, output_size)


def build_head(config: ModelConfig, output_size: int, words: int, tied: TokenEmbedding | None, slots: int = 0) -> Head:
    """The head of the config; `tied` is the embedding whose matrix it should share."""
    if config.head.kind == "pointer":
        return build_pointer_head(config, output_size, words, tied, slots)
    return HEAD_BUILDERS[config.head.kind](config, output_size, words, tied)


def build_linear_head(_: ModelConfig, output_size: int, words: int, tied: TokenEmbedding | None) -> LinearHead:
    """One product for each word."""
    return LinearHead(output_size, words, tied)


def build_pointer_head(
    config: ModelConfig, output_size: int, words: int, tied: TokenEmbedding | None, slots: int = 0
) -> PointerHead:
    """A head that generates or copies."""
    section, decoder = config.head, config.decoder
    assert isinstance(section, PointerHeadConfig)
    if section.own:
        return PointerHead(output_size, words, tied, OwnAttention(output_size, config.encoder.size), slots)
    layers, heads = decoder.cross_layers, heads_over_source(decoder)
    if not heads:
        raise ConfigError(
            "model.head.kind=pointer copies by attention, and model.decoder.attention is none; choose a mechanism or "
            "set model.head.own=true."
        )
    if not -layers <= section.layer < layers or (section.head is not None and section.head >= heads):
        raise ConfigError(
            f"model.head.layer={section.layer} and model.head.head={section.head} name no attention of the decoder, "
            f"which has {layers} layer(s) of {heads} head(s)."
        )
    return PointerHead(output_size, words, tied, DecoderAttention(section.layer, section.head), slots)


def build_rnn_encoder(config: ModelConfig, word_size: int) -> RNNEncoder:
    """A recurrent encoder."""
    encoder = config.encoder
    assert isinstance(encoder, RNNEncoderConfig)
    if encoder.bidirectional and encoder.size % 2:
        raise ConfigError(
            f"model.encoder.size={encoder.size} cannot be split between two directions; make it even or set "
            "model.encoder.bidirectional=false."
        )
    return RNNEncoder(
        cell=encoder.cell,
        input_size=word_size,
        size=encoder.size,
        layers=encoder.layers,
        bidirectional=encoder.bidirectional,
        dropout=config.dropout,
    )


def build_plain_encoder(config: ModelConfig, word_size: int) -> PlainEncoder:
    """The vectors of the frontend as they are."""
    return PlainEncoder(word_size, config.encoder.size)


def build_transformer_encoder(config: ModelConfig, word_size: int) -> TransformerEncoder:
    """A Transformer encoder, its self-attention by any mechanism."""
    encoder = config.encoder
    assert isinstance(encoder, TransformerEncoderConfig)
    own = [
        build_self_attention("model.encoder", encoder, "attention", config.decoder.max_positions)
        for _ in range(encoder.layers)
    ]
    return TransformerEncoder(
        form=layer_form(config, encoder),
        input_size=word_size,
        positions=build_positions(encoder.positions, encoder.size, config.decoder.max_positions),
        own=own,
    )


def build_transformer_decoder(config: ModelConfig, word_size: int, output_size: int) -> TransformerDecoder:
    """A Transformer decoder: a mechanism for its self-attention, another for the source."""
    decoder = config.decoder
    assert isinstance(decoder, TransformerDecoderConfig)
    own = [
        build_self_attention("model.decoder", decoder, "self_attention", decoder.max_positions)
        for _ in range(decoder.layers)
    ]
    looks = [build_attention(config, {"heads": decoder.heads}) for _ in range(decoder.layers)]
    return TransformerDecoder(
        form=layer_form(config, decoder),
        input_size=word_size,
        positions=build_positions(decoder.positions, decoder.size, decoder.max_positions),
        own=own,
        cross=looks,
        summary_size=config.encoder.size,
        output_size=output_size,
    )


def layer_form(config: ModelConfig, side: TransformerEncoderConfig | TransformerDecoderConfig) -> LayerForm:
    """What the layers of one side of a Transformer have in common."""
    return LayerForm(side.size, side.heads, side.ff, side.norm, config.dropout, side.activation)


def build_rnn_decoder(config: ModelConfig, word_size: int, output_size: int) -> RNNDecoder:
    """A recurrent decoder with attention before the step, after it, or none."""
    decoder = config.decoder
    assert isinstance(decoder, RNNDecoderConfig)
    attention = build_rnn_attention(config, decoder)
    context_size = 0 if attention is None else attention.context_dim(config.encoder.size)
    # The layer that joins state and context is Luong's own; Bahdanau's step has taken the context in already.
    joined = decoder.readout or decoder.input_feeding or (attention is not None and decoder.order == "after")
    input_size = word_size
    input_size += context_size if decoder.order == "before" else 0
    input_size += output_size if decoder.input_feeding else 0
    stack = RecurrentStack(decoder.cell, input_size, decoder.size, decoder.layers, config.dropout)
    return RNNDecoder(
        stack=stack,
        start=build_start(config.encoder, decoder, stack),
        attention=attention,
        readout=Readout(decoder.size, context_size, word_size if decoder.readout else 0, output_size)
        if joined
        else BareState(decoder.size, output_size),
        order=decoder.order,
        input_feeding=decoder.input_feeding,
        word_size=word_size,
        context_size=context_size,
        output_size=output_size,
        dropout=config.dropout,
        gate=decoder.gate and attention is not None,
    )


def build_rnn_attention(config: ModelConfig, decoder: RNNDecoderConfig) -> Attention | MultiHead | None:
    """A recurrent decoder uses a mechanism as it is; it has heads only where the mechanism itself has."""
    if not decoder.attends:
        return None
    mechanism = find(decoder.attention)
    usual: dict[str, Any] = {}
    if decoder.attention_options.get("score", mechanism.score) == "general":
        # It learns to look at the right words more often when it begins as the dot product.
        usual["identity"] = True
    if "heads" in mechanism.options:
        usual["heads"] = decoder.most_heads
    return build_attention(config, usual)


def build_start(encoder: EncoderConfig, decoder: RNNDecoderConfig, stack: RecurrentStack) -> CopiedStart | BridgedStart:
    """A copy of the encoder's last states where both have the same cell, size and layers; a bridge otherwise."""
    wanted = (decoder.cell, decoder.size, decoder.layers, False)
    if isinstance(encoder, RNNEncoderConfig) and wanted == (
        encoder.cell, encoder.size, encoder.layers, encoder.bidirectional
    ):  # fmt: skip
        return CopiedStart()
    return BridgedStart(encoder.size, decoder.size, decoder.layers, stack.bottom.parts)


def build_attention(config: ModelConfig, usual: Mapping[str, Any]) -> Attention | MultiHead | None:
    """The mechanism between decoder and encoder, or none; `usual` are options that the user may set otherwise."""
    encoder, decoder = config.encoder, config.decoder
    if not decoder.attends:
        return None
    options = _options(decoder.attention, {**usual, **decoder.attention_options}, decoder.max_positions)
    try:
        return build(decoder.attention, query_dim=decoder.size, key_dim=encoder.size, **options)
    except (ShapeError, InputError, TypeError) as error:
        unequal = encoder.size != decoder.size and decoder.attention not in ANY_SIZES
        if isinstance(error, ShapeError) and unequal and "heads" not in options:
            raise ConfigError(
                f"model.decoder.attention={decoder.attention} compares states of the same size, but "
                f"model.decoder.size={decoder.size} and model.encoder.size={encoder.size}; make them equal "
                "or use luong-general or bahdanau."
            ) from error
        raise _cannot_use("model.decoder.attention", decoder.attention, error) from error


def heads_over_source(decoder: DecoderConfig) -> int:
    """How many heads of a layer look at the source: 0 without attention, 1 for a mechanism without heads."""
    if not decoder.attends:
        return 0
    many = isinstance(decoder, TransformerDecoderConfig) or "heads" in find(decoder.attention).options
    return decoder.most_heads if many or "heads" in decoder.attention_options else 1


def build_self_attention(
    side: str, section: TransformerEncoderConfig | TransformerDecoderConfig, key: str, max_positions: int
) -> Attention:
    """The mechanism inside the heads of one layer of self-attention."""
    name, given = getattr(section, key), getattr(section, f"{key}_options")
    if section.size % section.heads:
        raise ConfigError(
            f"{side}.size={section.size} cannot be split into {side}.heads={section.heads} heads; "
            "make the size a multiple of the heads."
        )
    width = section.size // section.heads
    if "heads" in given:
        raise ConfigError(f"The heads of {side}.{key} are {side}.heads; leave heads out of its options.")
    try:
        found = build(name, query_dim=width, key_dim=width, **_options(name, {**given, "heads": None}, max_positions))
    except (ShapeError, InputError, TypeError) as error:
        raise _cannot_use(f"{side}.{key}", name, error) from error
    assert isinstance(found, Attention)
    check_self_attention(
        found,
        f"{side}.{key}={name}",
        stateful="use it as model.decoder.attention",
        rewarded=f"set {side}.{key}_options.estimator=gumbel",
    )
    return found


def _options(name: str, given: dict[str, Any], max_positions: int) -> dict[str, Any]:
    """The options of a mechanism; a location score has a weight for each position up to the largest."""
    if given.get("score", find(name).score) == "location":
        return {"max_length": max_positions, **given}
    return given


def _cannot_use(key: str, name: str, error: Exception) -> ConfigError:
    reason = " ".join(str(error).split()).rstrip(".")
    return ConfigError(f"{key}={name} cannot be used: {reason}.")


def build_positions(kind: str, size: int, count: int) -> Positions:
    """The positions of a Transformer; rotary ones are known inside its self-attention."""
    if kind == "rotary":
        return NoPositions()
    if kind == "learned":
        return LearnedPositions(size, count)
    return SinusoidalPositions(size, halves=kind == "sinusoidal_halves")


def add_frontend(section: type[FrontendConfig], build: FrontendBuilder) -> None:
    """Adds a kind of frontend, built from the config, the number of source words and the target's embedding; the last
    two are for frontends that read words.
    """
    kind = section.model_fields["kind"].default
    FRONTENDS[kind], FRONTEND_BUILDERS[kind] = section, build


def add_encoder(section: type[EncoderConfig], build: Callable[[ModelConfig, int], Encoder]) -> None:
    """Adds a kind of encoder: the keys it has, and what builds it from the config and the size of its input."""
    kind = section.model_fields["kind"].default
    ENCODERS[kind], ENCODER_BUILDERS[kind] = section, build


def add_decoder(section: type[DecoderConfig], build: Callable[[ModelConfig, int, int], Decoder]) -> None:
    """Adds a kind of decoder, built from the config and the sizes of its input and of its output."""
    kind = section.model_fields["kind"].default
    DECODERS[kind], DECODER_BUILDERS[kind] = section, build


def add_head(section: type[HeadConfig], build: HeadBuilder) -> None:
    """Adds a kind of head, built from the config, the size of the outputs, the number of words, and the embedding that
    the config ties it to, or None.
    """
    kind = section.model_fields["kind"].default
    HEADS[kind], HEAD_BUILDERS[kind] = section, build


# A kind of `jumok.config` → what builds it.
HEAD_BUILDERS: dict[str, HeadBuilder] = {"linear": build_linear_head, "pointer": build_pointer_head}
FRONTEND_BUILDERS: dict[str, FrontendBuilder] = {"words": build_words_frontend, **IMAGE_BUILDERS}
ENCODER_BUILDERS: dict[str, Callable[[ModelConfig, int], Encoder]] = {
    "plain": build_plain_encoder,
    "rnn": build_rnn_encoder,
    "transformer": build_transformer_encoder,
}
DECODER_BUILDERS: dict[str, Callable[[ModelConfig, int, int], Decoder]] = {
    "rnn": build_rnn_decoder,
    "transformer": build_transformer_decoder,
}
