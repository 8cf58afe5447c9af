"""HTML as blocks of text with inline tags; markup, scripts and comments stay as they are, and nothing is executed."""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from jumok.server.projection import Tag
from jumok.server.sentences import has_letter

# What is never closed ends with the document, as browsers read it: so no text is looked at twice.
# A value in quotation marks may have any sign in it; what was taken is not given back, so that looking takes no longer
# for being in vain.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<![^>]*(?:>|\Z)|<\?[^>]*(?:>|\Z)"
    r"|</?[A-Za-z](?:=[ \t\r\n]{0,9}\"[^\"]*\"|=[ \t\r\n]{0,9}'[^']*'|[^<>])*+>|</?[A-Za-z][^<>]*>",
    re.DOTALL,
)
_NAME = re.compile(r"</?([A-Za-z][\w:-]*)")
INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "tt",
        "u",
        "var",
        "wbr",
        "x",
        "g",
        "ph",
    ]
)
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "x", "ph"]
)
WHOLE = frozenset(["script", "style", "pre", "textarea", "noscript", "svg", "math"])
_KEPT = re.compile(r"""\btranslate\s*=\s*["']?no\b|\bclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)
_TOKEN_SHOWN = re.compile(r"\w+(?:[.'’/_-]\w+)*")
LONGEST_SHOWN = 40
REPEATED = 10
"""Tags around several lines are written again in each, up to so many times the length of the document."""
MOST_KEPT = 2000
"""Elements inside one block that stay as they are; each has a mark of its own."""


class Kept(NamedTuple):
    """An element that stays as it is inside a sentence, and where the text has what stands for it."""

    start: int
    end: int
    markup: str


@dataclass(frozen=True)
class Block:
    """Markup; with a text to translate, its entities resolved, and inline tags where it is not to stay as it is."""

    markup: str
    text: str | None = None
    tags: tuple[Tag, ...] = ()
    kept: tuple[Kept, ...] = ()


def blocks(document: str) -> list[Block]:
    """The parts of a document, in order."""
    reader = _Reader(document)
    at = 0
    while match := _TOKEN.search(document, at):
        reader.add_text(document[at : match.start()])
        at = reader.take(match)
    reader.add_text(document[at:])
    reader.end(whole=True)
    return reader.found


def without(text: str, kept: Iterable[Kept]) -> str:
    """The text with spaces for what stays as it is."""
    for one in kept:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text


class _Reader:
    """Blocks as they come. An inline element that a block cuts in two is closed there and opened again behind."""

    def __init__(self, document: str) -> None:
        self.document = document
        self._most = REPEATED * len(document)
        self._most_crossing = len(document)
        """Characters by which pairs that cross each other may make the document longer."""
        self.found: list[Block] = []
        self._outside: list[str] = []
        """Names of inline elements around the block, whose tags are blocks of their own."""
        self._begin()

    def _begin(self, again: Sequence[Tag] = ()) -> None:
        """A new block, in which some elements are opened again."""
        self.raw, self.text = "", ""
        self.tags: list[Tag] = []
        self.kept: list[Kept] = []
        self._ends: list[int] = []
        """Where each tag ends in `raw`."""
        self._opened: list[int] = []
        """Which of the tags are open."""
        self._again = len(again)
        for tag in again:
            self._add(tag.text, tag.name, "open")

    def add_text(self, escaped: str) -> None:
        """Text as it is written in the document."""
        self.raw += escaped
        self.text += html.unescape(escaped)

    def take(self, match: re.Match[str]) -> int:
        """A tag or other markup; gives where the document goes on."""
        tag, at = match[0], match.end()
        named = _NAME.match(tag)
        name, closes = named[1].lower() if named else "", tag.startswith("</")
        if name in WHOLE or (named and not closes and name not in VOID and _KEPT.search(tag)):
            at = at if closes else _end_of(self.document, name, at)
            markup = self.document[match.start() : at]
            if name in INLINE and len(self.kept) < MOST_KEPT and _is_inline(markup):
                self._keep(markup, name)
            else:
                self._between(markup)
        elif name not in INLINE:
            self._between(tag, inside=name == "br" or not name)
        elif closes:
            self._close(tag, name)
        else:
            self._add(tag, name, "alone" if name in VOID or tag.endswith("/>") else "open")
        return at

    def _add(self, markup: str, name: str, kind: str) -> None:
        self.raw += markup
        if kind == "open":
            self._opened.append(len(self.tags))
        self.tags.append(Tag(len(self.text), markup, name, kind))
        self._ends.append(len(self.raw))

    def _keep(self, markup: str, name: str) -> None:
        """An element inside a sentence that stays as it is: the model sees its first word."""
        shown = _TOKEN_SHOWN.search(html.unescape(_TOKEN.sub(" ", markup)))
        if shown is None:
            self._add(markup, name, "alone")
            return
        start = len(self.text)
        self.raw += markup
        self.text += shown[0][:LONGEST_SHOWN]
        self.kept.append(Kept(start, len(self.text), markup))

    def _close(self, tag: str, name: str) -> None:
        """A closing tag: of this block, of an element around it, or of none."""
        if not self._opened and name in self._outside:
            self.end()
            while self._outside.pop() != name:
                pass
            self.found.append(Block(tag))
            self._begin()
            return
        if self._opened and self.tags[self._opened[-1]].name == name:
            self._close_last(tag, name)
        elif self._most_crossing > 0 and any(self.tags[place].name == name for place in self._opened):
            self._close_around(tag, name)
        else:
            self._add(tag, name, "close")

    def _close_last(self, tag: str, name: str) -> None:
        """The closing tag of the element that was opened last."""
        place = self._opened.pop()
        if place < self._again and place == len(self.tags) - 1 and not self.text:
            self._again = place  # opened again for nothing
            self._take_out(place)
        else:
            self._add(tag, name, "close")

    def _close_around(self, tag: str, name: str) -> None:
        """A closing tag before those of elements inside of its own: as in browsers these end there too, and go on
        behind it."""
        inside: list[Tag] = []
        while (opened := self.tags[self._opened.pop()]).name != name:
            inside.insert(0, opened)
            self._add(f"</{opened.name}>", opened.name, "close")
        self._add(tag, name, "close")
        for one in inside:
            self._add(one.text, one.name, "open")
        self._most_crossing -= sum(len(one.text) + len(one.name) + 3 for one in inside)

    def _take_out(self, place: int) -> None:
        """Leaves out the last tag."""
        end = self._ends.pop(place)
        self.raw = self.raw[: end - len(self.tags[place].text)] + self.raw[end:]
        del self.tags[place]

    def _between(self, markup: str, inside: bool = False) -> None:
        """Markup that ends a block. Open elements are opened again behind it if it is no more than a line break, which
        may stand `inside` a sentence; else they stay around it."""
        inside = inside and self._most > 0
        again = self.end(whole=self._most <= 0, around=not inside)
        self._most -= sum(len(tag.text) + len(tag.name) + 3 for tag in again)
        if not inside:
            self.found += [Block(tag.text) for tag in again]
            self._outside += [tag.name for tag in again]
        self.found.append(Block(markup))
        self._begin(again if inside else ())

    def end(self, whole: bool = False, around: bool = True) -> list[Tag]:
        """Ends the block; gives the tags of elements that are closed here and go on behind it.

        Not closed are those that open before the first word, where they may be `around` several blocks, and with
        `whole` all: the block ends before them.
        """
        first = next((at for at, sign in enumerate(self.text) if sign.isalpha()), len(self.text))
        self._split([one for one in self._opened if whole or (around and self.tags[one].at <= first)])
        again: list[Tag] = []
        while self._opened and self._opened[-1] == len(self.tags) - 1 and not self.text[self.tags[-1].at :].strip():
            again.insert(0, self.tags[-1])
            self._take_out(self._opened.pop())
        opened = [self.tags[place] for place in self._opened]
        for tag in reversed(opened):
            self._add(f"</{tag.name}>", tag.name, "close")
        self._emit(self.raw, self.text, self.tags, self.kept)
        return [*opened, *again]

    def _split(self, places: Sequence[int]) -> None:
        """Makes blocks of what is before each of these tags, and one of the tag; the rest goes on."""
        if not places:
            return
        tags = at = written = kept = 0
        for place in places:
            tag, end = self.tags[place], self._ends[place]
            own = _tags_from(self.tags[tags:place], at)
            upto = next((n for n in range(kept, len(self.kept)) if self.kept[n].end > tag.at), len(self.kept))
            here = _kept_from(self.kept[kept:upto], at)
            self._emit(self.raw[written : end - len(tag.text)], self.text[at : tag.at], own, here)
            self.found.append(Block(tag.text))
            self._outside.append(tag.name)
            tags, at, written, kept = place + 1, tag.at, end, upto
        self.raw, self.text = self.raw[written:], self.text[at:]
        self.tags = _tags_from(self.tags[tags:], at)
        self.kept = _kept_from(self.kept[kept:], at)
        self._ends = [one - written for one in self._ends[tags:]]
        self._opened = [one - tags for one in self._opened[len(places) :]]
        self._again = max(0, self._again - tags)

    def _emit(self, raw: str, text: str, tags: Sequence[Tag], kept: Sequence[Kept]) -> None:
        if has_letter(without(text, kept)):
            self.found.append(Block(raw, text, tuple(tags), tuple(kept)))
        elif raw:
            self.found.append(Block(raw))


def _tags_from(tags: Iterable[Tag], at: int) -> list[Tag]:
    """Tags of a text that begins later."""
    return [replace(one, at=one.at - at) for one in tags]


def _kept_from(kept: Iterable[Kept], at: int) -> list[Kept]:
    """Kept elements of a text that begins later."""
    return [Kept(one.start - at, one.end - at, one.markup) for one in kept]


def _is_inline(markup: str) -> bool:
    """Whether an element has nothing in it that ends a block."""
    names = (_NAME.match(match[0]) for match in _TOKEN.finditer(markup))
    return all(named is None or named[1].lower() in INLINE for named in names)


def _end_of(document: str, name: str, at: int) -> int:
    """Behind the end of an element that stays as it is, others of its name inside it counted."""
    depth = 1
    for match in re.finditer(rf"<(/?){re.escape(name)}\b[^<>]*>", document[at:], re.IGNORECASE):
        depth += -1 if match[1] else 1
        if not depth:
            return at + match.end()
    return len(document)
