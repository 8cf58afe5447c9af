"""The command of a training that an earlier call may have begun."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jumok.config import flatten, resolve
from jumok.run.folder import read_config

RESUMABLE = ("train.", "runtime.")
"""What may change when a run is resumed."""
PLACES = ("data.train", "data.dev")
"""Files that are read when a run begins; they may be named from another folder afterwards."""


def training(run: Path, keys: Iterable[str]) -> list[str]:
    """`jumok train` with these keys, or `--resume` of a run that is there with those of them that have changed.

    A key that a run cannot change any more is refused: it would be dropped without a word.
    """
    keys, command = list(keys), [sys.executable, "-m", "jumok", "train"]
    if not (run / "config.json").exists():
        return [*command, *keys, "--out", str(run)]
    had, wanted = (flatten(one.model_dump(mode="json")) for one in (read_config(run), resolve({}, keys)))
    named = dict.fromkeys(item.partition("=")[0].strip() for item in keys)
    changed = [key for key in named if not _same(key, had.get(key), wanted.get(key))]
    for key in changed:
        if not key.startswith(RESUMABLE):
            raise SystemExit(
                f"{run} was begun with {key}={had.get(key)}, not {wanted.get(key)}; ask for the same, or remove the "
                "folder to begin again."
            )
    return [*command, "--resume", str(run), *(written(key, wanted[key]) for key in changed)]


def written(key: str, value: Any) -> str:
    """A key and its value as the command line takes them."""
    return f"{key}={json.dumps(value, ensure_ascii=False)}"


def _same(key: str, had: Any, wanted: Any) -> bool:
    if key in PLACES and had and wanted:
        return Path(had).name == Path(wanted).name
    return had == wanted
