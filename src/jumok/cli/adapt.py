"""`jumok adapt`: a run trained further on the user's text."""

import json
from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import check_finite
from jumok.cli.options import RunFolder
from jumok.cli.telling import tell
from jumok.errors import InputError


def adapt(
    run: RunFolder,
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[key=value …]", help="Keys of train and runtime to change.")
    ] = None,
    tmx: Annotated[Path | None, typer.Option(help="Your text as a translation memory (.tmx, .tsv or .jsonl).")] = None,
    source: Annotated[Path | None, typer.Option(help="Your text, source side.")] = None,
    target: Annotated[Path | None, typer.Option(help="Your text, target side, line by line.")] = None,
    terms: Annotated[
        Path | None, typer.Option(help="Terms to watch: source term, tab, target term on each line.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder to write; RUN-adapted if not given.")] = None,
    minutes: Annotated[float, typer.Option(help="Training ends after this time at the latest.")] = 5.0,
    mix: Annotated[float, typer.Option(help="Pairs of the old text per pair of yours; more forget less.")] = 1.0,
    source_language: Annotated[str | None, typer.Option(help="Source language of a TMX, such as en-US.")] = None,
    target_language: Annotated[str | None, typer.Option(help="Target language of a TMX, such as ko.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON on stdout.")] = False,
) -> None:
    """Train a run further on your own text, mixed with a sample of its old text.

    Writes a new run with a report of what was gained and forgotten; RUN is not touched. `jumok train --resume`
    continues an adaptation that was interrupted.
    """
    from jumok.cli.train import watch
    from jumok.tasks.translation.adaptation.recipe import Request, start_adapting
    from jumok.tasks.translation.adaptation.report import read_report

    check_finite("--minutes", minutes, 0.01, 10_000)
    check_finite("--mix", mix, 0, 1000)
    if (tmx is None) == (source is None) or (source is None) != (target is None):
        raise InputError("name your text: --tmx FILE, or --source FILE and --target FILE.")
    text = tmx or source
    assert text is not None
    request = Request(
        run, text, target, terms, out, minutes, mix, source_language, target_language, tuple(overrides or ())
    )
    training = start_adapting(request, tell)
    watch(training)
    if training.writer and as_json and training.exit_code == 0:
        typer.echo(
            json.dumps({"run": str(training.folder)} | {"report": read_report(training.folder)}, ensure_ascii=False)
        )
    raise typer.Exit(training.exit_code)
