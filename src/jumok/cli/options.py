"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import LARGEST_SEED, MOST_THREADS, MOST_TOKENS

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of a trained model.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:0, …")]
Threads = Annotated[int, typer.Option(min=0, max=MOST_THREADS, help="CPU threads; 0: as many as speed it up.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="File with mechanisms the run needs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
ConfigArguments = Annotated[
    list[str] | None, typer.Argument(metavar="[CONFIG] [key=value …]", help="Config file (YAML) and overrides.")
]
SourceText = Annotated[str | None, typer.Option(help="Training text, source side.")]
TargetText = Annotated[str | None, typer.Option(help="Training text, target side.")]
Ensemble = Annotated[list[Path] | None, typer.Option(help="Another run to ensemble with; may be repeated.")]

# How a text is searched for, whatever is read.
MinLength = Annotated[int, typer.Option(min=0, max=MOST_TOKENS, help="Shortest output in tokens.")]
MaxLength = Annotated[int | None, typer.Option(min=1, max=MOST_TOKENS, help="Longest output in tokens.")]
NoRepeat = Annotated[int, typer.Option(min=0, max=MOST_TOKENS, help="No n-gram of this size twice; 0: off.")]
Repeatable = Annotated[list[str] | None, typer.Option(help="A word that --no-repeat leaves alone; may be repeated.")]
Prefix = Annotated[str, typer.Option(help="Text that every output begins with.")]
Forbid = Annotated[list[str] | None, typer.Option(help="Word that must not appear; may be repeated.")]
Require = Annotated[list[str] | None, typer.Option(help="Word that must appear; may be repeated.")]
LengthPenalty = Annotated[str, typer.Option(help="gnmt, power or none.")]
Alpha = Annotated[float, typer.Option(help="Strength of the length penalty.")]
Coverage = Annotated[float, typer.Option(help="Strength of the coverage penalty; 0: off.")]
Sample = Annotated[bool, typer.Option("--sample", help="Sample words instead of searching.")]
Temperature = Annotated[float, typer.Option(help="Temperature of sampling: below 1 sharper, above 1 flatter.")]
TopK = Annotated[int, typer.Option(min=0, max=MOST_TOKENS, help="Sample from the k likeliest words; 0: all.")]
TopP = Annotated[float, typer.Option(help="Sample from the smallest set of words with this probability.")]
Seed = Annotated[
    int,
    typer.Option(
        min=-LARGEST_SEED, max=LARGEST_SEED, help="Seed of sampling; the same input and seed give the same words."
    ),
]
