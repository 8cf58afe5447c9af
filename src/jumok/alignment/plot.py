"""Attention as a picture: the source along the top, the target down the side, darker where more was looked
at.

After figure 3 of Bahdanau, Cho and Bengio (2015), on white instead of black.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok import figure
from jumok.alignment.alignment import Link, Links, Matrix, Source, check_bounds, checked_matrix, positions_of
from jumok.alignment.folding import Column, Folded
from jumok.alignment.regions import regions_figure
from jumok.errors import ShapeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

_LONGEST_LABEL = 28
"""Columns of a label; a longer word is cut so that it does not push the matrix off the page."""
_FOLDED_WIDTH, _SENTENCE_GAP = 0.6, 0.35
"""Of a column that stands for several words, and between two sentences; in cells."""
_REST = "rest"
"""The column of what is on no word."""
_FAINTEST = 0.004
"""Below this weight a cell could not be told from paper and is not drawn, which keeps the file small."""


def draw_alignment(
    matrix: ArrayLike,
    source: Source,
    target_words: Sequence[str],
    path: str | Path,
    *,
    title: str | None = None,
    gold: Links | Iterable[Link] | None = None,
    vmax: float | None = 1.0,
    picture: ArrayLike | None = None,
    rest: bool = False,
) -> list[str]:
    """Draws the matrix [target, source] to an SVG or PNG file; returns notes about glyphs that are missing.

    matrix         weights [target, source]
    source         its words or a layout: positions in a row become the columns of a matrix, regions of a picture one
                   map for each target word
    target_words   a word for each row
    path           the file to write; it ends in .svg or .png
    title          stands above the picture
    gold           links that are outlined, the merely possible ones dashed
    vmax           the weight of the darkest cell of a matrix: 1 makes pictures comparable, None takes the largest here
    picture        pixels to draw under the maps of its regions
    rest           add a column of what each row lacks of 1: the weight on the end of the sentence, or what a window cut
    """
    return figure.save(alignment_figure(matrix, source, target_words, title, gold, vmax, picture, rest), path)


def alignment_svg(
    matrix: ArrayLike,
    source: Source,
    target_words: Sequence[str],
    *,
    title: str | None = None,
    gold: Links | Iterable[Link] | None = None,
    vmax: float | None = 1.0,
    picture: ArrayLike | None = None,
    rest: bool = False,
) -> str:
    """The same picture as SVG text, for notebooks and reports."""
    return figure.to_svg(alignment_figure(matrix, source, target_words, title, gold, vmax, picture, rest))


def alignment_figure(
    matrix: ArrayLike,
    source: Source,
    target_words: Sequence[str],
    title: str | None = None,
    gold: Links | Iterable[Link] | None = None,
    vmax: float | None = 1.0,
    picture: ArrayLike | None = None,
    rest: bool = False,
) -> "Figure":
    """The matplotlib figure of a matrix [target, source]."""
    positions = positions_of(source)
    if len(positions.shape) == 2:
        if gold is not None:
            raise ShapeError("gold links are of words; regions of a picture have none")
        return regions_figure(matrix, positions, target_words, title, picture)
    if picture is not None:
        raise ShapeError("a picture is drawn behind regions in rows and columns; these positions are in a row")
    source_words = positions.labels
    weights = _weights(matrix, len(source_words), len(target_words))
    links = gold if isinstance(gold, Links) or gold is None else Links(frozenset(gold))
    if links is not None:
        check_bounds(links, len(source_words), len(target_words))
    sources = [figure.shorten(figure.printable(word), _LONGEST_LABEL) for word in source_words]
    if rest:
        weights, sources = _with_rest(weights), [*sources, _REST]
    darkest = float(weights.max(initial=0.0)) if vmax is None else vmax
    targets = [figure.shorten(figure.printable(word), _LONGEST_LABEL) for word in target_words]
    with figure.drawing():
        return _Sheet(sources, targets, title, links, rest=rest).draw(weights, darkest if darkest > 0 else 1.0)


def folded_figure(
    folded: Folded, target_words: Sequence[str], title: str | None = None, vmax: float | None = 1.0
) -> "Figure":
    """The matplotlib figure of a folded matrix: narrow grey columns are runs of words, gaps are ends of sentences."""
    weights = _weights(folded.weights, len(folded.columns), len(target_words))
    darkest = float(weights.max(initial=0.0)) if vmax is None else vmax
    sources = [figure.shorten(figure.printable(word), _LONGEST_LABEL) for word in folded.labels]
    targets = [figure.shorten(figure.printable(word), _LONGEST_LABEL) for word in target_words]
    with figure.drawing():
        return _Sheet(sources, targets, title, None, folded.columns).draw(weights, darkest if darkest > 0 else 1.0)


def _weights(matrix: ArrayLike, sources: int, targets: int) -> Matrix:
    weights = checked_matrix(matrix, sources, targets)
    if (weights < 0).any():
        raise ShapeError("attention weights are not negative; give the weights, not the scores")
    return weights


def _with_rest(weights: Matrix) -> Matrix:
    """The weights with a last column: what each row lacks of 1."""
    return np.column_stack([weights, np.clip(1.0 - weights.sum(1), 0.0, 1.0)])


class _Sheet:
    """The measures of one picture in inches, from the number and width of its words."""

    def __init__(
        self, sources: Sequence[str], targets: Sequence[str], title: str | None, gold: Links | None,
        columns: Sequence[Column] = (), rest: bool = False,
    ) -> None:  # fmt: skip
        self.columns, self.rest = columns, rest
        self.sources, self.targets, self.title, self.gold = sources, targets, title, gold
        longest = max(len(sources), len(targets), 1)
        # Cells shrink as sentences grow, down to where words could no longer be read; then the sheet grows.
        self.cell = min(0.36, max(0.15, 8.0 / longest))
        self.font = min(11.0, self.cell * 72 * 0.55)
        self.left = 0.15 + max((figure.text_width(word, self.font) for word in targets), default=0.0)
        self.top = 0.15 + max((figure.text_width(word, self.font) for word in sources), default=0.0)
        self.heading = 0.38 if title else 0.0
        self.footing = 0.42
        self.edges = self._edges()
        inside = max(self.edges[-1], self.cell)
        titled = figure.text_width(title, 12.0) * 1.1 + 0.3 if title else 0.0
        key = 2.2 + (2.1 if gold else 0.0) + (3.1 if columns else 0.0) + (1.6 if rest else 0.0)
        self.width = max(self.left + inside + 0.2, titled, key)
        self.height = self.heading + self.top + max(len(targets), 1) * self.cell + self.footing

    def _edges(self) -> list[float]:
        """Where each column begins, and where the last one ends; a sentence leaves a gap before it."""
        edges: list[float] = []
        x = 0.0
        for number in range(len(self.sources)):
            if self._begins_sentence(number) or self._is_rest(number):
                x += _SENTENCE_GAP * self.cell
            edges.append(x)
            x += self._column_width(number)
        return [*edges, x]

    def _begins_sentence(self, number: int) -> bool:
        return bool(self.columns) and number > 0 and self.columns[number].sentence != self.columns[number - 1].sentence

    def _is_rest(self, number: int) -> bool:
        return self.rest and number == len(self.sources) - 1

    def _column_width(self, number: int) -> float:
        return self.cell * (_FOLDED_WIDTH if self.columns and self.columns[number].folded else 1.0)

    def draw(self, weights: Matrix, darkest: float) -> "Figure":
        page, axes = figure.sheet(self.width, self.height)
        if self.title:
            figure.write(axes, 0.15, 0.24, self.title, size=12.0, bold=True)
        self._cells(axes, weights, darkest)
        self._labels(axes)
        if self.gold:
            self._outlines(axes, self.gold)
        self._key(axes, darkest)
        return page

    def _corner(self, i: int, j: int) -> tuple[float, float]:
        return self.left + self.edges[i], self.heading + self.top + j * self.cell

    def _cells(self, axes: "Axes", weights: Matrix, darkest: float) -> None:
        from matplotlib.collections import LineCollection

        y0, y1 = self._corner(0, 0)[1], self._corner(0, len(self.targets))[1]
        spans = [(self._corner(i, 0)[0], self._column_width(i)) for i in range(len(self.sources))]
        lines = [((x, y0), (x, y1)) for start, width in spans for x in (start, start + width)]
        lines += [
            ((start, self._corner(0, j)[1]), (start + width, self._corner(0, j)[1]))
            for start, width in spans
            for j in range(len(self.targets) + 1)
        ]
        axes.add_collection(_folds(spans, self.columns, y0, y1), autolim=False)
        axes.add_collection(LineCollection(lines, colors=figure.GRID, linewidths=0.5), autolim=False)
        opacity = np.clip(weights / darkest, 0.0, 1.0)
        drawn = np.argwhere(opacity >= _FAINTEST)
        boxes = [(*self._corner(int(i), int(j)), self._column_width(int(i)), self.cell) for j, i in drawn]
        shades = _boxes(boxes, [float(opacity[j, i]) for j, i in drawn])
        axes.add_collection(shades, autolim=False)

    def _labels(self, axes: "Axes") -> None:
        for i, word in enumerate(self.sources):
            x, y = self._corner(i, 0)
            muted = self._is_rest(i) or (bool(self.columns) and self.columns[i].folded)
            color = figure.MUTED if muted else figure.INK
            middle = x + self._column_width(i) / 2
            figure.write(axes, middle, y - 0.06, word, size=self.font, rotation=90.0, color=color)
        for j, word in enumerate(self.targets):
            x, y = self._corner(0, j)
            figure.write(axes, x - 0.06, y + self.cell / 2, word, size=self.font, align="right")

    def _outlines(self, axes: "Axes", gold: Links) -> None:
        for link in sorted(gold.sure):
            self._outline(axes, *self._corner(*link), self.cell, dashed=False)
        for link in sorted(gold.possible):
            self._outline(axes, *self._corner(*link), self.cell, dashed=True)

    def _outline(self, axes: "Axes", x: float, y: float, size: float, *, dashed: bool) -> None:
        from matplotlib.patches import Rectangle

        inset = 0.08 * size
        style = (0, (2.0, 1.2)) if dashed else "-"
        edge = min(1.8, size * 5.5)
        axes.add_patch(
            Rectangle((x + inset, y + inset), size - 2 * inset, size - 2 * inset, fill=False,
                      edgecolor=figure.GOLD, linewidth=edge, linestyle=style)
        )  # fmt: skip

    def _key(self, axes: "Axes", darkest: float) -> None:
        """What a shade and an outline mean."""
        y, size, steps = self.height - 0.27, 0.13, (0.1, 0.3, 0.5, 0.7, 0.9)
        said = (1.6 if self.rest else 0.0) + (4.2 if self.gold else 5.2 if self.columns else 2.1)
        x = max(0.15, min(self.left, self.width - said))
        figure.write(axes, x, y + size / 2, "weight 0", size=8.0, color=figure.MUTED)
        x += 0.62
        shades = _boxes([(x + n * size, y, size, size) for n in range(len(steps))], steps)
        axes.add_collection(shades, autolim=False)
        x += len(steps) * size + 0.06
        figure.write(axes, x, y + size / 2, f"{darkest:.3g}", size=8.0, color=figure.MUTED)
        if self.columns:
            said = "… n: n words folded, their weights added; gaps: ends of sentences"
            figure.write(axes, x + 0.45, y + size / 2, said, size=8.0, color=figure.MUTED)
        x += 0.5
        for name, dashed in (("sure", False), ("possible", True)) if self.gold else ():
            self._outline(axes, x, y - 0.01, 0.15, dashed=dashed)
            figure.write(axes, x + 0.21, y + size / 2, name, size=8.0, color=figure.MUTED)
            x += 0.65
        if self.rest:
            figure.write(axes, x + 0.1, y + size / 2, f"{_REST}: </s>, or nothing", size=8.0, color=figure.MUTED)


Box = tuple[float, float, float, float]
"""Left, top, width and height in inches."""


def _boxes(boxes: Sequence[Box], opacity: Sequence[float]) -> "PolyCollection":
    """Filled cells of one hue, so that paper shines through where little was looked at."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    shapes = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes]
    return PolyCollection(shapes, facecolors=[to_rgba(figure.HEAT, a) for a in opacity], linewidths=0.0)


def _folds(spans: Sequence[tuple[float, float]], columns: Sequence[Column], top: float, end: float) -> "PolyCollection":
    """Grey paper behind the columns that are folded."""
    from matplotlib.collections import PolyCollection

    grey = [span for span, column in zip(spans, columns, strict=False) if column.folded]
    shapes = [[(x, top), (x + w, top), (x + w, end), (x, end)] for x, w in grey]
    return PolyCollection(shapes, facecolors="#eef0f3", linewidths=0.0)


def draw_grid(
    maps: Sequence[ArrayLike],
    path: str | Path,
    *,
    source_words: Sequence[str] | None = None,
    target_words: Sequence[str] | None = None,
    title: str | None = None,
) -> list[str]:
    """Draws one small matrix for each layer (rows) and head (columns); returns notes about missing glyphs.

    `maps` has one array [heads, target, source] a layer. Words, when given, stand beside the outer matrices
    as long as they can be read.
    """
    return figure.save(grid_figure(maps, source_words, target_words, title), path)


def grid_figure(
    maps: Sequence[ArrayLike],
    source_words: Sequence[str] | None = None,
    target_words: Sequence[str] | None = None,
    title: str | None = None,
) -> "Figure":
    """The matplotlib figure of all layers and heads."""
    layers = [_heads(layer, number) for number, layer in enumerate(maps, start=1)]
    if not layers:
        raise ShapeError("there is no attention to draw: the list of layers is empty")
    if len({layer.shape[1:] for layer in layers}) > 1:
        raise ShapeError("all layers of a grid need the same number of target and source positions")
    targets, sources = layers[0].shape[1:]
    for words, count, side in ((source_words, sources, "source"), (target_words, targets, "target")):
        if words is not None and len(words) != count:
            raise ShapeError(f"the maps have {count} {side} positions, but {len(words)} {side} words were given")
    with figure.drawing():
        return _draw_panels(layers, _readable(source_words), _readable(target_words), title)


def _heads(layer: ArrayLike, number: int) -> NDArray[np.floating]:
    array = np.asarray(layer)
    if array.ndim != 3 or 0 in array.shape:
        raise ShapeError(f"layer {number} of the grid must be [heads, target, source], not shape {array.shape}")
    for head in array:
        _weights(head, array.shape[2], array.shape[1])
    return array


def _readable(words: Sequence[str] | None) -> list[str]:
    """Labels for a small matrix: cut short, and none where there would be too many to read."""
    if words is None or len(words) > 24:
        return []
    return [figure.shorten(figure.printable(word), 12) for word in words]


def _draw_panels(
    layers: list[NDArray[np.floating]], sources: list[str], targets: list[str], title: str | None
) -> "Figure":
    rows, columns = len(layers), max(len(layer) for layer in layers)
    high, wide = layers[0].shape[1:]
    cell = max(0.02, min(0.15, 2.2 / max(high, wide)))
    font = cell * 72 * 0.62
    panel = (max(wide * cell, 0.75), max(high * cell, 0.45))
    left = 0.45 + max((figure.text_width(word, font) for word in targets), default=0.0)
    top = (0.42 if title else 0.1) + 0.22 + max((figure.text_width(word, font) for word in sources), default=0.0)
    gap = 0.12
    width = max(left + columns * (panel[0] + gap) + 0.1, figure.text_width(title or "", 12.0) * 1.1 + 0.3)
    height = top + rows * (panel[1] + gap) + 0.1
    page, sheet = figure.sheet(width, height)
    if title:
        figure.write(sheet, 0.15, 0.24, title, size=12.0, bold=True)
    for row, layer in enumerate(layers):
        y = top + row * (panel[1] + gap)
        name = f"layer {row + 1}"
        figure.write(sheet, 0.17, y + panel[1] / 2, name, size=8.0, rotation=90.0, align="center")
        for column, head in enumerate(layer):
            x = left + column * (panel[0] + gap)
            figure.add_heat(figure.add_panel(page, (x, y, *panel)), head)
    _panel_labels(sheet, sources, targets, (left, top), panel, gap, rows, columns, font)
    return page


def _panel_labels(
    sheet: "Axes", sources: list[str], targets: list[str], corner: tuple[float, float],
    panel: tuple[float, float], gap: float, rows: int, columns: int, font: float,
) -> None:  # fmt: skip
    """Heads above each column; the words of the source above them, those of the target beside each row."""
    left, top = corner
    for column in range(columns):
        x = left + column * (panel[0] + gap)
        highest = max((figure.text_width(word, font) for word in sources), default=0.0)
        y = top - highest - 0.14
        figure.write(sheet, x + panel[0] / 2, y, f"head {column + 1}", size=8.0, align="center")
        for i, word in enumerate(sources):
            step = panel[0] / len(sources)
            figure.write(sheet, x + (i + 0.5) * step, top - 0.04, word, size=font, rotation=90.0)
    for row in range(rows):
        y = top + row * (panel[1] + gap)
        for j, word in enumerate(targets):
            step = panel[1] / len(targets)
            figure.write(sheet, left - 0.04, y + (j + 0.5) * step, word, size=font, align="right")
