"""Keys that are chosen for an embedded book where the user left them open."""

from collections.abc import Mapping
from typing import Any, TypeVar

from jumok import config as configuration
from jumok.config import SequenceConfig, with_keys
from jumok.tasks.task import Say

Writing = TypeVar("Writing", bound=SequenceConfig)
"""The config of a task whose model writes word by word."""


def choose_for(
    book: str, config: Writing, given: set[str], say: Say, *, steps: int, warmup: int, chosen: Mapping[str, Any]
) -> Writing:
    """The config with the length of training, the warm-up and the chosen keys set, where the user left them open.

    `given` are the keys that the user set. Keys that the kinds of this model's parts do not have are left out.
    """
    steps = config.train.max_steps if "train.max_steps" in given else steps
    pace: dict[str, Any] = {"train.max_steps": steps, "train.warmup": min(warmup, max(1, steps // 10))}
    kinds = {f"model.{part}.kind": getattr(config.model, part).kind for part in ("frontend", "encoder", "decoder")}
    fitting = configuration.fitting({**pace, **chosen}, kinds)
    kept = {key: value for key, value in fitting.items() if key not in given}
    if kept:
        say(f"Chosen for the {book}: {', '.join(f'{key}={value}' for key, value in kept.items())}.")
    return with_keys(config, kept)
