"""The definitions of Och and Ney (2003), computed by hand."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jumok.alignment import Links, parse_pharaoh, score_alignment, score_alignments
from jumok.errors import DataError

# A busy machine must not fail a law.
calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def gold(line: str) -> Links:
    return parse_pharaoh(line)


def test_by_hand_with_sure_and_possible():
    """A = 4 links; S = 3, of which 2 are found; P = S + 2, of which 3 are found in all."""
    score = score_alignment([(0, 0), (1, 1), (2, 3), (4, 4)], gold("0-0 1-1 2-2 2p3 3p3"))
    assert score.precision == pytest.approx(3 / 4)
    assert score.recall == pytest.approx(2 / 3)
    assert score.aer == pytest.approx(1 - (2 + 3) / (4 + 3))


def test_by_hand_over_a_corpus():
    """Counts are summed before dividing: A = 1 + 3, S = 2 + 1, A∩S = 1 + 0, A∩P = 1 + 1."""
    score = score_alignments([[(0, 0)], [(0, 1), (1, 1), (2, 2)]], [gold("0-0 1-1"), gold("0-0 1p1")])
    assert (score.precision, score.recall) == (pytest.approx(2 / 4), pytest.approx(1 / 3))
    assert score.aer == pytest.approx(1 - 3 / 7)


@calm
@given(links, links)
def test_any_choice_between_sure_and_possible_is_perfect(sure, possible):
    reference = Links(frozenset(sure), frozenset(possible))
    some = sure | set(sorted(possible)[::2])
    assert score_alignment(some, reference).aer == 0.0


@calm
@given(links, links)
def test_without_possible_links_it_is_one_minus_f1(predicted, sure):
    score = score_alignment(predicted, Links(frozenset(sure)))
    if predicted and sure:
        total = score.precision + score.recall
        f1 = 2 * score.precision * score.recall / total if total else 0.0
        assert score.aer == pytest.approx(1 - f1)


@calm
@given(links, links, links)
def test_all_ratios_lie_between_zero_and_one(predicted, sure, possible):
    score = score_alignment(predicted, Links(frozenset(sure), frozenset(possible)))
    assert all(0.0 <= value <= 1.0 for value in (score.aer, score.precision, score.recall))


def test_nothing_right_is_one_and_nothing_asked_is_perfect():
    assert score_alignment([(0, 1)], gold("0-0")).aer == 1.0
    assert score_alignment([], gold("0-0")).aer == 1.0
    assert score_alignment([], Links()).aer == 0.0
    assert score_alignments([], []).aer == 0.0


def test_a_link_given_twice_counts_once():
    assert score_alignment([(0, 0), (0, 0)], gold("0-0")).counts.predicted == 1


def test_the_numbers_of_sentences_must_match():
    with pytest.raises(DataError, match="2 sentences are aligned, but there are gold links for 1"):
        score_alignments([[], []], [Links()])
