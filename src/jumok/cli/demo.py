"""`jumok demo`: the main job in about three minutes, and where the model looked."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from jumok.cli.telling import tell

# What the demo sets beside the defaults: a time that a 2-core laptop keeps, copies to look back at, and what learns
# most in that time. Each sentence is seen two or three times, too few for what guards against overfitting to help.
RECIPE = ("train.max_minutes=2.4", "train.max_steps=100000", "train.validate_every=200", "train.save_every=400",
          "train.snapshots=100", "train.learning_rate=0.006", "train.label_smoothing=0", "model.dropout=0")  # fmt: skip


def demo(
    out: Annotated[Path, typer.Option(help="Run folder of the demo.")] = Path("runs/demo"),
    sentences: Annotated[int, typer.Option(min=1, max=500, help="Unseen sentences to translate.")] = 10,
) -> None:
    """Train the default on the embedded corpus, translate unseen sentences, and show where the model looked."""
    from jumok.run.status import status_of

    if status_of(out) == "gone":
        _train(["--out", str(out), *RECIPE])
    elif status_of(out) != "finished":
        _train(["--resume", str(out)])
    else:
        tell(f"{out} is trained already; remove it to train again.")
    show(out, sentences)


def _train(arguments: list[str]) -> None:
    from jumok.cli.app import app

    code = app(["train", *arguments], standalone_mode=False)
    if code:
        raise typer.Exit(code)


def show(run: Path, sentences: int) -> None:
    """Prints translations of unseen sentences with their links, and draws them."""
    from jumok.alignment import render_terminal
    from jumok.data.phrasebook import generate
    from jumok.durable import write_file
    from jumok.output import takes_colour
    from jumok.run.names import ALIGNMENTS, CURVES, PICTURES
    from jumok.tasks.translation.model import load

    model = load(run)
    pair = model.config.data.phrasebook
    examples = list(generate(pair, "test", sentences))
    folder = run / PICTURES
    folder.mkdir(exist_ok=True)
    colour = takes_colour(sys.stdout)
    right = 0
    for number, (example, found) in enumerate(
        zip(examples, model.translate([example.source for example in examples]), strict=True), 1
    ):
        same = found.text == example.target
        right += same
        typer.echo(f"\n{number}.")
        if found.weights is None:
            typer.echo(f"{found.source}\n{found.text}")
        else:
            view = render_terminal(
                found.weights, found.source_words, found.target_words, color=colour,
                links=found.alignment, show_matrix=number == 1,
            )  # fmt: skip
            typer.echo(view)
            write_file(folder / f"{number}.svg", (found.svg() or "").encode("utf-8"))
        if not same:
            typer.echo(f"(expected: {example.target})")
    typer.echo(f"\n{right} of {len(examples)} unseen sentences are exactly right.")
    typer.echo(
        f"Pictures: {folder}/*.svg, curves: {run / CURVES}, how attention formed: {run / ALIGNMENTS}/\n"
        f"Next: jumok translate {run} (type a line), jumok evaluate {run}, jumok studio {run}"
    )
