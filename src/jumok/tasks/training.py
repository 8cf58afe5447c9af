"""Training a run, from a config to the finished folder, for any task.

    training = begin(config, given, out)          a new run
    training = resume(folder, overrides)          an old one from its newest good checkpoint
    for event in training: …                      the work is done while events are taken
    training.folder, training.stopped             what came of it

Files of the run (metrics, timing, checkpoints, pictures) are written here. Who watches (a progress bar, a notebook, a
callback) takes the events.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jumok import config as configuration
from jumok.config import Config
from jumok.errors import ConfigError, JumokError, RunError
from jumok.output import require_folder_place
from jumok.run.folder import read_config
from jumok.run.lock import owned
from jumok.run.names import CHECKPOINTS, CONFIG, METRICS, TENSORBOARD, TIMING, steps_in
from jumok.tasks import find_task
from jumok.tasks.task import Place, Say, Task

if TYPE_CHECKING:
    from jumok.training.checkpoint import Checkpoint
    from jumok.training.distributed import Processes
    from jumok.training.events import Event, Stopped
    from jumok.training.report import Listener

# What may be changed when a run is resumed: how long and how it is watched, not what it is.
RESUMABLE = ("train.", "runtime.")


class EndedElsewhereError(RunError):
    """Another process of the group has refused the run, and has said why."""


def say_nothing(_text: str) -> None:
    """For who does not want to read."""


class Training:
    """A run while it is trained: iterate over it once, for its events."""

    def __init__(self, work: "Callable[[Training], Iterator[Event]]", say: Say) -> None:
        self._work, self._say = work, say
        self.folder = Path()
        """The run folder, known from the first event on."""
        self.writer = True
        """Whether this process writes the run's files and should speak; one of a group does."""
        self.stopped: Stopped | None = None
        """How it ended."""
        self.exit_code = 0
        """0, or 128 and the number of the signal that ended it."""

    def __iter__(self) -> "Iterator[Event]":
        return self._work(self)

    def say(self, text: str) -> None:
        """Says a sentence, in the process that speaks."""
        if self.writer:
            self._say(text)


def begin(
    config: Config,
    given: set[str],
    out: Path | None = None,
    say: Say = say_nothing,
    task: Task[Any] | None = None,
) -> Training:
    """A new run; `given` are the keys that the user set, all others may be chosen from the data.

    `task` is that of the config, or one that prepares its run folder in another way.
    """
    found = task or find_task(config.task)
    return Training(lambda training: _begin(training, found, config, given, out), say)


def resume(folder: Path, overrides: Sequence[str] = (), say: Say = say_nothing) -> Training:
    """An old run, perhaps with more steps: `overrides` may change keys of train and runtime."""
    return Training(lambda training: _resume(training, folder, overrides), say)


def _begin(training: Training, task: Task[Any], config: Config, given: set[str], out: Path | None) -> "Iterator[Event]":
    from jumok.tasks.fresh_folder import FreshFolder
    from jumok.training import distributed

    names = [out] if out else _names(task, config)
    own = distributed.own_folder(names) if distributed.restarted() else None
    training.folder = own or out or _free_name(task, config)
    with ExitStack() as stack:
        processes = stack.enter_context(distributed.join(config.runtime.device))
        training.writer = processes.writer
        if own is not None:  # torchrun has started its processes again
            stack.enter_context(_owned(own, config, processes))
            yield from _train(training, task, read_config(own), processes)
            return
        require_free(training.folder)
        _check_clock(config)
        config = task.choose(config, given, training.say)
        task.check(config)
        processes.wait()  # until every process has seen that the folder is free
        listeners: list[Listener] = []
        if processes.writer:
            listeners.append(stack.enter_context(FreshFolder(training.folder)))
            task.prepare(config, given, training.folder, training.say)
            distributed.mark_as_own(training.folder)
        processes.wait()
        stack.enter_context(_owned(training.folder, config, processes))
        yield from _train(training, task, read_config(training.folder), processes, fresh=True, listeners=listeners)


def _resume(training: Training, folder: Path, overrides: Sequence[str]) -> "Iterator[Event]":
    from jumok.training import distributed

    training.folder = folder
    config = read_config(folder)
    task = find_task(config.task)
    changed = {item.partition("=")[0].strip() for item in overrides}
    for key in sorted(changed):
        if not key.startswith(RESUMABLE):
            raise ConfigError(f"'{key}' cannot be changed when a run is resumed; only train.* and runtime.* can.")
    if overrides:
        config = configuration.resolve(config.model_dump(mode="json"), overrides)
    with distributed.join(config.runtime.device) as processes, _owned(folder, config, processes):
        training.writer = processes.writer
        if overrides:
            _check_limits(folder, config, changed)
            _check_clock(config)
            task.check(config, begins=False)  # before they are kept: a run must not be left with what cannot work
            processes.wait()
        if overrides and processes.writer:
            task.rewrite(folder, config)
        processes.wait()
        yield from _train(training, task, config, processes)


def _train(
    training: Training,
    task: Task[Any],
    config: Config,
    processes: "Processes",
    *,
    fresh: bool = False,
    listeners: "Sequence[Listener]" = (),
) -> "Iterator[Event]":
    """Trains the run in the folder from its newest good checkpoint, or from the start."""
    from jumok.training import environment
    from jumok.training.events import Stopped
    from jumok.training.interrupt import Interrupts
    from jumok.training.loop import train
    from jumok.training.report import tell

    folder = training.folder
    with ExitStack() as stack:
        runtime = config.runtime
        threads = stack.enter_context(
            environment.prepared(runtime.threads, runtime.deterministic, processes.local_world, runtime.products)
        )
        device = environment.find_device(config.runtime.device, processes.local_rank)
        checkpoint = None if fresh else _newest(folder, training.say)
        if not fresh:
            task.check(config, begins=checkpoint is None)
        opened = task.open(folder, config)
        interrupts = stack.enter_context(Interrupts())
        here = environment.describe(threads, processes.world, device)
        place = Place(processes, device, interrupts, here)
        setup = task.setup(opened, place, training.say if checkpoint is None else None)
        for difference in environment.differences(checkpoint.environment, here) if checkpoint else ():
            training.say(f"warning: {difference} since the checkpoint; results will not be equal to the last bit.")
        if processes.writer:
            listeners = [*listeners, *_file_listeners(folder, config, checkpoint), *task.listeners(opened)]
        for listener in listeners:
            stack.callback(listener.close)
        for event in stack.enter_context(closing(train(setup, checkpoint))):  # type: ignore[type-var]
            tell(listeners, event)
            if isinstance(event, Stopped):
                training.stopped, training.exit_code = event, interrupts.exit_code
            yield event
    if processes.writer:
        task.finish(opened, training.exit_code == 0, training.say)
        training.say(f"The run is in {folder}.")


def _newest(folder: Path, say: Say) -> "Checkpoint | None":
    """The newest good checkpoint of a run, None where it has none yet."""
    from jumok.training import checkpoint as checkpoints

    saved = folder / CHECKPOINTS
    found = checkpoints.latest(saved, lambda text: say(f"warning: {text}"))
    if found is None and steps_in(saved):
        raise RunError(
            f"No checkpoint of {folder} is intact; train a new run with another --out. Its model can still be used."
        )
    return found


def _file_listeners(folder: Path, config: Config, resume: "Checkpoint | None") -> "list[Listener]":
    """The files that every run has."""
    from jumok.training import report

    step = None if resume is None else resume.step
    # The validation of the last step may be still to come; its line must not be there already.
    validates_first = resume is not None and bool(resume.state.get("progress", {}).get("to_validate"))
    listeners: list[Listener] = [
        report.MetricsFile(folder / METRICS, step, validates_first),
        report.TimingFile(folder / TIMING),
    ]
    if config.train.tensorboard:
        listeners.append(report.TensorBoard(folder / TENSORBOARD))
    return listeners


@contextmanager
def _owned(folder: Path, config: Config, processes: "Processes") -> Iterator[None]:
    """Holds the run's lock in the process that writes; where it is refused, every process of the group ends."""
    from jumok.training import environment

    with ExitStack() as stack:
        refused: JumokError | None = None
        if processes.writer:
            try:
                stack.enter_context(owned(folder))
            except JumokError as error:
                refused = error
        device = environment.find_device(config.runtime.device, processes.local_rank)
        [ended] = processes.from_writer([float(refused is not None)], device)
        if refused is not None:
            raise refused
        if ended:
            raise EndedElsewhereError(f"{folder} is refused by the first process of the group, which says why.")
        yield


def _check_limits(folder: Path, config: Config, changed: set[str]) -> None:
    """Refuses a new limit that the run has passed already."""
    from jumok.training import checkpoint as checkpoints

    step, minutes = checkpoints.reached(folder / CHECKPOINTS)
    settings = config.train
    if "train.max_steps" in changed and settings.max_steps < step:
        raise ConfigError(
            f"train.max_steps={settings.max_steps} is below step {step}, which {folder} has reached; raise it."
        )
    if "train.max_minutes" in changed and settings.max_minutes is not None and settings.max_minutes < minutes:
        raise ConfigError(
            f"train.max_minutes={settings.max_minutes:g} is less than the {minutes:.1f} minutes that {folder} has been "
            "trained; raise it."
        )


def _check_clock(config: Config) -> None:
    """Refuses processor time where work is done outside this process."""
    if config.train.clock == "processor" and config.runtime.threads != 1:
        raise ConfigError("train.clock=processor counts the time of one thread; set runtime.threads=1.")


def _free_name(task: Task[Any], config: Config) -> Path:
    """`runs/en-ko-rnnsearch`, or the next number if that is taken."""
    return next(folder for folder in _names(task, config) if not folder.exists() or not any(folder.iterdir()))


def _names(task: Task[Any], config: Config) -> Iterator[Path]:
    """`runs/en-ko-rnnsearch`, `runs/en-ko-rnnsearch-2`, …, to one that is free."""
    base = Path("runs") / task.title(config)
    number, folder = 1, base
    while folder.exists() and any(folder.iterdir()):
        yield folder
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    yield folder


def require_free(folder: Path) -> None:
    """Refuses a folder that a new run cannot be written to."""
    if (folder / CONFIG).exists():
        raise RunError(f"{folder} already holds a run; resume it with --resume {folder}, or name another --out.")
    require_folder_place(folder, "a new run", lambda _: "it is not empty")
