"""`jumok run`: what keeps a run folder in order."""

import json
from pathlib import Path
from typing import Annotated

import typer

from jumok.errors import RunError

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def run() -> None:
    """Check that the files of a run are intact."""


@app.command()
def verify(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder.")],
    write: Annotated[
        bool, typer.Option("--write", help="Accept the files as they are: write their hashes into manifest.json.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the state of each file as JSON.")] = False,
) -> None:
    """Check every file of a run against its SHA-256, or write the hashes of a run that has none."""
    from jumok.run import manifest
    from jumok.run.folder import config_bytes
    from jumok.run.lock import owned

    config_bytes(run)
    if write:
        with owned(run):
            manifest.write(run)
    elif manifest.read(run) is None:
        raise RunError(f"{run} has no manifest, so nothing can be checked; write one with --write.")
    found = manifest.verify(run)
    if as_json:
        states = {str(path.relative_to(run)): state for path, state in found.items()}
        typer.echo(json.dumps({"run": str(run), "files": states}, ensure_ascii=False))
    else:
        for path, state in found.items():
            typer.echo(f"{state:<8} {path.relative_to(run)}")
    wrong = [str(path.relative_to(run)) for path, state in found.items() if state != "intact"]
    if wrong:
        raise RunError(
            f"{len(wrong)} of {len(found)} files of {run} are damaged, missing or were changed ({', '.join(wrong)}); "
            "restore them from a copy, or accept the model's own files as they are with --write."
        )
