"""`jumok mechanisms` and `jumok explain`: what attention there is, and how it computes."""

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from jumok.arguments import MOST_TOKENS
from jumok.attention import Mechanism, catalog, load_plugins
from jumok.errors import InputError
from jumok.inspect import (
    Explanation,
    Request,
    Texts,
    draw,
    explain_request,
    language_of_locale,
    parse_mask,
    parse_rows,
    show_on,
    table,
)

# Columns of a terminal that the six columns of the catalogue need.
_WIDE_TABLE = 140

Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="File with parts of your own; may be repeated."),
]
Language = Annotated[
    str | None, typer.Option("--lang", help="Language of the answer: ko or en; default: the locale's.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def mechanisms(plugin: Plugins = None, lang: Language = None, as_json: AsJson = False) -> None:
    """List the attention mechanisms: score, scope, normalise, paper, and what each is good for."""
    say = Texts(lang or language_of_locale())
    load_plugins(plugin or [])
    rows = [_row(mechanism, say.lang) for mechanism in catalog()]
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    head = [say(f"table.{column}") for column in rows[0]]
    cells = [list(row.values()) for row in rows]
    if sys.stdout.isatty():
        _rich_table(head, cells)
    else:
        typer.echo("\n".join(table(head, cells)))


def _row(mechanism: Mechanism, lang: str) -> dict[str, str]:
    korean = lang == "ko" and mechanism.good_for_ko
    return {
        "name": mechanism.name,
        "score": mechanism.score,
        "scope": mechanism.scope,
        "align": mechanism.normalise,
        "paper": mechanism.paper,
        "good_for": mechanism.good_for_ko if korean else mechanism.good_for,
    }


def _rich_table(head: list[str], rows: list[list[str]]) -> None:
    """The table in colour; a narrow terminal gets the parts in one column and the paper under what it is good for."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    narrow = console.width < _WIDE_TABLE
    if narrow:
        head = [head[0], " × ".join(head[1:4]), f"{head[5]} · {head[4]}"]
    shown = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for number, column in enumerate(head):
        shown.add_column(
            column, style="cyan" if number == 0 else None, no_wrap=number < len(head) - 2 + narrow, overflow="fold"
        )
    for row in rows:
        below = Text(row[5] + "\n").append(row[4], style="dim")
        texts = [Text(row[0]), Text(" × ".join(row[1:4])), below] if narrow else [Text(cell) for cell in row]
        shown.add_row(*texts)
    console.print(shown)


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="A mechanism (see `jumok mechanisms`) or `generalise`; none: the worked example."
        ),
    ] = None,
    query: Annotated[str | None, typer.Option(help="Query vectors, such as '1,3'; several: '1,3; 2,0'.")] = None,
    keys: Annotated[str | None, typer.Option(help="Key vectors, such as '2,-5; 1,0'.")] = None,
    values: Annotated[str | None, typer.Option(help="Value vectors; default: the keys.")] = None,
    mask: Annotated[str | None, typer.Option(help="1: may be attended, 0: hidden; such as '1,1,0'.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="A parameter, such as W='1,7;-8,4'; may be repeated.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="An option, such as D=2; may be repeated.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**63 - 1, help="Draws the parameters and data that are not given; default: an example's."
        ),
    ] = None,
    position: Annotated[
        int | None, typer.Option(min=0, max=MOST_TOKENS, help="Position of the first query, from 0.")
    ] = None,
    drawn: Annotated[bool, typer.Option("--draw", help="Let hard attention sample, as in training.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the weights (or curves) to an .svg or .png file.")] = None,
    plugin: Plugins = None,
    lang: Language = None,
    as_json: AsJson = False,
) -> None:
    """Work a mechanism through, step by step, in numbers."""
    language = Texts(lang or language_of_locale()).lang
    load_plugins(plugin or [])
    request = Request(
        name or "",
        query=None if query is None else parse_rows(query, "--query"),
        keys=None if keys is None else parse_rows(keys, "--keys"),
        values=None if values is None else parse_rows(values, "--values"),
        mask=None if mask is None else parse_mask(mask),
        parameters={key: parse_rows(text, f"--param {key}") for key, text in _pairs(param, "--param")},
        options={key: _scalar(text, key) for key, text in _pairs(option, "--option")},
        seed=seed,
        position=position,
        draw=drawn,
    )
    found = explain_request(request, language)
    if plot is not None:
        _plot(found, plot)
    if as_json:
        typer.echo(json.dumps(found.as_json(), ensure_ascii=False, allow_nan=False))
    else:
        show_on(found, sys.stdout)


def _pairs(texts: list[str] | None, flag: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise InputError(f"{flag} takes NAME=VALUE, got '{text}'.")
        pairs.append((key.strip(), value.strip()))
    return pairs


def _scalar(text: str, key: str) -> Any:
    """A number, a truth value or a word."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    if not isinstance(value, int | float | str | bool):
        raise InputError(f"--option {key} takes a number, a word, true or false, got '{text}'.")
    return value


def _plot(found: Explanation, path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = draw(found, path)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{path}", err=True)
