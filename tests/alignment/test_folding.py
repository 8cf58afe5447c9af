"""Folding keeps every sum, shows words where attention falls, and folds within sentences only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.alignment.folding import fold
from jumok.alignment.plot import alignment_figure, folded_figure
from jumok.errors import ShapeError
from jumok.figure import to_svg


def matrix(targets: int, sources: int, seed: int, sharpness: float) -> np.ndarray:
    draws = np.random.default_rng(seed).normal(size=(targets, sources)) * sharpness
    weights = np.exp(draws - draws.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


LENGTHS = st.lists(st.integers(0, 23), min_size=1, max_size=7).filter(lambda sizes: sum(sizes) > 0)


@given(LENGTHS, st.integers(0, 99), st.floats(0.1, 7), st.floats(0, 1), st.integers(0, 3))
def test_every_row_keeps_its_sum_and_every_word_its_place(lengths, seed, sharpness, least, context):
    weights = matrix(5, sum(lengths), seed, sharpness)
    words = [f"w{i}" for i in range(sum(lengths))]
    folded = fold(weights, words, lengths, least=least, context=context)
    np.testing.assert_allclose(folded.weights.sum(axis=1), weights.sum(axis=1), rtol=1e-9)
    assert [i for one in folded.columns for i in range(one.start, one.end)] == list(range(len(words)))
    ends = np.cumsum(lengths)
    for number, one in enumerate(folded.columns):
        assert (
            one.sentence
            == np.searchsorted(ends, one.start, side="right")
            == np.searchsorted(ends, one.end - 1, "right")
        )
        np.testing.assert_allclose(folded.weights[:, number], weights[:, one.start : one.end].sum(axis=1))
        assert one.label == (f"… {one.end - one.start}" if one.folded else words[one.start])
        # Where a weight of that size falls, the word is shown.
        assert not one.folded or weights[:, one.start : one.end].max() < least


def test_what_is_folded_entirely_open_is_the_plain_picture():
    weights, words = matrix(3, 17, 1, 2.0), [f"w{i}" for i in range(17)]
    open_ = fold(weights, words, [17], least=0.0)
    assert open_.labels == tuple(words)
    np.testing.assert_array_equal(open_.weights, weights)
    plain, folded = alignment_figure(weights, words, ["a", "b", "c"]), folded_figure(open_, ["a", "b", "c"])
    assert shapes_of(plain) == shapes_of(folded)


def shapes_of(page) -> list[list[list[float]]]:
    """The corners of all cells."""
    from matplotlib.collections import PolyCollection

    found = [one for one in page.axes[0].collections if isinstance(one, PolyCollection)]
    return [path.vertices.round(6).tolist() for one in found[:2] for path in one.get_paths()]


def test_sentences_that_were_not_looked_at_are_one_column_each():
    weights = np.zeros((2, 19))
    weights[0, 8], weights[1, 9], weights[:, 0] = 0.9, 0.8, 0.05
    words = [f"w{i}" for i in range(19)]
    folded = fold(weights, words, [5, 9, 5])
    assert folded.labels == ("… 5", "w5", "w6", "w7", "w8", "w9", "w10", "… 3", "… 5")
    assert [one.sentence for one in folded.columns if one.folded] == [0, 1, 2]
    assert folded.weights[0, 0] == pytest.approx(0.05)
    assert "… 5" in to_svg(folded_figure(folded, ["x", "y"], "title"))


def test_folded_columns_are_narrow():
    weights = np.zeros((1, 40))
    weights[0, 20] = 1.0
    page = folded_figure(fold(weights, ["word"] * 40, [20, 20]), ["x"])
    assert page.get_figwidth() < alignment_figure(weights, ["word"] * 40, ["x"]).get_figwidth()


def test_sentences_have_all_words():
    with pytest.raises(ShapeError, match="the sentences have 3 words, but 4 words were given"):
        fold(np.zeros((1, 4)), ["a"] * 4, [1, 2])
