"""Pieces of text that must come through a translation unchanged: placeholders, addresses, numbers, what is to be kept.

A protected piece takes the place of the target words that looked at it. One that the model copied stays where the model
wrote it; one that it lost is put in, one that it wrote too often is taken out.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jumok.server.projection import Link, place_of, word_spans, words_in

PARTICLE = (
    r"(?<=[A-Za-z0-9/)])(?:에서는?|에는?|으?로는?|[은는이가을를와과의도만]|까지|부터|에게|이?나|이?며|이?고|이?라고|입니다|이다)"
    r"(?=[\s<>()\[\].,;:!?'\"。，…]|\Z)"
)
"""A Korean particle behind an address: it touches its word, but belongs to the sentence."""
BRACKETED = r"\([^\s<>()]*\)|\[[^\s<>\[\]]*\]"
ADDRESS = (
    rf"(?:https?://|www\.)(?:{BRACKETED}|(?!{PARTICLE})[^\s<>()\[\]])*"
    rf"(?:{BRACKETED}|(?!{PARTICLE})[^\s<>()\[\].,;:!?'\"。，、！？：；…”’」』》])"
)
"""Brackets belong to it in pairs, as in Wikipedia's; what ends a sentence does not."""
WIDTH = r"[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?(?:hh?|ll?|z)?"
BEHIND_FORMAT = r"(?![A-Za-z0-9_])"
"""Letters that may follow a format are those of scripts that write particles at their word."""
PIECES = re.compile(
    rf"{ADDRESS}|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]+@[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]*[A-Za-z0-9_]"
    r"|\{\{[^{}\n]{1,60}\}\}|[$#%]?\{[^{}\n]{0,60}\}"
    rf"|%\(\w{{1,60}}\){WIDTH}[A-Za-z]|%(?:\d{{1,2}}\$)?{WIDTH}[sdiufFgGeExXcn@]{BEHIND_FORMAT}"
    rf"|(?<!\d)%L?\d{{1,2}}(?!\.\d|\$){BEHIND_FORMAT}"
)
GLUED = re.compile(r"[A-Za-z0-9_/\\-]+")
BEHIND = re.compile(r"(?:\.?[A-Za-z0-9_/\\-]+)*")
"""What belongs to a placeholder that it touches: file_{n}.txt is one name."""
BRACKETS = {"(": ")", "[": "]", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』", "<": ">"}
SIGN = re.compile(r"[\d@{%]|://|www\.")
"""What every one of `PIECES` and every number has: most sentences have none, and are looked at once."""
NUMBER = re.compile(
    r"(?<![A-Za-z_À-ɏͰ-ӿ\d.])(?:\d[\d.,:/-]*\d|\d(?![A-Za-z_À-ɏͰ-ӿ\d]))"  # 3 of 3권 and 제3회, not of 3D
)
ENDING = re.compile(r"[.,;:!?。，？！…]+$")


@dataclass(frozen=True)
class Span:
    """A piece of a sentence, from a character to before another."""

    start: int
    end: int
    text: str
    """As a translation has it."""
    number: bool = False
    """A number in figures: it must be found, but the model may write it again (three of 3 pages)."""
    mark: str = ""
    """What is written instead of the text, where that is not what is shown to the model."""

    @property
    def written(self) -> str:
        """What the translation gets."""
        return self.mark or self.text


# ---------------------------------------------------------------- in the source


def protected(sentence: str, keep: Iterable[str] = ()) -> list[Span]:
    """Placeholders, addresses and what the caller wants kept, the longest first where they overlap."""
    found = whole_pieces(sentence)
    for text in filter(None, map(str.strip, keep)):
        found += [Span(start, start + len(text), text) for start in standing(sentence, text)]
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
    inside = covered(sentence, pieces)
    return [*pieces, *(one for one in numbers(sentence) if not any(inside[one.start : one.end]))]


def covered(sentence: str, spans: Iterable[Span]) -> bytearray:
    """Which characters of a sentence belong to pieces."""
    inside = bytearray(len(sentence))
    for span in spans:
        inside[span.start : span.end] = b"\1" * (span.end - span.start)
    return inside


def numbers(sentence: str) -> list[Span]:
    """Numbers in figures, which must be found in the translation too."""
    return [Span(match.start(), match.end(), match[0], number=True) for match in NUMBER.finditer(sentence)]


# ---------------------------------------------------------------- where a text stands


def standing(text: str, piece: str) -> Iterator[int]:
    """Where a piece stands in a text: not inside a longer word or number, as Go does in Google and 3 in 13 or 3.5.

    Only scripts with capitals are looked at: Korean particles touch their word, and others write no spaces.
    """
    start = text.find(piece)
    while start >= 0:
        end = start + len(piece)
        alone = not (_inside_before(text, start) or _inside_after(text, end))
        if alone:
            yield start
        start = text.find(piece, end if alone else start + 1)


def _inside_before(text: str, start: int) -> bool:
    """Whether what begins there continues a word or a number."""
    if not start:
        return False
    first, before = text[start], text[start - 1]
    if first.isdigit():
        return _is_of_word(before) or (before in ".," and text[start - 2 : start - 1].isdigit())
    return _is_of_word(first) and _is_of_word(before)


def _inside_after(text: str, end: int) -> bool:
    """Whether a word or a number that ends there goes on; a unit may touch its number."""
    if end == len(text):
        return False
    last, behind = text[end - 1], text[end]
    if last.isdigit():
        return behind.isdigit() or (behind in ".," and text[end + 1 : end + 2].isdigit())
    return _is_of_word(last) and _is_of_word(behind)


def _is_of_word(sign: str) -> bool:
    """Digits, underscores, and letters of scripts that have capitals."""
    return sign == "_" or sign.isdigit() or sign.lower() != sign.upper()


# ---------------------------------------------------------------- in the translation


class Copy(NamedTuple):
    """A piece in the target: from a character of one word to a character of the same word or a later one."""

    first: int
    start: int
    last: int
    end: int


def copies_of(words: Sequence[str], texts: Iterable[str], glued: Container[str] = ()) -> dict[str, list[Copy]]:
    """Where each text stands in the words, those that are `glued` also inside of words; what belongs to a longer text
    is not counted for a shorter one."""
    line, where, at = " ".join(filter(None, words)), list[tuple[int, int]](), 0
    for word in words:
        where.append((at, at + len(word)))
        at += len(word) + bool(word)
    taken = bytearray(len(line))
    found: dict[str, list[Copy]] = {}
    for text in sorted(set(texts), key=len, reverse=True):
        found[text] = []
        places = (match.start() for match in re.finditer(re.escape(text), line))
        for start in places if text in glued else standing(line, text):
            end = start + len(text)
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * len(text)
                own = words_in(where, start, end)
                found[text].append(Copy(own[0], start - where[own[0]][0], own[-1], end - where[own[-1]][0]))
    return found


def restore(sentence: str, spans: Sequence[Span], words: Sequence[str], links: Sequence[Link]) -> list[str]:
    """The target words with each protected piece as often as it was, and each number at least so often.

    There are as many texts as words: a dropped word is an empty text, and what is put in stands in the text of a word.
    """
    if not spans:
        return list(words)
    spans = sorted(spans, key=lambda one: one.start)
    if not words:
        return [" ".join(one.written for one in spans)]
    groups: dict[str, list[int]] = {}
    for number, span in enumerate(spans):
        groups.setdefault(span.text, []).append(number)
    order, inside = _Order(word_spans(sentence), links), covered(sentence, spans)
    looked_at = _looked_at(order, spans, len(words))
    glued = {one.text for one in spans if one.start not in standing(sentence, one.text)}
    copies = copies_of(words, groups, glued)
    lost, kept = list[int](), list[Copy]()
    marked, too_many = list[tuple[Copy, str]](), list[tuple[Copy, str]]()
    for text, own in groups.items():
        chosen = _chosen(own, copies[text], looked_at)
        lost += [number for number in own if number not in chosen]
        used = set(chosen.values())
        others = [copy for copy in copies[text] if copy not in used]
        once = not all(spans[number].number for number in own)
        more = sum(not inside[start] for start in standing(sentence, text)) if once else len(others)
        kept += [*chosen.values(), *others[:more]]
        marked += [(copy, spans[number].mark) for number, copy in chosen.items() if spans[number].mark]
        too_many += [(copy, "") for copy in others[more:]]
    if too_many:  # what stands around a copy that is taken out may be one when it is gone: New (New York) York
        return restore(sentence, spans, _edited(words, too_many), links)
    found = _edited(words, marked)
    _put_in(found, [(spans[number], looked_at[number]) for number in sorted(lost)], kept, order)
    return found


def _looked_at(order: "_Order", spans: Sequence[Span], count: int) -> list[list[int]]:
    """The target words that looked at each piece."""
    targets: dict[int, list[int]] = {}
    for source, target in order.links:
        targets.setdefault(source, []).append(target)
    own = [words_in(order.where, one.start, one.end) for one in spans]
    return [sorted({t for s in each for t in targets.get(s, ()) if t < count}) for each in own]


def _chosen(numbers: Sequence[int], copies: Sequence[Copy], looked_at: Sequence[Sequence[int]]) -> dict[int, Copy]:
    """The copy that each of these pieces has: one that looked at it, else the first that is left."""
    left = dict.fromkeys(copies)
    by_word: dict[int, list[Copy]] = {}
    for copy in copies:
        for word in range(copy.first, copy.last + 1):
            by_word.setdefault(word, []).append(copy)
    found: dict[int, Copy] = {}
    for own in (True, False):
        for number in numbers:
            near = (copy for word in looked_at[number] for copy in by_word.get(word, ())) if own else iter(left)
            copy = next((one for one in near if one in left), None) if number not in found else None
            if copy is not None:
                found[number] = copy
                del left[copy]
    return found


def _edited(words: Sequence[str], edits: Sequence[tuple[Copy, str]]) -> list[str]:
    """The words with other texts instead of copies; of a copy that is taken out its full stop stays."""
    found = list(words)
    for copy, text in sorted(edits, reverse=True):  # from the end: what comes before stays where it is
        rest = found[copy.first][: copy.start], found[copy.last][copy.end :]
        for word in range(copy.first, copy.last + 1):
            found[word] = ""
        whole = f"{rest[0]}{text}{rest[1]}"
        ending = None if text or any(map(str.isalnum, whole)) else ENDING.search(whole)
        if text or any(map(str.isalnum, whole)):
            found[copy.first] = whole
        elif ending and (before := next((n for n in range(copy.first - 1, -1, -1) if found[n]), None)) is not None:
            found[before] += "" if ENDING.search(found[before]) else ending[0]
    return found


class _Order(NamedTuple):
    """Words of a sentence and their links, by which what has no target of its own stands behind what came before it."""

    where: Sequence[tuple[int, int]]
    links: Sequence[Link]

    def place(self, span: Span) -> int:
        """Before which target word a piece belongs."""
        first = words_in(self.where, span.start, span.end)
        return place_of(self.links, first[0] if first else 0)


def _put_in(found: list[str], lost: Sequence[tuple[Span, Sequence[int]]], kept: Sequence[Copy], order: _Order) -> None:
    """Writes the pieces that the model lost: instead of the words that looked at them, else behind what came before."""
    taken = {word for copy in kept for word in range(copy.first, copy.last + 1)}
    inner = {word for copy in kept for word in range(copy.first + 1, copy.last + 1)}
    before: dict[int, list[str]] = {}
    last = len(found) - 1
    ending = None if last in taken else ENDING.search(found[last])
    for span, looked_at in lost:
        if free := [word for word in looked_at if word not in taken]:
            for other in free[1:]:
                found[other] = ""
            found[free[0]] = _dressed(found[free[0]], span.written)
            taken.add(free[0])
            continue
        place = order.place(span)
        while place in inner:
            place -= 1
        before.setdefault(min(place, len(found)), []).append(span.written)
    if behind := before.pop(len(found), []):
        stop = ending[0] if ending and found[last] not in {span.written for span, _ in lost} else ""
        found[last] = " ".join(filter(None, [found[last].removesuffix(stop), *behind])) + stop
    for place, texts in before.items():
        found[place] = " ".join(filter(None, [*texts, found[place]]))


def _dressed(word: str, text: str) -> str:
    """The piece instead of a word, with the punctuation that stood at the word's end."""
    end = ENDING.search(word)
    return text + end[0] if end and not text.endswith(end[0]) else text
