"""Explanations as text: coloured for a terminal, plain for a pipe. The same lines in both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

import numpy as np

from jumok.figure import cells
from jumok.inspect.numbers import show
from jumok.inspect.texts import Texts

if TYPE_CHECKING:
    from jumok.inspect.steps import Explanation, Look, Step

Kind = Literal["title", "step", "formula", "number", "sum", "text", "table", "head", "blank"]
STYLES: dict[Kind, str] = {
    "title": "bold",
    "step": "bold cyan",
    "formula": "green",
    "number": "",
    "sum": "yellow",
    "text": "",
    "table": "",
    "head": "dim",
    "blank": "",
}
_MOST_ROWS = 16


@dataclass(frozen=True)
class Line:
    """A line and what it is, which decides its colour."""

    kind: Kind
    text: str = ""


def plain(explanation: "Explanation") -> str:
    """The explanation as text without colours, as it goes into a pipe or a file."""
    return "\n".join(line.text for line in lines(explanation)) + "\n"


def show_on(explanation: "Explanation", stream: TextIO) -> None:
    """Prints the explanation, coloured where the stream is a terminal (and NO_COLOR is not set)."""
    if not stream.isatty():
        stream.write(plain(explanation))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for line in lines(explanation):
        for part in _folded(line, console.width):
            console.print(Text(part, style=STYLES[line.kind]), soft_wrap=True)


def _folded(line: Line, width: int) -> list[str]:
    """Prose cut at the width of the terminal, indented as it began; tables and numbers stay whole."""
    if line.kind != "text" or cells(line.text) < width:
        return [line.text]
    indent = " " * (len(line.text) - len(line.text.lstrip()))
    # Hangul takes two columns, so prose is measured in columns and not in characters.
    out, current = [], indent
    for word in line.text.split():
        if cells(current) + cells(word) + 1 > width and current.strip():
            out.append(current.rstrip())
            current = indent
        current += word + " "
    return [*out, current.rstrip()]


def lines(explanation: "Explanation") -> Iterator[Line]:
    """Every line of the explanation."""
    say = Texts(explanation.lang)
    yield Line("title", explanation.title)
    yield Line("blank")
    yield Line("text", explanation.intro)
    yield from _head(explanation, say)
    for number, look in enumerate(explanation.looks):
        if len(explanation.looks) > 1:
            yield Line("blank")
            yield Line("title", say("look.title", number=number, query=show(look.query), t=look.position))
        for number, step in enumerate(look.steps):
            # Steps and uses are counted apart.
            count = sum(before.kind == step.kind for before in look.steps[: number + 1])
            yield from _step(step, count, say)
        if look.weights.ndim == 1:
            yield from _recap(explanation, look, say)


def _head(explanation: "Explanation", say: Texts) -> Iterator[Line]:
    yield Line("blank")
    rows = {say(f"head.{key}"): text for key, text in explanation.given.items()}
    if explanation.paper:
        rows[say("head.paper")] = explanation.paper
    width = max((cells(label) for label in rows), default=0)
    for label, text in rows.items():
        yield Line("head", f"  {_padded(label, width)}  {text}")
    yield Line("blank")
    if explanation.name == "generalise":
        return
    if len(explanation.looks) == 1:
        yield from _named(say("head.query"), explanation.looks[0].query)
    yield from _named(say("head.keys"), explanation.keys)
    if explanation.values is not explanation.keys:
        yield from _named(say("head.values"), explanation.values)
    if explanation.mask is not None:
        yield from _named(say("head.mask"), explanation.mask)
    for name, value in explanation.parameters.items():
        # Logarithms and entmax's `a` are shown in the steps as what they stand for, and biases of zero say nothing.
        silent = name.endswith("bias") or name.startswith("b_")
        if not name.startswith("log_") and name != "a" and (np.any(value) or not silent):
            yield from _named(name, value)


def _step(step: "Step", count: int, say: Texts) -> Iterator[Line]:
    yield Line("blank")
    yield Line("step", say(step.kind, count=count, title=step.title))
    for formula in step.formula.splitlines():
        yield Line("formula", f"  {formula}")
    # The terms, the sums made of them, and last what they come to.
    *terms, (result, found) = _lined_up(step.numbers)
    for name, value in terms:
        yield from _named(name, value)
    for worked in step.worked:
        yield Line("sum", f"    {worked}")
    yield from _named(result, found)
    yield Line("text", f"  {step.text}")


def _lined_up(numbers: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values; the names of many rows of one length are padded so that the rows stand under each other."""
    shapes = {np.shape(value) for value in numbers.values()}
    together = len(numbers) > 3 and len(shapes) == 1 and len(next(iter(shapes))) == 1
    width = max(cells(name) for name in numbers) if together else 0
    return [(_padded(name, width), value) for name, value in numbers.items()]


def _named(name: str, value: Any) -> Iterator[Line]:
    shown = show(_flat(value)).splitlines()
    opening = f"  {name} = "
    yield Line("number", opening + shown[0])
    for row in shown[1:]:
        yield Line("number", (" " * cells(opening) + row).rstrip())


def _flat(value: Any) -> Any:
    """One number per row is shown as a row of numbers."""
    array = np.asarray(value)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 and array.shape[0] > 4 else array


def _recap(explanation: "Explanation", look: "Look", say: Texts) -> Iterator[Line]:
    """Key, score, weight and alignment vector of each position side by side, rounded."""
    order = np.arange(len(explanation.keys))
    if len(order) > _MOST_ROWS:
        order = np.sort(np.argsort(-look.weights, kind="stable")[:_MOST_ROWS])
    head = ["i", *(say(f"recap.{name}") for name in ("key", "score", "weight", "alignment"))]
    rows = [
        [
            str(i),
            _rounded(explanation.keys[i]),
            _rounded(look.scores[i]),
            _rounded(look.weights[i]),
            _rounded(look.alignment[i]),
        ]
        for i in order
    ]
    yield Line("blank")
    yield Line("step", say("recap.title"))
    for text in table(head, rows):
        yield Line("table", f"  {text}")
    if len(order) < len(explanation.keys):
        yield Line("text", "  " + say("recap.some", shown=len(order), n=len(explanation.keys)))


def _rounded(value: Any) -> str:
    rounded = np.round(np.asarray(value, dtype=np.float64), 4)
    return show(rounded)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Columns lined up by the columns of the terminal they take, with a rule under the head."""
    widths = [max(cells(row[column]) for row in [head, *rows]) for column in range(len(head))]

    def line(row: list[str]) -> str:
        return "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()

    return [line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)]


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))
