"""A command of one's own: the lines that a run translates with the least confidence.

jumok --plugin docs/examples/doubts_command.py doubts runs/demo text.en --count 3
"""

from pathlib import Path
from typing import Annotated

import typer

import jumok
from jumok.commands import add_command


def doubts(
    run: Annotated[Path, typer.Argument(help="run folder")],
    file: Annotated[Path, typer.Argument(help="lines to translate")],
    count: Annotated[int, typer.Option(min=1, help="Lines to print.")] = 5,
) -> None:
    """Print the lines whose translations are least likely, per token."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    translations = jumok.load(run).translate(lines)
    scored = [
        (one.log_prob / (len(one.tokens) + 1), line, one.text) for one, line in zip(translations, lines, strict=True)
    ]
    for score, line, text in sorted(scored)[:count]:
        typer.echo(f"{score:.3f}\t{line}\t{text}")


add_command("doubts", doubts)
