"""The runs the studio may look at. A client names them by id; paths never come from outside.

A run is followed by reading its folder, never by asking the process that trains it.
"""

import json
import math
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from jumok.attention import find
from jumok.attention.catalog import NORMALISERS, PARTS, SCOPES, SCORES
from jumok.config import CaptioningConfig, Config, ModelConfig, SequenceConfig, TranslationConfig
from jumok.config.data import SummaryDataConfig
from jumok.errors import JumokError
from jumok.models.build import heads_over_source
from jumok.run.folder import read_config
from jumok.run.integrity import run_hash
from jumok.run.names import CHECKPOINTS, CONFIG, METRICS, SNAPSHOTS, WEIGHTS, steps_in
from jumok.run.status import read_lines, status_of
from jumok.studio import payload
from jumok.studio.lesson_models import is_shipped
from jumok.studio.mathml import formula
from jumok.studio.problems import RefusedError
from jumok.tasks import metrics_of
from jumok.text.files import saved_kind


@dataclass(frozen=True)
class NamedRun:
    """A run folder under the id that clients use."""

    id: str
    folder: Path

    @property
    def name(self) -> str:
        """The folder's name, as data to show."""
        return self.folder.resolve().name


class Runs:
    """The run folders that were named at the start, and those of the studio's own jobs."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._runs: dict[str, NamedRun] = {}
        self._lock = threading.Lock()
        for folder in folders:
            self.add(folder)

    def add(self, folder: Path, wanted: str | None = None) -> NamedRun:
        """The run of a folder, under an id of its own; the same folder twice is one run."""
        with self._lock:
            for run in self._runs.values():
                if run.folder.resolve() == folder.resolve():
                    return run
            base = re.sub(r"[^a-z0-9]+", "-", (wanted or folder.resolve().name).lower()).strip("-")[:60] or "run"
            run_id, number = base, 1
            while run_id in self._runs:
                number += 1
                run_id = f"{base}-{number}"
            self._runs[run_id] = NamedRun(run_id, folder)
            return self._runs[run_id]

    def find(self, folder: Path) -> NamedRun | None:
        """The run of a folder, if it is known."""
        with self._lock:
            return next((run for run in self._runs.values() if run.folder.resolve() == folder.resolve()), None)

    def all(self) -> list[NamedRun]:
        """Every run, in the order they were named."""
        with self._lock:
            return list(self._runs.values())

    def get(self, run_id: str) -> NamedRun:
        """The run of that id."""
        with self._lock:
            found = self._runs.get(run_id)
            known = ", ".join(self._runs) or "none"
        if found is None:
            raise RefusedError(404, "unknown_run", f"There is no run '{run_id}'; the studio knows: {known}.")
        return found

    def hash(self, run: NamedRun) -> str | None:
        """The short hash of the best weights and the config, as `load_run` gives it; None without weights."""
        found = run_hash(run.folder)
        return None if found is None else found[:12]


def check_present(run: NamedRun) -> None:
    """Raises where the run's folder was deleted or moved since the studio was started."""
    if not run.folder.is_dir():
        raise RefusedError(410, "gone", gone_message(run))


def gone_message(run: NamedRun) -> str:
    """What to say of a run whose folder is not there."""
    return f"The folder of the run '{run.id}' was deleted or moved: put it back, or choose another run."


def stamp_of(path: Path) -> tuple[int | None, int | None]:
    """Time and size of a file: another pair means another content."""
    try:
        found = path.stat()
    except OSError:
        return None, None
    return found.st_mtime_ns, found.st_size


def describe(runs: Runs, run: NamedRun, job: str | None) -> payload.RunInfo:
    """What the page is told of a run; a folder that cannot be read is told as broken."""
    if job is None and not run.folder.is_dir():
        return _unreadable(run, "gone", gone_message(run), job)
    try:
        config = read_config(run.folder)
    except JumokError as error:
        if job is not None and not (run.folder / CONFIG).exists():
            return _unreadable(run, "empty", "", job)
        return _unreadable(run, "broken", str(error), job)
    network = network_of(config)
    try:
        mechanism, message = None if network is None else describe_mechanism(network), ""
    except JumokError as error:
        mechanism, message = None, str(error)
    source, target, pair = languages(config)
    digest = None if message else runs.hash(run)
    status = status_of(run.folder)
    live = job is not None or status == "running"
    return payload.RunInfo(
        id=run.id,
        name=run.name,
        task=config.task,
        hash=digest,
        state="broken" if message else "ready" if digest else "empty",
        message=message,
        live=live,
        job=job,
        shipped=is_shipped(run.folder),
        stopped=not live and status != "finished",
        preset=preset_of(config),
        encoder=None if network is None else payload.Stack(**network.encoder.summary()),
        decoder=None if network is None else _decoder(network),
        mechanism=mechanism,
        label_smoothing=config.train.label_smoothing,
        scores=[
            payload.ScoreName(name=metric.name, label=metric.label, share=metric.share)
            for metric in metrics_of(config.task)
            if not metric.log_loss
        ],
        source_language=source,
        target_language=target,
        pair=pair,
        tokenizer=saved_kind(run.folder) or (config.text.kind if isinstance(config, SequenceConfig) else ""),
        parameters=count_parameters(run.folder / WEIGHTS),
        steps=saved_steps(run.folder),
        step=last_step(run.folder),
        max_steps=config.train.max_steps,
    )


def _unreadable(
    run: NamedRun, state: Literal["empty", "broken", "gone"], message: str, job: str | None
) -> payload.RunInfo:
    nothing = dict.fromkeys(
        ("hash", "encoder", "decoder", "mechanism", "source_language", "target_language", "pair", "parameters")
    )
    return payload.RunInfo(
        id=run.id,
        name=run.name,
        task="",
        state=state,
        message=message,
        live=state == "empty",
        job=job,
        shipped=False,
        stopped=False,
        preset="",
        label_smoothing=0.0,
        scores=[],
        tokenizer="",
        steps=[],
        step=None,
        max_steps=None,
        **nothing,
    )


def network_of(config: Config) -> ModelConfig | None:
    """The encoder and decoder of a run; None where its task has a network of another kind."""
    model = getattr(config, "model", None)
    return model if isinstance(model, ModelConfig) else None


def preset_of(config: Config) -> str:
    """The preset that a run was made from; nothing where its task has none."""
    return str(getattr(getattr(config, "model", None), "preset", ""))


def describe_mechanism(network: ModelConfig) -> payload.Mechanism | None:
    """The mechanism between the two sides with its formulas; None where there is none."""
    decoder = network.decoder
    if decoder.attention == "none":
        return None
    entry = find(decoder.attention)
    options = {**entry.options, **decoder.attention_options}
    parts = dict(zip(("score", "scope", "align"), map(str, entry.parts(options)), strict=True))
    options = {name: value for name, value in options.items() if name not in PARTS}
    classes = {"score": SCORES, "scope": SCOPES, "align": NORMALISERS}
    formulas: dict[Any, payload.Formula] = {}
    for part, name in parts.items():
        found: Any = classes[part].get(name)
        plain = getattr(found, "plain_formula", "") if options.get("temperature", 1.0) == 1.0 else ""
        formulas[part] = formula(plain or getattr(found, "formula", "") or name)
    return payload.Mechanism(
        name=entry.name,
        **parts,
        formulas=formulas,
        paper=entry.paper,
        good_for=payload.Both(en=entry.good_for, ko=entry.good_for_ko or entry.good_for),
        options=options,
    )


def _decoder(network: ModelConfig) -> payload.Stack:
    return payload.Stack(**network.decoder.summary(), heads=heads_over_source(network.decoder))


def languages(config: Config) -> tuple[str | None, str | None, str | None]:
    """Source language, target language and phrasebook pair, as far as they are known."""
    from jumok.data.phrasebook import pair_languages

    if isinstance(config, CaptioningConfig):
        return None, config.data.picturebook if config.data.is_picturebook else None, None
    if not isinstance(config, TranslationConfig):
        return None, None, None
    data = config.data
    if data.source or data.target or data.corpora:
        return data.source_language, data.target_language, None
    if isinstance(data, SummaryDataConfig):
        return data.newsbook, data.newsbook, f"newsbook-{data.newsbook}"
    try:
        source, target = pair_languages(data.phrasebook)
    except JumokError:
        return None, None, None
    return source, target, data.phrasebook


def count_parameters(path: Path) -> int | None:
    """How many numbers a safetensors file holds, read off its header."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > 50_000_000:
                return None
            header = json.loads(file.read(size))
        return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")
    except (OSError, ValueError, KeyError, TypeError):
        return None


def saved_steps(folder: Path) -> list[payload.Saved]:
    """The steps whose weights were kept, in order."""
    found: dict[int, payload.Saved] = {}
    places: tuple[tuple[Literal["checkpoint", "snapshot"], str], ...] = (
        ("checkpoint", CHECKPOINTS),
        ("snapshot", SNAPSHOTS),
    )
    for kind, inside in places:
        for path in steps_in(folder / inside):
            if (path / WEIGHTS).is_file():
                found[int(path.name)] = payload.Saved(step=int(path.name), kind=kind)
    return [found[step] for step in sorted(found)]


def last_step(folder: Path) -> int | None:
    """The last step that was logged."""
    lines = read_lines(folder / METRICS)
    return next((int(line["step"]) for line in reversed(lines) if isinstance(line.get("step"), int)), None)


def metrics(run: NamedRun, after: int, live: bool) -> payload.MetricsAnswer:
    """The lines of metrics.jsonl from `after` on."""
    check_present(run)
    lines = read_lines(run.folder / METRICS)
    reset = after > len(lines)
    start = 0 if reset else after
    return payload.MetricsAnswer(
        lines=[{key: _plain(value) for key, value in line.items()} for line in lines[start:]],
        next=len(lines),
        reset=reset,
        live=live,
    )


def _plain(value: Any) -> float | int | bool | str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, float | int | bool | str) else None
