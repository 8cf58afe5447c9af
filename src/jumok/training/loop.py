"""Training as a generator of events. It knows no listener: a progress bar, a log or a picture is someone else's.

    for event in train(setup): …

Each step: take `accumulate` batches, add up gradients, move. Then, where due: a line of metrics, a validation,
a checkpoint. A run that resumes from a checkpoint does exactly what it would have done.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jumok.data.bucketing import Position
from jumok.durable import remove_asides, replace_folder, write_folder
from jumok.errors import DivergedError, NumericsError, TrainingError
from jumok.metric import Metric
from jumok.run import manifest
from jumok.run.names import CHECKPOINTS, MANIFEST, SNAPSHOTS, WEIGHTS, steps_in
from jumok.training import checkpoint as checkpoints
from jumok.training import random_state
from jumok.training.batch import Batch
from jumok.training.checkpoint import Checkpoint
from jumok.training.events import Event, Logged, Saved, Saving, Started, StepDone, Stopped, Validated, Validation
from jumok.training.interrupt import Interrupted, Interrupts
from jumok.training.learner import Learner
from jumok.training.optimizer import average
from jumok.training.tally import Tally
from jumok.training.tensor_file import pack

Stream = Iterator[tuple[Position, Batch]]


@dataclass(frozen=True)
class Setup:
    """What a run consists of; `batches(position)` streams from there on, `validate(model)` scores the model.

    `model` is the learner's: the network, or those of several players by name. `metrics` describes the scores, and
    `stop_metric` is the one that decides which weights are best.
    """

    learner: Learner
    batches: Callable[[Position], Stream]
    validate: Callable[[Any], Validation]
    folder: Path
    interrupts: Interrupts
    environment: dict[str, Any]
    metrics: tuple[Metric, ...]
    stop_metric: Metric


def train(setup: Setup, resume: Checkpoint | None = None) -> Iterator[Event]:
    """Trains from the start or from a checkpoint, yielding events; ends with `Stopped`."""
    learner, settings = setup.learner, setup.learner.settings
    clock = Clock(settings.max_minutes, CLOCKS[settings.clock])
    if resume is not None:
        learner.restore(resume)
        clock.before = float(resume.environment.get("seconds", 0.0))
    if setup.learner.processes.writer:
        remove_asides(setup.folder / CHECKPOINTS)
        remove_asides(setup.folder)
    yield _started(setup, resume, clock)
    progress = learner.progress
    if progress.finished:
        _write_average(setup)
        # A run that was over may have been given more steps, time or patience.
        progress.finished = _why_finished(setup, clock)
    elif resume is not None:
        yield from _end_where_it_stands(setup, clock)
    if progress.to_validate:
        yield from _after_step(setup, clock)
    with closing(_groups(setup.batches(progress.position), _batches_per_step(setup))) as groups:  # type: ignore[type-var]
        # In a group a signal is shared with the counts of a step: all leave at the same one.
        while not progress.finished and not (setup.learner.processes.world == 1 and setup.interrupts.received):
            step = _one_step(setup, next(groups), clock)
            if step is None:
                break
            yield step
            yield from _after_step(setup, clock)
    if not progress.finished:
        yield from _save(setup, clock, scheduled=False)
    yield _stopped(setup)


CLOCKS: dict[str, Callable[[], float]] = {"wall": time.monotonic, "processor": time.process_time}
"""What a limit of time counts, by `train.clock`."""


@dataclass
class Clock:
    """Time spent, counting what was spent before a resume."""

    limit_minutes: float | None
    now: Callable[[], float] = time.monotonic
    before: float = 0.0

    def __post_init__(self) -> None:
        self.start = self.now()

    @property
    def seconds(self) -> float:
        """Seconds of training so far."""
        return self.before + self.now() - self.start

    @property
    def share(self) -> float:
        """How much of the allowed time is over; 0 without a limit."""
        return 0.0 if self.limit_minutes is None else self.seconds / (60 * self.limit_minutes)


def _end_where_it_stands(setup: Setup, clock: Clock) -> Iterator[Event]:
    """Ends a resumed run whose limits are reached already, after the validation that its last step may lack."""
    progress, reason = setup.learner.progress, _why_finished(setup, clock)
    if not reason:
        return
    if progress.step % setup.learner.settings.validate_every:
        progress.to_validate = True
    elif not progress.to_validate:
        progress.finished = reason
        yield from _save(setup, clock, scheduled=True)


def _batches_per_step(setup: Setup) -> int:
    """Each turn of a player has batches of its own."""
    return setup.learner.settings.accumulate * len(setup.learner.turns)


def _groups(stream: Stream, size: int) -> Iterator[tuple[Position, list[Batch]]]:
    """The batches of each step, with the position of the last."""
    try:
        while True:
            taken = [next(stream) for _ in range(size)]
            yield taken[-1][0], [batch for _, batch in taken]
    finally:
        stream.close()  # type: ignore[attr-defined]


def _one_step(setup: Setup, group: tuple[Position, list[Batch]], clock: Clock) -> StepDone | None:
    """Takes one step; None if a signal ended it before anything had changed."""
    learner, progress, (place, batches) = setup.learner, setup.learner.progress, group
    share = setup.learner.processes.from_writer([clock.share], learner.device)[0] if clock.limit_minutes else 0.0
    counted = _count(setup, batches)
    if counted is None:
        return None
    sizes, counts = counted
    done = Tally()
    for turn, (mine, size) in enumerate(zip(_by_turn(setup, batches), sizes, strict=True)):
        moved = _one_turn(setup, mine, size, share, turn)
        if moved is None:
            return None
        done.add(moved.sums, moved.counts)
    progress.seen, progress.unit = progress.seen + sum(sizes), batches[0].unit
    progress.position = place.after()
    progress.to_validate = _validation_due(setup, share)
    metrics = done.means(learner.sum_names) | learner.rates()
    return StepDone(progress.step, place.epoch, metrics, counts, sum(sizes), progress.unit)


def _one_turn(setup: Setup, batches: list[Batch], size: int, share: float, turn: int) -> Tally | None:
    """Moves one player; None if a signal ended it before anything had changed."""
    # Alone, this process may drop a step in which nothing has moved yet; in a group all must agree, at the next step.
    droppable = setup.learner.processes.world == 1 and turn == 0
    try:
        with setup.learner.undone_by(Interrupted), setup.interrupts.droppable(droppable):
            result = setup.learner.step(batches, size, share, turn)
    except DivergedError as error:
        raise TrainingError(f"{error} {_advice(setup)}") from error
    except Interrupted:
        return None
    return setup.learner.apply(result)


def _by_turn(setup: Setup, batches: list[Batch]) -> list[list[Batch]]:
    """The batches of each turn of a step."""
    size = setup.learner.settings.accumulate
    return [batches[start : start + size] for start in range(0, len(batches), size)]


def _count(setup: Setup, batches: list[Batch]) -> tuple[list[int], dict[str, int]] | None:
    """The size of each turn and the named counts of the step, all processes together; None if one had a signal."""
    sizes = [sum(batch.size for batch in turn) for turn in _by_turn(setup, batches)]
    counts = {name: sum(batch.counts[name] for batch in batches) for name in batches[0].counts}
    stop = float(setup.interrupts.received is not None)
    added = setup.learner.processes.add_up([stop, *sizes, *counts.values()], setup.learner.device)
    whole = [int(value) for value in added[1:]]
    if added[0]:
        return None
    return whole[: len(sizes)], dict(zip(counts, whole[len(sizes) :], strict=True))


def _advice(setup: Setup) -> str:
    """What to do about numbers that are not finite, and what is kept of the run."""
    kept = steps_in(setup.folder / CHECKPOINTS)[-1:]
    advice = "Lower train.learning_rate or train.clip, or lengthen train.warmup"
    if not kept:
        return f"{advice}; no checkpoint was written yet."
    return f"{advice}; the checkpoint of step {kept[0].name} is intact, and --resume {setup.folder} starts from it."


def _validation_due(setup: Setup, share: float) -> bool:
    step, settings = setup.learner.progress.step, setup.learner.settings
    return step % settings.validate_every == 0 or step >= settings.max_steps or share >= 1.0


def _after_step(setup: Setup, clock: Clock) -> Iterator[Event]:
    """What is due after a step: metrics, validation, the end, a checkpoint, a snapshot."""
    learner, settings, progress = setup.learner, setup.learner.settings, setup.learner.progress
    if progress.sums.sums and progress.step % settings.log_every == 0:
        yield _logged(learner)
    if progress.to_validate:
        validated = _validate(setup)
        if validated is None:
            return
        yield validated
        progress.finished = _why_finished(setup, clock)
    if settings.snapshots and progress.step % settings.snapshots == 0 and setup.learner.processes.writer:
        weights = {WEIGHTS: pack(learner.weights())}
        folder = setup.folder / SNAPSHOTS / str(progress.step)
        write_folder(folder, weights | {MANIFEST: manifest.content_of(weights)}, replace_folder)
    if progress.step % settings.save_every == 0 or progress.finished:
        yield from _save(setup, clock, scheduled=True)


def _why_finished(setup: Setup, clock: Clock) -> str:
    settings, progress = setup.learner.settings, setup.learner.progress
    late = setup.learner.processes.from_writer([clock.share], setup.learner.device)[0]
    if progress.step >= settings.max_steps:
        return "steps"
    if settings.patience and progress.stale >= settings.patience:
        return "patience"
    return "time" if late >= 1.0 else ""


def _validate(setup: Setup) -> Validated | None:
    """Scores the model (only the writer works) and keeps the best; None if a signal came."""
    learner, metric = setup.learner, setup.stop_metric
    random = random_state.capture(learner.generators)
    validation = Validation({})
    interrupted = 0.0
    if setup.learner.processes.writer:
        try:
            with learner.averaged(), setup.interrupts.droppable():
                learner.model.eval()
                validation = setup.validate(learner.model)
        except Interrupted:
            interrupted = 1.0
        except NumericsError:
            validation = Validation({metric.name: math.nan})
    random_state.restore(random, learner.generators)
    score = validation.metrics.get(metric.name, float("nan"))
    interrupted, score = setup.learner.processes.from_writer([interrupted, score], learner.device)
    if interrupted:
        return None
    progress = learner.progress
    if not math.isfinite(score):
        raise TrainingError(f"The validation {metric.name} became {score} at step {progress.step}. {_advice(setup)}")
    best = progress.judge(score, metric.higher_is_better)
    for player in learner.players:
        player.schedule.observe(best)
    progress.to_validate = False
    if best and setup.learner.processes.writer and not setup.learner.settings.average:
        manifest.replace(setup.folder, WEIGHTS, pack(learner.weights()))
    best_score = progress.best_score if progress.best_score is not None else score
    return Validated(progress.step, validation, best, metric.name, best_score, progress.best_step, setup.metrics)


def _save(setup: Setup, clock: Clock, *, scheduled: bool) -> Iterator[Event]:
    """Writes a checkpoint, unless this step's is there already and nothing has changed since."""
    learner, settings, folder = setup.learner, setup.learner.settings, setup.folder / CHECKPOINTS
    progress = learner.progress
    if not scheduled and _is_saved(folder, learner):
        return
    yield Saving(progress.step)
    saved = learner.checkpoint(scheduled)
    saved.environment = setup.environment | {"seconds": clock.seconds}
    path = folder / str(progress.step)
    if setup.learner.processes.writer:
        checkpoints.save(folder, saved)
        if settings.average and scheduled:
            _write_average(setup)
        elif not (setup.folder / WEIGHTS).exists():
            # A run that is stopped before its first validation can be used all the same.
            manifest.replace(setup.folder, WEIGHTS, pack(learner.weights()))
        checkpoints.prune(folder, max(settings.keep, settings.average), progress.step)
    setup.learner.processes.wait()
    yield Saved(progress.step, path)


def _write_average(setup: Setup) -> None:
    """The mean of the newest checkpoints as the run's weights, if it has such.

    Also when a finished run is taken up: a kill may have come between its last checkpoint and these weights.
    """
    if setup.learner.settings.average and setup.learner.processes.writer:
        states = checkpoints.weights_for_average(setup.folder / CHECKPOINTS, setup.learner.settings.average)
        manifest.replace(setup.folder, WEIGHTS, pack(average(states)))


def _is_saved(folder: Path, learner: Learner) -> bool:
    """True if the newest checkpoint is of this step, complete with its validation."""
    newest = steps_in(folder)[-1:]
    if not newest or int(newest[0].name) != learner.progress.step:
        return False
    return checkpoints.read_state(newest[0]).get("progress", {}).get("to_validate") == learner.progress.to_validate


def _started(setup: Setup, resume: Checkpoint | None, clock: Clock) -> Started:
    parameters = sum(parameter.numel() for parameter in setup.learner.model.parameters())
    path = None if resume is None else setup.folder / CHECKPOINTS / str(resume.step)
    limit = setup.learner.settings.max_minutes
    left = None if limit is None else 60 * limit - clock.seconds
    return Started(setup.learner.progress.step, setup.learner.settings.max_steps, parameters, path, left)


def _logged(learner: Learner) -> Logged:
    """Means since the last line, after which the sums start at zero."""
    progress = learner.progress
    metrics: dict[str, float | int] = {**progress.sums.means(learner.sum_names), **learner.rates()}
    metrics["epoch"], metrics[progress.unit] = progress.position.epoch, progress.seen
    metrics |= learner.settings_at(progress.step)
    progress.sums = Tally()
    return Logged(progress.step, metrics)


def _stopped(setup: Setup) -> Stopped:
    progress, received = setup.learner.progress, setup.interrupts.received
    reason = progress.finished or (received.name if received else "signal")
    return Stopped(progress.step, reason, setup.stop_metric.name, progress.best_score, progress.best_step)
