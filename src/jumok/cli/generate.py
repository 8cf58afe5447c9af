"""`jumok generate`: draws pictures with a run of task=image-gan, and where each of them looks."""

import json
from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import LARGEST_SEED

COLUMNS = 8


def generate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of task=image-gan.")],
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Pictures to draw.")] = 64,
    label: Annotated[str | None, typer.Option(help="Class to draw; none: each class in turn.")] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the noise; another gives other pictures.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="PNG file to write.")] = Path("sheet.png"),
    columns: Annotated[int | None, typer.Option(min=1, max=10_000, help="Pictures in a row of the sheet.")] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Draw where three pixels of each picture look, at each layer.")
    ] = False,
    nearest: Annotated[
        int, typer.Option(min=0, max=100, help="Training pictures drawn after each, the nearest first.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per picture.")] = False,
) -> None:
    """Draw pictures with a trained generator."""
    from jumok.data.images import png_bytes
    from jumok.durable import disk_errors, write_file
    from jumok.errors import InputError
    from jumok.output import MAKER, require_picture_place
    from jumok.tasks.image_gan.looking import looking_sheet
    from jumok.tasks.image_gan.model import load
    from jumok.tasks.image_gan.sheets import sheet

    if attention and nearest:
        raise InputError("--attention and --nearest are two kinds of sheet; choose one.")
    if columns is not None and (attention or nearest):
        raise InputError("--columns is of the plain sheet; a row of --attention or --nearest is one picture.")
    if out.suffix.lower() != ".png":
        raise InputError(f"a sheet is a PNG picture; give {out.name!r} the ending .png.")
    require_picture_place(out)
    model = load(run)
    drawn = model.generate(count, label=label, seed=seed, attention=attention)
    if attention:
        content = looking_sheet(drawn)
    elif nearest:
        beside = model.nearest(drawn, nearest)
        rows = [[one.pixels_HWC, *(two.pixels_HWC for two in near)] for one, near in zip(drawn, beside, strict=True)]
        content = sheet([picture for row in rows for picture in row], 1 + nearest)
    else:
        content = sheet([one.pixels_HWC for one in drawn], columns or min(len(model.names) or COLUMNS, 16, count))
    with disk_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, png_bytes(content, MAKER))
    for one in drawn if as_json else ():
        typer.echo(json.dumps(one.as_dict(), ensure_ascii=False))
