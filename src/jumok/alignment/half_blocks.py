"""A picture in a terminal: two pixels in each sign, the attended region lit, one small picture for each word."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jumok.alignment.alignment import Positions
from jumok.alignment.regions import enlarged, region_maps
from jumok.figure import cells, printable, shorten

HALF = "▀"
_DARK = 0.22
"""How much of the light is left where nothing looks."""


def render_words(
    matrix: ArrayLike,
    positions: Positions,
    words: Sequence[str],
    pixels_HW3: NDArray[np.uint8],
    *,
    width: int = 100,
    side: int = 20,
) -> str:
    """The picture once per word in 24-bit colours, each below its word, lit where the word looked."""
    maps = region_maps(matrix, positions, len(words))
    labels = [shorten(printable(word), side) for word in words]
    small = shrunk(pixels_HW3, side)
    across = max(1, (width + 2) // (side + 2))
    lines: list[str] = []
    for start in range(0, len(words), across):
        band = range(start, min(start + across, len(words)))
        lines += [""] if lines else []
        lines.append("  ".join(labels[n] + " " * (side - cells(labels[n])) for n in band).rstrip())
        pictures = [half_blocks(lit(small, maps[n])) for n in band]
        lines += ["  ".join(rows) for rows in zip(*pictures, strict=True)]
    return "\n".join(lines)


def shrunk(pixels_HW3: NDArray[np.uint8], side: int) -> NDArray[np.floating]:
    """[side, side, 3]: the mean colour of each part of the picture, from 0 to 255."""
    height, width = pixels_HW3.shape[:2]
    tall = [pixels_HW3[a:b].mean(0) for a, b in _parts(height, side)]
    wide = [np.stack(tall)[:, a:b].mean(1) for a, b in _parts(width, side)]
    return np.stack(wide, axis=1)


def _parts(length: int, count: int) -> list[tuple[int, int]]:
    """Where each of `count` parts begins and ends; none is empty."""
    cuts = [number * length // count for number in range(count + 1)]
    return [(a, max(b, a + 1)) for a, b in pairwise(cuts)]


def lit(pixels_HW3: NDArray[np.floating], map_RC: NDArray[np.floating]) -> NDArray[np.floating]:
    """The picture, bright where the weight is and dark elsewhere."""
    light = enlarged(map_RC, *pixels_HW3.shape[:2])
    return pixels_HW3 * (_DARK + (1 - _DARK) * light[..., None])


def half_blocks(pixels_HW3: NDArray[np.floating]) -> list[str]:
    """Lines of half blocks: the upper pixel is the sign's colour, the lower one its background."""
    values = np.clip(pixels_HW3 + 0.5, 0, 255).astype(int)
    if len(values) % 2:
        values = np.concatenate([values, values[-1:]])
    lines: list[str] = []
    for upper, lower in zip(values[::2], values[1::2], strict=True):
        pairs = (";".join(map(str, (38, 2, *a, 48, 2, *b))) for a, b in zip(upper, lower, strict=True))
        signs = [f"\x1b[{pair}m{HALF}" for pair in pairs]
        lines.append("".join(signs) + "\x1b[0m")
    return lines
