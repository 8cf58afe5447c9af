"""Measures of generated pictures against closed forms and against their definitions written out."""

import numpy as np
import pytest

from jumok.errors import DataError
from jumok.evaluation.generated import (
    Measured,
    against_real,
    compare,
    frechet,
    frechet_distance,
    inside,
    kid,
    nearest,
    same_kind,
)

RANDOM = np.random.default_rng(5)


def test_gaussians_along_the_axes_have_the_closed_form():
    """|μ − ν|² + Σ (√a − √b)² for diagonal covariances."""
    a, b = np.array([1.0, 4.0, 9.0]), np.array([4.0, 4.0, 1.0])
    mean = np.array([1.0, -2.0, 0.5])
    found = frechet_distance(np.zeros(3), np.diag(a), mean, np.diag(b))
    assert found == pytest.approx((mean**2).sum() + ((np.sqrt(a) - np.sqrt(b)) ** 2).sum(), rel=1e-12)


def test_it_does_not_depend_on_the_axes_and_is_symmetric():
    turn = np.linalg.qr(RANDOM.normal(size=(5, 5)))[0]
    a, b = RANDOM.uniform(0.1, 3, 5), RANDOM.uniform(0.1, 3, 5)
    flat = frechet_distance(np.zeros(5), np.diag(a), np.ones(5), np.diag(b))
    turned = frechet_distance(np.zeros(5), turn @ np.diag(a) @ turn.T, turn @ np.ones(5), turn @ np.diag(b) @ turn.T)
    assert turned == pytest.approx(flat, rel=1e-10)
    rows, others = RANDOM.normal(size=(40, 5)), 2 + RANDOM.normal(size=(31, 5))
    assert frechet(rows, others) == pytest.approx(frechet(others, rows), rel=1e-10)


def test_equal_sets_are_at_distance_zero_also_where_the_covariance_is_singular():
    rows = RANDOM.normal(size=(6, 11))  # fewer rows than features
    assert frechet(rows, rows) == pytest.approx(0, abs=1e-8)


def test_kid_is_the_definition_written_out():
    x, y = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(7, 3)) + 1

    def k(a, b):
        return (a @ b / 3 + 1) ** 3

    xx = np.mean([k(x[i], x[j]) for i in range(5) for j in range(5) if i != j])
    yy = np.mean([k(y[i], y[j]) for i in range(7) for j in range(7) if i != j])
    xy = np.mean([k(a, b) for a in x for b in y])
    assert kid(x, y) == pytest.approx(xx + yy - 2 * xy, rel=1e-12)


def test_kid_of_one_source_is_zero_in_the_mean():
    values = [kid(RANDOM.normal(size=(40, 4)), RANDOM.normal(size=(40, 4))) for _ in range(200)]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(len(values))


def test_the_nearest_neighbour_tells_nothing_of_one_source_and_everything_of_two():
    same = same_kind(RANDOM.normal(size=(800, 3)), RANDOM.normal(size=(800, 3))).mean()
    assert same == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(800))
    assert same_kind(RANDOM.normal(size=(50, 3)), 100 + RANDOM.normal(size=(50, 3))).all()
    copies = RANDOM.normal(size=(50, 3))
    assert same_kind(copies, copies + 1e-9).mean() < 0.1  # memorised pictures are nearer than their own kind


def test_inside_is_the_definition_written_out():
    points, manifold = RANDOM.normal(size=(30, 2)) * 2, RANDOM.normal(size=(25, 2))
    radius = [np.sort(np.linalg.norm(manifold - one, axis=1))[3] for one in manifold]  # itself is the first
    expected = [any(np.linalg.norm(p - m) <= r for m, r in zip(manifold, radius, strict=True)) for p in points]
    assert inside(points, manifold, neighbours=3).tolist() == expected


def test_precision_and_recall_tell_missing_modes_from_bad_pictures():
    modes = RANDOM.normal(size=(10, 6)) * 20
    real = modes[RANDOM.integers(10, size=900)] + RANDOM.normal(size=(900, 6))
    half = modes[RANDOM.integers(5, size=900)] + RANDOM.normal(size=(900, 6))
    noisy = real + 30 * RANDOM.normal(size=(900, 6))
    collapsed, bad = compare(real, half, draws=20), compare(real, noisy, draws=20)
    assert collapsed["precision"].value > 0.9
    assert 0.3 < collapsed["recall"].value < 0.7
    assert bad["precision"].value < 0.2


def test_intervals_hold_the_value_and_the_floor_is_better_than_a_shifted_set():
    real, other = RANDOM.normal(size=(400, 3)), RANDOM.normal(size=(400, 3))
    floor, shifted = against_real(real, other), compare(real, other + 0.7)
    for measured in (*floor.values(), *shifted.values()):
        assert isinstance(measured, Measured)
        assert measured.low <= measured.value <= measured.high
    assert floor["frechet"].high < shifted["frechet"].low
    assert floor["kid"].high < shifted["kid"].low
    assert floor["precision"].value > shifted["precision"].value


def test_nearest_gives_places_and_distances():
    among = RANDOM.normal(size=(50, 4))
    places, far = nearest(among[[7, 3]] + 1e-6, among, 2)
    assert places[:, 0].tolist() == [7, 3]
    assert (far[:, 0] < far[:, 1]).all()


@pytest.mark.parametrize("bad", [np.full((4, 2), np.nan), np.zeros((4, 3)), np.zeros((1, 2))])
def test_what_cannot_be_compared_is_refused(bad):
    with pytest.raises(DataError):
        kid(np.zeros((4, 2)), bad)
