"""The configuration: strict keys, one line of meaning for each, saved whole with every run."""

from pydantic import Field

from jumok.config.bandits import AgentConfig, RewardConfig, WorldsConfig
from jumok.config.data import CorpusConfig, DataConfig, TextConfig, VocabularyConfig
from jumok.config.few_shot import EpisodesConfig, SnailConfig
from jumok.config.formats import FORMAT, HEAD, upgraded
from jumok.config.image_gan import PicturesConfig
from jumok.config.images import (
    CaptionDataConfig,
    CaptionModelConfig,
    CNNFrontendConfig,
    ImageFrontendConfig,
    PatchesFrontendConfig,
    PretrainedFrontendConfig,
)
from jumok.config.kinds import ByKind
from jumok.config.model import (
    DECODERS,
    ENCODERS,
    FRONTENDS,
    HEADS,
    DecoderConfig,
    EncoderConfig,
    FrontendConfig,
    HeadConfig,
    LinearHeadConfig,
    ModelConfig,
    PlainEncoderConfig,
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
    BanditsConfig,
    CaptioningConfig,
    Config,
    FewShotConfig,
    ImageGanConfig,
    SequenceConfig,
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
    "FRONTENDS",
    "HEAD",
    "HEADS",
    "PRESETS",
    "AgentConfig",
    "BanditsConfig",
    "ByKind",
    "CNNFrontendConfig",
    "CaptionDataConfig",
    "CaptionModelConfig",
    "CaptioningConfig",
    "Config",
    "CorpusConfig",
    "DataConfig",
    "DecoderConfig",
    "EncoderConfig",
    "EpisodesConfig",
    "FewShotConfig",
    "Field",
    "FrontendConfig",
    "HeadConfig",
    "ImageFrontendConfig",
    "ImageGanConfig",
    "LinearHeadConfig",
    "ModelConfig",
    "PatchesFrontendConfig",
    "PicturesConfig",
    "PlainEncoderConfig",
    "PointerHeadConfig",
    "PretrainedFrontendConfig",
    "RNNDecoderConfig",
    "RNNEncoderConfig",
    "RewardConfig",
    "RuntimeConfig",
    "Section",
    "SequenceConfig",
    "SnailConfig",
    "TextConfig",
    "TrainConfig",
    "TransformerDecoderConfig",
    "TransformerEncoderConfig",
    "TranslationConfig",
    "VocabularyConfig",
    "WorldsConfig",
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
