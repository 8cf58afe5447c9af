"""Glossaries: which of many terms stand in a sentence, without looking for each of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jumok.decoding.words import Phrase
from jumok.errors import ConfigError, InputError
from jumok.text.normal import normalise

MOST_TERMS = 20_000
LONGEST_TERM = 200
"""Of a glossary file; a request has its own limits."""


class Glossary:
    """Terms with their translations, found by how they begin; those of `under` count where this one has no other."""

    def __init__(self, terms: Mapping[str, str], under: "Glossary | None" = None) -> None:
        self.terms, self._under = dict(terms), under
        self._phrases = {term_of(source): target for source, target in terms.items()}
        self._by_start: dict[str, list[tuple[int, Phrase]]] = {}
        for place, phrase in enumerate(self._phrases):
            self._by_start.setdefault(phrase.text[:2], []).append((place, phrase))

    def found(self, sentence: str) -> dict[Phrase, str]:
        """The terms that stand in a sentence, as words in any case; of credit card and card only the first where card
        stands nowhere else."""
        if not self._phrases and self._under is None:
            return {}
        lowered = normalise(sentence.lower())
        starts = {*lowered, *(lowered[at : at + 2] for at in range(len(lowered) - 1))}
        return dict(outermost(list(self._standing(lowered, starts)), lowered))

    def _standing(self, lowered: str, starts: set[str]) -> Iterator[tuple[Phrase, str]]:
        near = (one for start in starts & self._by_start.keys() for one in self._by_start[start])
        here = sorted((one for one in near if one[1].stands_in(lowered)), key=lambda one: one[0])
        yield from ((one, self._phrases[one]) for _, one in here)
        if self._under is not None:
            yield from ((one, to) for one, to in self._under._standing(lowered, starts) if one not in self._phrases)


def term_of(source: str) -> Phrase:
    """A source term as it is looked for."""
    if not source.strip("* "):
        raise InputError("the source term of a glossary is empty.")
    return Phrase.parse(source.lower())


def outermost(terms: Sequence[tuple[Phrase, str]], text: str) -> list[tuple[Phrase, str]]:
    """The terms that stand somewhere in a text outside of longer ones, and of those of their length before them."""
    covered, chosen = bytearray(len(text)), set[Phrase]()
    for phrase, _ in sorted(terms, key=lambda one: -len(one[0].text)):
        for start, end in phrase.places_in(text):
            if not all(covered[start:end]):
                chosen.add(phrase)
                covered[start:end] = b"\1" * (end - start)
    return [one for one in terms if one[0] in chosen]


def read_glossary(path: Path) -> Glossary:
    """Terms of a file: source, a tab, target."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The glossary {path} cannot be read: {error}.") from None
    terms: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = [part.strip() for part in line.split("\t")]
        if len(row) != 2 or not all(row):
            raise ConfigError(f"{path}: each line of a glossary is a source term, a tab and a target term.")
        if max(map(len, row)) > LONGEST_TERM:
            raise ConfigError(f"{path}, line {number}: a term has at most {LONGEST_TERM} characters.")
        try:
            term_of(row[0])
        except InputError:
            raise ConfigError(f"{path}, line {number}: the source term is empty.") from None
        terms[row[0]] = row[1]
    if len(terms) > MOST_TERMS:
        raise ConfigError(f"{path} has {len(terms)} terms; a glossary has at most {MOST_TERMS}.")
    return Glossary(terms)
