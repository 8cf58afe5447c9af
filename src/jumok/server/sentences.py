"""Texts as sentences and what stands between them, so that translations are put together exactly as the text was.

Sentence ends are sentencex's (rules for many languages, Korean and Latin among them). Lines are taken one by one,
because a model translates a line; white space is never given to a model and comes back as it was. Nor is what has no
letter (`***`, `1.`, an emoji): models that have seen whole sentences only invent one for it.
"""

import re
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import NamedTuple

from sentencex.sentencex import segment

_LINE = re.compile(r"[^\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+|[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_SPACE = re.compile(r"\s")
_CLAUSE = re.compile(r"(?<=[,;:，；、])\s+")
Fits = Callable[[str], bool]
"""Whether a model takes a sentence whole."""


class Split(NamedTuple):
    """A text as sentences; `gaps` has what stands before, between and after them: one more than sentences."""

    sentences: tuple[str, ...]
    gaps: tuple[str, ...]

    def join(self, sentences: "list[str] | tuple[str, ...]") -> str:
        """The text with other sentences in the same places."""
        parts = [self.gaps[0]]
        for sentence, gap in zip(sentences, self.gaps[1:], strict=True):
            parts += [sentence, gap]
        return "".join(parts)


def split(text: str, language: str, longest: int = 1000, fits: Fits = lambda _: True) -> Split:
    """The sentences of a text, none longer than `longest` characters or than what `fits`."""
    if len(text) <= longest and text.isprintable() and text.strip() == text:  # most texts are one sentence
        parts = sentences_of(text, language) if text else []
        if parts == [text] and has_letter(text) and fits(text):
            return Split((text,), ("", ""))
    sentences: list[str] = []
    gaps = [""]
    for piece in _pieces(text, language, longest, fits):
        inside = piece.strip()
        if not has_letter(inside):
            gaps[-1] += piece
            continue
        start = piece.index(inside)
        gaps[-1] += piece[:start]
        sentences.append(inside)
        gaps.append(piece[start + len(inside) :])
    return Split(tuple(sentences), tuple(gaps))


def sentences_of(line: str, language: str) -> list[str]:
    """The parts of a line; the whole line where the splitter fails, which must never harm others.

    White space beyond ASCII is shown to it as spaces: version 1.0.32 panics over `A\u00a0.`
    """
    shown = line if line.isascii() else _SPACE.sub(" ", line)
    try:
        parts = list(segment(language, shown))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # what a panic of Rust becomes is no Exception
        return [line]
    if "".join(parts) != shown:  # a splitter must not change a text
        return [line]
    ends = [0, *accumulate(map(len, parts))]
    return [line[start:end] for start, end in pairwise(ends)]


def has_letter(text: str) -> bool:
    """Whether there is anything to translate."""
    return any(map(str.isalpha, text))


def _pieces(text: str, language: str, longest: int, fits: Fits) -> list[str]:
    """Parts that add up to the text, each one sentence or white space."""
    found: list[str] = []
    for line in _LINE.findall(text):
        for part in sentences_of(line, language) if line.strip() else [line]:
            found += _cut(part, lambda some: len(some) <= longest and fits(some))
    return found


def _cut(part: str, fits: Fits) -> list[str]:
    """A part no model takes at once, cut near its middle: at the end of a clause, else at a space, else anywhere."""
    if len(part) < 2 or fits(part):
        return [part]
    low, high = len(part) // 4, len(part) - len(part) // 4
    ends = [[at for match in kind.finditer(part) if low < (at := match.end()) < high] for kind in (_CLAUSE, _SPACE)]
    end = min(ends[0] or ends[1] or [len(part) // 2], key=lambda at: abs(at - len(part) // 2))
    return [*_cut(part[:end], fits), *_cut(part[end:], fits)]
