"""Texts as what stays and sentences to translate, with the tags and protected pieces that they must come back with."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import NamedTuple

from jumok.server import html
from jumok.server.pieces import Span, fixed_spans
from jumok.server.projection import Tag
from jumok.server.runs import ServedRun
from jumok.server.sentences import Split, has_letter, split
from jumok.text.tokenizer import Tokenizer

MARKS = 0xD800
"""The first mark of a kept element, a lone surrogate: neither a text nor what a model writes has such."""
FOLDED = re.compile(r"  |[\t\n\r\f]")
"""White space of HTML that is the same as one space."""
REPEATED = 10
"""Tags that surround several sentences are written again in each, up to so many times the length of their block."""


class Piece(NamedTuple):
    """A sentence with its tags, on the way to a worker; `fixed` are the spans that must come back as they are."""

    sentence: str
    line: str
    """What the model gets: the sentence, or a calmer one."""
    fixed: tuple[Span, ...]
    tags: tuple[Tag, ...] = ()
    escaped: bool = False
    kept: tuple[str, ...] = ()
    """Elements of HTML that stay as they are, for which the translation has `MARKS`."""

    @property
    def linked(self) -> bool:
        """Whether something follows the links between words."""
        return bool(self.fixed or self.tags)

    @property
    def shown(self) -> str:
        """The sentence without elements that stay as they are."""
        parts, at = list[str](), 0
        for span in self.fixed[: len(self.kept)]:
            parts += [self.sentence[at : span.start], " "]
            at = span.end
        return "".join([*parts, self.sentence[at:]])

    @property
    def shouts(self) -> bool:
        """Whether its capitals were taken away for the model."""
        return self.line != self.sentence


class Planned(NamedTuple):
    """Sentences of a text and what stands between them, as it is written."""

    split: Split
    pieces: tuple[Piece, ...]


def plan(text: str, run: ServedRun, markup: bool, keep: Sequence[str]) -> list[str | Planned]:
    """A text as markup that stays and sentences to translate."""
    if not markup:
        parts = split(text, run.source, fits=run.fits)
        return [Planned(parts, tuple(piece_of(sentence, run, keep) for sentence in parts.sentences))]
    found: list[str | Planned] = []
    for block in html.blocks(text):
        found.append(block.markup if block.text is None else plan_block(block, run, keep))
    return found


def piece_of(sentence: str, run: ServedRun, keep: Sequence[str]) -> Piece:
    """A sentence without tags."""
    return Piece(sentence, calm(sentence, run.tokenizer), tuple(fixed_spans(sentence, keep)))


def calm(sentence: str, tokenizer: Tokenizer) -> str:
    """A sentence all in capitals as an ordinary one: models have rarely seen shouting.

    A word alone may be an abbreviation: it becomes what the vocabulary writes in the fewest tokens.
    """
    if not sentence.isupper():
        return sentence
    if len(sentence.split()) > 1:
        return sentence.capitalize()
    forms = (sentence, sentence.capitalize(), sentence.lower())
    return min(forms, key=lambda one: len(tokenizer.encode(one)))


# ---------------------------------------------------------------- tags


END = 1 << 30
"""Behind every text."""


class Stretch(NamedTuple):
    """A part of a block: a sentence, or what stands between two and is not translated."""

    start: int
    end: int
    sentence: bool


def plan_block(block: html.Block, run: ServedRun, keep: Sequence[str]) -> Planned:
    """The sentences of a block, each with the tags inside it; what stands between them has its own already."""
    assert block.text is not None
    shown = re.sub(r"[\t\n\r\f]", " ", block.text)  # a line of HTML may end anywhere
    stretches = stretches_of(split(shown, run.source, fits=run.fits), block.kept)
    tags = tags_of(block, stretches)
    gaps, pieces = [""], list[Piece]()
    for stretch, own in zip(stretches, tags, strict=True):
        text = block.text[stretch.start : stretch.end]
        kept = [moved(one, -stretch.start) for one in block.kept if stretch.start <= one.start < stretch.end]
        if stretch.sentence and has_letter(html.without(text, kept)):
            pieces.append(marked_piece(text, own, kept, run, keep))
            gaps.append("")
        else:
            gaps[-1] += written(text, own, kept)
    return Planned(Split(tuple(one.sentence for one in pieces), tuple(gaps)), tuple(pieces))


def marked_piece(
    text: str, tags: Sequence[Tag], kept: Sequence[html.Kept], run: ServedRun, keep: Sequence[str]
) -> Piece:
    """A sentence of HTML."""
    sentence, places = folded(text)
    kept = [html.Kept(places[one.start], places[one.end], one.markup) for one in kept]
    marked = [Span(one.start, one.end, sentence[one.start : one.end], mark=chr(MARKS + number))
              for number, one in enumerate(kept)]  # fmt: skip
    fixed = fixed_spans(html.without(sentence, kept), keep)
    moved_tags = tuple(replace(tag, at=places[tag.at]) for tag in tags)
    return Piece(sentence, calm(sentence, run.tokenizer), (*marked, *fixed), moved_tags, escaped=True,
                 kept=tuple(one.markup for one in kept))  # fmt: skip


def folded(text: str) -> tuple[str, Sequence[int]]:
    """A text with single spaces, and where each of its characters, and its end, stands then."""
    if not FOLDED.search(text):
        return text, range(len(text) + 1)
    signs, places = list[str](), list[int]()
    for sign in text:
        places.append(len(signs))
        white = sign in " \t\n\r\f"
        if not (white and signs and signs[-1] == " "):
            signs.append(" " if white else sign)
    return "".join(signs), [*places, len(signs)]


def moved(one: html.Kept, by: int) -> html.Kept:
    """A kept element at another place."""
    return html.Kept(one.start + by, one.end + by, one.markup)


def stretches_of(parts: Split, kept: Sequence[html.Kept] = ()) -> list[Stretch]:
    """Where the sentences of a text stand, and what is between them; no kept element is cut."""
    found: list[Stretch] = []
    at = 0
    for gap, sentence in zip(parts.gaps, (*parts.sentences, ""), strict=True):
        found.append(Stretch(at, at := at + len(gap), sentence=False))
        found.append(Stretch(at, at := at + len(sentence), sentence=True))
    whole: list[Stretch] = []
    for one in found[:-1]:
        if whole and any(each.start < one.start < each.end for each in kept):
            one = Stretch(whole.pop().start, one.end, sentence=True)
        whole.append(one)
    return whole


def tags_of(block: html.Block, stretches: Sequence[Stretch]) -> list[list[Tag]]:
    """The tags of each stretch, as places in it.

    White space has none: a tag between two sentences belongs to the next one, a closing tag at the end of a sentence to
    that one.
    """
    text = block.text or ""
    full = [number for number, one in enumerate(stretches) if text[one.start : one.end].strip()]
    placed = list(zip(owners([stretches[number].end for number in full], block.tags), block.tags, strict=True))
    found: list[list[Tag]] = [[] for _ in stretches]
    for number, tag in repeated(placed, REPEATED * len(block.markup)):
        stretch = stretches[full[number]]
        at = min(stretch.end, max(stretch.start, tag.at)) - stretch.start
        found[full[number]].append(replace(tag, at=at))
    return found


def owners(ends: Sequence[int], tags: Sequence[Tag]) -> list[int]:
    """The number of the stretch that each tag belongs to, in their order; `ends` are those of the stretches."""
    found: list[int] = []
    number = 0
    for tag in tags:
        while number < len(ends) - 1 and (ends[number] < tag.at or (ends[number] == tag.at and tag.kind != "close")):
            number += 1
        found.append(number)
    return found


def repeated(placed: Sequence[tuple[int, Tag]], most: int) -> list[tuple[int, Tag]]:
    """The tags with their stretches, where a pair around several is closed at the end of each and opened in the next.

    As they are where they are no pairs, or where more than `most` characters would be added.
    """
    found: list[tuple[int, Tag]] = []
    opened: list[Tag] = []
    here = 0
    for number, tag in placed:
        while here < number and most >= 0:
            found += [(here, Tag(END, f"</{one.name}>", one.name, "close")) for one in reversed(opened)]
            here += 1
            found += [(here, replace(one, at=0)) for one in opened]
            most -= sum(len(one.text) + len(one.name) + 3 for one in opened)
        if tag.kind == "open":
            opened.append(tag)
        elif tag.kind == "close" and (not opened or opened.pop().name != tag.name):
            return list(placed)
        if most < 0:
            return list(placed)
        found.append((number, tag))
    return list(placed) if opened else found


def written(text: str, tags: Sequence[Tag], kept: Sequence[html.Kept] = ()) -> str:
    """What is not translated, as HTML."""
    parts, at = list[str](), 0
    here = [*((tag.at, tag.at, tag.text) for tag in tags), *kept]
    for start, end, markup in sorted(here, key=lambda one: one[0]):
        parts += [escape(text[at:start], quote=False), markup]
        at = end
    return "".join([*parts, escape(text[at:], quote=False)])
