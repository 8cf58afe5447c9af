"""Where generated pictures look, drawn: each picture with marked pixels, and beside it the map of each of them."""

from collections.abc import Sequence

import numpy as np

from jumok.errors import InputError
from jumok.tasks.image_gan.model import Drawn, MapLook
from jumok.tasks.image_gan.sheets import GAP, PAPER

SHOWN = 96
"""Pixels of a picture's side, about."""
ASKED = ((0.3, 0.3), (0.3, 0.7), (0.7, 0.5))
"""The pixels whose maps are drawn, as shares of the picture: row, column."""
COLOURS = ((230, 60, 60), (40, 130, 230), (40, 160, 70))


def looking_sheet(drawn: Sequence[Drawn]) -> np.ndarray:
    """uint8 [H, W, 3]: a row for each picture; first the picture, then for each layer the maps of three pixels."""
    if not drawn[0].looks:
        raise InputError("This generator has no attention layer; train one with model.attention.at=[16].")
    rows = [_row(one) for one in drawn]
    gap = np.full((GAP, rows[0].shape[1], 3), PAPER, np.uint8)
    return np.concatenate([part for row in rows for part in (row, gap)][:-1])


def _row(drawn: Drawn) -> np.ndarray:
    cells = [_marked(drawn)]
    cells += [
        _overlaid(drawn, look, at, colour) for look in drawn.looks for at, colour in zip(ASKED, COLOURS, strict=True)
    ]
    gap = np.full((cells[0].shape[0], GAP, 3), PAPER, np.uint8)
    return np.concatenate([part for cell in cells for part in (cell, gap)][:-1], axis=1)


def _large(pixels_HWC: np.ndarray) -> np.ndarray:
    times = max(1, SHOWN // len(pixels_HWC))
    large = pixels_HWC.repeat(times, 0).repeat(times, 1)
    return np.array(np.broadcast_to(large, (*large.shape[:2], 3)))


def _marked(drawn: Drawn) -> np.ndarray:
    picture = _large(drawn.pixels_HWC)
    for at, colour in zip(ASKED, COLOURS, strict=True):
        _mark(picture, at, colour)
    return picture


def _overlaid(drawn: Drawn, look: MapLook, at: tuple[float, float], colour: tuple[int, int, int]) -> np.ndarray:
    """The picture in pale grey, with the weights over it in the colour of the pixel that asks."""
    side = len(drawn.pixels_HWC)
    picture = _large(drawn.pixels_HWC)
    grey = 128 + picture.mean(2, keepdims=True) / 2
    weights = look.from_pixel(at[0] * side, at[1] * side, side)
    share = weights / max(float(weights.max()), 1e-12)
    rows, columns = (np.arange(len(picture)) * look.side // len(picture) for _ in range(2))
    share_HW1 = share[rows][:, columns][..., None]
    painted = (grey * (1 - share_HW1) + np.asarray(colour) * share_HW1).astype(np.uint8)
    _mark(painted, at, colour)
    return painted


def _mark(picture: np.ndarray, at: tuple[float, float], colour: tuple[int, int, int]) -> None:
    size = max(2, len(picture) // 24)
    row, column = (int(share * len(picture)) for share in at)
    picture[row - size - 1 : row + size + 1, column - size - 1 : column + size + 1] = PAPER
    picture[row - size : row + size, column - size : column + size] = colour
