"""Where sentences end: line breaks always, and a full stop, question or exclamation mark before a new beginning.

Rules and a short list of abbreviations, the same for every script; who needs more gives a sentence per line.
"""

import re

_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=[^\s\d]|\d)")
_TITLES = ("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "co")
_SHORT = frozenset(
    (*_TITLES, "vs", "etc", "e.g", "i.e", "cf", "al", "fig", "eq", "no", "sec", "approx", "u.s", "a.m", "p.m")
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each without white space around it; an empty text has none."""
    found: list[str] = []
    for line in text.splitlines():
        start = 0
        for end in _END.finditer(line):
            if not _goes_on(line[start : end.start()], line[end.end() :]):
                found.append(line[start : end.end()])
                start = end.end()
        found.append(line[start:])
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()]


def _goes_on(before: str, after: str) -> bool:
    """Whether a mark between two parts of a line ends no sentence: an abbreviation, or what follows is lower case."""
    if not before.endswith("."):
        return after[:1].islower()
    last = before.split()[-1].rstrip(".").lstrip("([\"'“‘").lower() if before.split() else ""
    return after[:1].islower() or last in _SHORT or (len(last) == 1 and last.isascii() and last.isalpha())
