"""Terms of a glossary, and how often a model translates them as asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jumok.data.lines import file_lines
from jumok.errors import DataError
from jumok.text.normal import normalise

MOST_SENTENCES = 20
"""Sentences on which one term is measured."""
MOST_TERMS = 1000


@dataclass(frozen=True)
class Term:
    """A term of the source language and what it should become."""

    source: str
    target: str

    def among(self, sources: Sequence[str]) -> list[int]:
        """The numbers of the sentences that hold the term, as whole words where it begins and ends in Latin letters."""
        pattern = _pattern(self.source)
        return [number for number, line in enumerate(sources) if pattern.search(line)][:MOST_SENTENCES]

    def written(self, translation: str) -> bool:
        """Whether the translation holds the target term, in any case of letters."""
        return _pattern(self.target).search(translation) is not None


def read_terms(path: Path) -> list[Term]:
    """The terms of a file: source term, a tab, target term; lines that begin with # and empty lines are left out."""
    found: list[Term] = []
    for number, line in enumerate(file_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        source, tab, target = line.partition("\t")
        source, target = normalise(source), normalise(target.partition("\t")[0])
        if not tab or not source or not target:
            raise DataError(f"{path}:{number} is not a term; write the source term, a tab and the target term.")
        found.append(Term(source, target))
    if len(found) > MOST_TERMS:
        raise DataError(f"{path} has {len(found)} terms; at most {MOST_TERMS} can be measured.")
    return found


def _pattern(term: str) -> re.Pattern[str]:
    """The term in any case of letters; next to an ASCII letter or digit it must begin or end a word.

    Korean puts particles right after a noun, so other scripts may continue.
    """
    before = r"(?<![0-9A-Za-z])" if re.match(r"[0-9A-Za-z]", term) else ""
    after = r"(?![0-9A-Za-z])" if re.search(r"[0-9A-Za-z]\Z", term) else ""
    return re.compile(f"{before}{re.escape(term)}{after}", re.IGNORECASE)
