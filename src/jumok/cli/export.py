"""`jumok export` and `jumok shortlist`: a run made ready for quick engines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from jumok.arguments import MOST_LINES, MOST_TOKENS
from jumok.cli.options import RunFolder
from jumok.errors import InputError

if TYPE_CHECKING:
    from jumok.engine.packing import Precision

TARGETS = ("ctranslate2", "argos", "safetensors-hf")


def export(
    run: RunFolder,
    to: Annotated[
        str,
        typer.Option("--to", help="ctranslate2, argos (a package of Argos Translate) or safetensors-hf (MarianMT)."),
    ] = "ctranslate2",
    quantization: Annotated[str, typer.Option(help="Weights as float32 or int8.")] = "float32",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder or file to write; RUN/ctranslate2, RUN.argosmodel or RUN-hf if not given."),
    ] = None,
    source_language: Annotated[str | None, typer.Option(help="Code of the source language, for Argos.")] = None,
    target_language: Annotated[str | None, typer.Option(help="Code of the target language, for Argos.")] = None,
) -> None:
    """Write a run for another program.

    `jumok translate RUN --engine ctranslate2` uses what --to ctranslate2 writes. Recurrent models stay here: the
    others know Transformers only.
    """
    if to not in TARGETS:
        raise InputError(f"--to is one of {', '.join(TARGETS)}, not '{to}'.")
    if quantization not in ("float32", "int8"):
        raise InputError(f"--quantization is float32 or int8, not '{quantization}'.")
    if to == "safetensors-hf":
        from jumok.tasks.translation.marian.writing import export_marian

        place = export_marian(run, out or run.with_name(f"{run.name}-hf"))
    elif to == "argos":
        place = to_argos(run, out, (source_language, target_language), cast("Precision", quantization))
    else:
        from jumok.engine.ctranslate2_export import export as write
        from jumok.run.names import EXPORTED

        place = write(run, out or run / EXPORTED, quantization=cast("Precision", quantization))
    typer.echo(str(place))


def to_argos(run: Path, out: Path | None, given: tuple[str | None, str | None], quantization: "Precision") -> Path:
    """The package of a run, in the languages that are given or that the run knows."""
    from jumok.engine.argos import ENDING, export_argos
    from jumok.run.folder import read_translation_config
    from jumok.tasks.translation.card import languages

    known = languages(read_translation_config(run))
    source, target = (code or own for code, own in zip(given, known, strict=True))
    return export_argos(run, out or run.with_name(f"{run.name}{ENDING}"), (source, target), quantization=quantization)


def shortlist(
    run: RunFolder,
    source: Annotated[
        Path | None, typer.Argument(metavar="[SOURCE]", help="Source side; the run's own training text if not given.")
    ] = None,
    target: Annotated[Path | None, typer.Argument(metavar="[TARGET]", help="Target side, line by line.")] = None,
    common: Annotated[
        int, typer.Option(min=1, max=MOST_TOKENS, help="Most frequent target tokens, allowed in every sentence.")
    ] = 100,
    each: Annotated[
        int, typer.Option(min=1, max=MOST_TOKENS, help="Likeliest target tokens of each source token.")
    ] = 50,
    pairs: Annotated[int, typer.Option(min=1, max=MOST_LINES, help="Number of pairs to read at most.")] = 200_000,
) -> None:
    """Learn the likely translations of each word and keep them with the run, for `jumok translate RUN --shortlist`."""
    from jumok.data.lines import pair_lines
    from jumok.tasks.translation.shortlisting import write_shortlist

    if (source is None) != (target is None):
        raise InputError("name both SOURCE and TARGET, or neither to read the run's own training text.")
    lines = None if source is None or target is None else pair_lines(source, target)
    found = write_shortlist(run, lines, common=common, each=each, pairs=pairs)
    words, allowed = len(found.shortlist.words), len(found.shortlist.common)
    typer.echo(f"{found.path}: {words} word pairs, {allowed} words allowed in every sentence", err=True)
    typer.echo(f"{found.writable} of {found.of} training sentences can be written with their shortlist", err=True)
