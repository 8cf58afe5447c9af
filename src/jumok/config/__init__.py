"""The configuration: strict keys, one line of meaning for each, saved whole with every run."""

from pydantic import Field

from jumok.config.data import CorpusConfig, DataConfig, TextConfig
from jumok.config.formats import FORMAT, HEAD, upgraded
from jumok.config.kinds import ByKind
from jumok.config.model import (
    DECODERS,
    ENCODERS,
    DecoderConfig,
    EncoderConfig,
    ModelConfig,
    RNNDecoderConfig,
    RNNEncoderConfig,
    TransformerDecoderConfig,
    TransformerEncoderConfig,
)
from jumok.config.presets import PRESETS
from jumok.config.resolve import Config, fitting, flatten, keys, load, nest, resolve, validate
from jumok.config.section import Section
from jumok.config.train import RuntimeConfig, TrainConfig

__all__ = [
    "DECODERS",
    "ENCODERS",
    "FORMAT",
    "HEAD",
    "PRESETS",
    "ByKind",
    "Config",
    "CorpusConfig",
    "DataConfig",
    "DecoderConfig",
    "EncoderConfig",
    "Field",
    "ModelConfig",
    "RNNDecoderConfig",
    "RNNEncoderConfig",
    "RuntimeConfig",
    "Section",
    "TextConfig",
    "TrainConfig",
    "TransformerDecoderConfig",
    "TransformerEncoderConfig",
    "fitting",
    "flatten",
    "keys",
    "load",
    "nest",
    "resolve",
    "upgraded",
    "validate",
]
