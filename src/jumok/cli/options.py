"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import MOST_THREADS

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of a trained model.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:0, …")]
Threads = Annotated[int, typer.Option(min=0, max=MOST_THREADS, help="CPU threads; 0: as many as speed it up.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="File with mechanisms the run needs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
ConfigArguments = Annotated[
    list[str] | None, typer.Argument(metavar="[CONFIG] [key=value …]", help="config file (YAML) and overrides")
]
SourceText = Annotated[str | None, typer.Option(help="Training text, source side.")]
TargetText = Annotated[str | None, typer.Option(help="Training text, target side.")]
