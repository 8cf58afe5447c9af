"""`jumok data`: the embedded corpora as plain files, and parallel text checked as training would check it."""

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import LARGEST_SEED, MOST_LINES
from jumok.cli.options import ConfigArguments, SourceText, TargetText
from jumok.data.phrasebook import DEFAULT_PAIR, DEFAULT_SEED, SPLITS, pairs, write
from jumok.errors import DataError, did_you_mean

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)

ALL = "all"
# `all` writes the training set in the size asked for, and the others no larger than this.
HELD_OUT = 1000


Folder = Annotated[Path, typer.Option(help="Folder to write to.")]
Seed = Annotated[int, typer.Option(min=-LARGEST_SEED, max=LARGEST_SEED, help="Another seed gives other examples.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was written, as JSON.")]


def complete_pair(start: str) -> list[str]:
    """The pairs that begin so, for shell completion."""
    return [pair for pair in pairs() if pair.startswith(start)]


@app.callback()
def data() -> None:
    """Write an embedded corpus, or check parallel text."""


@app.command()
def phrasebook(
    pair: Annotated[
        str, typer.Option(help="Source-target: any two of en, ko, fr and en-tree.", autocompletion=complete_pair)
    ] = DEFAULT_PAIR,
    split: Annotated[str, typer.Option(help="train, dev, test, long, or all of them.")] = "train",
    size: Annotated[int, typer.Option(min=0, max=MOST_LINES, help="Number of sentences.")] = 30_000,
    out: Folder = Path("phrasebook"),
    seed: Seed = DEFAULT_SEED,
    as_json: AsJson = False,
) -> None:
    """Write `train.en`, `train.ko`, `train.align` (links `i-j`) and so on, and print their paths."""
    if split != ALL and split not in SPLITS:
        known = (*SPLITS, ALL)
        raise DataError(f"the phrasebook has no split '{split}'{did_you_mean(split, known)}; it has {', '.join(known)}")
    sizes = (
        {split: size} if split != ALL else {name: size if name == "train" else min(size, HELD_OUT) for name in SPLITS}
    )
    written = {name: write(out, pair, name, count, seed) for name, count in sizes.items()}
    _show_written({"pair": pair, "seed": seed, "sizes": sizes}, written, as_json)


@app.command()
def picturebook(
    split: Annotated[str, typer.Option(help="train, dev, test, compose, or all of them.")] = "train",
    size: Annotated[int, typer.Option(min=0, max=MOST_LINES, help="Number of scenes.")] = 1000,
    out: Folder = Path("picturebook"),
    seed: Seed = DEFAULT_SEED,
    as_json: AsJson = False,
) -> None:
    """Write scenes as PNGs, their captions in English, Korean and French, and which pixels each word speaks of."""
    from jumok.data import picturebook as book

    sizes = dict.fromkeys(book.SPLITS if split == ALL else (split,), size)
    written = {name: book.write(out, name, count, seed) for name, count in sizes.items()}
    _show_written({"seed": seed, "sizes": sizes}, written, as_json)


def _show_written(asked: Mapping[str, object], written: Mapping[str, Iterable[Path]], as_json: bool) -> None:
    files = {split: [str(path) for path in paths] for split, paths in written.items()}
    if as_json:
        typer.echo(json.dumps({**asked, "files": files}, ensure_ascii=False))
        return
    for path in chain.from_iterable(files.values()):
        typer.echo(path)


@app.command()
def check(
    arguments: ConfigArguments = None,
    source: SourceText = None,
    target: TargetText = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as JSON.")] = False,
) -> None:
    """Say what training would drop from the text and why, or refuse it; nothing is written."""
    from jumok.cli.config import resolve_arguments
    from jumok.tasks.translation.text_reports import check_text

    files = {key: value for key, value in (("data.source", source), ("data.target", target)) if value}
    reports = check_text(resolve_arguments(arguments or [], files)[0])
    if as_json:
        typer.echo(json.dumps([report.to_json() for report in reports], ensure_ascii=False))
        return
    for report in reports:
        typer.echo(str(report))
