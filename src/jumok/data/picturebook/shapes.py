"""Shapes as signed distances: negative inside, in units of the radius.

A shape is a polygon (curves have many corners). Its distance field is computed once on a fine grid; a thing of any
size, place and angle is a lookup in it, and distance × radius = pixels gives smooth edges.
"""

from functools import cache

import numpy as np

from jumok.data.picturebook.scene import SHAPES

REACH = 1.6
"""The field covers [-REACH, REACH]²."""
_FINE = 129


def field_at(shapes_M: np.ndarray, u_MPP: np.ndarray, v_MPP: np.ndarray) -> np.ndarray:
    """The signed distance of points (u right, v down, in radii) to the shapes of these numbers [M], bilinear."""
    scale = (_FINE - 1) / (2 * REACH)
    u, v = (np.clip((part + REACH) * scale, 0, _FINE - 1.001) for part in (u_MPP, v_MPP))
    i, j = v.astype(np.intp), u.astype(np.intp)
    down, right = (v - i).astype(np.float32), (u - j).astype(np.float32)
    flat = fields().reshape(-1)
    at = shapes_M[:, None, None] * (_FINE * _FINE) + i * _FINE + j
    upper = flat[at] * (1 - right) + flat[at + 1] * right
    lower = flat[at + _FINE] * (1 - right) + flat[at + _FINE + 1] * right
    return upper * (1 - down) + lower * down


@cache
def fields() -> np.ndarray:
    """float32 [shapes, fine, fine]."""
    steps = np.linspace(-REACH, REACH, _FINE)
    points = np.stack(np.meshgrid(steps, steps), axis=-1)
    return np.stack([_distance(points, _POLYGONS[name]()) for name in SHAPES]).astype(np.float32)


def _distance(points_HW2: np.ndarray, corners_N2: np.ndarray) -> np.ndarray:
    """Distance to the nearest edge, negative inside (a ray to the right crosses the outline an odd number of times)."""
    nearest = np.full(points_HW2.shape[:2], np.inf)
    inside = np.zeros(points_HW2.shape[:2], bool)
    x, y = points_HW2[..., 0], points_HW2[..., 1]
    for a, b in zip(corners_N2, np.roll(corners_N2, -1, axis=0), strict=True):
        edge, away = b - a, points_HW2 - a
        along = np.clip(away @ edge / (edge @ edge), 0, 1)
        nearest = np.minimum(nearest, ((away - along[..., None] * edge) ** 2).sum(-1))
        if a[1] != b[1]:
            crossed = (a[1] > y) != (b[1] > y)
            inside ^= crossed & (x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
    return np.where(inside, -1, 1) * np.sqrt(nearest)


def _ring(number: int, radius: float = 1.0, start: float = -90.0) -> np.ndarray:
    """Corners on a circle, clockwise as seen; -90° is the top."""
    angles = np.radians(start + np.arange(number) * 360 / number)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _triangle() -> np.ndarray:
    return np.add(_ring(3, 1.2), [0, 0.2])


def _star() -> np.ndarray:
    corners = np.empty((10, 2))
    corners[0::2], corners[1::2] = _ring(5, 1.2), _ring(5, 0.53, -54)
    return np.add(corners, [0, 0.06])


def _heart() -> np.ndarray:
    t = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    return np.stack([x, y - 2.5], axis=-1) / 14.5


def _cross() -> np.ndarray:
    a, b = 0.36, 1.05
    return np.array(
        [(-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a)]
    )


def _moon() -> np.ndarray:
    """A disc of radius 1.1 without the disc of radius 0.95 that is moved to the right."""
    outer, inner, shift = 1.1, 0.95, 0.62
    x = (shift**2 + outer**2 - inner**2) / (2 * shift)
    y = (outer**2 - x**2) ** 0.5
    wide, near = np.arctan2(y, x), np.arctan2(y, x - shift)
    first = np.linspace(wide, 2 * np.pi - wide, 48)
    second = np.linspace(2 * np.pi - near, near, 48)[1:-1]
    arcs = [
        np.stack([outer * np.cos(first), outer * np.sin(first)], -1),
        np.stack([shift + inner * np.cos(second), inner * np.sin(second)], -1),
    ]
    return np.add(np.concatenate(arcs), [0.25, 0])


_POLYGONS = {
    "circle": lambda: _ring(96),
    "square": lambda: _ring(4, 1.24, -45),
    "triangle": _triangle,
    "star": _star,
    "heart": _heart,
    "diamond": lambda: _ring(4, 1.2) * [0.8, 1.0],
    "cross": _cross,
    "moon": _moon,
}
