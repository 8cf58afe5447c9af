"""`jumok average`: one model from several with the same initialisation."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from jumok.errors import InputError


def average(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Run folders with the same architecture and vocabulary.")
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
) -> None:
    """Write a run whose weights are the mean of those of several runs (Wortsman et al. 2022, "Model soups").

    It helps where the runs started from the same weights (`train.init_from`) and continued with other seeds, text or
    settings of training; the mean of models that never had anything in common knows nothing.
    """
    from jumok.decoding.run import load_run
    from jumok.durable import write_folder
    from jumok.output import require_folder_place
    from jumok.run import manifest
    from jumok.run.folder import config_bytes
    from jumok.run.names import AVERAGED, CONFIG, MANIFEST, WEIGHTS
    from jumok.tasks.translation.card import write_card
    from jumok.text.files import files_of
    from jumok.training.optimizer import average as mean
    from jumok.training.tensor_file import pack

    if len(runs) < 2:
        raise InputError("name at least two runs to average.")
    if out.exists():
        raise InputError(f"{out} already exists; name a new folder with --out, or move it away.")
    require_folder_place(out, "a new run", lambda _: None)
    if len({run.resolve() for run in runs}) < len(runs):
        raise InputError("the same run is named twice; name each run once.")
    loaded = [load_run(run) for run in runs]
    first = loaded[0]
    for other in loaded[1:]:
        if _without_dropout(other.config.model.model_dump()) != _without_dropout(first.config.model.model_dump()):
            raise InputError(f"{other.path} has another model than {first.path}; runs must have the same architecture.")
        for mine, theirs in (
            (first.source_tokenizer, other.source_tokenizer),
            (first.target_tokenizer, other.target_tokenizer),
        ):
            if mine.sha256 != theirs.sha256:
                raise InputError(
                    f"{other.path} has another vocabulary than {first.path}, so rows belong to different words; train "
                    f"it with text.of_run={first.path}."
                )
    weights = pack(mean(run.model.state_dict() for run in loaded))
    about = {"runs": [{"name": run.name, "sha256": run.sha256} for run in loaded]}
    files = files_of(first.path) | {CONFIG: config_bytes(first.path), WEIGHTS: weights}
    files[MANIFEST] = manifest.content_of(files)
    files[AVERAGED] = (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    write_folder(out, files, os.rename)
    write_card(out)
    typer.echo(str(out))


def _without_dropout(tree: dict[str, Any]) -> dict[str, Any]:
    """A model's config without what is different in training only."""
    return {
        key: _without_dropout(value) if isinstance(value, dict) else value
        for key, value in tree.items()
        if "dropout" not in key
    }
