"""What a task promises: everything about a kind of problem that training a run needs to know."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from jumok.config import Config
from jumok.errors import ConfigError
from jumok.run import manifest
from jumok.run.folder import write_config
from jumok.tasks.staging import staged

if TYPE_CHECKING:
    import torch

    from jumok.training.distributed import Processes
    from jumok.training.interrupt import Interrupts
    from jumok.training.loop import Setup
    from jumok.training.report import Listener

Own = TypeVar("Own", bound=Config)
"""The config of the task."""
Network = TypeVar("Network")
Say = Callable[[str], None]
"""Takes a sentence that a person should read."""
TEXT_KEYS = (
    "batch_tokens", "label_smoothing", "r_drop", "teacher_forcing", "guided_alignment", "guided_layer",
    "guided_heads", "coverage_loss", "coverage_from", "reinforce", "entropy", "doubly_stochastic",
)  # fmt: skip
"""Keys of `train` that only tasks whose models write text use."""
NO_PICTURES = (0, 1)
"""What presets of tasks that draw no alignments have set train.pictures to; runs and configs of theirs hold it."""


@dataclass(frozen=True)
class Place:
    """Where a run is trained: which process of how many, on which device, and what may interrupt it."""

    processes: "Processes"
    device: "torch.device"
    interrupts: "Interrupts"
    environment: dict[str, Any]


@dataclass(frozen=True)
class CardWords:
    """What the model card of a text task says of its runs."""

    tag: str
    """What model hubs call the task."""
    does: str
    """What a run does, with `{source}` and `{target}` for its languages."""
    verb: str
    """The command, and the method of the model in Python."""
    options: str
    """What the example of the command asks for."""
    printed: str
    """What the example in Python prints beside the text."""
    languages: Callable[[Any], tuple[str, str]]
    """Codes of both languages of the corpus that the package has, by the `data` section."""
    text: Callable[[Any], str]
    """What that corpus is called, by the `data` section."""


@dataclass(frozen=True)
class Opened(Generic[Own]):
    """A run folder opened for training; a task adds what else lies in it."""

    folder: Path
    config: Own


class Task(ABC, Generic[Own]):
    """A kind of problem: from a config to a run folder, and from a run folder to a setup that can be trained."""

    name: ClassVar[str]

    @abstractmethod
    def title(self, config: Own) -> str:
        """What a run of this config is called where its folder is not named."""

    @abstractmethod
    def check_recipe(self, config: Own) -> Any:
        """Refuses what could be trained on no machine."""

    def check(self, config: Own, *, begins: bool = True) -> None:
        """Refuses what cannot work here before any data is read; `begins`: the run is new."""
        self.check_recipe(config)

    def choose(self, config: Own, given: set[str], say: Say) -> Own:
        """The config with what is chosen before the data is known, for keys that were not given."""
        return config

    def prepare(self, config: Own, given: set[str], folder: Path, say: Say) -> None:
        """Makes the run folder, or leaves nothing behind."""
        with staged(folder) as staging:
            self.store(config, staging)
            write_config(staging, config)
            manifest.write(staging)

    def store(self, config: Own, folder: Path) -> None:
        """Stores what is learned from in a run folder in the making; nothing for data that follow from the seed."""
        return

    def rewrite(self, folder: Path, config: Own) -> None:
        """Writes a changed config into a run folder."""
        write_config(folder, config)

    def open(self, folder: Path, config: Own) -> Any:
        """What lies in a run folder for training."""
        return Opened(folder, config)

    @abstractmethod
    def setup(self, opened: Any, place: Place, say: Say | None) -> "Setup":
        """Everything that training needs, freshly seeded; `say` hears of weights that a new run starts from."""

    def listeners(self, opened: Any) -> "list[Listener]":
        """Who draws what this task shows while it is trained."""
        return []

    def finish(self, opened: Any, complete: bool, say: Say) -> None:
        """What follows training: a model card, choices made on the validation data; `complete`: no signal ended it."""
        return


def check_network(config: Own, build: Callable[[Own], Network]) -> Network:
    """Refuses keys of tasks of text, and what `build` refuses; gives the network without numbers."""
    import torch

    from jumok.attention import load_plugins

    load_plugins(config.plugins)
    refuse_text_keys(config)
    with torch.device("meta"):
        return build(config)


def refuse_text_keys(config: Config) -> None:
    """Raises if a key of `train` is set that only tasks of text use: an ignored key would mislead."""
    for key in TEXT_KEYS:
        if getattr(config.train, key) != type(config.train).model_fields[key].default:
            raise _of_text(key, config)
    if config.train.pictures not in (type(config.train).model_fields["pictures"].default, *NO_PICTURES):
        raise _of_text("pictures", config)
    refuse_process_loader(config)


def _of_text(key: str, config: Config) -> ConfigError:
    return ConfigError(f"train.{key} is for models that write text; leave it out with task={config.task}.")


def require_validation(config: Config) -> None:
    """Raises if nothing is validated, where that alone tells which weights are best."""
    if not config.train.validate_size:
        raise ConfigError(
            f"train.validate_size=0 validates nothing, and task={config.task} keeps the weights that validate best; "
            "set it above 0."
        )


def refuse_process_loader(config: Config) -> None:
    """Raises if batches should be made by a process, which only batches of text are."""
    if config.runtime.loader == "process":
        raise ConfigError(f"runtime.loader=process is for text; leave it out with task={config.task}.")
