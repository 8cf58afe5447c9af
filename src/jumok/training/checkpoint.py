"""Checkpoints: all that a run needs to go on as if it had never stopped.

    checkpoints/<step>/
      model.safetensors  optimizer.safetensors  random.safetensors  [ema.safetensors]
                         of several players: generator.model.safetensors, generator.optimizer.safetensors, …
      state.json         data position, schedule, early stopping, sums since the last line of metrics
      environment.json   the machine it was made on
      manifest.json      SHA-256 of each file above

A checkpoint is written to a folder aside, synced and renamed, so a folder named after a step is whole. Nothing is
pickled; loading executes nothing.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from jumok.durable import digest, replace_folder, write_folder
from jumok.errors import CheckpointError, RunError
from jumok.run import manifest
from jumok.run.names import ENVIRONMENT, MANIFEST, STATE, steps_in
from jumok.training.tensor_file import pack, unpack


@dataclass
class Checkpoint:
    """Named tensors in groups (one file each), and plain values."""

    step: int
    tensors: dict[str, dict[str, Tensor]]
    state: dict[str, Any]
    environment: dict[str, Any] = field(default_factory=dict)

    @property
    def scheduled(self) -> bool:
        """False if it was written because a signal asked for it; such a one is not averaged."""
        return bool(self.state.get("scheduled", True))


def save(folder: Path, checkpoint: Checkpoint) -> Path:
    """Writes the checkpoint as `folder/<step>` and gives that path."""
    files = {f"{name}.safetensors": pack(tensors) for name, tensors in checkpoint.tensors.items()}
    files[STATE] = _json(checkpoint.state)
    files[ENVIRONMENT] = _json(checkpoint.environment)
    files[MANIFEST] = manifest.content_of(files, step=checkpoint.step)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / str(checkpoint.step)
    write_folder(path, files, replace_folder)
    return path


def load(path: Path) -> Checkpoint:
    """The checkpoint, every file checked against the manifest."""
    files: dict[str, bytes] = {}
    for name, entry in _entries(path).items():
        files[name] = _read(path / name)
        if not entry.accepts(digest(files[name])):
            raise CheckpointError(f"{path / name} is damaged: its SHA-256 is not the one in {MANIFEST}.")
    tensors = {
        Path(name).stem: unpack(content, path / name)
        for name, content in files.items()
        if name.endswith(".safetensors")
    }
    state, environment = json.loads(files[STATE]), json.loads(files[ENVIRONMENT])
    return Checkpoint(int(path.name), tensors, state, environment)


def latest(folder: Path, warn: Callable[[str], None]) -> Checkpoint | None:
    """The newest whole checkpoint; each damaged one on the way is named to `warn`."""
    for path in reversed(steps_in(folder)):
        try:
            return load(path)
        except CheckpointError as error:
            warn(f"{error} Trying the checkpoint before it.")
    return None


def reached(folder: Path) -> tuple[int, float]:
    """The step of the newest checkpoint and the minutes of training until then; zeros where there is none."""
    newest = steps_in(folder)[-1:]
    if not newest:
        return 0, 0.0
    try:
        seconds = float(_read_json(newest[0] / ENVIRONMENT).get("seconds", 0.0))
    except (CheckpointError, TypeError, ValueError):
        seconds = 0.0
    return int(newest[0].name), seconds / 60


def prune(folder: Path, keep: int, written: int) -> None:
    """Removes all but the newest `keep` checkpoints; those made for a signal do not count and go first.

    The one just `written` stays. What is newer was damaged, or the run would have resumed from there: it is deleted.
    """
    paths = steps_in(folder)
    scheduled = [path for path in paths if _is_scheduled(path) and int(path.name) <= written]
    staying = set(scheduled[-keep:]) | {folder / str(written)}
    for path in paths:
        if path not in staying:
            shutil.rmtree(path, ignore_errors=True)


def weights_for_average(folder: Path, count: int) -> list[dict[str, Tensor]]:
    """The weights (their moving average, if there is one) of the newest `count` regular checkpoints."""
    paths = [path for path in steps_in(folder) if _is_scheduled(path)][-count:]
    return [_weights(load(path).tensors) for path in paths]


def _weights(tensors: dict[str, dict[str, Tensor]]) -> dict[str, Tensor]:
    """The weights of all players, their names first where there are several."""
    prefixes = [name.removesuffix("model") for name in tensors if name == "model" or name.endswith(".model")]
    return {
        prefix + name: value
        for prefix in prefixes
        for name, value in tensors.get(f"{prefix}ema", tensors[f"{prefix}model"]).items()
    }


def read_state(path: Path) -> dict[str, Any]:
    """The plain values of a checkpoint, without checking the rest of it; nothing if they cannot be read."""
    try:
        return _read_json(path / STATE)
    except CheckpointError:
        return {}


def _is_scheduled(path: Path) -> bool:
    return bool(read_state(path).get("scheduled", False))


def _entries(path: Path) -> manifest.Entries:
    """What the manifest of a checkpoint lists; state and environment must be among it."""
    try:
        entries = manifest.parse(_read(path / MANIFEST), path / MANIFEST)
    except RunError as error:
        raise CheckpointError(str(error)) from None
    missing = {STATE, ENVIRONMENT} - {*entries}
    if missing:
        raise CheckpointError(f"{path / MANIFEST} is damaged: it does not list {min(missing)}.")
    return entries


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode("utf-8")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_read(path))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path} is damaged: {error}.") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{path} is damaged: it holds no keys and values.")
    return value
