"""Scenes as pixels, and the outline of each thing as a mask. numpy alone; the same scene has the same pixels anywhere.

A thing is painted from the signed distance d of its outline (pixels, negative inside): coverage = clip(½ − d, 0, 1) is
the area of a pixel that an edge leaves covered, which makes edges smooth. A soft shadow lies below each thing, light
comes from the upper left, and a darker line follows the outline.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from jumok.data.picturebook.sampler import SIDE
from jumok.data.picturebook.scene import COLOURS, PAPERS, SHAPES, Background, Scene, Thing
from jumok.data.picturebook.shapes import field_at

PATCHES = (24, 38, 60)
"""Sides of the squares in which things are painted: small, big, and big enough to hold another, with their shadows."""
_EDGE = PATCHES[-1] // 2 + 1
"""How far a canvas extends beyond the picture, so that a patch always lies on it."""
_BATCH = 64
_SHADOW = 1.4  # how far the shadow falls, in pixels
_SHEET = 1 << 16
_NUMBER = {name: number for number, name in enumerate(SHAPES)}


def draw(scenes: Iterable[Scene]) -> np.ndarray:
    """uint8 [N, 64, 64, 3]."""
    blocks = [_painted(batch) for batch in _batches(scenes)]
    return np.concatenate(blocks) if blocks else np.zeros((0, SIDE, SIDE, 3), np.uint8)


def draw_blocks(scenes: Iterable[Scene]) -> Iterator[np.ndarray]:
    """The pictures in blocks [≤ 64, 64, 64, 3], so that any number of scenes needs little memory."""
    return (_painted(batch) for batch in _batches(scenes))


def outlines(scene: Scene) -> np.ndarray:
    """bool [things, 64, 64]: the filled outline of each thing, also where another thing lies on it."""
    canvas = np.zeros((len(scene.things), SIDE + 2 * _EDGE, SIDE + 2 * _EDGE), bool)
    for number, thing in enumerate(scene.things):
        side = _side(thing)
        canvas[number][_place(thing, side)] = _distances([thing], side)[0] < 0
    return canvas[:, _EDGE : _EDGE + SIDE, _EDGE : _EDGE + SIDE]


def number_map(scene: Scene) -> np.ndarray:
    """uint8 [64, 64]: 0 is the background, n + 1 the thing n; where outlines overlap, the thing on top."""
    numbers = np.zeros((SIDE, SIDE), np.uint8)
    for number, mask in enumerate(outlines(scene), start=1):
        numbers[mask] = number
    return numbers


def _batches(scenes: Iterable[Scene]) -> Iterator[list[Scene]]:
    rest = iter(scenes)
    while batch := list(islice(rest, _BATCH)):
        yield batch


class Paint(NamedTuple):
    """How a thing changes the canvas in its place: paper · shade, then `colour` where it covers it."""

    place: tuple[slice, slice]
    colour_PP3: np.ndarray
    cover_PP1: np.ndarray
    shade_PP1: np.ndarray


def _painted(scenes: Sequence[Scene]) -> np.ndarray:
    paints = iter(_paints([thing for scene in scenes for thing in scene.things]))
    out = np.empty((len(scenes), SIDE, SIDE, 3), np.uint8)
    canvas = np.zeros((SIDE + 2 * _EDGE, SIDE + 2 * _EDGE, 3), np.float32)
    seen = canvas[_EDGE : _EDGE + SIDE, _EDGE : _EDGE + SIDE]
    for picture, scene in zip(out, scenes, strict=True):
        seen[:] = _paper(scene.background)
        for place, colour, cover, shade in islice(paints, len(scene.things)):
            part = canvas[place]
            part *= shade
            part += (colour - part) * cover
        picture[:] = np.clip(seen + _noise(scene.background) + 0.5, 0, 255)
    return out


def _paints(things: Sequence[Thing]) -> list[Paint]:
    """The paint of every thing, computed together for things of one patch size."""
    out: dict[int, Paint] = {}
    for side in PATCHES:
        numbers = [number for number, thing in enumerate(things) if _side(thing) == side]
        same = [things[number] for number in numbers]
        if same:
            rows = zip(numbers, same, *_patches(same, side), _shades(same, side), strict=True)
            out |= {number: Paint(_place(thing, side), *parts) for number, thing, *parts in rows}
    return [out[number] for number in range(len(things))]


def _side(thing: Thing) -> int:
    """The smallest patch that holds the thing: no shape reaches further than 1.24 radii."""
    return next(side for side in PATCHES if 1.24 * thing.radius + 3.5 <= side / 2)


def _place(thing: Thing, side: int) -> tuple[slice, slice]:
    """Rows and columns of the thing's patch on the canvas."""
    top, left = (round(middle) - side // 2 + _EDGE for middle in (thing.y, thing.x))
    return slice(top, top + side), slice(left, left + side)


def _points(things: Sequence[Thing], side: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """u and v [M, P, P]: the centres of a patch's pixels as the thing sees them, in pixels from its centre."""
    steps = np.arange(side, dtype=np.float32) + 0.5 - side // 2 - shift
    x = steps[None, :] + np.array([round(t.x) - t.x for t in things], np.float32)[:, None]
    y = steps[None, :] + np.array([round(t.y) - t.y for t in things], np.float32)[:, None]
    angles = np.array([t.angle for t in things])
    cos, sin = (part.astype(np.float32)[:, None, None] for part in (np.cos(angles), np.sin(angles)))
    x_M1P, y_MP1 = x[:, None, :], y[:, :, None]
    return cos * x_M1P + sin * y_MP1, cos * y_MP1 - sin * x_M1P


def _distances(things: Sequence[Thing], side: int, shift: float = 0.0) -> np.ndarray:
    """Signed distances [M, P, P] in pixels."""
    u, v = _points(things, side, shift)
    radius = np.array([thing.radius for thing in things], np.float32)[:, None, None]
    shapes = np.array([_NUMBER[thing.look.shape] for thing in things], np.intp)
    return field_at(shapes, u / radius, v / radius) * radius


def _patches(things: Sequence[Thing], side: int) -> tuple[np.ndarray, np.ndarray]:
    """The colour [M, P, P, 3] and the coverage [M, P, P, 1] of every thing."""
    distance = _distances(things, side)
    u, v = _points(things, side)
    radius = np.array([thing.radius for thing in things], np.float32)[:, None, None]
    width = np.maximum(1.8, 0.2 * radius)
    hollow, striped = (
        np.array([thing.look.filling == filling for thing in things])[:, None, None]
        for filling in ("hollow", "striped")
    )
    edge = np.where(hollow, np.abs(distance + width / 2) - width / 2, distance)
    light = 1.08 - 0.16 * np.clip((u + v) / (2 * radius) + 0.5, 0, 1)
    line = np.where(hollow, 1.0, 1 - 0.28 * np.clip(distance + 1.6, 0, 1))
    base = np.array([COLOURS[thing.look.colour] for thing in things], np.float32)[:, None, None, :]
    colour = base * (light * line)[..., None]
    wave = np.clip(1.6 * np.sin((u + v) * (4.4 / np.maximum(4.4, radius * 0.62))) + 0.5, 0, 1)
    band = (striped * wave * np.clip(-distance - 0.8, 0, 1))[..., None]
    return colour + (250 - colour) * band, np.clip(0.5 - edge, 0, 1)[..., None]


def _shades(things: Sequence[Thing], side: int) -> np.ndarray:
    """What a soft shadow leaves of the paper's light [M, P, P, 1]; a hollow thing throws one of its line only."""
    distance = _distances(things, side, _SHADOW)
    hollow = np.array([thing.look.filling == "hollow" for thing in things])[:, None, None]
    edge = np.where(hollow, np.abs(distance + 1.2) - 1.2, distance)
    return 1 - 0.22 * np.clip(0.5 - edge / 3, 0, 1)[..., None]


@cache
def _paper_of(kind: str, paper: str, second: str, step: int) -> np.ndarray:
    """A background [64, 64, 3]; `step` is its level in sixteenths."""
    first, other = (np.array(PAPERS[name], np.float32) for name in (paper, second))
    rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) + 0.5
    level = step / 16 * SIDE
    share = np.zeros((SIDE, SIDE), np.float32)
    if kind == "sky":
        share = rows / SIDE
    elif kind == "ground":
        share = np.clip(rows - level + 0.5, 0, 1)
        other = other * 0.93
    elif kind == "dots":
        near = np.hypot((rows + level) % 8 - 4, (columns + level) % 8 - 4)
        share = np.clip(1.6 - near, 0, 1)
        other = other * 0.9
    return first + (other - first) * share[..., None]


def _paper(background: Background) -> np.ndarray:
    step = int(background.level * 16)
    return _paper_of(background.kind, background.paper, background.second, step)


@cache
def _sheet() -> np.ndarray:
    """A sheet of noise from which every picture takes its own part: integers of a generator that never changes."""
    count = _SHEET + SIDE * SIDE * 3
    draws = np.random.Generator(np.random.PCG64(64)).integers(0, 1 << 16, (4, count), dtype=np.uint32)
    # The sum of four uniform numbers, brought to variance 1: exact in float32, so the same on every machine.
    return ((draws.sum(0).astype(np.float32) / 65536 - 2) * np.float32(3**0.5)).astype(np.float32)


def _noise(background: Background) -> np.ndarray:
    part = _sheet()[background.noise_at : background.noise_at + SIDE * SIDE * 3]
    return part.reshape(SIDE, SIDE, 3) * np.float32(background.noise)
