"""The hand that draws a glyph: leaning, shaking, pressing, and anti-aliased ink."""

from functools import lru_cache

import numpy as np

from jumok.data.glyphbook.glyphs import CONTROL_POINTS, glyph
from jumok.text.seeds import stable_seed

DEFAULT_SIZE = 28
_PIECES = 10
"""Straight pieces that a stroke is drawn with."""
_SHAKE, _TURN, _SCALE, _LEAN, _SHIFT = 0.022, 0.12, 0.09, 0.1, 0.035
_PEN = 0.036
"""Half the width of the usual pen, as a share of the picture."""


def draw(seed: int, class_number: int, drawing: int, size: int = DEFAULT_SIZE) -> np.ndarray:
    """One drawing of a class: uint8 [size, size], ink 255 on 0."""
    random = np.random.default_rng(stable_seed(seed, "hand", class_number, drawing))
    strokes_SP2 = _written(glyph(seed, class_number).strokes_SP2, random)
    pieces_N22, pen_N = _path(strokes_SP2, random)
    return _ink(pieces_N22, pen_N, size)


def _written(strokes_SP2: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The strokes as this hand writes them this time: shaken, turned, scaled, sheared, moved."""
    shaken = strokes_SP2 + random.normal(0, _SHAKE, strokes_SP2.shape)
    angle, lean = random.normal(0, _TURN), random.normal(0, _LEAN)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shape = turn @ np.array([[1.0, lean], [0.0, 1.0]]) @ np.diag(np.exp(random.normal(0, _SCALE, 2)))
    return (shaken - 0.5) @ shape.T + 0.5 + random.normal(0, _SHIFT, 2)


def _path(strokes_SP2: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of the strokes [N, 2 ends, 2], and half the width of the pen at each: it presses more in the middle."""
    points_SN2 = np.einsum("np,spd->snd", _bernstein(), strokes_SP2)
    pieces = np.stack([points_SN2[:, :-1], points_SN2[:, 1:]], axis=2).reshape(-1, 2, 2)
    pressure = _PEN * np.exp(random.normal(0, 0.18) + random.normal(0, 0.08, len(strokes_SP2)))
    along = 0.85 + 0.3 * np.sin(np.pi * np.linspace(0, 1, _PIECES))
    return pieces, (pressure[:, None] * along).reshape(-1)


@lru_cache(maxsize=1)
def _bernstein() -> np.ndarray:
    """b_{n,3}(t) of the cubic Bézier curve B(t) = Σ_n b_n(t) p_n, at the ends of its pieces."""
    t = np.linspace(0, 1, _PIECES + 1)[:, None]
    n = np.arange(CONTROL_POINTS)
    return np.array([1, 3, 3, 1]) * t**n * (1 - t) ** (CONTROL_POINTS - 1 - n)


def _ink(pieces_N22: np.ndarray, pen_N: np.ndarray, size: int) -> np.ndarray:
    """How much of each pixel is inked: by its distance to the nearest piece of the path, less the pen."""
    centre = ((np.arange(size) + 0.5) / size).astype(np.float32)
    pieces_N22, pen_N = pieces_N22.astype(np.float32), pen_N.astype(np.float32)
    begin_N2, way_N2 = pieces_N22[:, 0], pieces_N22[:, 1] - pieces_N22[:, 0]
    x_N1X = (centre - begin_N2[:, :1])[:, None, :]
    y_NY1 = (centre - begin_N2[:, 1:])[:, :, None]
    along_x, along_y = way_N2[:, 0, None, None], way_N2[:, 1, None, None]
    length = np.square(along_x) + np.square(along_y) + 1e-12
    share_NYX = x_N1X * (along_x / length) + y_NY1 * (along_y / length)
    share_NYX = np.minimum(np.maximum(share_NYX, 0, out=share_NYX), 1, out=share_NYX)
    far_NYX = np.square(x_N1X - share_NYX * along_x) + np.square(y_NY1 - share_NYX * along_y)
    edge_YX = (np.sqrt(far_NYX, out=far_NYX) - pen_N[:, None, None]).min(0)
    return np.rint(255 * np.clip(0.5 - edge_YX * size, 0, 1)).astype(np.uint8)
