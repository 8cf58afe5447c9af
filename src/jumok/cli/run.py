"""`jumok run`: what keeps a run folder in order."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jumok.arguments import MOST_BEAM, MOST_LINES
from jumok.cli.opening import load_translator
from jumok.cli.options import Device, Plugins, RunFolder, Threads
from jumok.errors import InputError, RunError

if TYPE_CHECKING:
    from jumok.tasks.translation.calibration import Calibrated

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def run() -> None:
    """Check that the files of a run are intact; make its confidences mean what they say."""


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


@app.command()
def calibrate(
    run: RunFolder,
    source: Annotated[Path | None, typer.Option(help="Text to fit to; the run's validation text if none.")] = None,
    reference: Annotated[Path | None, typer.Option(help="Its translations, line by line.")] = None,
    size: Annotated[int, typer.Option(min=1, max=MOST_LINES, help="Sentences translated at most.")] = 2000,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 5,
    plot: Annotated[Path | None, typer.Option(help="Draw the reliability curve to an .svg or .png file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Fit the confidence of words and sentences to how often they are right, and keep it in the run.

    A word is right if it stands in the reference, in the same order (longest common subsequence); a sentence to the
    degree to which its words and those of the reference agree. `jumok translate --json` and `jumok serve` then give
    confidences that mean this.
    """
    from jumok.output import require_picture_place

    if (source is None) != (reference is None):
        raise InputError("--source and --reference belong together; name both, or neither.")
    if plot is not None:
        require_picture_place(plot)
    translator = load_translator(run, device, threads, plugin, engine="auto")
    print(f"{run}: translating at most {size} sentences …", file=sys.stderr)
    texts = (None, []) if source is None or reference is None else (lines_in(source), lines_in(reference))
    found = translator.calibrate(*texts, size=size, beam=beam)
    if plot is not None:
        draw(found, run, plot)
    if as_json:
        typer.echo(json.dumps({"run": str(run)} | found.as_dict(), ensure_ascii=False))
    else:
        show(found)


def lines_in(path: Path) -> list[str]:
    """The lines of a file."""
    from jumok.data.lines import file_lines

    return list(file_lines(path))


def draw(found: "Calibrated", run: Path, path: Path) -> None:
    """The reliability curves as a picture."""
    from jumok.evaluation.calibration import reliability_chart
    from jumok.evaluation.chart import draw_chart

    parts = [("words", found.word), ("sentences", found.sentence)]
    for note in draw_chart(reliability_chart(parts, f"Reliability of {run.resolve().name}"), path):
        print(f"note: {note}", file=sys.stderr)


def show(found: "Calibrated") -> None:
    """The reliability before and after as tables."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for name, fitted in (("words", found.word), ("sentences", found.sentence)):
        title = f"{name}: expected calibration error {fitted.before.error:.3f}, calibrated {fitted.after.error:.3f}"
        table = Table("confidence", *(2 * ("how many", "mean", "right")), title=title, title_justify="left")
        before, after = ({one.low: one for one in part.bins} for part in (fitted.before, fitted.after))
        for low in sorted({*before, *after}):
            cells = [
                (str(one.count), f"{one.mean:.3f}", f"{one.rate:.3f}") if one else ("", "", "")
                for one in (before.get(low), after.get(low))
            ]
            table.add_row(f"{low:.1f}-{low + 0.1:.1f}", *cells[0], *cells[1])
        console.print(table)
    told = f"On {found.sentences} sentences of {found.text}, beam {found.beam}; left: as the model believes, right: "
    console.print(f"{told}calibrated, each fifth by the other four.", style="dim", markup=False)
