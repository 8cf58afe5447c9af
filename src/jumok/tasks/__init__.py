"""Tasks: each joins data, model, training and evaluation for one kind of problem.

This is the only composition root: the command line, the studio and Python reach a task through `find_task` and its
trained models through `load`. A new task is one file (or folder) and one row of the table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from jumok.arguments import check_folder
from jumok.config import CONFIGS, Config, config_class
from jumok.errors import InputError, RunError, did_you_mean
from jumok.metric import Metric
from jumok.run.folder import read_config
from jumok.tasks.measuring import Asked, Measured
from jumok.tasks.task import CardWords, Task

__all__ = [
    "TASKS",
    "Row",
    "Task",
    "add_task",
    "card_words",
    "complete",
    "find_task",
    "load",
    "measure_of",
    "metrics_of",
]


@dataclass(frozen=True)
class Row:
    """A task: how it is trained, and what opens a trained run; each is imported when it is needed."""

    training: str | Callable[[], Task[Any]]
    """A class, or where it is: `module:class`."""
    model: str | Callable[..., Any]
    """A function of a run folder, or where it is: it need not wait for what training imports."""
    metrics: str | tuple[Metric, ...]
    """What its runs are validated by, or where that is."""
    measure: str | Callable[[list[Path], Asked], Measured] | None = None
    """What `jumok evaluate` calls with runs and what is asked, or where it is; None: the scores of translation."""
    card: str | CardWords | None = None
    """The words of its model cards, or where they are; None: it has none."""


# name of `task` in a config → its row
TASKS = {
    "translation": Row(
        "jumok.tasks.translation.task:TranslationTask",
        "jumok.tasks.translation.model:load",
        "jumok.tasks.translation.metrics:METRICS",
        card="jumok.tasks.translation.card_words:CARD",
    ),
    "summarisation": Row(
        "jumok.tasks.summarisation.task:Summarisation",
        "jumok.tasks.summarisation.model:load",
        "jumok.tasks.summarisation.metrics:METRICS",
        "jumok.tasks.summarisation.measure:measure",
        "jumok.tasks.summarisation.card_words:CARD",
    ),
    "few-shot": Row(
        "jumok.tasks.few_shot.task:FewShot",
        "jumok.tasks.few_shot.model:load",
        "jumok.tasks.few_shot.metrics:METRICS",
    ),
    "captioning": Row(
        "jumok.tasks.captioning.task:Captioning",
        "jumok.tasks.captioning.model:load",
        "jumok.tasks.captioning.metrics:METRICS",
        "jumok.tasks.captioning.measure:measure",
    ),
    "bandits": Row(
        "jumok.tasks.bandits.task:BanditTask",
        "jumok.tasks.bandits.model:load",
        "jumok.tasks.bandits.metrics:METRICS",
    ),
    "image-gan": Row(
        "jumok.tasks.image_gan.task:ImageGan",
        "jumok.tasks.image_gan.model:load",
        "jumok.tasks.image_gan.metrics:METRICS",
    ),
}


def add_task(
    section: type[Config], training: Callable[[], Task[Any]], model: Callable[..., Any], *metrics: Metric
) -> None:
    """Adds a task: the keys it has, the class that trains it, what opens a trained run, and how it is validated."""
    name = section.task_name()
    CONFIGS[name], TASKS[name] = section, Row(training, model, metrics)


def find_task(name: str) -> Task[Any]:
    """The task of a name; its module is imported now."""
    config_class(name)  # an unknown one is refused
    return _found(TASKS[name].training)()


def complete(config: Config, given: set[str]) -> Config:
    """The config with what its task chooses before the data is known; what no machine could train is refused.

    config   as `jumok.config.resolve` gives it
    given    the dotted keys that the user set; all others are open
    """
    task = find_task(config.task)
    config = task.choose(config, given, lambda _: None)
    task.check_recipe(config)
    return config


def metrics_of(name: str) -> tuple[Metric, ...]:
    """What the runs of a task are validated by."""
    return _found(TASKS[name].metrics)


def card_words(name: str) -> CardWords:
    """What the model cards of a task say."""
    if (words := TASKS[name].card) is None:
        raise RunError(f"runs of task={name} have no model card.")
    return _found(words)


def measure_of(name: str) -> Callable[[list[Path], Asked], Measured] | None:
    """What measures trained runs of a task; None where the scores of translation do.

    name   of the task
    """
    return _found(TASKS[name].measure)


def load(path: str | Path, *arguments: Any, **options: Any) -> Any:
    """The trained model of a run folder, as its task opens it.

    path                 the run folder
    arguments, options   the task's own: `device` for every task, and what `load` of its `model.py` takes besides
    """
    check_folder(path)
    task = read_config(Path(path)).task
    opened = _found(TASKS[task].model)
    _check_options(task, opened, options)
    return opened(path, *arguments, **options)


def _check_options(task: str, opened: Callable[..., Any], options: dict[str, Any]) -> None:
    known = signature(opened).parameters
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return
    for name in options:
        if name not in known:
            raise InputError(f"a run of task={task} takes no option '{name}'{did_you_mean(name, known)}; leave it out.")


def _found(named: Any) -> Any:
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)
