"""Calibrated confidences: the mean is the observed rate, the order stays, and what is right already is not changed."""

import numpy as np
import pytest

from jumok.errors import InputError
from jumok.evaluation.calibration import degree, fit, fit_curve, reliability, right_words


def observed(size: int, power: float, seed: int = 0) -> tuple[list[float], list[float]]:
    """Confidences c whose words are right with probability c ** power."""
    draw = np.random.default_rng(seed)
    sure = draw.uniform(size=size)
    return sure.tolist(), (draw.uniform(size=size) < sure**power).astype(float).tolist()


@pytest.mark.parametrize("power", [0.3, 1.0, 4.0])
def test_mean_of_calibrated_confidences_is_the_observed_rate(power):
    sure, right = observed(3000, power)
    curve = fit_curve(sure, right)
    # Each of 3000 terms, at most 1, is rounded once when it is made and once when it is added.
    assert np.mean([curve(one) for one in sure]) == pytest.approx(np.mean(right), abs=3000 * np.finfo(float).eps)


def test_rate_is_met_at_every_level_too():
    sure, right = observed(2000, 2.0)
    curve = fit_curve(sure, right)
    levels = np.array([curve(one) for one in sure])
    for level in set(levels.tolist()):
        assert np.mean(np.array(right)[levels == level]) == pytest.approx(level, abs=2000 * np.finfo(float).eps)
        assert (levels == level).sum() >= 20


def test_calibration_never_turns_two_confidences_round():
    curve = fit_curve(*observed(500, 0.5))
    calibrated = [curve(one) for one in np.linspace(-0.1, 1.1, 997)]
    assert calibrated == sorted(calibrated)
    assert 0.0 <= calibrated[0] < calibrated[-1] <= 1.0


def test_perfectly_calibrated_confidences_stay_as_they_are():
    sure = [level / 10 for level in range(11) for _ in range(100)]
    right = [float(number < 10 * level) for level in range(11) for number in range(100)]
    curve = fit_curve(sure, right)
    assert [curve(level / 10) for level in range(11)] == [level / 10 for level in range(11)]
    assert reliability(sure, right).error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("power", [0.3, 4.0])
def test_error_shrinks_on_text_that_the_curve_has_not_seen(power):
    sure, right = observed(4000, power, seed=1)
    found = fit(sure, right, [number % 5 for number in range(4000)])
    # An error of a bin of 400 has a standard deviation of at most 0.5/20 = 0.025.
    assert found.before.error > 0.2
    assert found.after.error < 0.03


def test_correction_comes_from_the_other_folds_alone():
    sure = [0.2] * 40 + [0.8] * 40
    right = [1.0] * 40 + [0.0] * 40
    found = fit(sure, right, [0] * 40 + [1] * 40)
    assert [(one.mean, one.rate) for one in found.after.bins] == [(0.0, 1.0), (1.0, 0.0)]


def test_reliability_by_hand():
    found = reliability([0.05, 0.15, 0.15, 1.0], [0.0, 1.0, 0.5, 1.0])
    assert [(one.low, one.count, one.rate) for one in found.bins] == [(0.0, 1, 0.0), (0.1, 2, 0.75), (0.9, 1, 1.0)]
    assert found.error == pytest.approx((0.05 + 2 * 0.6 + 0.0) / 4)


def test_words_are_right_that_stand_in_the_reference_in_order():
    reference = ["the", "cat", "sat", "on", "the", "mat"]
    assert right_words(["the", "cat", "on", "mat"], reference) == [True] * 4
    assert sum(right_words(["mat", "the", "cat"], reference)) == 2
    assert right_words(["a", "a", "the"], ["the"]) == [False, False, True]
    assert right_words([], reference) == []
    assert degree(right_words(reference, reference), reference) == 1.0
    assert degree([True, True, False], ["a", "b", "c", "d", "e"]) == pytest.approx(0.5)


def test_longest_common_subsequence_is_found_among_all():
    draw = np.random.default_rng(2)
    for _ in range(50):
        words, reference = (draw.choice(list("abc"), size=draw.integers(0, 7)).tolist() for _ in range(2))
        chosen = [word for word, good in zip(words, right_words(words, reference), strict=True) if good]
        common = max(len(one) for one in subsequences(words) if one in subsequences(reference))
        assert len(chosen) == common
        assert tuple(chosen) in subsequences(reference)


def subsequences(words: list[str]) -> set[tuple[str, ...]]:
    """All of them."""
    found: set[tuple[str, ...]] = {()}
    for word in words:
        found |= {(*one, word) for one in found}
    return found


def test_nothing_to_fit_to_is_refused():
    with pytest.raises(InputError, match="nothing to fit"):
        fit_curve([], [])
