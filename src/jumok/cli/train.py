"""`jumok train`: from a config (or nothing at all) to a trained run folder."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jumok.cli.config import resolve_arguments, split_arguments
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
    from jumok.tasks.training import begin
    from jumok.tasks.training import resume as resume_run

    if resume is not None:
        if source or target or out:
            raise ConfigError("--resume continues a run as it is; leave out --source, --target and --out.")
        path, overrides = split_arguments(arguments or [])
        if path is not None:
            raise ConfigError(f"--resume takes the run's own config; leave out {path}.")
        training = resume_run(resume, overrides, tell)
    else:
        files = {key: value for key, value in (("data.source", source), ("data.target", target)) if value}
        training = begin(*resolve_arguments(arguments or [], files), out, tell)
    watch(training)
    if training.writer and as_json:
        typer.echo(json.dumps(summary(training), ensure_ascii=False))
    raise typer.Exit(training.exit_code)


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
