"""Phrasebook sentences: those that are shown are known at once, all others when they are asked about."""

from itertools import islice

import pytest

from jumok.data.phrasebook import Example, generate
from jumok.studio.gold import GoldBook, examples


class Unwritten(GoldBook):
    """A book that must not be made."""

    @staticmethod
    def _known(pair: str) -> dict[str, Example]:
        raise AssertionError(f"the whole book of {pair} was made")


def test_examples_and_sentences_that_were_shown_need_no_book():
    book = Unwritten()
    for seed in (1, 2):
        for one in examples(book, "en-ko", "test", 3, seed).examples:
            found = book.find("en-ko", f"  {one.source} ")
            assert found is not None
            assert (found.target, list(found.links)) == (one.target, one.links)


@pytest.mark.parametrize("split", ["test", "long"])
def test_a_sentence_that_was_never_shown_is_known_too(split: str):
    one = next(islice(generate("en-fr", split, 20), 19, None))
    book = GoldBook()
    assert book.find("en-fr", one.source) == one
    assert book.find("en-fr", "No such line.") is None
    assert book.find(None, one.source) is None
    assert book.find("xx-yy", one.source) is None
