"""Refuses a config that cannot be trained, before any picture is read."""

from pathlib import Path

from jumok.attention import load_plugins
from jumok.config import CaptioningConfig
from jumok.errors import ConfigError
from jumok.models.build import check_model
from jumok.models.build_images import check_backbone
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.captioning.pictures import check_names
from jumok.tasks.task import refuse_process_loader
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.warm_start import check_start
from jumok.training.environment import find_device


def check_recipe(config: CaptioningConfig, *, begins: bool = True) -> Seq2Seq:
    """Refuses what can work on no machine, or in a new run would change nothing; gives the model without numbers."""
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
    model, objective = check_model(config.model), objective_of(config.train)
    objective.check(model, has_links=False)
    if begins:
        check_effect(config)
        objective.check_effect(model)
    return model


def check_config(config: CaptioningConfig, *, begins: bool = True) -> None:
    """Refuses what cannot work here before any picture is read."""
    model = check_recipe(config, begins=begins)
    check_names(config.data)
    find_device(config.runtime.device)
    if not begins:
        return
    check_backbone(config.model, model.frontend)
    if config.train.init_from:
        check_start(model, Path(config.train.init_from))


def check_effect(config: CaptioningConfig) -> None:
    """Refuses keys that a model of pictures would not heed."""
    for key in ("tie_source", "reverse_source"):
        if getattr(config.model, key):
            raise ConfigError(f"model.{key} is about the words of a source, and a picture has none; leave it out.")
    usual = type(config.train).model_fields["pictures"].default
    if config.train.pictures not in (0, usual):
        raise ConfigError("train.pictures draws alignments of text; leave it out with task=captioning.")


def check_frontend(config: CaptioningConfig) -> None:
    """Refuses pictures that change from epoch to epoch where features are computed once (mirrored ones: once more)."""
    section, data = config.model.frontend, config.data
    changes = [key for key in ("crop", "colour") if getattr(data, key)]
    if section.frozen and changes:
        raise ConfigError(
            f"data.{changes[0]} changes pictures in training, and a frozen backbone's features are computed once; set "
            "it to 0 or model.frontend.fine_tune=true."
        )
