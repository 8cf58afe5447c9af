"""The four steps agree where they must, the scale does what is said, and 1964 is the textbook."""

import json

import numpy as np
import pytest

from jumok.inspect import Request, explain_regression, generalise, plain
from jumok.inspect.kernel_regression import curves
from jumok.inspect.scaling import measure_saturation


@pytest.mark.parametrize("seed", [0, 7])
def test_the_steps_agree(seed: int):
    found = generalise(seed=seed)
    agreements = found.more["agreements"]
    assert set(agreements) == {"sum", "scaled", "rows", "identity", "projections", "cross", "heads"}
    assert max(agreements.values()) < 1e-12
    assert len(found.looks[0].steps) == 8


def test_the_last_of_the_four_steps_by_hand():
    look = generalise().looks[0]
    Q, K, V = look.query, look.terms["K"].value, look.terms["V"].value
    scores = Q @ K.T / np.sqrt(K.shape[1])
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(look.scores, scores)
    np.testing.assert_allclose(look.context, weights @ V)
    assert V.shape[1] != K.shape[1]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_it_can_be_told_and_serialised(lang: str):
    found = generalise(lang)
    assert 'build("transformer", query_dim=4, key_dim=4, heads=2)' in plain(found)
    document = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert {"scores", "weights", "alignment", "context", "agreements", "scaling"} <= set(document)


def test_unscaled_dot_products_saturate_and_scaled_ones_do_not():
    small, *_, large = measure_saturation()
    assert large.spread == pytest.approx(np.sqrt(large.d), rel=0.1)
    assert large.peak > 0.99
    assert large.gradient < 1e-3 * small.gradient
    assert large.peak_scaled < 2 * small.peak_scaled
    assert large.gradient_scaled > 0.9 * small.gradient_scaled


@pytest.mark.parametrize("profile", ["gaussian", "boxcar", "epanechnikov", "triangular"])
def test_the_three_estimates_are_the_textbook(profile: str):
    found = explain_regression(Request("nadaraya-watson", options={"profile": profile, "bandwidth": 0.9}))
    x, x_i, y_i = found.looks[0].query, found.keys[:, 0], found.values[:, 0]
    u = np.abs(x - x_i) / 0.9
    K = {
        "gaussian": np.exp(-(u**2) / 2),
        "boxcar": 1.0 * (u <= 1),
        "epanechnikov": np.clip(1 - u**2, 0, None),
        "triangular": np.clip(1 - u, 0, None),
    }[profile]
    estimates = found.more["estimates"]
    np.testing.assert_allclose(estimates["plain_mean"], [y_i.mean()])
    np.testing.assert_allclose(estimates["unnormalised"], [(K * y_i).mean()])
    np.testing.assert_allclose(estimates["normalised"], [(K * y_i).sum() / K.sum()])


def test_curves_pass_through_the_same_estimates():
    found = explain_regression(Request("nadaraya-watson"))
    drawn = curves(found)
    np.testing.assert_allclose(drawn.mean, found.values.mean())
    np.testing.assert_allclose(drawn.weights.sum(-1), 1.0)
    np.testing.assert_allclose(drawn.weights @ drawn.y, drawn.normalised)
    assert (np.diff(drawn.x) >= 0).all()


def test_a_compact_kernel_leaves_a_gap_where_it_reaches_nothing():
    found = explain_regression(
        Request(
            "nadaraya-watson",
            query=np.array([[0.0]]),
            keys=np.array([[0.0], [10.0]]),
            values=np.array([[1.0], [2.0]]),
            options={"profile": "boxcar"},
        )
    )
    drawn = curves(found)
    assert np.isnan(drawn.normalised[len(drawn.grid) // 2])
    assert (drawn.unnormalised >= 0).all()
