"""How the training of a run stands, from what lies in its folder."""

import json
from pathlib import Path
from typing import Any, Literal

from jumok.run.lock import owner_of
from jumok.run.names import CHECKPOINTS, CONFIG, STATE, TIMING, WEIGHTS, steps_in

Status = Literal["gone", "running", "finished", "stopped"]
ENDS = ("steps", "time", "patience")
"""Reasons to stop after which a training has nothing left to do."""


def status_of(folder: Path) -> Status:
    """`gone`: there is no run; `running`: a process holds its lock; `finished`: it came to its own end; else `stopped`.

    A finished run has weights, and neither its newest checkpoint nor timing.jsonl says otherwise. One that was copied
    without them, or averaged from others, is finished: its weights are what counts.
    """
    if not (folder / CONFIG).is_file():
        return "gone"
    if owner_of(folder) is not None:
        return "running"
    finished = (folder / WEIGHTS).is_file() and _checkpoint_ended(folder) and _timing_ended(folder)
    return "finished" if finished else "stopped"


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a JSONL file; a line that is being written is left for the next time."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    for line in content.splitlines(keepends=True):
        try:
            tree = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            tree = None
        if isinstance(tree, dict):
            found.append(tree)
    return found


def _checkpoint_ended(folder: Path) -> bool:
    newest = steps_in(folder / CHECKPOINTS)[-1:]
    if not newest:
        return True
    try:
        return bool(json.loads((newest[0] / STATE).read_bytes())["progress"]["finished"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _timing_ended(folder: Path) -> bool:
    lines = read_lines(folder / TIMING)
    return not lines or (lines[-1].get("event") == "stopped" and lines[-1].get("reason") in ENDS)
