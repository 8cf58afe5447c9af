"""Attention over the regions of a picture: one small picture for each word, which shows where it looked.

After figure 3 of Xu et al. (2015); the regions are drawn as they are, or as a smooth light as there.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok import figure
from jumok.alignment.alignment import Matrix, Positions, checked_matrix
from jumok.errors import ShapeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIDE = 1.1
"""Inches of the longer side of one picture."""
_GAP, _LABEL, _FONT = 0.14, 0.24, 9.0
_WIDEST = 9.0
_LONGEST_LABEL = 14


def region_maps(matrix: ArrayLike, positions: Positions, targets: int) -> NDArray[np.floating]:
    """The weights [target, row, column], each word's scaled so that its largest is 1.

    A word spreads its weight over many regions, so that one scale for all would leave most pictures white.
    """
    if len(positions.shape) != 2:
        raise ShapeError(f"regions lie in rows and columns; these positions have shape {positions.shape}")
    rows, columns = positions.shape
    weights: Matrix = checked_matrix(matrix, rows * columns, targets)
    if (weights < 0).any():
        raise ShapeError("attention weights are not negative; give the weights, not the scores")
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    return (weights / np.where(largest > 0, largest, 1.0)).reshape(targets, rows, columns)


def regions_figure(
    matrix: ArrayLike,
    positions: Positions,
    target_words: Sequence[str],
    title: str | None = None,
    picture: ArrayLike | None = None,
    smooth: bool = False,
) -> "Figure":
    """One map of the regions for each target word; with a `picture` [height, width(, 3)] of 0…1, over it.

    `smooth` draws the weights between the middles of the regions too, which is prettier and less exact.
    """
    maps = region_maps(matrix, positions, len(target_words))
    behind = None if picture is None else _checked_picture(picture)
    words = [figure.shorten(figure.printable(word), _LONGEST_LABEL) for word in target_words]
    high, wide = behind.shape[:2] if behind is not None else positions.shape
    box = (_SIDE * wide / max(high, wide), _SIDE * high / max(high, wide))
    with figure.drawing():
        return _draw(maps, words, box, title, behind, smooth)


def _checked_picture(picture: ArrayLike) -> NDArray[np.floating]:
    array = np.asarray(picture, dtype=np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape or array.shape[2:] not in ((), (3,)):
        raise ShapeError(f"a picture is [height, width] or [height, width, 3]; this one has shape {array.shape}")
    if not ((array >= 0) & (array <= 1)).all():
        raise ShapeError("the values of a picture lie between 0 and 1")
    return array


def _draw(
    maps: NDArray[np.floating],
    words: Sequence[str],
    box: tuple[float, float],
    title: str | None,
    behind: NDArray[np.floating] | None,
    smooth: bool,
) -> "Figure":
    step = max(box[0], max((figure.text_width(word, _FONT) for word in words), default=0.0)) + _GAP
    columns = max(1, min(len(words), int((_WIDEST - _GAP) / step)))
    rows, top = -(-len(words) // columns), 0.42 if title else _GAP
    width = max(_GAP + columns * step, figure.text_width(title or "", 12.0) * 1.1 + 0.3)
    page, sheet = figure.sheet(width, top + rows * (box[1] + _LABEL + _GAP) + 0.02)
    if title:
        figure.write(sheet, 0.15, 0.24, title, size=12.0, bold=True)
    for number, (map_RC, word) in enumerate(zip(maps, words, strict=True)):
        x, y = _GAP + number % columns * step, top + number // columns * (box[1] + _LABEL + _GAP)
        _label(sheet, x + box[0] / 2, y + _LABEL / 2, word)
        panel = figure.add_panel(page, (x, y + _LABEL, *box))
        if behind is None:
            figure.add_heat(panel, map_RC)
        else:
            (_draw_light if smooth else _draw_over)(panel, behind, map_RC)
    return page


def _label(sheet: "Axes", x: float, y: float, word: str) -> None:
    figure.write(sheet, x, y, word, size=_FONT, align="center")


def _draw_over(panel: Any, behind: NDArray[np.floating], map_RC: NDArray[np.floating]) -> None:
    """The picture, seen in full where the weight is 1 and through a white veil elsewhere.

    White seen through white would not show, so the regions with at least half of that are outlined.
    """
    from matplotlib.patches import Rectangle

    high, wide = map_RC.shape
    whole = (-0.5, wide - 0.5, high - 0.5, -0.5)
    panel.imshow(behind, cmap="gray", vmin=0.0, vmax=1.0, aspect="auto", extent=whole)
    veil = np.ones((high, wide, 4))
    veil[..., 3] = 0.85 * (1.0 - map_RC)
    panel.imshow(veil, aspect="auto", interpolation="nearest")
    for row, column in np.argwhere(map_RC >= 0.5):
        corner = (float(column) - 0.5, float(row) - 0.5)
        panel.add_patch(Rectangle(corner, 1.0, 1.0, fill=False, edgecolor=figure.HEAT, linewidth=1.0))


def _draw_light(panel: Any, behind: NDArray[np.floating], map_RC: NDArray[np.floating]) -> None:
    """The picture, darkened, with a smooth light where the weight is."""
    high, wide = map_RC.shape
    whole = (-0.5, wide - 0.5, high - 0.5, -0.5)
    light = enlarged(map_RC, behind.shape[0], behind.shape[1])
    lit = behind * (0.25 + 0.75 * (light if behind.ndim == 2 else light[..., None]))
    panel.imshow(lit, cmap="gray", vmin=0.0, vmax=1.0, aspect="auto", extent=whole)


def enlarged(map_RC: NDArray[np.floating], height: int, width: int) -> NDArray[np.floating]:
    """The map at a picture's size, linear between the middles of the regions."""

    def along(values: NDArray[np.floating], size: int) -> NDArray[np.floating]:
        places = np.clip((np.arange(size) + 0.5) * len(values) / size - 0.5, 0, len(values) - 1)
        low = places.astype(int)
        high, share = np.minimum(low + 1, len(values) - 1), (places - low)[:, None]
        return values[low] * (1 - share) + values[high] * share

    return along(along(map_RC, height).T, width).T
