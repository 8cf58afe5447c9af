"""`jumok classify`: names new pictures from a few labelled ones, and says which of them it looked at."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jumok.figure import cells

if TYPE_CHECKING:
    from jumok.tasks.few_shot.model import Answer

BAR = 24
SHOWN = 8


def classify(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of task=few-shot.")],
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Pictures to name.")],
    support: Annotated[Path, typer.Option(help="Folder with a folder of labelled pictures for each class.")],
    plot: Annotated[
        Path | None, typer.Option(help="Draw the examples and how much each was looked at to an .svg or .png file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per picture.")] = False,
) -> None:
    """Name pictures from a few labelled ones."""
    from jumok.output import require_picture_place
    from jumok.tasks.few_shot.model import load

    if plot is not None:
        require_picture_place(plot)
    model = load(run)
    answers = model.classify(support, images)
    for image, answer in zip(images, answers, strict=True):
        if as_json:
            typer.echo(json.dumps({"image": str(image), **answer.as_dict()}, ensure_ascii=False))
        else:
            typer.echo(shown(str(image), answer))
    if plot is not None:
        from jumok.tasks.few_shot.plot import draw_answers

        for note in draw_answers(answers, [model.read(image)[0] for image in images], plot):
            typer.echo(note, err=True)


def shown(image: str, answer: "Answer") -> str:
    """The answer in lines: the class, and for the examples that were looked at most each block's weight.

    The bar is that of the last block, the query's own share left out of the list.
    """
    lines = [f"{image}: {answer.label} ({answer.probabilities[answer.label]:.1%})"]
    if not answer.weights:
        return lines[0]
    names = [f"{example.label}/{example.name}" for example in answer.examples]
    last = answer.weights[-1]
    order = sorted(range(len(names)), key=lambda place: -last[place])[:SHOWN]
    width = max(cells(names[place]) for place in order)
    for place in order:
        blocks = "  ".join(f"{weights[place]:.3f}" for weights in answer.weights)
        lines.append(
            f"  {names[place]}{' ' * (width - cells(names[place]))}  {blocks} {'█' * round(BAR * last[place])}".rstrip()
        )
    return "\n".join(lines)
