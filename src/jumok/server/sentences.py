"""Texts as sentences and what stands between them, so that translations are put together exactly as the text was.

Sentence ends are sentencex's (rules for many languages, Korean and Latin among them). Lines are taken one by one,
because a model translates a line; white space is never given to a model and comes back as it was.
"""

import re
from typing import NamedTuple

from sentencex.sentencex import segment

_LINE = re.compile(r"[^\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+|[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_CLAUSE = re.compile(r"(?<=[,;:，；、])\s+|\s+")


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


def split(text: str, language: str, longest: int = 1000) -> Split:
    """The sentences of a text, none longer than `longest` characters."""
    if len(text) <= longest and text.isprintable() and text.strip() == text:  # most texts are one sentence
        parts = list(segment(language, text)) if text else []
        if parts == [text]:
            return Split((text,), ("", ""))
    sentences: list[str] = []
    gaps = [""]
    for piece in _pieces(text, language, longest):
        inside = piece.strip()
        if not inside:
            gaps[-1] += piece
            continue
        start = piece.index(inside)
        gaps[-1] += piece[:start]
        sentences.append(inside)
        gaps.append(piece[start + len(inside) :])
    return Split(tuple(sentences), tuple(gaps))


def _pieces(text: str, language: str, longest: int) -> list[str]:
    """Parts that add up to the text, each one sentence or white space."""
    found: list[str] = []
    for line in _LINE.findall(text):
        parts = list(segment(language, line)) if line.strip() else [line]
        if "".join(parts) != line:  # a splitter must not change a text; then the line is one sentence
            parts = [line]
        for part in parts:
            found += _cut(part, longest)
    return found


def _cut(part: str, longest: int) -> list[str]:
    """A part no model takes at once, cut at the last clause or space before the limit, else anywhere."""
    found: list[str] = []
    while len(part) > longest:
        ends = [match.end() for match in _CLAUSE.finditer(part, 0, longest)]
        end = ends[-1] if ends and ends[-1] > 0 else longest
        found.append(part[:end])
        part = part[end:]
    return [*found, part] if part else found
