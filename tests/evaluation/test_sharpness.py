"""Entropy at its known points, and means that ignore what attends to nothing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.errors import ShapeError
from jumok.evaluation.sharpness import attention_shape, combine_shapes, row_entropy


def rows(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=shape[:-1])


def test_known_entropies():
    entropies = row_entropy([[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(entropies[:3], [0.0, math.log(4), math.log(2)])
    assert np.isnan(entropies[3])


def test_one_hot_and_uniform_are_the_ends():
    sharp, flat = attention_shape(np.eye(5)), attention_shape(np.full((3, 7), 1 / 7))
    assert (sharp.entropy, sharp.relative_entropy, sharp.effective_positions, sharp.sharpness) == (0, 0, 1, 1)
    assert flat.relative_entropy == pytest.approx(1.0)
    assert flat.effective_positions == pytest.approx(7.0)
    assert flat.sharpness == pytest.approx(1 / 7)


@given(st.integers(0, 1000))
def test_bounds_and_scale(seed: int):
    weights = rows(seed, 2, 3, 5)
    shape = attention_shape(weights)
    assert shape.rows == 6
    assert 0 <= shape.entropy <= math.log(5)
    assert 1 <= shape.effective_positions <= 5
    assert 1 / 5 <= shape.sharpness <= 1
    # A local window's rows may sum to less than one: only their form counts.
    assert attention_shape(0.3 * weights).entropy == pytest.approx(shape.entropy)


def test_the_mask_says_how_many_positions_there_were():
    weights = np.array([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    mask = np.array([[True, True, False], [True, True, True]])
    assert attention_shape(weights, mask).relative_entropy == pytest.approx(1.0)
    assert attention_shape([[1.0]], [[True]]).relative_entropy == 0.0


def test_rows_without_weight_count_for_nothing():
    assert attention_shape(np.vstack([np.eye(3), np.zeros((4, 3))])) == attention_shape(np.eye(3))
    assert attention_shape(np.zeros((2, 3))).rows == 0


def test_sentences_combine_to_what_they_are_together():
    first, second = rows(1, 3, 5), rows(2, 7, 5)
    together = attention_shape(np.vstack([first, second]))
    combined = combine_shapes([attention_shape(first), attention_shape(second), attention_shape(np.zeros((2, 5)))])
    assert combined.rows == together.rows
    for name in ("entropy", "relative_entropy", "effective_positions", "sharpness"):
        assert getattr(combined, name) == pytest.approx(getattr(together, name))
    assert combine_shapes([]).rows == 0


@pytest.mark.parametrize("weights", [np.zeros((3, 0)), 1.0, [[np.nan]], [[-0.1, 1.1]]])
def test_bad_weights(weights):
    with pytest.raises(ShapeError):
        attention_shape(weights)


def test_a_mask_that_does_not_fit():
    with pytest.raises(ShapeError, match="mask"):
        attention_shape(np.eye(3), [True, False])
