"""Listeners: each is told every event and does one thing with it. The loop knows none of them."""

import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from jumok.durable import disk_errors, write_file
from jumok.errors import ConfigError
from jumok.metric import Metric
from jumok.run.names import ALIGNMENTS, CURVES, METRICS
from jumok.training.events import Event, Logged, Saved, Saving, Started, StepDone, Stopped, Validated


class Listener(Protocol):
    """Something that is told what happens."""

    def hear(self, event: Event) -> None:
        """Takes in one event."""
        ...

    def close(self) -> None:
        """Lets go of what it holds; called once, also after an error."""
        ...


class MetricsFile:
    """`metrics.jsonl`: what was learned, without times, so that two equal runs write equal bytes."""

    def __init__(self, path: Path, keep_until: int | None, to_validate: bool = False) -> None:
        """Starts from the beginning, or continues after cutting back to the lines of steps up to `keep_until`.

        With `to_validate` the validation of that step is still to come, and its line goes too.
        """
        self.path = path
        if keep_until is None:
            write_file(path, b"")
        else:
            write_file(path, cut_back(path.read_bytes() if path.exists() else b"", keep_until, to_validate))
        self.file: TextIO = path.open("a", encoding="utf-8")

    def hear(self, event: Event) -> None:
        if isinstance(event, Logged):
            self._write({"step": event.step, **event.metrics})
        elif isinstance(event, Validated):
            scores = {f"valid_{name}": value for name, value in event.validation.metrics.items()}
            self._write({"step": event.step, **scores, "best": event.best})
        elif isinstance(event, Saving | Stopped):
            with disk_errors(self.path):
                os.fsync(self.file.fileno())

    def _write(self, line: dict[str, Any]) -> None:
        with disk_errors(self.path):
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def close(self) -> None:
        _close_quietly(self.file)


def cut_back(content: bytes, step: int, to_validate: bool = False) -> bytes:
    """The whole lines of steps up to `step`; with `to_validate` without that step's validation."""
    kept: list[bytes] = []
    for line in content.splitlines(keepends=True):
        try:
            tree = json.loads(line)
            if not line.endswith(b"\n") or tree["step"] > step:
                break
            if to_validate and tree["step"] == step and any(key.startswith("valid_") for key in tree):
                break
        except (ValueError, KeyError, TypeError):
            break
        kept.append(line)
    return b"".join(kept)


class TimingFile:
    """`timing.jsonl`: how long things took; only ever appended to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: TextIO = path.open("a", encoding="utf-8")
        self.meter = Meter()

    def hear(self, event: Event) -> None:
        self.meter.hear(event)
        if isinstance(event, Started | Logged | Validated | Saved | Stopped):
            line = {"step": event.step, "event": type(event).__name__.lower(), "time": round(time.time(), 3)}
            if isinstance(event, Logged):
                line |= {f"{self.meter.unit}_per_second": round(self.meter.units_per_second, 1)}
            if isinstance(event, Stopped):
                line |= {"reason": event.reason}
            line |= {"training_seconds": round(self.meter.busy, 3)}
            line |= {"processor_seconds": round(self.meter.busy_processor, 3)}
            with disk_errors(self.path):
                self.file.write(json.dumps(line) + "\n")
                self.file.flush()

    def close(self) -> None:
        _close_quietly(self.file)


class Meter:
    """Units (tokens, images, …) per second of training steps; validation and saving do not count."""

    def __init__(self) -> None:
        self.busy = 0.0
        self.busy_processor = 0.0
        self.unit = "tokens"
        self.rates: list[tuple[int, float]] = []
        self.last = time.monotonic()
        self.last_processor = time.process_time()

    def hear(self, event: Event) -> None:
        """Takes the time since the event before as a step's, if a step has just been done."""
        now, processor = time.monotonic(), time.process_time()
        if isinstance(event, StepDone):
            self.busy += now - self.last
            self.busy_processor += processor - self.last_processor
            self.rates = [*self.rates[-49:], (event.size, now - self.last)]
            self.unit = event.unit
        self.last, self.last_processor = now, processor

    @property
    def units_per_second(self) -> float:
        """Over the last fifty steps."""
        seconds = sum(spent for _, spent in self.rates)
        return sum(size for size, _ in self.rates) / seconds if seconds > 0 else 0.0

    @property
    def speed(self) -> str:
        """`12,345 tokens/s`."""
        return f"{self.units_per_second:,.0f} {self.unit}/s"

    @property
    def steps_per_second(self) -> float:
        """Over the last fifty steps."""
        seconds = sum(spent for _, spent in self.rates)
        return len(self.rates) / seconds if seconds > 0 else 0.0


def describe_validation(event: Validated) -> str:
    """`loss 0.41, perplexity 1.51, BLEU 93.2` in one line."""
    known = {metric.name: metric for metric in event.metrics}
    parts: list[str] = []
    for name, value in event.validation.metrics.items():
        metric = known.get(name) or Metric(name, higher_is_better=True)
        parts.append(metric.show(value))
        if metric.log_loss:
            parts.append(f"perplexity {math.exp(min(value, 50)):.2f}")
    return ", ".join(parts) + (" (best so far)" if event.best else "")


def describe_numbers(metrics: Mapping[str, float | int], names: Mapping[str, tuple[str, str]]) -> str:
    """`loss 0.412  lr 1.00e-03`: the numbers under these names, each with what it is called and its format.

    Of several players each number is shown, with the player's name before it.
    """
    parts: list[str] = []
    for name, (title, digits) in names.items():
        for key, value in metrics.items():
            player, _, last = key.rpartition(".")
            if last == name:
                parts.append(f"{player + ' ' if player else ''}{title} {value:{digits}}")
    return "  ".join(parts)


LINE = {"loss": ("loss", ".3f"), "learning_rate": ("lr", ".2e"), "gradient_norm": ("grad", ".2f")}
BAR = {"loss": ("loss", ".3f"), "learning_rate": ("lr", ".1e")}


class LogLines:
    """Tidy lines on stderr where there is no terminal to draw in."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.meter = Meter()

    def hear(self, event: Event) -> None:
        self.meter.hear(event)
        match event:
            case Started(step=step, max_steps=total, parameters=parameters, resumed_from=path):
                begin = f"Going on from {path}" if path else "Training"
                self.say(f"{begin}: {parameters:,} parameters, steps {step} to {total}.")
            case Logged(step=step, metrics=metrics):
                self.say(f"step {step:>6}  {describe_numbers(metrics, LINE)}  {self.meter.speed}")
            case Validated(step=step):
                self.say(f"step {step:>6}  validation: {describe_validation(event)}")
                for warning in event.validation.warnings:
                    self.say(f"step {step:>6}  warning: {warning}")
            case Saved(step=step, path=path):
                self.say(f"step {step:>6}  saved {path}")
            case Stopped():
                self.say(describe_end(event))
            case _:
                pass

    def say(self, line: str) -> None:
        """Writes one line at once."""
        print(line, file=self.stream, flush=True)

    def close(self) -> None:
        pass


def describe_end(event: Stopped) -> str:
    """Why it ended and what the best was."""
    why = {
        "steps": "all steps done",
        "time": "time is up",
        "patience": "validation stopped gaining",
        "SIGTERM": "terminated; the run is saved",
        "SIGINT": "interrupted; the run is saved",
    }.get(event.reason, event.reason)
    best = ""
    if event.best_score is not None:
        best = f" Best {event.best_metric} {event.best_score:.4g} at step {event.best_step}."
    return f"Stopped at step {event.step}: {why}.{best}"


class ProgressBar:
    """A live bar on a terminal: steps, loss, learning rate, tokens per second, best score, time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self.meter = Meter()
        self.best = "–"
        self.began, self.seconds = time.monotonic(), None
        self.bar = Progress(
            TextColumn("step"),
            BarColumn(bar_width=12),
            MofNCompleteColumn(),
            TextColumn("{task.fields[numbers]}"),
            console=Console(stderr=True),
        )
        self.task = self.bar.add_task("train", total=None, numbers="")
        self.bar.start()

    def hear(self, event: Event) -> None:
        self.meter.hear(event)
        match event:
            case Started(step=step, max_steps=total, parameters=parameters):
                self.total, self.seconds = total, event.seconds_left
                self.bar.update(self.task, total=total, completed=step)
                self.bar.console.print(f"{parameters:,} parameters", highlight=False)
            case StepDone():
                self.bar.update(self.task, completed=event.step, numbers=self._numbers(event))
            case Validated(step=step):
                self.best = f"best {event.best_metric} {event.best_score:.3g}"
                self.bar.console.print(f"step {step}: {describe_validation(event)}", highlight=False)
                for warning in event.validation.warnings:
                    self.bar.console.print(f"step {step}: warning: {warning}", highlight=False)
            case Stopped():
                self.bar.stop()
                self.bar.console.print(describe_end(event), highlight=False)
            case _:
                pass

    def _numbers(self, event: StepDone) -> str:
        left = (self.total - event.step) / max(1e-9, self.meter.steps_per_second)
        if self.seconds is not None:  # a limit in time may come before the last step
            left = max(0.0, min(left, self.seconds - (time.monotonic() - self.began)))
        return f"{describe_numbers(event.metrics, BAR)}  {self.meter.speed}  {self.best}  {clock(left)} left"

    def close(self) -> None:
        self.bar.stop()


def clock(seconds: float) -> str:
    """`1:05:09` or `4:07`."""
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class Pictures:
    """`alignments/<step>/<n>.svg` of fixed validation sentences, and `curves.svg`, at each validation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def hear(self, event: Event) -> None:
        if isinstance(event, Validated):
            self._alignments(event)
            self._curves(event.metrics)

    def _alignments(self, event: Validated) -> None:
        if not event.validation.alignments:
            return
        from jumok.alignment.plot import alignment_svg

        folder = self.folder / ALIGNMENTS / str(event.step)
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        for number, one in enumerate(event.validation.alignments):
            text = alignment_svg(
                one.weights, one.source_words, one.target_words, title=f"step {event.step}", gold=one.gold, rest=True
            )
            write_file(folder / f"{number}.svg", text.encode("utf-8"))

    def _curves(self, metrics: Sequence[Metric]) -> None:
        from jumok.training.curves import curves_svg, read_metrics

        text = curves_svg(read_metrics(self.folder / METRICS), metrics)
        write_file(self.folder / CURVES, text.encode("utf-8"))

    def close(self) -> None:
        pass


class TensorBoard:
    """The same numbers for TensorBoard (the `tensorboard` extra)."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError:
            raise ConfigError("train.tensorboard needs the extra: pip install 'jumok[tensorboard]'.") from None
        self.writer = SummaryWriter(str(folder))

    def hear(self, event: Event) -> None:
        if isinstance(event, Logged):
            self._scalars("train", event.metrics, event.step)
        elif isinstance(event, Validated):
            self._scalars("valid", event.validation.metrics, event.step)

    def _scalars(self, group: str, values: dict[str, Any], step: int) -> None:
        for name, value in values.items():
            self.writer.add_scalar(f"{group}/{name}", value, step)

    def close(self) -> None:
        self.writer.close()


@contextmanager
def watcher(stream: TextIO | None = None) -> Iterator[Listener]:
    """A bar at a terminal, tidy lines elsewhere; made when the first event comes, so that what is said before is kept.

    `stream` (stderr if not given) decides which, and takes the lines.
    """
    shown = _Watcher(stream or sys.stderr)
    try:
        yield shown
    finally:
        shown.close()


class _Watcher:
    """The bar or the lines, from the first event on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.inner: Listener | None = None

    def hear(self, event: Event) -> None:
        if self.inner is None:
            self.inner = ProgressBar() if self.stream.isatty() else LogLines(self.stream)
        self.inner.hear(event)

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


def tell(listeners: Sequence[Listener], event: Event) -> None:
    """Tells every listener."""
    for listener in listeners:
        listener.hear(event)


def _close_quietly(file: TextIO) -> None:
    """Closing flushes; on a full disk that fails again, after the error has been told."""
    try:
        file.close()
    except OSError:
        return
