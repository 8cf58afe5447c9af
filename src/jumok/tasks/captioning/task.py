"""Captioning as a task: pictures and captions in, a model that describes pictures out."""

import re
from pathlib import Path
from typing import Any

from jumok import config as configuration
from jumok.attention import load_plugins
from jumok.config import CaptioningConfig, with_keys
from jumok.errors import ConfigError
from jumok.models.build import build_model, check_model
from jumok.run.folder import vocabulary_of, write_config
from jumok.tasks.captioning.metrics import METRICS
from jumok.tasks.captioning.prepare import Opened, open_run, prepare_run
from jumok.tasks.captioning.stream import Stream
from jumok.tasks.captioning.validator import Validator
from jumok.tasks.task import Place, Say, Task
from jumok.tasks.translation.objective import objective_of
from jumok.text.tokenizer import load_tokenizer
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.random_state import seed_everything

# What learns the picturebook in five minutes on two cores, found on its validation scenes.
PICTUREBOOK: dict[str, dict[str, Any]] = {
    "show-attend-tell": {
        "model.embedding": 64,
        "model.decoder.size": 192,
        "train.learning_rate": 0.003,
        "train.doubly_stochastic": 0.0,
        "train.label_smoothing": 0.0,
    },
}


class Captioning(Task[CaptioningConfig]):
    """From pictures with captions, or the embedded picturebook, to a model that describes pictures."""

    name = "captioning"

    def title(self, config: CaptioningConfig) -> str:
        data = config.data
        stem = f"picturebook-{data.picturebook}"
        if data.captions:
            stem = re.sub(r"[^\w.-]+", "-", Path(data.captions).name.split(".")[0]) or "captions"
        return f"{stem}-{config.model.preset}"

    def check_recipe(self, config: CaptioningConfig) -> None:
        load_plugins(config.plugins)
        if config.model.frontend.reads != "pictures":
            raise ConfigError(f"model.frontend.kind={config.model.frontend.kind} reads no pictures; choose cnn.")
        if config.model.head.kind == "pointer":
            raise ConfigError("model.head.kind=pointer copies words of a source, and a picture has none; use linear.")
        if config.train.guided_alignment > 0:
            raise ConfigError("train.guided_alignment needs word links, and pictures have none; set it to 0.")
        if config.train.stop_metric not in {metric.name for metric in METRICS}:
            raise ConfigError(f"train.stop_metric={config.train.stop_metric} is not measured here; use loss or bleu.")
        objective_of(config.train).check(check_model(config.model), has_links=False)

    def choose(self, config: CaptioningConfig, given: set[str], say: Say) -> CaptioningConfig:
        if not config.data.is_picturebook:
            return config
        steps = config.train.max_steps if "train.max_steps" in given else 4000
        chosen: dict[str, Any] = {
            "train.batch_tokens": 512,
            "train.max_steps": steps,
            "train.validate_every": 500,
            "train.warmup": min(200, max(1, steps // 10)),
            **PICTUREBOOK.get(config.model.preset, {}),
        }
        kinds = {f"model.{side}.kind": getattr(config.model, side).kind for side in ("frontend", "encoder", "decoder")}
        chosen = {key: value for key, value in configuration.fitting(chosen, kinds).items() if key not in given}
        if chosen:
            say(f"Chosen for the picturebook: {', '.join(f'{key}={value}' for key, value in chosen.items())}.")
        return with_keys(config, chosen)

    def prepare(self, config: CaptioningConfig, given: set[str], folder: Path, say: Say) -> None:
        prepare_run(config, folder, say)

    def rewrite(self, folder: Path, config: CaptioningConfig) -> None:
        tokenizer = load_tokenizer(folder, "target")
        write_config(folder, config, vocabulary_of(tokenizer, tokenizer))

    def open(self, folder: Path, config: CaptioningConfig) -> Opened:
        return open_run(folder, config)

    def setup(self, opened: Opened, place: Place, say: Say | None) -> Setup:
        config, settings = opened.config, opened.config.train
        # The same start in every process; afterwards each draws its own dropout.
        seed_everything(config.seed)
        model = build_model(config.model, opened.tokenizer.size, opened.tokenizer.size)
        model.to(place.device)
        seed_everything(config.seed, place.processes.rank)
        learner = Learner.of_model(
            model,
            objective_of(settings),
            settings,
            place.device,
            config.runtime.precision,
            place.processes,
            config.seed,
        )
        stop = next(metric for metric in METRICS if metric.name == settings.stop_metric)
        validate = Validator(opened, place.device)
        return Setup(
            learner, Stream(opened, place), validate, opened.folder, place.interrupts, place.environment, METRICS, stop
        )
