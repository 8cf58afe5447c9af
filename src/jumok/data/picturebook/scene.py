"""What is in a scene."""

from typing import NamedTuple

SHAPES = ("circle", "square", "triangle", "star", "heart", "diamond", "cross", "moon")
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 48, 49),
    "orange": (240, 138, 36),
    "yellow": (246, 210, 50),
    "green": (58, 158, 74),
    "blue": (48, 104, 206),
    "purple": (136, 70, 172),
    "black": (44, 46, 56),
}
SIZES: dict[str, tuple[float, float]] = {"small": (5.0, 6.5), "big": (8.0, 12.0)}
"""The least and greatest radius in pixels; a thing that holds another is larger still."""
FILLINGS = ("plain", "hollow", "striped")
BACKGROUNDS = ("plain", "sky", "ground", "dots")
PAPERS: dict[str, tuple[int, int, int]] = {
    "cream": (252, 246, 228),
    "mist": (232, 240, 246),
    "mint": (228, 244, 232),
    "rose": (250, 234, 236),
    "lilac": (240, 236, 250),
    "sand": (243, 236, 222),
}

HELD_OUT = frozenset((tuple(COLOURS)[number * 3 % len(COLOURS)], shape) for number, shape in enumerate(SHAPES))
"""Combinations of colour and shape that only `compose` has: one of each shape, at least one of each colour."""


class Look(NamedTuple):
    """What a caption says of a thing."""

    shape: str
    colour: str
    size: str
    filling: str


class Thing(NamedTuple):
    """An object in its place: centre and radius in pixels, turned by `angle` (radians)."""

    look: Look
    x: float
    y: float
    radius: float
    angle: float


class Background(NamedTuple):
    """The paper behind the things: kind, its two colours, and how noisy the picture is."""

    kind: str
    paper: str
    second: str
    level: float
    """Where the horizon is (ground), or where the dots begin, from 0 to 1."""
    noise: float
    """Standard deviation of the noise in grey levels."""
    noise_at: int
    """Where in the sheet of noise this picture's begins."""


class Scene(NamedTuple):
    """Things in the order in which they are painted, before a background."""

    things: tuple[Thing, ...]
    background: Background
