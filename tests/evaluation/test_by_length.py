"""Bins split the corpus without loss, and each has the corpus scores of its own sentences."""

import pytest

from jumok.errors import DataError, InputError
from jumok.evaluation.by_length import score_by_length, source_lengths
from jumok.evaluation.metrics import score_corpus

from .corpus import references, spoiled

GOLD = references()
HYPOTHESES = spoiled(GOLD, 0.3, seed=1)
LENGTHS = source_lengths(GOLD)


def test_each_bin_is_scored_by_itself():
    bins = score_by_length(LENGTHS, HYPOTHESES, GOLD, bounds=(7, 13))
    assert [part.label for part in bins] == ["≤7", "8–13", "14+"]
    assert sum(part.sentences for part in bins) == len(GOLD)
    middle = [n for n, length in enumerate(LENGTHS) if 8 <= length <= 13]
    expected = score_corpus([HYPOTHESES[n] for n in middle], [GOLD[n] for n in middle])
    assert (bins[1].bleu, bins[1].chrf, bins[1].ter) == tuple(
        score.value for score in (expected.bleu, expected.chrf, expected.ter)
    )
    assert 8 <= bins[1].mean_length <= 13


def test_one_bin_is_the_corpus():
    (whole,) = score_by_length(LENGTHS, HYPOTHESES, GOLD, bounds=())
    assert whole.bleu == score_corpus(HYPOTHESES, GOLD).bleu.value


def test_several_references_are_split_too():
    second = spoiled(GOLD, 0.5, seed=2)
    (whole,) = score_by_length(LENGTHS, HYPOTHESES, [GOLD, second], bounds=())
    assert whole.bleu == score_corpus(HYPOTHESES, [GOLD, second]).bleu.value


def test_empty_bins_and_empty_lines():
    bins = score_by_length([0, 40], ["", "a"], ["", "a"], bounds=(5, 10, 20))
    assert [(part.label, part.sentences) for part in bins] == [("≤5", 1), ("21+", 1)]
    assert score_by_length([], [], []) == []


def test_bad_input():
    with pytest.raises(InputError, match="must rise"):
        score_by_length([1], ["a"], ["a"], bounds=(5, 5))
    with pytest.raises(DataError, match="2 source lengths are given for 1"):
        score_by_length([1, 2], ["a"], ["a"])
