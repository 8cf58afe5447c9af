"""`jumok summarise`: a summary for each text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from jumok.arguments import MOST_BEAM
from jumok.cli.options import Alpha, Coverage, LengthPenalty, MaxLength, MinLength, NoRepeat, Repeatable
from jumok.cli.telling import tell
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.decoding.scoring import CoverageForm, LengthForm
    from jumok.tasks.summarisation.model import Summary

LENGTH = "Length in words (12, 5..12, ..12, 5..) or as a share of the text's words (10%, 5%..20%)."
PLOT = "Draw the alignment of each text to an .svg or .png file; words are folded where attention does not fall."
FORM = "summary"
COVERAGE = "summary: what was looked at twice costs; wu: what was not looked at costs."


def summarise(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of task=summarisation.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A text per line, or .jsonl; - or none: stdin.")
    ] = None,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 4,
    length: Annotated[str | None, typer.Option(help=LENGTH)] = None,
    min_length: MinLength = 0,
    max_length: MaxLength = None,
    length_penalty: LengthPenalty = "gnmt",
    alpha: Alpha = 0.6,
    no_repeat: NoRepeat = 0,
    repeatable: Repeatable = None,
    coverage: Coverage = 0.0,
    coverage_form: Annotated[str | None, typer.Option(help=COVERAGE, show_default=FORM)] = None,
    plot: Annotated[Path | None, typer.Option(help=PLOT)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per text.")] = False,
) -> None:
    """Summarise texts, one per line, and print a summary for each line."""
    from jumok.decoding.length import Length
    from jumok.decoding.options import Options
    from jumok.decoding.scoring import Scoring
    from jumok.output import require_picture_place
    from jumok.run.folder import read_config, wrong_task
    from jumok.tasks.summarisation.model import load

    refuse_without_effect(coverage, coverage_form, no_repeat, repeatable)
    options = Options(
        beam=beam,
        min_length=min_length,
        max_length=max_length,
        length=None if length is None else Length.parse(length),
        no_repeat=no_repeat,
        repeatable=tuple(repeatable or ()),
        scoring=Scoring(
            cast("LengthForm", length_penalty), alpha, coverage, cast("CoverageForm", coverage_form or FORM)
        ),
    )
    if plot is not None:
        require_picture_place(plot)
    windows = read_texts(None if str(file) == "-" else file)
    config = read_config(run)
    if config.task != "summarisation":
        raise wrong_task(run, config, "summarise")
    model = load(run)
    number = 0
    for texts in windows:
        for one in model.summarise_all(texts, options=options):
            number += 1
            if one.source_cut:
                tell(f"note: the last {one.source_cut} tokens of text {number} were not read.")
            print(json.dumps(one.as_dict(), ensure_ascii=False) if as_json else one.text, flush=True)
            if plot is not None and one.text:
                draw(one, plot if number == 1 else plot.with_stem(f"{plot.stem}-{number}"))


def refuse_without_effect(
    coverage: float, coverage_form: str | None, no_repeat: int, repeatable: list[str] | None
) -> None:
    """Raises where an option is given that says how another one works, and that one is off."""
    if coverage_form is not None and not coverage:
        raise InputError("--coverage-form says how --coverage counts; add it, such as --coverage 5.")
    if repeatable and not no_repeat:
        raise InputError("--repeatable names exceptions of --no-repeat; add it, such as --no-repeat 3.")


def draw(summary: "Summary", path: Path) -> None:
    """The alignment of a summary as a picture."""
    from jumok.figure import save

    drawn = summary.figure()
    if drawn is None:
        raise InputError("--plot needs a model with attention; this one has none.")
    for note in save(drawn, path):
        typer.echo(f"note: {note}", err=True)


def read_texts(file: Path | None) -> Iterator[list[Any]]:
    """The texts of a file in windows: its lines, or the `paragraphs` or `text` of JSON lines; None: standard input."""
    from jumok.cli.reading import stdin_windows, windows
    from jumok.data.lines import file_lines
    from jumok.decoding.translator import WINDOW

    if file is None:
        return stdin_windows(WINDOW)
    lines = list(file_lines(file))  # what cannot be read is said before the model is loaded
    if file.suffix != ".jsonl":
        return windows(lines, WINDOW)
    return windows([_text_of(line, file, number) for number, line in enumerate(lines, 1) if line.strip()], WINDOW)


def _text_of(line: str, file: Path, number: int) -> Any:
    try:
        found = json.loads(line)
        text = found.get("paragraphs", found.get("text"))
    except (ValueError, AttributeError, RecursionError):
        text = None
    if isinstance(text, str) or (isinstance(text, list) and all(isinstance(part, str) for part in text)):
        return text
    raise InputError(f"line {number} of {file} needs a JSON object with `text` or a list of `paragraphs`.")
