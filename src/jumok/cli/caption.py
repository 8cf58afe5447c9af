"""`jumok caption`: what a trained model says about pictures, and where each word looked."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jumok.arguments import MOST_BEAM
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.tasks.captioning.model import Caption, CaptionModel


def caption(
    run: Annotated[Path, typer.Argument(help="Run folder of task=captioning.")],
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Pictures to describe.")],
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 5,
    nbest: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="How many captions to print for each.")] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the picture once per word with its attention (.png or .svg).")
    ] = None,
    smooth: Annotated[bool, typer.Option("--smooth", help="Draw a smooth light instead of the regions.")] = False,
    attention: Annotated[bool, typer.Option("--attention", help="Also every layer and head in --json.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per picture.")] = False,
    ensemble: Annotated[list[Path] | None, typer.Option(help="Another run to ensemble with; may be repeated.")] = None,
) -> None:
    """Describe pictures, and show which region each word looked at."""
    from jumok.decoding.options import Options
    from jumok.output import require_picture_place

    if plot is not None and len(images) > 1:
        raise InputError("--plot draws one picture; give one IMAGE.")
    if smooth and plot is None:
        raise InputError("--smooth is about the picture; name its file with --plot.")
    if attention and not as_json:
        raise InputError("--attention is printed as JSON; add --json.")
    if plot is not None:
        require_picture_place(plot)
    model = load_model(run, ensemble or [])
    options = Options(beam=max(beam, nbest), nbest=nbest, attention=attention)
    for one in model.caption_stream(images, options):
        if as_json:
            print(json.dumps(one.as_dict(), ensure_ascii=False))
        else:
            show(one, f"{one.name}: " if len(images) > 1 else "")
        if plot is not None:
            draw(one, plot, smooth)


def load_model(run: Path, ensemble: list[Path]) -> "CaptionModel":
    """The model of a run that describes pictures."""
    from jumok.run.folder import read_config, wrong_task
    from jumok.tasks.captioning.model import load

    for one in (run, *ensemble):
        config = read_config(one)
        if config.task != "captioning":
            raise wrong_task(one, config, "describe pictures")
    return load(run, ensemble=ensemble)


def show(one: "Caption", before: str) -> None:
    """Prints the captions; at a terminal with colours the picture too, once per word."""
    from jumok.output import takes_colour

    print(before + one.text)
    for other in one.alternatives:
        print(f"{before}  {other.score:.3f}  {other.text}")
    if takes_colour(sys.stdout):
        drawn = one.terminal(shutil.get_terminal_size().columns)
        if drawn:
            print(drawn)


def draw(one: "Caption", path: Path, smooth: bool) -> None:
    """Writes the strip of pictures."""
    from jumok.figure import save

    drawn = one.figure(one.text, smooth=smooth)
    if drawn is None:
        why = "the model of this run has none" if one.weights is None else "the caption has no words"
        raise InputError(f"--plot needs attention, and {why}.")
    for note in save(drawn, path):
        print(f"note: {note}", file=sys.stderr)
