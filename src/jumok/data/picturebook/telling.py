"""What a caption says of a scene, by the rule in the package's docstring: a function of what is to be seen."""

from collections.abc import Sequence
from typing import NamedTuple

from jumok.data.picturebook.scene import Look, Scene, Thing

LANGUAGES = ("en", "ko", "fr")
WORD_CLASSES = ("number", "size", "filling", "colour", "shape", "relation", "other")

Token = tuple[str, tuple[int, ...], str]
"""A word, the things it speaks of, and its class."""


class Group(NamedTuple):
    """Things that look the same, by number."""

    look: Look
    things: tuple[int, ...]

    @property
    def many(self) -> bool:
        """Whether there are several."""
        return len(self.things) > 1


class Statement(NamedTuple):
    """A group, and perhaps how it stands to one or two others; without a relation the group is there, no more."""

    subject: Group
    relation: str = ""
    others: tuple[Group, ...] = ()


class Caption(NamedTuple):
    """The words of a caption; for each the things it speaks of and its class (of `WORD_CLASSES`)."""

    words: tuple[str, ...]
    things: tuple[tuple[int, ...], ...]
    classes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The caption as it is written."""
        return " ".join(self.words)


def with_and(clauses: Sequence[list[Token]], conjunction: str) -> list[Token]:
    """Clauses with a comma and a conjunction between them."""
    out = [*clauses[0]]
    for clause in clauses[1:]:
        word, things, kind = out.pop()
        out += [(word + ",", things, kind), (conjunction, (), "other"), *clause]
    return out


def tell(scene: Scene) -> tuple[Statement, ...]:
    """The statements that the caption makes, in order."""
    groups = _groups(scene.things)
    if len(groups) == 1:
        return (Statement(groups[0]),)
    if len(groups) == 2:
        return (_pair(groups[0], groups[1], scene.things),)
    if len(groups) == 3:
        first, middle, last = _in_line(groups, scene.things)
        return (Statement(middle, "between", (first, last)),)
    rows = sorted(groups, key=lambda group: scene.things[group.things[0]].y)
    return tuple(
        Statement(left, "left", (right,))
        for left, right in (_by_x(rows[:2], scene.things), _by_x(rows[2:], scene.things))
    )


def _groups(things: Sequence[Thing]) -> list[Group]:
    found: dict[Look, list[int]] = {}
    for number, thing in enumerate(things):
        found.setdefault(thing.look, []).append(number)
    return [Group(look, tuple(numbers)) for look, numbers in found.items()]


def _centre(group: Group, things: Sequence[Thing]) -> tuple[float, float]:
    number = len(group.things)
    return sum(things[i].x for i in group.things) / number, sum(things[i].y for i in group.things) / number


def _pair(first: Group, second: Group, things: Sequence[Thing]) -> Statement:
    for inner, outer in ((first, second), (second, first)):
        if _holds(things[outer.things[0]], things[inner.things[0]]):
            return Statement(inner, "inside", (outer,))
    (x1, y1), (x2, y2) = _centre(first, things), _centre(second, things)
    across = abs(x1 - x2) > abs(y1 - y2)
    subject, other = (first, second) if (x1 < x2 if across else y1 < y2) else (second, first)
    return Statement(subject, "left" if across else "above", (other,))


def _holds(outer: Thing, inner: Thing) -> bool:
    distance = ((outer.x - inner.x) ** 2 + (outer.y - inner.y) ** 2) ** 0.5
    return distance + inner.radius < outer.radius


def _in_line(groups: list[Group], things: Sequence[Thing]) -> list[Group]:
    """Three groups from left to right or from top to bottom, whichever way they extend further."""
    centres = [_centre(group, things) for group in groups]
    axis = max((0, 1), key=lambda k: max(c[k] for c in centres) - min(c[k] for c in centres))
    return [group for _, group in sorted(zip(centres, groups, strict=True), key=lambda pair: pair[0][axis])]


def _by_x(groups: list[Group], things: Sequence[Thing]) -> list[Group]:
    return sorted(groups, key=lambda group: things[group.things[0]].x)
