"""Glyphs: the strokes of each class, in the unit square, as its alphabet likes them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from jumok.text.seeds import stable_seed

LETTERS = 24
"""Letters of an alphabet."""
CONTROL_POINTS = 4
_EDGE = 0.14
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


@dataclass(frozen=True)
class Style:
    """What the letters of an alphabet have in common."""

    strokes: tuple[int, int]
    """The fewest and the most."""
    curl: float
    """How far strokes bend: 0 is straight."""
    grid: int
    """Strokes begin and end on a grid of so many lines: letters of one alphabet meet the same heights."""
    joined: float
    """How often a stroke begins where the last one ended."""


@dataclass(frozen=True)
class Glyph:
    """A letter: cubic Bézier curves [strokes, 4, 2], x to the right and y down."""

    strokes_SP2: np.ndarray


@lru_cache(maxsize=64)
def glyph(seed: int, class_number: int) -> Glyph:
    """The glyph of a class."""
    style = style_of(seed, class_number // LETTERS)
    random = np.random.default_rng(stable_seed(seed, "glyph", class_number))
    strokes: list[np.ndarray] = []
    for _ in range(random.integers(style.strokes[0], style.strokes[1] + 1)):
        joined = strokes[-1][-1] if strokes and random.random() < style.joined else None
        strokes.append(_stroke(style, random, joined))
    return Glyph(np.stack(strokes))


def style_of(seed: int, alphabet: int) -> Style:
    """The style of an alphabet."""
    random = np.random.default_rng(stable_seed(seed, "alphabet", alphabet))
    fewest = int(random.integers(2, 4))
    return Style(
        (fewest, fewest + int(random.integers(1, 3))),
        float(random.choice([0.05, 0.3, 0.6])),
        int(random.integers(3, 6)),
        float(random.uniform(0.2, 0.8)),
    )


def name_of(seed: int, class_number: int) -> str:
    """`Kavuro 7`: the alphabet and the letter's number in it."""
    alphabet, letter = divmod(class_number, LETTERS)
    random = np.random.default_rng(stable_seed(seed, "name", alphabet))
    syllables = (random.choice(list(_CONSONANTS)) + random.choice(list(_VOWELS)) for _ in range(3))
    return f"{''.join(syllables).capitalize()} {letter + 1}"


def _stroke(style: Style, random: np.random.Generator, begin: np.ndarray | None) -> np.ndarray:
    """A cubic Bézier curve [4, 2] that is long enough to be seen."""
    begin = _place(style, random) if begin is None else begin
    end = _place(style, random)
    while np.linalg.norm(end - begin) < 0.3:
        end = _place(style, random)
    thirds = begin + np.array([[1 / 3], [2 / 3]]) * (end - begin)
    # Both handles lean to the same side more often than not: arcs are easier to write than waves.
    side = np.array([end[1] - begin[1], begin[0] - end[0]])
    lean = random.normal(0, style.curl) + random.normal(0, style.curl / 2, size=(2, 1))
    return np.clip(np.vstack([begin, thirds + lean * side, end]), 0.05, 0.95)


def _place(style: Style, random: np.random.Generator) -> np.ndarray:
    return _EDGE + (1 - 2 * _EDGE) * random.integers(0, style.grid, size=2) / (style.grid - 1)
