"""Refuses a config that cannot be trained, before any picture is read."""

from pathlib import Path

from jumok.attention import load_plugins
from jumok.config import CaptioningConfig
from jumok.errors import ConfigError
from jumok.models.build import check_model
from jumok.tasks.captioning.pictures import check_names
from jumok.tasks.task import refuse_process_loader
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.warm_start import check_start
from jumok.training.environment import find_device


def check_recipe(config: CaptioningConfig) -> None:
    """Refuses what could be trained on no machine."""
    load_plugins(config.plugins)
    if config.model.frontend.reads != "pictures":
        raise ConfigError(f"model.frontend.kind={config.model.frontend.kind} reads no pictures; choose cnn.")
    check_frontend(config)
    refuse_process_loader(config)
    head = config.model.head
    if head.copies:
        raise ConfigError(f"model.head.kind={head.kind} copies words of a source, and a picture has none; use linear.")
    if config.train.guided_alignment > 0:
        raise ConfigError("train.guided_alignment needs word links, and pictures have none; set it to 0.")
    if config.train.stop_metric != "loss" and config.train.validate_size == 0:
        raise ConfigError(
            f"train.stop_metric={config.train.stop_metric} needs decoding; set train.validate_size above 0."
        )
    objective_of(config.train).check(check_model(config.model), has_links=False)


def check_config(config: CaptioningConfig, *, begins: bool = True) -> None:
    """Refuses what cannot work here before any picture is read."""
    check_recipe(config)
    check_names(config.data)
    find_device(config.runtime.device)
    if config.train.init_from and begins:
        check_start(check_model(config.model), Path(config.train.init_from))


def check_frontend(config: CaptioningConfig) -> None:
    """Refuses pictures that change from epoch to epoch where features are computed once (mirrored ones: once more)."""
    section, data = config.model.frontend, config.data
    changes = [key for key in ("crop", "colour") if getattr(data, key)]
    if section.frozen and changes:
        raise ConfigError(
            f"data.{changes[0]} changes pictures in training, and a frozen backbone's features are computed once; set "
            "it to 0 or model.frontend.fine_tune=true."
        )
