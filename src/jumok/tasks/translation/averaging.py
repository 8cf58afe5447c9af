"""One run whose weights are the mean of several (Wortsman et al. 2022, "Model soups")."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jumok.decoding.run import Run, load_run
from jumok.durable import write_folder
from jumok.errors import InputError
from jumok.output import require_folder_place
from jumok.run import manifest
from jumok.run.folder import config_bytes
from jumok.run.names import AVERAGED, CONFIG, MANIFEST, WEIGHTS
from jumok.tasks.translation.card import write_card
from jumok.text.files import files_of
from jumok.training.optimizer import average as mean
from jumok.training.tensor_file import pack


def average(runs: Sequence[str | Path], out: str | Path) -> Path:
    """Writes the average of runs that share an initialisation (`train.init_from`) into a new run folder.

    runs   run folders with the same architecture and vocabulary
    out    the folder to write; it must not exist
    """
    folders, out = [Path(run) for run in runs], Path(out)
    _check(folders, out)
    loaded = [load_run(run) for run in folders]
    for other in loaded[1:]:
        _check_alike(loaded[0], other)
    write_folder(out, _files(loaded), os.rename)
    write_card(out)
    return out


def _check(runs: Sequence[Path], out: Path) -> None:
    if len(runs) < 2:
        raise InputError("name at least two runs to average.")
    if out.exists():
        raise InputError(f"{out} exists already; name a new folder with --out, or move it away.")
    require_folder_place(out, "a new run", lambda _: None)
    if len({run.resolve() for run in runs}) < len(runs):
        raise InputError("the same run is named twice; name each run once.")


def _check_alike(first: Run, other: Run) -> None:
    """Raises unless a weight means the same in both."""
    if _without_dropout(other.config.model.model_dump()) != _without_dropout(first.config.model.model_dump()):
        raise InputError(f"{other.path} has another model than {first.path}; runs must have the same architecture.")
    sides = ((first.source_tokenizer, other.source_tokenizer), (first.target_tokenizer, other.target_tokenizer))
    if any(mine.sha256 != theirs.sha256 for mine, theirs in sides):
        raise InputError(
            f"{other.path} has another vocabulary than {first.path}: the same row means another word; train it with "
            f"text.of_run={first.path}."
        )


def _files(runs: Sequence[Run]) -> dict[str, bytes]:
    """The files of the average: tokenizers and config of the first, the mean weights, and what they are made of."""
    first = runs[0].path
    files = files_of(first) | {CONFIG: config_bytes(first)}
    files[WEIGHTS] = pack(mean(run.model.state_dict() for run in runs))
    files[MANIFEST] = manifest.content_of(files)
    about = {"runs": [{"name": run.name, "sha256": run.sha256} for run in runs]}
    files[AVERAGED] = (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    return files


def _without_dropout(tree: dict[str, Any]) -> dict[str, Any]:
    """A model's config without what is different in training only."""
    return {
        key: _without_dropout(value) if isinstance(value, dict) else value
        for key, value in tree.items()
        if "dropout" not in key
    }
