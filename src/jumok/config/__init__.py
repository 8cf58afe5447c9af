"""The configuration: strict keys, one line of meaning for each, saved whole with every run."""

from pydantic import Field

from jumok.config.data import CorpusConfig, DataConfig, TextConfig
from jumok.config.few_shot import EpisodesConfig, SnailConfig
from jumok.config.formats import FORMAT, HEAD, upgraded
from jumok.config.image_gan import PicturesConfig
from jumok.config.kinds import ByKind
from jumok.config.model import (
    DECODERS,
    ENCODERS,
    HEADS,
    DecoderConfig,
    EncoderConfig,
    HeadConfig,
    LinearHeadConfig,
    ModelConfig,
    PointerHeadConfig,
    RNNDecoderConfig,
    RNNEncoderConfig,
    TransformerDecoderConfig,
    TransformerEncoderConfig,
)
from jumok.config.presets import PRESETS
from jumok.config.resolve import fitting, flatten, keys, load, nest, resolve, validate, with_keys
from jumok.config.section import Section
from jumok.config.tasks import (
    CONFIGS,
    DEFAULT_TASK,
    Config,
    FewShotConfig,
    ImageGanConfig,
    TranslationConfig,
    config_class,
)
from jumok.config.train import RuntimeConfig, TrainConfig

__all__ = [
    "CONFIGS",
    "DECODERS",
    "DEFAULT_TASK",
    "ENCODERS",
    "FORMAT",
    "HEAD",
    "HEADS",
    "PRESETS",
    "ByKind",
    "Config",
    "CorpusConfig",
    "DataConfig",
    "DecoderConfig",
    "EncoderConfig",
    "EpisodesConfig",
    "FewShotConfig",
    "Field",
    "HeadConfig",
    "ImageGanConfig",
    "LinearHeadConfig",
    "ModelConfig",
    "PicturesConfig",
    "PointerHeadConfig",
    "RNNDecoderConfig",
    "RNNEncoderConfig",
    "RuntimeConfig",
    "Section",
    "SnailConfig",
    "TextConfig",
    "TrainConfig",
    "TransformerDecoderConfig",
    "TransformerEncoderConfig",
    "TranslationConfig",
    "config_class",
    "fitting",
    "flatten",
    "keys",
    "load",
    "nest",
    "resolve",
    "upgraded",
    "validate",
    "with_keys",
]
