"""Cut pairs are the pairs, but for what is beyond the cut."""

import numpy as np

from jumok.config import resolve
from jumok.data.checks import Rules
from jumok.data.cutting import CutPairs
from jumok.data.store import TokenPair
from jumok.shapes import UNK
from jumok.tasks.translation.prepare import rules_of

SOURCES = [[5, 6, 7], [5, 21, 6, 22, 7, 20, 21], list(range(4, 11))]
TARGETS = [[9], [22, 20, 21, 8], [4, 10]]
LINKS = [None, np.array([[1, 2], [3, 0], [5, 1]]), None]


class Pairs:
    def __len__(self) -> int:
        return len(SOURCES)

    def lengths(self) -> np.ndarray:
        return np.array([[len(s), len(t)] for s, t in zip(SOURCES, TARGETS, strict=True)], dtype=np.int32)

    def pair(self, number: int, epoch: int) -> TokenPair:
        return TokenPair(np.array(SOURCES[number]), np.array(TARGETS[number]), LINKS[number])


def test_sources_are_cut_and_targets_are_not():
    cut = CutPairs(Pairs(), 5)
    assert len(cut) == 3
    assert cut.lengths().tolist() == [[3, 1], [5, 4], [5, 2]]
    for number, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        found = cut.pair(number, 0)
        assert list(found.source) == source[:5]
        assert list(found.target) == target


def test_what_can_no_longer_be_copied_is_unknown_and_its_links_go():
    found = CutPairs(Pairs(), 5, first_slot=20).pair(1, 0)
    assert list(found.target) == [22, UNK, 21, 8]
    assert found.links is not None
    assert found.links.tolist() == [[1, 2], [3, 0]]


def test_texts_of_summaries_may_be_long_and_sentences_may_not():
    summaries, sentences = resolve({"task": "summarisation"}, []), resolve({}, [])
    assert rules_of(summaries.data).max_words is None  # pyright: ignore
    assert rules_of(summaries.data).max_characters is None  # pyright: ignore
    assert rules_of(sentences.data) == Rules()  # pyright: ignore
