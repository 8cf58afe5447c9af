"""Bad input: an error of ours that names the argument and the expected shape, never torch's own."""

import pytest
import torch

from jumok.attention import build
from jumok.errors import JumokError, NumericsError, ShapeError, UnknownNameError

q, k, v = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
NAMES = ["dot", "additive", "luong-local-p", "transformer", "coverage"]


def attend(name="dot", **options):
    return build(name, query_dim=5, key_dim=5, value_dim=11, **options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((torch.randn(2, 3, 4), k, v), ["query", "[B, T, 5]", "[2, 3, 4]"]),
        ((q, torch.randn(2, 7, 6), v), ["keys", "[B, S, 5]", "[2, 7, 6]"]),
        ((q, k, torch.randn(2, 6, 11)), ["values", "[2, 7, D]", "[2, 6, 11]"]),
        ((q, torch.randn(3, 7, 5), torch.randn(3, 7, 11)), ["query", "keys", "[2, 3, 5]"]),
        ((torch.randn(3, 5), k, v), ["query", "[3, 5]"]),
        ((torch.randn(2, 0, 5), k, v), ["query", "empty"]),
        ((q, torch.randn(2, 0, 5), torch.randn(2, 0, 11)), ["keys", "empty"]),
        ((torch.ones(2, 3, 5, dtype=torch.long), k, v), ["query", "floating-point"]),
        ((q.double(), k, v), ["query", "float64", "float32"]),
        ((q, k, v, torch.ones(2, 3, 7)), ["mask", "boolean"]),
        ((q, k, v, torch.ones(2, 3, 6, dtype=torch.bool)), ["mask", "[2, 3, 7]", "[2, 3, 6]"]),
        ((q, k, v, torch.ones(2, 7, dtype=torch.bool)), ["mask", "mask[:, None, :]"]),
        ((q, k, v, torch.ones(1, 1, 1, 1, 7, dtype=torch.bool)), ["mask", "[1, 1, 1, 1, 7]"]),
    ],
)
def test_shapes(name, arguments, words):
    with pytest.raises(ShapeError) as error:
        attend(name)(*arguments)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_positions_and_override(name):
    for positions in (
        torch.zeros(2, 3),
        torch.zeros(2, 4, dtype=torch.long),
        torch.zeros(3, 3, dtype=torch.long),
    ):
        with pytest.raises(ShapeError, match="positions"):
            attend(name)(q, k, v, positions=positions)
    for override in (torch.ones(2, 3, 6), torch.ones(2, 3, 7, dtype=torch.long)):
        with pytest.raises(ShapeError, match="override"):
            attend(name)(q, k, v, override=override)


@pytest.mark.parametrize("name", NAMES)
def test_not_a_number_is_named(name):
    spoiled = k.clone()
    spoiled[1, 4, 2] = float("nan")
    with pytest.raises(NumericsError, match="NaN"):
        attend(name)(q, spoiled, v)


def test_location_beyond_its_length():
    location = build("location", query_dim=5, key_dim=5, max_length=6)
    with pytest.raises(ShapeError, match="6 positions was given 7 keys"):
        location(q, k)


def test_unequal_sizes_for_scores_that_need_equal_ones():
    for name in ("dot", "scaled_dot", "cosine", "kernel", "luong-dot", "nadaraya-watson"):
        with pytest.raises(ShapeError, match="query_dim=5 and key_dim=7"):
            build(name, query_dim=5, key_dim=7)
    for name in ("general", "additive", "concat", "perceptron", "location", "uniform", "transformer"):
        out = build(name, query_dim=5, key_dim=7)(q, torch.randn(2, 4, 7))
        assert out.context.shape == (2, 3, 5 if name == "transformer" else 7)


def test_unknown_names_say_what_was_meant():
    with pytest.raises(UnknownNameError, match="did you mean 'bahdanau'"):
        build("bahdenau", query_dim=5, key_dim=5)
    with pytest.raises(UnknownNameError, match="did you mean 'temperature'"):
        attend(temprature=2.0)
    with pytest.raises(UnknownNameError, match="did you mean 'softmax'"):
        attend(align="sofmax")
    with pytest.raises(UnknownNameError, match="did you mean 'local_m'"):
        attend(scope="local-m")
    with pytest.raises(UnknownNameError, match="did you mean 'gaussian'"):
        attend("kernel", profile="gausian")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("luong-local-m", {"D": -1}),
        ("luong-local-p", {"D": 0}),
        ("dot", {"temperature": 0.0}),
        ("kernel", {"bandwidth": 0.0}),
        ("cosine", {"beta": -1.0}),
        ("perceptron", {"layers": 0}),
        ("entmax", {"alpha": 3.0}),
        ("hard", {"estimator": "guess"}),
        ("transformer", {"heads": 0}),
        ("location", {"max_length": 0}),
    ],
)
def test_impossible_options(name, options):
    with pytest.raises(JumokError):
        attend(name, **options)


def test_prepared_keys_bring_their_own_values():
    for name in NAMES:
        mechanism = attend(name)
        with pytest.raises(ShapeError, match="values"):
            mechanism(q, mechanism.prepare(k, v), v)
