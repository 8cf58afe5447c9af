"""From a config to a model: the only place that knows both.

Every impossible combination is refused here, in one sentence that names the keys, before anything is
allocated.
"""

import torch

from jumok.attention import Attention, MultiHead, build, find
from jumok.config import DecoderConfig, EncoderConfig, ModelConfig
from jumok.errors import ConfigError, InputError, ShapeError
from jumok.models.embedding import (
    Generator,
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
    TokenEmbedding,
)
from jumok.models.readout import BareState, Readout
from jumok.models.recurrent import RecurrentStack
from jumok.models.rnn_decoder import RNNDecoder
from jumok.models.rnn_encoder import RNNEncoder
from jumok.models.seq2seq import Decoder, Encoder, Seq2Seq
from jumok.models.start import BridgedStart, CopiedStart
from jumok.models.transformer import Positions, TransformerDecoder, TransformerEncoder

NO_ATTENTION = "none"
WORD_SIZE = 256


def build_model(config: ModelConfig, source_size: int, target_size: int) -> Seq2Seq:
    """The model the config describes, for vocabularies of these sizes; weights follow torch's seed."""
    check_combination(config, source_size, target_size)
    encoder, decoder = config.encoder, config.decoder
    source_words = config.embedding or word_size(encoder)
    target_words = config.embedding or word_size(decoder)
    target = build_embedding(config, target_size, target_words, decoder.kind)
    source = None if config.tie_source else build_embedding(config, source_size, source_words, encoder.kind)
    output_size = target_words if config.tie_output else decoder.size
    return Seq2Seq(
        source,
        target,
        build_encoder(config, source_words),
        build_decoder(config, target_words, output_size),
        Generator(output_size, target_size, target if config.tie_output else None),
        reverse_source=config.reverse_source,
    )


def build_embedding(config: ModelConfig, count: int, size: int, kind: str) -> TokenEmbedding:
    """Word vectors for a side of the given kind."""
    scaled = kind == "transformer"
    return TokenEmbedding(count, size, dropout=config.dropout, word_dropout=config.word_dropout, scaled=scaled)


def check_model(config: ModelConfig) -> Seq2Seq:
    """Raises the error that `build_model` would raise, at no cost: call it before the data is touched.

    Gives the model without numbers, for a vocabulary of 8.
    """
    with torch.device("meta"):
        return build_model(config, 8, 8)


def word_size(side: EncoderConfig | DecoderConfig) -> int:
    """The size of word vectors where none is given."""
    return side.size if side.kind == "transformer" else WORD_SIZE


def check_combination(config: ModelConfig, source_size: int, target_size: int) -> None:
    """Raises where two keys cannot go together."""
    encoder, decoder = config.encoder, config.decoder
    if encoder.kind == "rnn" and encoder.bidirectional and encoder.size % 2:
        raise ConfigError(
            f"model.encoder.size={encoder.size} cannot be shared by two directions; make it even or set "
            "model.encoder.bidirectional=false."
        )
    for name, side in (("encoder", encoder), ("decoder", decoder)):
        if side.kind == "transformer" and side.size % side.heads:
            raise ConfigError(
                f"model.{name}.size={side.size} cannot be split into model.{name}.heads={side.heads} heads; "
                "make the size a multiple of the heads."
            )
    if not config.tie_source:
        return
    if source_size != target_size:
        raise ConfigError(
            f"model.tie_source needs one vocabulary for both sides, got {source_size} and "
            f"{target_size} words; set text.joint=true or model.tie_source=false."
        )
    sizes = (config.embedding or word_size(encoder), config.embedding or word_size(decoder))
    if sizes[0] != sizes[1]:
        raise ConfigError(
            f"model.tie_source needs word vectors of one size, got {sizes[0]} and {sizes[1]}; set model.embedding."
        )


def build_encoder(config: ModelConfig, word_size: int) -> Encoder:
    """The encoder of the config."""
    encoder = config.encoder
    if encoder.kind == "rnn":
        return RNNEncoder(
            cell=encoder.cell,
            input_size=word_size,
            size=encoder.size,
            layers=encoder.layers,
            bidirectional=encoder.bidirectional,
            dropout=config.dropout,
        )
    return TransformerEncoder(
        input_size=word_size,
        size=encoder.size,
        layers=encoder.layers,
        heads=encoder.heads,
        ff=encoder.ff,
        norm=encoder.norm,
        positions=build_positions(encoder.positions, encoder.size, config.decoder.max_positions),
        dropout=config.dropout,
    )


def build_decoder(config: ModelConfig, word_size: int, output_size: int) -> Decoder:
    """The decoder of the config, with the mechanism it names."""
    if config.decoder.kind == "rnn":
        return build_rnn_decoder(config, word_size, output_size)
    decoder = config.decoder
    looks = [build_attention(config) for _ in range(decoder.layers)]
    return TransformerDecoder(
        input_size=word_size,
        size=decoder.size,
        heads=decoder.heads,
        ff=decoder.ff,
        norm=decoder.norm,
        positions=build_positions(decoder.positions, decoder.size, decoder.max_positions),
        cross=looks,
        summary_size=config.encoder.size,
        output_size=output_size,
        dropout=config.dropout,
    )


def build_rnn_decoder(config: ModelConfig, word_size: int, output_size: int) -> RNNDecoder:
    """A recurrent decoder with attention before the step, after it, or none."""
    decoder = config.decoder
    attention = build_attention(config)
    context_size = 0 if attention is None else attention.context_dim(config.encoder.size)
    # The layer that joins state and context is Luong's own; Bahdanau's step has taken the context in already.
    joined = decoder.readout or decoder.input_feeding or (attention is not None and decoder.order == "after")
    input_size = word_size
    input_size += context_size if decoder.order == "before" else 0
    input_size += output_size if decoder.input_feeding else 0
    stack = RecurrentStack(decoder.cell, input_size, decoder.size, decoder.layers, config.dropout)
    return RNNDecoder(
        stack=stack,
        start=build_start(config, stack),
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
    )


def build_start(config: ModelConfig, stack: RecurrentStack) -> CopiedStart | BridgedStart:
    """A copy where encoder and decoder are of one make, a bridge otherwise."""
    encoder, decoder = config.encoder, config.decoder
    alike = (encoder.cell, encoder.size, encoder.layers) == (decoder.cell, decoder.size, decoder.layers)
    if encoder.kind == "rnn" and not encoder.bidirectional and alike:
        return CopiedStart()
    return BridgedStart(encoder.size, decoder.size, decoder.layers, stack.bottom.parts)


def build_attention(config: ModelConfig) -> Attention | MultiHead | None:
    """The mechanism between decoder and encoder, or none.

    A Transformer's heads are `model.decoder.heads` over any mechanism; a recurrent decoder uses a mechanism
    as it is, and has heads only where the mechanism itself is one of heads.
    """
    encoder, decoder = config.encoder, config.decoder
    if decoder.attention == NO_ATTENTION:
        return None
    mechanism = find(decoder.attention)
    options = dict(decoder.attention_options)
    score = options.get("score", mechanism.score)
    if score == "location":
        options.setdefault("max_length", decoder.max_positions)
    if score == "general" and decoder.kind == "rnn":
        # It learns to look at the right words more often when it begins as the dot product.
        options.setdefault("identity", True)
    if decoder.kind == "transformer" or "heads" in mechanism.options:
        options.setdefault("heads", decoder.heads)
    try:
        return build(decoder.attention, query_dim=decoder.size, key_dim=encoder.size, **options)
    except (ShapeError, InputError, TypeError) as error:
        if isinstance(error, ShapeError) and encoder.size != decoder.size and "heads" not in options:
            raise ConfigError(
                f"model.decoder.attention={decoder.attention} compares states of one size, but "
                f"model.decoder.size={decoder.size} and model.encoder.size={encoder.size}; make them equal "
                "or take luong-general or bahdanau."
            ) from error
        reason = " ".join(str(error).split()).rstrip(".")
        raise ConfigError(f"model.decoder.attention={decoder.attention} cannot be used: {reason}.") from error


def build_positions(kind: str, size: int, count: int) -> Positions:
    """The positions of a Transformer; rotary ones are known inside its self-attention."""
    if kind == "rotary":
        return NoPositions()
    return LearnedPositions(size, count) if kind == "learned" else SinusoidalPositions(size)
