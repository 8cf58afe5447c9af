"""Captioning as a task: pictures and captions in, a model that describes pictures out."""

import re
from pathlib import Path

from jumok.config import CaptioningConfig
from jumok.models.build import build_model
from jumok.models.build_images import take_backbone
from jumok.run.folder import vocabulary_of, write_config
from jumok.tasks.captioning.check import check_config, check_recipe
from jumok.tasks.captioning.choose import choose_for_picturebook
from jumok.tasks.captioning.metrics import METRICS
from jumok.tasks.captioning.prepare import WithCaptions, open_run, prepare_run
from jumok.tasks.captioning.stream import Stream
from jumok.tasks.captioning.validator import Validator
from jumok.tasks.task import Place, Say, Task
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.warm_start import start_from
from jumok.text.tokenizer import load_tokenizer
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.random_state import seed_everything


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
        check_recipe(config)

    def check(self, config: CaptioningConfig, *, begins: bool = True) -> None:
        check_config(config, begins=begins)

    def choose(self, config: CaptioningConfig, given: set[str], say: Say) -> CaptioningConfig:
        return choose_for_picturebook(config, given, say) if config.data.is_picturebook else config

    def prepare(self, config: CaptioningConfig, given: set[str], folder: Path, say: Say) -> None:
        prepare_run(config, folder, say)

    def rewrite(self, folder: Path, config: CaptioningConfig) -> None:
        tokenizer = load_tokenizer(folder, "target")
        write_config(folder, config, vocabulary_of(tokenizer, tokenizer))

    def open(self, folder: Path, config: CaptioningConfig) -> WithCaptions:
        return open_run(folder, config)

    def setup(self, opened: WithCaptions, place: Place, say: Say | None) -> Setup:
        config, settings = opened.config, opened.config.train
        # The same start in every process; afterwards each draws its own dropout.
        seed_everything(config.seed)
        model = build_model(config.model, opened.tokenizer.size, opened.tokenizer.size)
        if say is not None:  # a resumed run has the weights of its checkpoint
            take_backbone(config.model, model.frontend)
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
