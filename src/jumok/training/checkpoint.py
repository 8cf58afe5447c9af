"""Checkpoints: all that a run needs to go on as if it had never stopped.

    checkpoints/<step>/
      model.safetensors  optimizer.safetensors  random.safetensors  [ema.safetensors]
      state.json         data position, schedule, early stopping, sums since the last line of metrics
      environment.json   the machine it was made on
      manifest.json      SHA-256 of each file above

A checkpoint is written to a folder aside, synced and renamed, so a folder named after a step is whole. Nothing is
pickled; loading executes nothing.
"""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor

from jumok.errors import CheckpointError
from jumok.training.durable import ASIDE, digest, pack, unpack, write_folder

MANIFEST = "manifest.json"
FORMAT = 1


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
    files["state.json"] = _json(checkpoint.state)
    files["environment.json"] = _json(checkpoint.environment)
    hashes = {name: {"sha256": digest(content), "bytes": len(content)} for name, content in files.items()}
    files[MANIFEST] = _json({"format": FORMAT, "step": checkpoint.step, "files": hashes})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / str(checkpoint.step)
    write_folder(path, files, _take_place)
    return path


def load(path: Path) -> Checkpoint:
    """The checkpoint, every file checked against the manifest."""
    manifest = _read_json(path / MANIFEST)
    if manifest.get("format") != FORMAT:
        raise CheckpointError(f"{path} has format {manifest.get('format')}; this Jumok reads format {FORMAT}.")
    files: dict[str, bytes] = {}
    try:
        step = int(manifest["step"])
        expected = {str(name): (int(one["bytes"]), str(one["sha256"])) for name, one in manifest["files"].items()}
        missing = {"state.json", "environment.json"} - {*expected}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CheckpointError(f"{path / MANIFEST} is damaged: it does not list the files as it should.") from None
    if missing:
        raise CheckpointError(f"{path / MANIFEST} is damaged: it does not list {min(missing)}.")
    for name, (size, wanted) in expected.items():
        content = _read(path / name)
        if len(content) != size or digest(content) != wanted:
            raise CheckpointError(f"{path / name} is damaged: its SHA-256 is not the one in {MANIFEST}.")
        files[name] = content
    tensors = {
        Path(name).stem: unpack(content, path / name)
        for name, content in files.items()
        if name.endswith(".safetensors")
    }
    state, environment = json.loads(files["state.json"]), json.loads(files["environment.json"])
    return Checkpoint(step, tensors, state, environment)


def latest(folder: Path, warn: Callable[[str], None]) -> Checkpoint | None:
    """The newest whole checkpoint; each damaged one on the way is named to `warn`."""
    for path in reversed(listed(folder)):
        try:
            return load(path)
        except CheckpointError as error:
            warn(f"{error} Trying the checkpoint before it.")
    return None


def listed(folder: Path) -> list[Path]:
    """The checkpoints of a folder, oldest first."""
    if not folder.is_dir():
        return []
    return sorted((path for path in folder.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))


def reached(folder: Path) -> tuple[int, float]:
    """The step of the newest checkpoint and the minutes of training until then; zeros where there is none."""
    newest = listed(folder)[-1:]
    if not newest:
        return 0, 0.0
    try:
        seconds = float(_read_json(newest[0] / "environment.json").get("seconds", 0.0))
    except (CheckpointError, TypeError, ValueError):
        seconds = 0.0
    return int(newest[0].name), seconds / 60


def ended(run: Path) -> bool:
    """Whether the training of a run folder has come to its own end."""
    newest = listed(run / "checkpoints")[-1:]
    return bool(newest) and bool(read_state(newest[0])["progress"]["finished"])


def prune(folder: Path, keep: int, written: int) -> None:
    """Removes all but the newest `keep` checkpoints; those made for a signal do not count and go first.

    The one just `written` stays. What is newer than it was damaged, or the run would have gone on from there: it goes.
    """
    paths = listed(folder)
    scheduled = [path for path in paths if _is_scheduled(path) and int(path.name) <= written]
    staying = set(scheduled[-keep:]) | {folder / str(written)}
    for path in paths:
        if path not in staying:
            shutil.rmtree(path, ignore_errors=True)


def clean(folder: Path) -> None:
    """Removes what a killed process left half-written."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.name.startswith(ASIDE):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def weights_for_average(folder: Path, count: int) -> list[dict[str, Tensor]]:
    """The weights (their moving average, if there is one) of the newest `count` regular checkpoints."""
    paths = [path for path in listed(folder) if _is_scheduled(path)][-count:]
    found: list[dict[str, Tensor]] = []
    for path in paths:
        tensors = load(path).tensors
        found.append(tensors["ema"] if "ema" in tensors else tensors["model"])
    return found


def read_state(path: Path) -> dict[str, Any]:
    """The plain values of a checkpoint, without checking the rest of it; nothing if they cannot be read."""
    try:
        return _read_json(path / "state.json")
    except CheckpointError:
        return {}


def _is_scheduled(path: Path) -> bool:
    return bool(read_state(path).get("scheduled", False))


def _take_place(aside: Path, path: Path) -> None:
    """Renames; a damaged checkpoint of the same step makes room first."""
    if path.exists():
        old = path.with_name(f"{ASIDE}old-{path.name}")
        shutil.rmtree(old, ignore_errors=True)
        os.rename(path, old)
        os.rename(aside, path)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.rename(aside, path)


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
