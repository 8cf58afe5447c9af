"""The config of each task: what every run has, and the sections that a task adds.

A task of your own adds a class here through `jumok.tasks.add_task`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from jumok.arguments import LARGEST_SEED
from jumok.config.bandits import AGENT_PRESETS, AgentConfig, RewardConfig, WorldsConfig
from jumok.config.data import DataConfig, SummaryDataConfig, TextConfig, VocabularyConfig
from jumok.config.few_shot import SNAIL_PRESETS, EpisodesConfig, SnailConfig
from jumok.config.image_gan import GAN_PRESETS, GanConfig, PicturesConfig, PlayersConfig
from jumok.config.images import CAPTION_PRESETS, CaptionDataConfig, CaptionModelConfig, draws_only
from jumok.config.model import ModelConfig
from jumok.config.presets import PRESETS, SUMMARY_PRESETS
from jumok.config.section import Section
from jumok.config.train import (
    AgentTrainConfig,
    CaptionTrainConfig,
    FewShotTrainConfig,
    GanTrainConfig,
    RuntimeConfig,
    SummaryTrainConfig,
    TrainConfig,
)
from jumok.errors import ConfigError, did_you_mean

DEFAULT_TASK = "translation"


class Config(Section):
    """Everything that makes a run, whatever is learned."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Ordinary keys under the names that `model.preset` takes; empty for a task without presets."""

    task: str = Field(description="what is learned")
    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="seed of every random choice")
    plugins: list[str] = Field(default=[], description="files with mechanisms, kinds or tasks of your own")
    train: TrainConfig = TrainConfig()
    runtime: RuntimeConfig = RuntimeConfig()

    @classmethod
    def task_name(cls) -> str:
        """The task that has this config."""
        return cls.model_fields["task"].default

    @classmethod
    def preset_keys(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The keys that the preset in `given`, or the usual one, sets."""
        if not cls.presets:
            return {}
        name = given.get("model.preset", cls.model_fields["model"].default.preset)
        if name not in cls.presets:
            known = ", ".join(cls.presets)
            raise ConfigError(f"Unknown model.preset '{name}'{did_you_mean(str(name), cls.presets)}; one of {known}.")
        return cls.presets[name]


class SequenceConfig(Config):
    """A model that writes text, whatever it reads: what searching with it needs to know."""

    data: DataConfig | CaptionDataConfig
    text: VocabularyConfig
    model: ModelConfig

    @property
    def slots(self) -> int:
        """How many of the target's ids can only be copied."""
        return 0


class TranslationConfig(SequenceConfig):
    """Pairs of texts: where they come from, how lines become tokens, and the network."""

    presets = PRESETS

    task: str = Field(default=DEFAULT_TASK, description="what is learned: translation")
    data: DataConfig = DataConfig()  # pyright: ignore[reportIncompatibleVariableOverride]
    text: TextConfig = TextConfig()  # pyright: ignore[reportIncompatibleVariableOverride]
    model: ModelConfig = ModelConfig()

    @property
    def slots(self) -> int:
        return self.text.slots


class SummarisationConfig(TranslationConfig):
    """Texts and their summaries, or headlines."""

    presets = SUMMARY_PRESETS

    task: str = Field(default="summarisation", description="what is learned: summarisation")
    data: SummaryDataConfig = SummaryDataConfig()  # pyright: ignore[reportIncompatibleVariableOverride]
    train: SummaryTrainConfig = SummaryTrainConfig()  # pyright: ignore[reportIncompatibleVariableOverride]


class FewShotConfig(Config):
    """Episodes of pictures: a few labelled ones, and new ones to be named."""

    presets = SNAIL_PRESETS

    task: str = Field(default="few-shot", description="what is learned: few-shot")
    data: EpisodesConfig = EpisodesConfig()
    model: SnailConfig = SnailConfig()
    train: FewShotTrainConfig = FewShotTrainConfig()  # pyright: ignore[reportIncompatibleVariableOverride]


class CaptioningConfig(SequenceConfig):
    """Pictures and their captions."""

    presets = CAPTION_PRESETS

    task: str = Field(default="captioning", description="what is learned: captioning")
    data: CaptionDataConfig = CaptionDataConfig()  # pyright: ignore[reportIncompatibleVariableOverride]
    text: VocabularyConfig = VocabularyConfig()
    model: CaptionModelConfig = CaptionModelConfig()  # pyright: ignore[reportIncompatibleVariableOverride]
    train: CaptionTrainConfig = CaptionTrainConfig()  # pyright: ignore[reportIncompatibleVariableOverride]

    @classmethod
    def preset_keys(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The keys of the preset; without the doubly stochastic regulariser where attention is only drawn."""
        found = super().preset_keys(given)
        left_out = "train.doubly_stochastic" if draws_only(given) else ""
        return {key: value for key, value in found.items() if key != left_out}


class BanditsConfig(Config):
    """Bandits and tabular MDPs: learning to explore from what one wins."""

    presets = AGENT_PRESETS

    task: str = Field(default="bandits", description="what is learned: bandits")
    data: WorldsConfig = WorldsConfig()
    model: AgentConfig = AgentConfig()
    reward: RewardConfig = RewardConfig()
    train: AgentTrainConfig = AgentTrainConfig()  # pyright: ignore[reportIncompatibleVariableOverride]


class ImageGanConfig(Config):
    """Pictures to learn to draw: a generator, and a discriminator that tells its pictures from real ones."""

    presets = GAN_PRESETS

    task: str = Field(default="image-gan", description="what is learned: image-gan")
    data: PicturesConfig = PicturesConfig()
    model: GanConfig = GanConfig()
    players: PlayersConfig = PlayersConfig()
    train: GanTrainConfig = GanTrainConfig()  # pyright: ignore[reportIncompatibleVariableOverride]


SECTIONS: tuple[type[Config], ...] = (
    TranslationConfig,
    SummarisationConfig,
    FewShotConfig,
    CaptioningConfig,
    BanditsConfig,
    ImageGanConfig,
)
CONFIGS: dict[str, type[Config]] = {section.task_name(): section for section in SECTIONS}


def config_class(task: Any) -> type[Config]:
    """The config of a task."""
    if task not in CONFIGS:
        known = ", ".join(CONFIGS) + " (a task of your own needs its plugin: jumok --plugin FILE …)"
        raise ConfigError(f"Unknown task '{task}'{did_you_mean(str(task), CONFIGS)}; one of {known}.")
    return CONFIGS[task]
