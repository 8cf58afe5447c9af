"""Phrasebook sentences with their gold links: those the page offers, and those it is asked about."""

import threading
from collections.abc import Iterable, Sequence
from itertools import islice

from jumok.alignment import Link, Links, score_alignment
from jumok.data import newsbook
from jumok.data.phrasebook import SPLITS, Example, generate, pair_languages, pairs
from jumok.errors import DataError
from jumok.studio import payload
from jumok.studio.payload_views import ExamplePair, ExamplesAnswer
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.text.normal import normalise

NEWSBOOK = "newsbook-"
KNOWN = {"test": 500, "train": 300, "long": 30}
"""How many sentences of each split are recognised."""


class GoldBook:
    """The sentences whose translation and links are known, by pair.

    Those that were shown are known at once; the others are made when a sentence is not among the shown ones, because
    that takes a second or two that nobody should wait for who only asks for examples.
    """

    def __init__(self) -> None:
        self._shown: dict[str, dict[str, Example]] = {}
        self._books: dict[str, dict[str, Example]] = {}
        self._lock = threading.Lock()
        self._making = threading.Lock()

    def find(self, pair: str | None, source: str) -> Example | None:
        """The example of a source sentence, or None."""
        if pair is None:
            return None
        line = normalise(source)
        with self._lock:
            found = self._shown.get(pair, {}).get(line)
        return found or self._book(pair).get(line)

    def _book(self, pair: str) -> dict[str, Example]:
        with self._making:
            if pair not in self._books:
                self._books[pair] = self._known(pair)
            return self._books[pair]

    @staticmethod
    def _known(pair: str) -> dict[str, Example]:
        try:
            found = [one for split in KNOWN for one in known_sentences(pair, split, KNOWN[split])]
        except DataError:
            return {}
        return {example.source: example for example in found}

    def add(self, pair: str, examples: Sequence[Example]) -> None:
        """Further sentences that were shown; the book stays small."""
        with self._lock:
            shown = self._shown.setdefault(pair, {})
            if len(shown) < 20_000:
                shown.update((example.source, example) for example in examples)


def known_sentences(pair: str, split: str, size: int, seed: int = 1) -> Iterable[Example]:
    """Sentences of the phrasebook, or reports and headlines of `newsbook-LANGUAGE`."""
    if not pair.startswith(NEWSBOOK):
        pair_languages(pair)
        if split not in SPLITS:
            raise invalid(f"The phrasebook has no split '{split}'; it has {', '.join(SPLITS)}.")
        return generate(pair, split, size, seed)
    reports = newsbook.generate(pair.removeprefix(NEWSBOOK), "train" if split == "train" else "test", size, seed)
    return (example_of(one) for one in reports)


def example_of(report: newsbook.Report) -> Example:
    """A report and its headline, scored as `jumok evaluate` does: paraphrases are possible, joining words left out."""
    possible = tuple(link for link in report.links if link not in report.gold.sure)
    return Example(report.text, report.headline, report.links, possible, frozenset(j for _, j in report.links))


def examples(book: GoldBook, pair: str, split: str, n: int, seed: int) -> ExamplesAnswer:
    """Sentences to try."""
    try:
        found = list(islice(known_sentences(pair, split, n, seed), n))
    except DataError as error:
        raise invalid(str(error)) from None
    book.add(pair, found)
    shown = [ExamplePair(source=one.source, target=one.target, links=list(one.links)) for one in found]
    return ExamplesAnswer(pair=pair, pairs=list(pairs()), examples=shown)


def link_score(links: Sequence[Link], gold: Example) -> payload.LinkScore:
    """How well links agree with the gold ones."""
    scored = links if gold.scored is None else [link for link in links if link[1] in gold.scored]
    score = score_alignment(scored, Links(frozenset(gold.links) - frozenset(gold.possible), frozenset(gold.links)))
    return payload.LinkScore(
        aer=round(score.aer, 6), precision=round(score.precision, 6), recall=round(score.recall, 6)
    )


def pair_of(session: Session) -> str | None:
    """The phrasebook pair that the run was trained on, or None."""
    from jumok.studio.runs import languages

    return languages(session.run.config)[2]
