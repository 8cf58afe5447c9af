"""Attention in a terminal or a log: linked words in one colour, and a small shaded matrix below them."""

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok.alignment.alignment import Link, Links, Matrix, Source, argmax_links, checked_matrix, positions_of
from jumok.alignment.regions import region_maps
from jumok.figure import cells, cluster_cells, clusters, printable, shorten

# Okabe and Ito's colours (2008), nearest of the 256 every terminal knows; readable on dark and on light.
_COLOURS = (32, 166, 36, 175, 178, 74)
_FAINT = 245
_SHADES = (" ", "░", "▒", "▓", "█")
_SHADE_FROM = (0.05, 0.25, 0.5, 0.75)
_PITCH = 3
"""Columns a source word takes in the matrix: two for a sign as wide as Hangul, and one between."""
_TALLEST = 10
"""Signs of a source word that stand above its column; a longer one is cut."""


def render_terminal(
    matrix: ArrayLike,
    source: Source,
    target_words: Sequence[str],
    *,
    color: bool = True,
    width: int = 100,
    links: Iterable[Link] | Links | None = None,
    show_matrix: bool = True,
) -> str:
    """The pair of sentences with its links, and the matrix [target, source], as text to print.

    With `color` a target word has the colour of the source word it is linked to (by default the one it looked
    at most). Without it (logs, NO_COLOR) there is no escape sequence, and numbers in brackets name the links
    instead.

    The source is its words or a layout; regions of a picture are shown as one small map for each target word.
    """
    positions = positions_of(source)
    if len(positions.shape) == 2:
        words = [printable(word) for word in target_words]
        return "\n".join(_map_lines(region_maps(matrix, positions, len(words)), words, color, width))
    source_words = positions.labels
    weights = checked_matrix(matrix, len(source_words), len(target_words))
    if links is None:
        links = argmax_links(weights)
    pairs = sorted(links.sure | links.possible) if isinstance(links, Links) else sorted(set(links))
    sources, targets = ([printable(word) for word in words] for words in (source_words, target_words))
    lines = [_source_line(sources, color), _target_line(targets, pairs, color)]
    if show_matrix and weights.size:
        lines += ["", *_matrix_lines(weights, sources, targets, set(pairs), color, width)]
    return "\n".join(lines)


def _paint(text: str, colour: int, color: bool) -> str:
    return f"\x1b[38;5;{colour}m{text}\x1b[0m" if color else text


def _colour_of(source: int) -> int:
    return _COLOURS[source % len(_COLOURS)]


def _isolated(word: str) -> str:
    """A right-to-left word is kept from turning its neighbours round (Unicode's isolates)."""
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in word):
        return f"\u2068{word}\u2069"
    return word


def _source_line(sources: list[str], color: bool) -> str:
    if color:
        return " ".join(_paint(_isolated(word), _colour_of(i), color) for i, word in enumerate(sources))
    return " ".join(f"{_isolated(word)}[{i}]" for i, word in enumerate(sources))


def _target_line(targets: list[str], pairs: list[Link], color: bool) -> str:
    looked_at: dict[int, list[int]] = {}
    for i, j in pairs:
        looked_at.setdefault(j, []).append(i)
    shown: list[str] = []
    for j, word in enumerate(targets):
        sources = looked_at.get(j, [])
        if not sources:
            shown.append(_isolated(word))
        elif color:
            shown.append(_paint(_isolated(word), _colour_of(sources[0]), color))
        else:
            shown.append(f"{_isolated(word)}[{','.join(map(str, sources))}]")
    return " ".join(shown)


def _matrix_lines(
    weights: Matrix, sources: list[str], targets: list[str], links: set[Link], color: bool, width: int
) -> list[str]:
    """The matrix in as many blocks of columns as the width makes necessary."""
    labels = [shorten(word, max(4, min(24, width // 3))) for word in targets]
    margin = max(cells(label) for label in labels)
    columns = max(1, (width - margin - 1) // _PITCH)
    lines: list[str] = []
    for start in range(0, len(sources), columns):
        block = range(start, min(start + columns, len(sources)))
        lines += [""] if lines else []
        lines += [" " * (margin + 1) + line for line in _headings([sources[i] for i in block], start, color)]
        for j, label in enumerate(labels):
            row = "".join(_cell(float(weights[j, i]), i, (i, j) in links, color) for i in block)
            line = f"{' ' * (margin - cells(label))}{_isolated(label)} {row}"
            lines.append(line.rstrip())
    return lines


def _cell(weight: float, source: int, linked: bool, color: bool) -> str:
    shade = _SHADES[sum(weight >= least for least in _SHADE_FROM)] * 2
    if linked and not shade.strip():
        shade = "··"
    return _paint(shade, _colour_of(source) if linked else _FAINT, color and bool(shade.strip())) + " "


def _map_lines(maps: NDArray[np.floating], words: Sequence[str], color: bool, width: int) -> list[str]:
    """Maps of regions beside each other, each below its word, in as many bands as the width makes necessary."""
    wide = max(2 * maps.shape[2], 6)
    across = max(1, (width + 2) // (wide + 2))
    lines: list[str] = []
    for start in range(0, len(words), across):
        band = range(start, min(start + across, len(words)))
        lines += [""] if lines else []
        labels = [shorten(words[j], wide) for j in band]
        lines.append("  ".join(_isolated(label) + " " * (wide - cells(label)) for label in labels).rstrip())
        for row in range(maps.shape[1]):
            line = "  ".join(_map_row(maps[j, row], j, color) + " " * (wide - 2 * maps.shape[2]) for j in band)
            lines.append(line.rstrip())
    return lines


def _map_row(weights_C: NDArray[np.floating], target: int, color: bool) -> str:
    """One row of a map; an empty region is a dot, so that the edges of the picture can be seen."""
    shown = ""
    for weight in weights_C:
        shade = _SHADES[sum(weight >= least for least in _SHADE_FROM)] * 2
        shown += _paint(shade, _colour_of(target), color) if shade.strip() else _paint(" ·", _FAINT, color)
    return shown


def _headings(sources: list[str], first: int, color: bool) -> list[str]:
    """Each source word written downwards over its column, standing on the matrix."""
    columns: list[list[str]] = []
    for word in sources:
        signs = [sign for sign in clusters(word) if cluster_cells(sign)]
        columns.append(signs if len(signs) <= _TALLEST else [*signs[: _TALLEST - 1], "⋮"])
    height = max(len(column) for column in columns)
    lines: list[str] = []
    for row in range(height):
        line = ""
        for offset, column in enumerate(columns):
            place = row - (height - len(column))
            sign = column[place] if place >= 0 else ""
            padding = " " * (_PITCH - cells(sign))
            line += (_paint(sign, _colour_of(first + offset), color) if sign else "") + padding
        lines.append(line.rstrip())
    return lines
