"""The estimators of 1964, as attention and as the textbook writes them."""

import pytest
import torch

from jumok.attention import build, nadaraya_watson, plain_mean, unnormalised

x = torch.linspace(-1, 6, 17, dtype=torch.float64)
data_x = torch.linspace(0, 5, 23, dtype=torch.float64)
data_y = torch.sin(data_x) + 0.1 * data_x.square()

KERNELS = {
    "gaussian": lambda u: torch.exp(-u.square() / 2),
    "boxcar": lambda u: (u.abs() <= 1).double(),
    "epanechnikov": lambda u: (1 - u.square()).clamp_min(0),
    "triangular": lambda u: (1 - u.abs()).clamp_min(0),
}


@pytest.mark.parametrize("profile", KERNELS)
@pytest.mark.parametrize("h", [0.3, 1.7])
def test_the_textbook_estimator(profile, h):
    K = KERNELS[profile]((x[:, None] - data_x[None, :]) / h)
    total = K.sum(1)
    expected = torch.where(total > 0, (K @ data_y) / total.masked_fill(total == 0, 1), 0)
    out = nadaraya_watson(x, data_x, data_y, h, profile)
    torch.testing.assert_close(out.context[0, :, 0], expected)
    if profile != "gaussian":
        assert ((out.weights[0] == 0) == (K == 0)).all()  # compact kernels give exact zeros


def test_the_steps_of_1964():
    mean = plain_mean(x, data_x, data_y).context[0, :, 0]
    torch.testing.assert_close(mean, data_y.mean().expand(len(x)))
    K = KERNELS["gaussian"](x[:, None] - data_x[None, :])
    torch.testing.assert_close(unnormalised(x, data_x, data_y).context[0, :, 0], (K * data_y).mean(1))


def test_narrow_bandwidth_interpolates_and_wide_one_averages():
    at_data = nadaraya_watson(data_x, data_x, data_y, 1e-3).context[0, :, 0]
    torch.testing.assert_close(at_data, data_y)
    wide = nadaraya_watson(x, data_x, data_y, 1e4).context[0, :, 0]
    torch.testing.assert_close(wide, data_y.mean().expand(len(x)), atol=1e-5, rtol=0)


def test_the_bandwidth_can_be_learned():
    """Gradient descent on leave-one-out error finds a better bandwidth than it started with."""
    attend = build("nadaraya-watson", query_dim=1, key_dim=1, bandwidth=3.0, learn_bandwidth=True).double()
    others = ~torch.eye(len(data_x), dtype=torch.bool)[None]
    places, seen = data_x[None, :, None], data_y[None, :, None]
    optimizer = torch.optim.Adam(attend.parameters(), lr=0.1)
    errors = []
    for _ in range(60):
        error = (attend(places, places, seen, others).context - seen).square().mean()
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        errors.append(error.item())
    assert errors[-1] < 0.05 * errors[0]
    assert 0.05 < attend.score.log_bandwidth.exp() < 1.0
