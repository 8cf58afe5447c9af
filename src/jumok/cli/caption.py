"""`jumok caption`: what a trained model says about pictures, and where each word looked."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from jumok.arguments import MOST_BEAM
from jumok.cli.opening import prepare_torch
from jumok.cli.options import (
    Alpha,
    Coverage,
    Device,
    Ensemble,
    Forbid,
    LengthPenalty,
    MaxLength,
    MinLength,
    NoRepeat,
    Plugins,
    Prefix,
    Repeatable,
    Require,
    Sample,
    Seed,
    Temperature,
    Threads,
    TopK,
    TopP,
)
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.decoding.options import Unknown
    from jumok.decoding.scoring import LengthForm
    from jumok.tasks.captioning.model import Caption, CaptionModel

Plot = Annotated[Path | None, typer.Option(help="Draw the picture once per word with its attention (.png or .svg).")]
# A picture has no words that an unknown one could be copied from.
UNKNOWN = ("keep", "forbid")


def caption(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of task=captioning.")],
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Pictures to describe.")],
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 5,
    nbest: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="How many captions to print for each.")] = 1,
    plot: Plot = None,
    smooth: Annotated[bool, typer.Option("--smooth", help="Draw a smooth light instead of the regions.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per picture.")] = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="With --json: the attention of every layer and head.")
    ] = False,
    tree: Annotated[bool, typer.Option("--tree", help="With --json: the whole beam, with pruned hypotheses.")] = False,
    prefix: Prefix = "",
    forbid: Forbid = None,
    require: Require = None,
    length: Annotated[str | None, typer.Option(help="Length in words (12, 5..12, ..12, 5..).")] = None,
    min_length: MinLength = 0,
    max_length: MaxLength = None,
    no_repeat: NoRepeat = 0,
    repeatable: Repeatable = None,
    unknown: Annotated[str, typer.Option(help="Unknown words: keep or forbid.")] = "keep",
    length_penalty: LengthPenalty = "gnmt",
    alpha: Alpha = 0.6,
    coverage: Coverage = 0.0,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = 0,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    ensemble: Ensemble = None,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Describe pictures, and show which region each word looked at."""
    from jumok.cli.summarise import refuse_without_effect
    from jumok.decoding.length import Length
    from jumok.decoding.options import Options, Sampling
    from jumok.decoding.scoring import Scoring
    from jumok.tasks.captioning.model import for_pictures

    check_request(images, plot, smooth, unknown, (attention or tree) and not as_json)
    refuse_without_effect(coverage, None, no_repeat, repeatable)
    options = Options(
        beam=max(beam, nbest),
        nbest=nbest,
        scoring=Scoring(cast("LengthForm", length_penalty), alpha, coverage),
        sampling=Sampling(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed) if sample else None,
        min_length=min_length,
        max_length=max_length,
        length=None if length is None else Length.parse(length),
        no_repeat=no_repeat,
        repeatable=tuple(repeatable or ()),
        forbid=tuple(forbid or ()),
        require=tuple(require or ()),
        prefix=prefix,
        unknown=cast("Unknown", unknown),
        attention=attention,
        tree=tree,
    )
    for_pictures(options)  # what cannot be asked of a picture is told before the model is loaded
    prepare_torch(run, threads, plugin)
    model = load_model(run, ensemble or [], device)
    for one in model.caption_stream(images, options):
        if as_json:
            print(json.dumps(one.as_dict(), ensure_ascii=False))
        else:
            show(one, f"{one.name}: " if len(images) > 1 else "")
        if plot is not None:
            draw(one, plot, smooth)


def check_request(images: list[Path], plot: Path | None, smooth: bool, unknown: str, needs_json: bool) -> None:
    """Refuses what cannot be done before the model is loaded."""
    from jumok.output import require_picture_place

    if plot is not None and len(images) > 1:
        raise InputError("--plot draws one picture; give one IMAGE.")
    if smooth and plot is None:
        raise InputError("--smooth is about the picture; name its file with --plot.")
    if needs_json:
        raise InputError("--attention and --tree are printed as JSON; add --json.")
    if unknown not in UNKNOWN:
        raise InputError(f"--unknown is keep or forbid, not '{unknown}'; a picture has no words to copy.")
    if plot is not None:
        require_picture_place(plot)


def load_model(run: Path, ensemble: list[Path], device: str) -> "CaptionModel":
    """The model of a run that describes pictures."""
    from jumok.run.folder import read_config, wrong_task
    from jumok.tasks.captioning.model import load

    for one in (run, *ensemble):
        config = read_config(one)
        if config.task != "captioning":
            raise wrong_task(one, config, "describe pictures")
    return load(run, device, ensemble=ensemble)


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
