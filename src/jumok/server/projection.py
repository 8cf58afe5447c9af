"""What must come through a translation unchanged: inline tags by the alignment of words, and protected pieces of text.

A protected piece (a placeholder, an address, a name that must not be translated) takes the place of the target words
that looked at it. A tag pair surrounds the target words of the source words it surrounded; pairs are drawn from a tree,
so that they are well-formed whatever the alignment says.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Link = tuple[int, int]
PIECES = re.compile(
    r"https?://[^\s<>]+[^\s<>.,;:!?)\]'\"]|www\.[^\s<>]+[^\s<>.,;:!?)\]'\"]|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|\{\{[^{}\n]{1,60}\}\}|\$?\{[^{}\n]{0,60}\}|%\(\w{1,60}\)[sdif]|%(?:\d\$)?[sdif@]\b"
)
GLUED = re.compile(r"[A-Za-z0-9_/\\-]+")
BEHIND = re.compile(r"(?:\.?[A-Za-z0-9_/\\-]+)*")
"""What belongs to a placeholder that it touches: file_{n}.txt is one name."""
BRACKETS = {"(": ")", "[": "]", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』", "<": ">"}
SIGN = re.compile(r"[\d@{%]|://|www\.")
"""What every one of `PIECES` and every number has: most sentences have none, and are looked at once."""
DEEPEST = 50
"""Elements inside each other that are drawn so; what is deeper stands behind its element instead of inside it."""
NUMBER = re.compile(r"(?<![\w.])\d[\d.,:/-]*\d|(?<![\w.])\d(?!\w)")


@dataclass(frozen=True)
class Span:
    """A piece of a sentence, from a character to before another."""

    start: int
    end: int
    text: str


def protected(sentence: str, keep: Iterable[str] = ()) -> list[Span]:
    """Placeholders, addresses and what the caller wants kept, the longest first where they overlap."""
    found = whole_pieces(sentence)
    for text in keep:
        if text in sentence:
            found += [Span(m.start(), m.end(), m[0]) for m in re.finditer(re.escape(text), sentence)]
    free = bytearray(b"\1") * len(sentence)
    taken: list[Span] = []
    for span in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        if all(free[span.start : span.end]):
            taken.append(span)
            free[span.start : span.end] = bytes(span.end - span.start)
    return sorted(taken, key=lambda one: one.start)


def whole_pieces(sentence: str) -> list[Span]:
    """Placeholders and addresses with the letters and brackets that they touch; those that touch are one."""
    found: list[tuple[int, int]] = []
    before = {match.end(): match.start() for match in GLUED.finditer(sentence)}
    for match in PIECES.finditer(sentence):
        behind = BEHIND.match(sentence, match.end())
        start, end = before.get(match.start(), match.start()), behind.end() if behind else match.end()
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        free = found[-1][1] if found else 0
        if free < start and end < len(sentence) and BRACKETS.get(sentence[start - 1]) == sentence[end]:
            start, end = start - 1, end + 1
        found.append((start, end))
    return [Span(start, end, sentence[start:end]) for start, end in found]


def fixed_spans(sentence: str, keep: Sequence[str] = ()) -> list[Span]:
    """All that a translation must have as it was: protected pieces, and numbers outside of them."""
    if not keep and not SIGN.search(sentence):
        return []
    pieces = protected(sentence, keep)
    inside = bytearray(len(sentence))
    for span in pieces:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    return [*pieces, *(one for one in numbers(sentence) if not inside[one.start])]


def numbers(sentence: str) -> list[Span]:
    """Numbers in figures, which must be found in the translation too."""
    return [Span(match.start(), match.end(), match[0]) for match in NUMBER.finditer(sentence)]


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


def restore(sentence: str, spans: Sequence[Span], words: Sequence[str], links: Sequence[Link]) -> list[str]:
    """The target words with each protected piece once, exactly as it was; a dropped word is an empty text."""
    if not spans:
        return list(words)
    where, looked_at = word_spans(sentence), targets_of(links)
    found, written = list(words), " ".join(words)
    wanted = Counter(one.text for one in spans)
    taken = {t for t, word in enumerate(found) if any(text in word for text in wanted)}
    for span in spans:
        if written.count(span.text) >= wanted[span.text]:
            continue
        own = words_in(where, span.start, span.end)
        places = sorted({t for s in own for t in looked_at.get(s, ()) if t < len(found)})
        free = [t for t in places if t not in taken]
        if free:
            found[free[0]] = _dressed(found[free[0]], span.text)
            taken.add(free[0])
            for other in free[1:]:
                found[other] = _dressed(found[other], "")
        elif found:
            place = min(place_of(links, own[0] if own else 0), len(found) - 1)
            found[place] = f"{span.text} {found[place]}".strip()
            taken.add(place)
        else:
            found = [span.text]
    return found


def targets_of(links: Sequence[Link]) -> dict[int, list[int]]:
    """The target words that each source word is linked to."""
    found: dict[int, list[int]] = {}
    for source, target in links:
        found.setdefault(source, []).append(target)
    return found


def _dressed(word: str, text: str) -> str:
    """The piece instead of a word, with the punctuation that stood at the word's end."""
    end = re.search(r"[.,;:!?。，？！…]+$", word)
    return text + end[0] if end and text and not text.endswith(end[0]) else text


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
