"""Refuses a config that cannot be trained, before any data is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from jumok.attention import load_plugins
from jumok.config import TranslationConfig
from jumok.errors import ConfigError
from jumok.models.build import check_model
from jumok.models.reach import least
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.vocabularies import taken_tokenizers
from jumok.tasks.translation.warm_start import check_start
from jumok.training.environment import find_device


def check_config(config: TranslationConfig, *, begins: bool = True) -> None:
    """Refuses what cannot work, before any data is read; a run that is resumed needs its first weights no more."""
    model = check_recipe(config, begins=begins)
    train, text = config.train, config.text
    find_device(config.runtime.device)
    if train.tensorboard and find_spec("tensorboard") is None:
        raise ConfigError("train.tensorboard needs tensorboard; install it with: pip install 'jumok[tensorboard]'.")
    if text.of_run and begins:
        taken_tokenizers(text)
    if train.init_from and begins:
        check_start(model, Path(train.init_from))


def check_recipe(config: TranslationConfig, *, begins: bool = True) -> Seq2Seq:
    """Refuses what can work on no machine, or in a new run would change nothing; gives the model without numbers."""
    load_plugins(config.plugins)
    with in_memory():
        model = check_model(config.model)
    train, text = config.train, config.text
    # Whether the text has links is known only when it is read.
    objective = objective_of(train)
    objective.check(model, has_links=True)
    if begins:
        objective.check_effect(model)
    if config.model.tie_source and not text.joint:
        raise ConfigError("model.tie_source needs one vocabulary for both sides; set text.joint=true.")
    head = config.model.head
    if head.copies and not text.joint:
        raise ConfigError(f"model.head.kind={head.kind} copies words and needs one vocabulary; set text.joint=true.")
    if text.slots and not head.copies:
        raise ConfigError("text.slots names words to be copied; set model.head.kind=pointer or text.slots=0.")
    if train.stop_metric != "loss" and train.validate_size == 0:
        raise ConfigError(f"train.stop_metric={train.stop_metric} needs decoding; set train.validate_size above 0.")
    if train.guided_alignment > 0 and config.model.decoder.attention == "none":
        raise ConfigError("train.guided_alignment needs attention; model.decoder.attention is none.")
    layers = config.model.decoder.cross_layers
    if not -layers <= train.guided_layer < layers:
        raise ConfigError(f"train.guided_layer is {train.guided_layer} but the decoder has {layers} layer(s).")
    _check_positions(config, model)
    return model


@contextmanager
def in_memory() -> Iterator[None]:
    """Says in one sentence that a model does not fit into memory; torch's own error is about bytes and source files."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        reason = " ".join(str(error).split("DefaultCPUAllocator: ")[-1].split()).rstrip(".") or "out of memory"
        raise ConfigError(
            f"The model cannot be built: {reason}; lower the sizes under model, or text.size for a smaller vocabulary."
        ) from error


def _check_positions(config: TranslationConfig, model: Seq2Seq) -> None:
    """A position the model has no parameters for must not be met in the middle of training."""
    most, longest = least((model.reach.source, model.reach.target)), config.data.max_length + 1
    if most is not None and longest > most:
        raise ConfigError(
            f"data.max_length={config.data.max_length} needs {longest} positions but the model has {most}; lower "
            "data.max_length or raise model.decoder.max_positions."
        )
