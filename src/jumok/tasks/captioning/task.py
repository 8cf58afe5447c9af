"""Captioning as a task: pictures and captions in, a model that describes pictures out."""

import re
from pathlib import Path
from typing import Any

from jumok import config as configuration
from jumok.attention import load_plugins
from jumok.config import CaptioningConfig, ImageFrontendConfig, PretrainedFrontendConfig, with_keys
from jumok.errors import ConfigError
from jumok.models.build import build_model, check_model
from jumok.models.pretrained import PretrainedFrontend, load_backbone
from jumok.models.seq2seq import Seq2Seq
from jumok.run.folder import vocabulary_of, write_config
from jumok.tasks.captioning.metrics import METRICS
from jumok.tasks.captioning.pictures import check_names
from jumok.tasks.captioning.prepare import Opened, open_run, prepare_run
from jumok.tasks.captioning.stream import Stream
from jumok.tasks.captioning.validator import Validator
from jumok.tasks.task import Place, Say, Task
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.warm_start import check_start, start_from
from jumok.text.tokenizer import load_tokenizer
from jumok.training.environment import find_device
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
        check_frontend(config)
        if config.model.head.kind == "pointer":
            raise ConfigError("model.head.kind=pointer copies words of a source, and a picture has none; use linear.")
        if config.train.guided_alignment > 0:
            raise ConfigError("train.guided_alignment needs word links, and pictures have none; set it to 0.")
        if config.train.stop_metric not in {metric.name for metric in METRICS}:
            raise ConfigError(f"train.stop_metric={config.train.stop_metric} is not measured here; use loss or bleu.")
        objective_of(config.train).check(check_model(config.model), has_links=False)

    def check(self, config: CaptioningConfig, *, begins: bool = True) -> None:
        self.check_recipe(config)
        check_names(config.data)
        find_device(config.runtime.device)
        if config.train.init_from and begins:
            check_start(check_model(config.model), Path(config.train.init_from))

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
        if say is not None:  # a resumed run has the weights of its checkpoint
            take_backbone(config, model)
        if settings.init_from and say is not None:
            say(start_from(model, Path(settings.init_from), opened.tokenizer, opened.tokenizer))
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


def check_frontend(config: CaptioningConfig) -> None:
    """Refuses pictures that change from epoch to epoch where their features are computed once."""
    section, data = config.model.frontend, config.data
    changes = [key for key in ("flip", "crop", "colour") if getattr(data, key)]
    if isinstance(section, ImageFrontendConfig) and section.frozen and changes:
        raise ConfigError(
            f"data.{changes[0]} changes pictures in training, and a frozen backbone's features are computed once; set "
            "it to 0 or model.frontend.fine_tune=true."
        )


def take_backbone(config: CaptioningConfig, model: Seq2Seq) -> None:
    """Gives a pretrained frontend the weights it starts from."""
    section, frontend = config.model.frontend, model.frontend
    if isinstance(section, PretrainedFrontendConfig) and isinstance(frontend, PretrainedFrontend):
        load_backbone(frontend.backbone, section.backbone, section.weights)
