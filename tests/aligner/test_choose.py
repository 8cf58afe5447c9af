"""Links from probabilities: by hand, and against every other threshold."""

import numpy as np
import pytest

from jumok.aligner.choose import consensus, expected_error, most_likely_links


def test_null_wins_where_it_is_likelier_than_the_best_word():
    attention = [np.array([[0.6, 0.3], [0.2, 0.3]], np.float32), np.zeros((0, 2), np.float32)]
    assert most_likely_links(attention) == [[(0, 0)], []]


def test_expected_error_by_hand():
    """Sum 2: one link promises 1 − 2·0.9/3, two 1 − 2·1.7/4, three 1 − 2·1.95/5, all four 1 − 4/6."""
    found = expected_error([np.array([[0.9, 0.05]], np.float32), np.array([[0.25], [0.8]], np.float32)])
    assert found.threshold == pytest.approx(0.8)
    assert found.error == pytest.approx(1 - 3.4 / 4)


def test_certain_links_are_all_taken_and_promise_no_error():
    eye = [np.eye(3, dtype=np.float32)]
    assert expected_error(eye).error == pytest.approx(0.0)
    assert consensus(eye, eye) == [[(0, 0), (1, 1), (2, 2)]]


def test_nothing_to_align():
    nothing = [np.zeros((0, 3), np.float32)]
    assert consensus(nothing, nothing) == [[]]
    zeros = [np.zeros((2, 2), np.float32)]
    assert consensus(zeros, zeros) == [[]]
