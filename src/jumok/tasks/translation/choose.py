"""Sizes and lengths that are chosen for a translation run where the user left them open."""

from typing import Any

from jumok.config import TranslationConfig, with_keys
from jumok.data.store import PairStore
from jumok.tasks.choosing import choose_for
from jumok.tasks.task import Say

_RECURRENT = {"model.embedding": 192, "model.encoder.size": 192, "model.decoder.size": 192}
_SMALL = {"size": 128, "layers": 2, "ff": 256, "positions": "rotary"}
# What learns the phrasebook in three minutes on two cores, found on its validation sentences.
PHRASEBOOK: dict[str, dict[str, Any]] = {
    "seq2seq": {**_RECURRENT, "train.learning_rate": 0.004},
    "rnnsearch": {**_RECURRENT, "train.learning_rate": 0.004},
    "luong": {**_RECURRENT, "train.learning_rate": 0.007},
    "transformer": {
        **{f"model.{side}.{key}": value for side in ("encoder", "decoder") for key, value in _SMALL.items()},
        "train.learning_rate": 0.004,
        "train.schedule": "cosine",
    },
}


def choose_for_phrasebook(config: TranslationConfig, keys: set[str], say: Say) -> TranslationConfig:
    """The config with what learns the embedded corpus in minutes on two cores, where the user left it open."""
    chosen = {"train.batch_tokens": 1024, "train.validate_every": 250, **PHRASEBOOK.get(config.model.preset, {})}
    return choose_for("phrasebook", config, keys, say, steps=1500, warmup=100, chosen=chosen)


def choose_length(config: TranslationConfig, keys: set[str], ids: PairStore, say: Say) -> TranslationConfig:
    """The config with the length of training set from the amount of text, where the user left it open."""
    tokens = int(ids.lengths()[:, 1].astype("int64").sum()) + len(ids)
    chosen: dict[str, Any] = {}
    batch = config.train.batch_tokens
    if "train.batch_tokens" not in keys and tokens < 100_000:
        batch = chosen["train.batch_tokens"] = 512 if tokens < 25_000 else 1024
    steps = config.train.max_steps
    if "train.max_steps" not in keys:
        # About 15 times over a middling corpus; a small one is seen more often, a very large one less.
        steps = chosen["train.max_steps"] = _round(min(100_000, max(1000, 15 * tokens // batch)))
    for key in ("train.validate_every", "train.save_every"):
        if key not in keys:
            chosen[key] = max(50, _round(steps // 15))
    if "train.warmup" not in keys:
        chosen["train.warmup"] = min(config.train.warmup, max(1, steps // 10))
    if chosen:
        listed = ", ".join(f"{key}={value}" for key, value in chosen.items())
        say(f"Chosen for {len(ids):,} pairs of {tokens:,} target tokens: {listed}.")
    return with_keys(config, chosen)


def _round(value: int) -> int:
    """Two significant digits."""
    size = 10 ** max(0, len(str(value)) - 2)
    return max(1, round(value / size) * size)
