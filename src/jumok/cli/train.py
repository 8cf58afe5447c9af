"""`jumok train`: from a config (or nothing at all) to a trained run folder."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jumok import config as configuration
from jumok.cli.config import split_arguments
from jumok.cli.options import ConfigArguments, SourceText, TargetText
from jumok.cli.telling import tell
from jumok.errors import ConfigError, JumokError
from jumok.run.names import WEIGHTS

if TYPE_CHECKING:
    from jumok.tasks.training import Training


def train(
    arguments: ConfigArguments = None,
    source: SourceText = None,
    target: TargetText = None,
    out: Annotated[Path | None, typer.Option(help="Run folder to write; runs/… if not given.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Run folder to resume.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON on stdout.")] = False,
) -> None:
    """Train a model. Without arguments: the default model on the embedded phrasebook, English to Korean."""
    if resume is not None:
        if source or target or out:
            raise ConfigError("--resume continues a run as it is; leave out --source, --target and --out.")
        path, overrides = split_arguments(arguments or [])
        if path is not None:
            raise ConfigError(f"--resume takes the run's own config; leave out {path}.")
        training = resumed(resume, overrides)
    else:
        files = {key: value for key, value in (("data.source", source), ("data.target", target)) if value}
        training = begun(arguments or [], files, out)
    watch(training)
    if training.writer and as_json:
        typer.echo(json.dumps(summary(training), ensure_ascii=False))
    raise typer.Exit(training.exit_code)


def begun(arguments: list[str], files: dict[str, str], out: Path | None) -> "Training":
    """A new run of a config file and overrides; `files` are keys given by options."""
    from jumok.tasks.training import begin

    path, overrides = split_arguments(arguments)
    given = configuration.flatten(configuration.load(path) if path else {}) | files
    config = configuration.resolve(configuration.nest(given), overrides)
    keys = set(given) | {item.partition("=")[0].strip() for item in overrides}
    return begin(config, keys, out, tell)


def resumed(folder: Path, overrides: list[str]) -> "Training":
    """An old run."""
    from jumok.tasks.training import resume

    return resume(folder, overrides, tell)


def watch(training: "Training") -> None:
    """Trains, with a bar at a terminal and lines elsewhere."""
    from jumok.tasks.training import EndedElsewhereError
    from jumok.training.report import watcher

    try:
        with watcher() as printer:
            for event in training:
                if training.writer:
                    printer.hear(event)
    except EndedElsewhereError:
        raise typer.Exit(JumokError.exit_code) from None


def summary(training: "Training") -> dict[str, Any]:
    """What a script wants to know of a finished run."""
    stopped = training.stopped
    assert stopped is not None
    return {
        "run": str(training.folder),
        "step": stopped.step,
        "reason": stopped.reason,
        "best": {"metric": stopped.best_metric, "score": stopped.best_score, "step": stopped.best_step},
        "model": str(training.folder / WEIGHTS),
    }
