"""`jumok average`: one run whose weights are the mean of several."""

from pathlib import Path
from typing import Annotated

import typer


def average(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Run folders with the same architecture and vocabulary.")
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write.")],
) -> None:
    """Write a run whose weights are the mean of those of several runs (Wortsman et al. 2022, "Model soups").

    It helps where the runs share an initialisation (`train.init_from`) and were trained with other seeds, text or
    settings; the mean of models that never had anything in common is of no use.
    """
    from jumok.tasks.translation.averaging import average as write_average

    typer.echo(str(write_average(runs, out)))
