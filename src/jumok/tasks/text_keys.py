"""Keys of `train` that only models of text use: other tasks refuse them, because an ignored key misleads."""

from jumok.config import Config
from jumok.errors import ConfigError

TEXT_KEYS = (
    "batch_tokens", "label_smoothing", "r_drop", "teacher_forcing", "guided_alignment", "guided_layer",
    "guided_heads", "coverage_loss", "coverage_from", "reinforce", "entropy", "doubly_stochastic", "init_from",
)  # fmt: skip


def refuse_text_keys(config: Config) -> None:
    """Raises if a key is set that the task of this config does not use."""
    for key in TEXT_KEYS:
        if getattr(config.train, key) != type(config.train).model_fields[key].default:
            raise ConfigError(
                f"train.{key} is for models that write text, and task={config.task} does not; leave it out."
            )
