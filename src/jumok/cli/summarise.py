"""`jumok summarise`: a summary for each text."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from jumok.arguments import MOST_BEAM, MOST_TOKENS
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.decoding.scoring import CoverageForm

LENGTH = "Length in words (12, 5..12, ..12, 5..) or as a share of the text's words (10%, 5%..20%)."
COVERAGE = "summary: what was looked at twice costs; wu: what was not looked at costs."


def summarise(
    run: Annotated[Path, typer.Argument(help="Run folder of task=summarisation.")],
    file: Annotated[Path | None, typer.Argument(help="A text per line, or .jsonl; - or none: stdin.")] = None,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 4,
    length: Annotated[str | None, typer.Option(help=LENGTH)] = None,
    min_length: Annotated[int, typer.Option(min=0, max=MOST_TOKENS, help="Shortest output in tokens.")] = 0,
    max_length: Annotated[int | None, typer.Option(min=1, max=MOST_TOKENS, help="Longest output in tokens.")] = None,
    no_repeat: Annotated[int, typer.Option(min=0, max=MOST_TOKENS, help="No n-gram of this size twice; 0: off.")] = 0,
    repeatable: Annotated[
        list[str] | None, typer.Option(help="A word that --no-repeat leaves alone; may be repeated.")
    ] = None,
    coverage: Annotated[float, typer.Option(help="Strength of the coverage penalty; 0: off.")] = 0.0,
    coverage_form: Annotated[str, typer.Option(help=COVERAGE)] = "summary",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per text.")] = False,
) -> None:
    """Summarise texts, one per line, and print a summary for each."""
    from jumok.decoding.length import Length
    from jumok.decoding.options import Options
    from jumok.decoding.scoring import Scoring
    from jumok.tasks import load
    from jumok.tasks.summarisation.model import SummarisationModel

    options = Options(
        beam=beam,
        min_length=min_length,
        max_length=max_length,
        length=None if length is None else Length.parse(length),
        no_repeat=no_repeat,
        repeatable=tuple(repeatable or ()),
        scoring=Scoring(coverage=coverage, coverage_form=cast("CoverageForm", coverage_form)),
    )
    texts = read_texts(file)
    model = load(run)
    if not isinstance(model, SummarisationModel):
        raise InputError(f"{run} does not summarise; train one with: jumok train task=summarisation.")
    for number, one in enumerate(model.summarise_all(texts, options=options), 1):
        if one.source_cut:
            typer.echo(f"note: the last {one.source_cut} tokens of text {number} were not read.", err=True)
        print(json.dumps(one.as_dict(), ensure_ascii=False) if as_json else one.text)


def read_texts(file: Path | None) -> list[Any]:
    """The texts of a file: lines, or the `paragraphs` or `text` of JSON lines."""
    if file is None or str(file) == "-":
        return [line for line in sys.stdin.read().splitlines() if line.strip()]
    try:
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error
    if file.suffix != ".jsonl":
        return lines
    return [_text_of(line, file, number) for number, line in enumerate(lines, 1)]


def _text_of(line: str, file: Path, number: int) -> Any:
    try:
        found = json.loads(line)
        text = found.get("paragraphs", found.get("text"))
    except (ValueError, AttributeError):
        text = None
    if isinstance(text, str) or (isinstance(text, list) and all(isinstance(part, str) for part in text)):
        return text
    raise InputError(f"line {number} of {file} needs a JSON object with `text` or a list of `paragraphs`.")
