"""`jumok import`: models of other toolkits."""

from pathlib import Path
from typing import Annotated

import typer

from jumok.cli.telling import tell


def import_model(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a MarianMT model (OPUS-MT).")],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
    source_language: Annotated[
        str | None, typer.Option(help="Code of the source language, where the folder does not tell it.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="Code of the target language, where the folder does not tell it.")
    ] = None,
) -> None:
    """Make a run of a MarianMT model in Hugging Face's layout: config.json, model.safetensors, source.spm, vocab.json.

    The run translates, aligns, is served, adapted and shown in the studio as one that was trained here. Nothing in the
    folder is executed.
    """
    from jumok.tasks.translation.marian.reading import import_model as write_run

    typer.echo(str(write_run(folder, out, source_language=source_language, target_language=target_language, say=tell)))
