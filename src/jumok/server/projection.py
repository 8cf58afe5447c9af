"""Inline tags carried over by the alignment of words.

A tag pair surrounds the target words of the source words it surrounded; pairs are drawn from a tree, so that they are
well-formed whatever the alignment says.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

Link = tuple[int, int]
DEEPEST = 50
"""Elements inside each other that are drawn so; what is deeper stands behind its element instead of inside it."""


def word_spans(sentence: str) -> list[tuple[int, int]]:
    """Where each word of a sentence stands."""
    return [match.span() for match in re.finditer(r"\S+", sentence)]


def words_in(spans: Sequence[tuple[int, int]], start: int, end: int) -> range:
    """The numbers of the words that a piece touches."""
    first = bisect_right(spans, start, key=lambda span: span[1])
    return range(first, max(first, bisect_left(spans, end, key=lambda span: span[0])))


def usable(links: Sequence[Link], sources: int, targets: int) -> list[Link]:
    """The links between words that exist; those of a diagonal where the model shows none."""
    good = [(s, t) for s, t in links if 0 <= s < sources and 0 <= t < targets]
    if good or not sources:
        return good
    return [(min(sources - 1, t * sources // max(1, targets)), t) for t in range(targets)]


def place_of(links: Sequence[Link], first: int) -> int:
    """Before which target word something belongs whose own words have no link: behind what came before it."""
    return max((t + 1 for s, t in links if s < first), default=0)


@dataclass(frozen=True)
class Tag:
    """A tag that stood before a character of the sentence."""

    at: int
    text: str
    name: str
    kind: str
    """open, close or alone."""


@dataclass
class Element:
    """A pair of tags around words, with what is inside; a tag alone has no close."""

    open: str
    close: str
    start: int
    end: int
    inside: "list[Element]"


def balanced(tags: Sequence[Tag]) -> tuple[list[Tag], list[Element], list[Tag]]:
    """Closing tags of elements that began before, the elements of this sentence, and opening tags that end later."""
    before: list[Tag] = []
    root: list[Element] = []
    under_way: list[tuple[Tag, list[Element]]] = []
    for tag in tags:
        inside = under_way[-1][1] if under_way else root
        if tag.kind == "alone":
            inside.append(Element(tag.text, "", tag.at, tag.at, []))
        elif tag.kind == "open":
            under_way.append((tag, []))
        elif under_way and under_way[-1][0].name == tag.name:
            opened, children = under_way.pop()
            parent = under_way[-1][1] if under_way else root
            deep = len(under_way) >= DEEPEST
            parent.append(Element(opened.text, tag.text, opened.at, tag.at, [] if deep else children))
            parent += children if deep else ()
        else:
            before.append(tag)
    for _, children in under_way:
        root += children
    return before, root, [tag for tag, _ in under_way]


def wrap(sentence: str, elements: Sequence[Element], words: Sequence[str], links: Sequence[Link]) -> str:
    """The target words with the elements around them; well-formed for any links."""
    where = word_spans(sentence)

    def target_of(element: Element) -> tuple[int, int]:
        own = words_in(where, element.start, element.end)
        places = [t for s, t in links if s in own and t < len(words)]
        if places:
            return min(places), max(places) + 1
        first = next((n for n, (_, stop) in enumerate(where) if stop > element.start), len(where))
        place = min(place_of(links, first), len(words))
        return place, place

    def drawn(elements: Sequence[Element], low: int, high: int) -> str:
        placed = sorted((target_of(one), number) for number, one in enumerate(elements))
        parts: list[str] = []
        at = low
        for (start, end), number in placed:
            start, end = min(max(start, at), high), min(max(end, at), high)
            element = elements[number]
            parts += words[at:start]
            inner = drawn(element.inside, start, max(start, end))
            parts.append(f"\0{element.open}{inner}{element.close}\0")
            at = max(start, end)
        parts += words[at:high]
        return " ".join(part for part in parts if part)

    return _tidy(drawn(elements, 0, len(words)))


def _tidy(text: str) -> str:
    """Without the marks at which empty elements would leave two spaces."""
    return re.sub(r" +", " ", text.replace("\0", "")).strip()
