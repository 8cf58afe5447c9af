"""Scenes drawn at random: what kind of scene, which things, where."""

from random import Random

from jumok.data.picturebook.scene import (
    BACKGROUNDS,
    COLOURS,
    FILLINGS,
    HELD_OUT,
    PAPERS,
    SHAPES,
    SIZES,
    Background,
    Look,
    Scene,
    Thing,
)

SIDE = 64
MIDDLE = SIDE / 2
HOLDERS = ("circle", "square", "diamond", "heart")
"""Shapes that have room for another thing when they are hollow."""
HOLDER_RADIUS = (17.0, 20.0)
_TURN = 0.17
_SHEET = 1 << 16
_KNOWN = tuple((colour, shape) for colour in COLOURS for shape in SHAPES if (colour, shape) not in HELD_OUT)
_NEW = tuple(sorted(HELD_OUT))


class Sampler:
    """Draws scenes; with `compose` each has a combination of colour and shape that the others never have."""

    def __init__(self, random: Random, compose: bool = False) -> None:
        self._random, self._compose = random, compose
        self._kinds = (
            (self.one, 0.12), (self.count, 0.16), (self.pair, 0.24), (self.inside, 0.12),
            (self.between, 0.12), (self.counted_pair, 0.14), (self.rows, 0.10),
        )  # fmt: skip

    def scene(self) -> Scene:
        """The next scene."""
        kinds, shares = zip(*self._kinds, strict=True)
        things = self._random.choices(kinds, shares)[0]()
        return Scene(tuple(things), self.background())

    # -- kinds of scenes

    def one(self) -> list[Thing]:
        """A thing alone, anywhere."""
        (look,) = self.looks(1)
        radius = self.radius(look)
        return [self.put(look, self._within(radius), self._within(radius), radius)]

    def count(self) -> list[Thing]:
        """Two to four things that look the same, anywhere."""
        (look,) = self.looks(1)
        number = self._random.randint(2, 4)
        radius = self.radius(look, most=10.8)
        return [self.put(look, x, y, radius) for x, y in self._scattered(number, radius)]

    def pair(self) -> list[Thing]:
        """Two different things beside or above each other."""
        first, second = self.looks(2)
        return self._turned([(first, 16.0, MIDDLE), (second, 48.0, MIDDLE)], 10.8, 2.5)

    def inside(self) -> list[Thing]:
        """A small thing in a big hollow one."""
        inner, outer = self.looks(2)
        outer = self._holder(outer, inner)
        inner = inner._replace(size="small")
        radius = self._random.uniform(*HOLDER_RADIUS)
        x, y = (self._random.uniform(radius * 1.15 + 2, SIDE - radius * 1.15 - 2) for _ in range(2))
        centre = (x + self._jitter(1), y + self._jitter(1))
        return [self.put(outer, x, y, radius), self.put(inner, *centre, self.radius(inner, most=5.8))]

    def between(self) -> list[Thing]:
        """Three different things in a line."""
        looks = self.looks(3)
        return self._turned([(look, 11.5 + 20.5 * place, MIDDLE) for place, look in enumerate(looks)], 8.4, 0.6)

    def counted_pair(self) -> list[Thing]:
        """Two or three things that look the same, beside or above another."""
        many, single = self.looks(2)
        number = self._random.randint(2, 3)
        step = SIDE / number
        places = [(many, 15.0, step * (place + 0.5)) for place in range(number)] + [(single, 48.0, MIDDLE)]
        if self._random.random() < 0.5:  # the single one comes first
            places = [(look, SIDE - x, y) for look, x, y in places]
        return self._turned(places, 8.4, 0.6)

    def rows(self) -> list[Thing]:
        """Four different things, two above two."""
        places = [(16.0, 16.0), (48.0, 16.0), (16.0, 48.0), (48.0, 48.0)]
        looks = self.looks(4)
        return [
            self.put(look, x + self._jitter(2.5), y + self._jitter(2.5), self.radius(look, most=10.8))
            for look, (x, y) in zip(looks, places, strict=True)
        ]

    # -- parts

    def looks(self, number: int) -> list[Look]:
        """Different looks; where combinations are composed, at least one is new."""
        found: list[Look] = []
        while len(found) < number:
            new = self._compose and (not found or self._random.random() < 0.3)
            look = self._look(self._random.choice(_NEW if new else _KNOWN))
            if look not in found:
                found.append(look)
        self._random.shuffle(found)
        return found

    def _look(self, combination: tuple[str, str]) -> Look:
        colour, shape = combination
        return Look(shape, colour, self._random.choice(tuple(SIZES)), self._random.choices(FILLINGS, (6, 2, 2))[0])

    def _holder(self, look: Look, inner: Look) -> Look:
        """The look as a big hollow thing with room inside, and as a combination that the split may have."""
        new = (look.colour, look.shape) in HELD_OUT
        allowed = [shape for shape in HOLDERS if ((look.colour, shape) in HELD_OUT) == new] or [
            shape for shape in HOLDERS if (look.colour, shape) not in HELD_OUT
        ]
        if self._compose and (inner.colour, inner.shape) not in HELD_OUT:
            new_ones = [one for one in _NEW if one[1] in HOLDERS]
            colour, shape = self._random.choice(new_ones)
            return Look(shape, colour, "big", "hollow")
        return Look(self._random.choice(allowed), look.colour, "big", "hollow")

    def put(self, look: Look, x: float, y: float, radius: float) -> Thing:
        """The thing in its place, or as near to it as the picture's edge lets it be, turned a little."""
        least = 1.24 * radius + 1
        x, y = (min(max(place, least), SIDE - least) for place in (x, y))
        return Thing(look, x, y, radius, self._jitter(_TURN))

    def radius(self, look: Look, most: float = 99.0) -> float:
        """A radius of the look's size."""
        low, high = SIZES[look.size]
        return self._random.uniform(low, min(high, most))

    def background(self) -> Background:
        """A paper with its noise."""
        random = self._random
        paper, second = random.sample(tuple(PAPERS), 2)
        kind = random.choice(BACKGROUNDS)
        return Background(kind, paper, second, random.uniform(0.2, 0.8), random.uniform(0, 7), random.randrange(_SHEET))

    def _turned(self, places: list[tuple[Look, float, float]], most: float, jitter: float) -> list[Thing]:
        """Things that were laid out from left to right, in half of the scenes from top to bottom."""
        across = self._random.random() < 0.5
        things: list[Thing] = []
        for look, along, beside in places:
            along, beside = along + self._jitter(jitter), beside + self._jitter(jitter)
            x, y = (along, beside) if across else (beside, along)
            things.append(self.put(look, x, y, self.radius(look, most)))
        return things

    def _scattered(self, number: int, radius: float) -> list[tuple[float, ...]]:
        """Places that do not touch: each in a field of its own, of four for big things and nine for small ones."""
        across = 2 if radius > SIZES["small"][1] else 3
        field = SIDE / across
        room = field / 2 - 1.2 * radius - 0.5
        chosen = self._random.sample(range(across * across), number)
        return [
            tuple((part + 0.5) * field + self._jitter(room) for part in (place % across, place // across))
            for place in chosen
        ]

    def _within(self, radius: float) -> float:
        margin = 1.2 * radius + 1
        return self._random.uniform(margin, SIDE - margin)

    def _jitter(self, most: float) -> float:
        return self._random.uniform(-most, most)
