"""Reports drawn from a seed, each with its headline and the links between their words."""

import re
from collections.abc import Iterator
from random import Random
from types import ModuleType
from typing import NamedTuple

from jumok.alignment import Links
from jumok.data.newsbook import english, korean
from jumok.data.newsbook.names import Names
from jumok.errors import DataError, did_you_mean

LANGUAGES = {"en": english, "ko": korean}
SPLITS = ("train", "dev", "test")
OWN = ("who", "place", "number")
_SLOT = re.compile(r"\{(\w+)\}")

Word = tuple[str, str]
"""A word and the key of what it means; empty where nothing else means the same."""


class Report(NamedTuple):
    """A report and its headline; a link (i, j) says that headline word j comes from report word i.

    Words that only join others (`in`, `of`, `:`) come from none.
    """

    sentences: tuple[str, ...]
    headline: str
    links: tuple[tuple[int, int], ...]
    copied: tuple[int, ...]
    """Which words of the headline are names or numbers."""

    @property
    def text(self) -> str:
        """The report as one line."""
        return " ".join(self.sentences)

    @property
    def gold(self) -> Links:
        """The links, sure where both words are the same and possible where one is said in other words."""
        words, headline = self.text.split(), self.headline.split()
        same = {(i, j) for i, j in self.links if words[i].rstrip(".") == headline[j]}
        return Links(frozenset(same), frozenset(self.links))


def generate(language: str = "en", split: str = "train", size: int = 20_000, seed: int = 1) -> Iterator[Report]:
    """`size` reports; the same arguments always give the same ones, and a longer corpus begins with the shorter."""
    if language not in LANGUAGES:
        raise DataError(f"the newsbook has no language '{language}'{did_you_mean(language, LANGUAGES)}; it has en, ko")
    if split not in SPLITS:
        raise DataError(f"the newsbook has no split '{split}'{did_you_mean(split, SPLITS)}; it has train, dev, test")
    if size < 0:
        raise DataError(f"the size of a corpus cannot be negative; {size} was asked for")
    random = Random(f"newsbook {language} {split} {seed}")
    names = Names(random, language, split)
    return (_report(random, names, language) for _ in range(size))


def _report(random: Random, names: Names, language: str) -> Report:
    """One report: two sentences that matter, asides around them."""
    book = LANGUAGES[language]
    news, detail, headline = random.choice(book.EVENTS)
    own = {"who": names.person(), "place": names.place(), "number": names.number()}
    asides = random.sample(book.ASIDES, random.randrange(1, 7))
    first = random.choice((0, 0, 1, 2)) if len(asides) > 1 else 0
    templates = [*asides[:first], random.choice(news), *asides[first:]]
    templates.insert(first + random.choice((1, 1, 2)), random.choice(detail))
    sentences = [_filled(template, own, names, book) for template in templates]
    return _linked(sentences, _filled(headline, own, names, book))


def _filled(template: str, own: dict[str, str], names: Names, book: ModuleType) -> list[Word]:
    """The words of a template, each with its key."""
    others = {"other": names.person, "figure": names.number, "first": names.first}
    found: list[Word] = []
    for written in template.split():
        text, _, key = written.partition("/")
        end = "." if key.endswith(".") else ""
        slot = _SLOT.match(text)
        if slot is None:
            found.append((text + end, key.rstrip(".")))
        elif slot[1] in own:
            found.append((own[slot[1]], slot[1]))
        else:
            listed = book.DAYS if slot[1] == "day" else book.ROLES
            word = others[slot[1]]() if slot[1] in others else names.random.choice(listed)
            found.append((_with_particle(word, text[slot.end() :]), ""))
    return found


def _with_particle(word: str, particle: str) -> str:
    """A word with what follows it; a Korean particle takes the form that fits the word's last sound."""
    ends_in_vowel = "가" <= word[-1] <= "힣" and (ord(word[-1]) - ord("가")) % 28 == 0
    return word + (korean.PARTICLES.get(particle, particle) if ends_in_vowel else particle)


def _linked(sentences: list[list[Word]], headline: list[Word]) -> Report:
    """The report of filled templates, words with the same key linked."""
    words = [word for sentence in sentences for word in sentence]
    links = [
        (i, j) for j, (_, key) in enumerate(headline) for i, (_, other) in enumerate(words) if key and key == other
    ]
    return Report(
        tuple(" ".join(text for text, _ in sentence) for sentence in sentences),
        " ".join(text for text, _ in headline),
        tuple(links),
        tuple(j for j, (_, key) in enumerate(headline) if key in OWN),
    )
