"""`jumok classify`: names new pictures from a few labelled ones, and says which of them it looked at."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jumok.tasks.few_shot.model import Answer

BAR = 24
SHOWN = 8


def classify(
    run: Annotated[Path, typer.Argument(help="Run folder of task=few-shot.")],
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE…", help="Pictures to name.")],
    support: Annotated[Path, typer.Option(help="Folder with a folder of labelled pictures for each class.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per picture.")] = False,
) -> None:
    """Name pictures from a few labelled ones."""
    from jumok.tasks.few_shot.model import load

    model = load(run)
    for image, answer in zip(images, model.classify(support, images), strict=True):
        if as_json:
            typer.echo(json.dumps({"image": str(image), **answer.as_dict()}, ensure_ascii=False))
        else:
            typer.echo(shown(str(image), answer))


def shown(image: str, answer: "Answer") -> str:
    """The answer in lines: the class, and a bar for each example that the last block looked at most."""
    chance = answer.probabilities[answer.label]
    lines = [f"{image}: {answer.label} ({chance:.1%})"]
    if not answer.weights:
        return lines[0]
    weights = answer.weights[-1][:-1]
    names = [f"{example.label}/{example.name}" for example in answer.examples]
    order = sorted(range(len(names)), key=lambda place: -weights[place])[:SHOWN]
    width = max(len(names[place]) for place in order)
    lines += [f"  {names[place]:<{width}}  {weights[place]:.3f} {'█' * round(BAR * weights[place])}" for place in order]
    return "\n".join(lines)
