"""What is chosen for the picturebook where the user left it open."""

from typing import Any

from jumok.config import CaptioningConfig
from jumok.tasks.choosing import choose_for
from jumok.tasks.task import Say

# What learns the picturebook in five minutes on two cores, found on its validation scenes.
PICTUREBOOK: dict[str, dict[str, Any]] = {
    "show-attend-tell": {
        "model.embedding": 64,
        "model.decoder.size": 192,
        "train.learning_rate": 0.003,
        "train.doubly_stochastic": 0.0,
        "train.label_smoothing": 0.0,
    },
    "caption-transformer": {
        **{f"model.{side}.size": 128 for side in ("encoder", "decoder")},
        **{f"model.{side}.layers": 2 for side in ("encoder", "decoder")},
        **{f"model.{side}.ff": 256 for side in ("encoder", "decoder")},
        "train.learning_rate": 0.002,
        "train.schedule": "cosine",
        "train.label_smoothing": 0.0,
    },
}
# Hard attention starts from a soft run (train.init_from): the draws are already right more often than not.
HARD: dict[str, Any] = {"train.learning_rate": 0.0005, "train.entropy": 0.01, "train.max_steps": 1500}


def choose_for_picturebook(config: CaptioningConfig, given: set[str], say: Say) -> CaptioningConfig:
    """The config with what learns the picturebook in minutes on two cores."""
    chosen: dict[str, Any] = {
        "train.batch_tokens": 512,
        "train.validate_every": 500,
        **PICTUREBOOK.get(config.model.preset, {}),
        **(HARD if config.model.decoder.attention == "hard" and "train.max_steps" not in given else {}),
    }
    return choose_for("picturebook", config, given, say, steps=4000, warmup=200, chosen=chosen)
