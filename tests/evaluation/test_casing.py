"""A lower-cased model against cased references, or the other way round: noticed, and scored both ways."""

import pytest

from jumok.evaluation.casing import capitals, lowercased_side, score_ignoring_case
from jumok.evaluation.metrics import MetricOptions, score_corpus

CASED = ["The Dog of Anna sleeps .", "Peter Reads a Book in Rome .", "Where is the old House ?"]
LOWER = [line.lower() for line in CASED]
KOREAN = ["개가 잔다 .", "책을 읽는다 .", "집이 어디에 있니 ?"]


def test_the_share_of_capitals():
    assert capitals(["The dog", "iPhone a"]) == 0.5
    assert capitals([]) == capitals(KOREAN) == 0.0


@pytest.mark.parametrize(
    ("translations", "references", "side"),
    [
        (LOWER, [CASED], "translations"),
        (CASED, [LOWER], "references"),
        (LOWER, [LOWER, CASED], "translations"),
        (CASED, [CASED], None),
        (LOWER, [LOWER], None),
        (KOREAN, [KOREAN], None),
        (["", "", ""], [["", "", ""]], None),
    ],
)
def test_the_side_without_capitals(translations, references, side):
    assert lowercased_side(translations, references) == side


def test_a_copied_name_does_not_hide_that_a_model_is_lower_cased():
    lines = [*LOWER * 10, "Anna sleeps ."]
    assert lowercased_side(lines, [[*CASED * 10, "Anna Sleeps ."]]) == "translations"


def test_both_scores_are_there_and_the_usual_one_keeps_its_meaning():
    found = score_ignoring_case(LOWER, [CASED], None)
    assert found is not None
    assert found.scores.bleu.value == pytest.approx(100)
    assert "case:lc" in found.scores.bleu.signature
    assert score_corpus(LOWER, [CASED]).bleu.value < 50


def test_nothing_is_added_where_case_is_the_same_or_ignored():
    assert score_ignoring_case(CASED, [CASED], None) is None
    assert score_ignoring_case(LOWER, [CASED], MetricOptions(lowercase=True), always=True) is None
    always = score_ignoring_case(CASED, [CASED], None, always=True)
    assert always is not None
    assert always.lowercased is None
