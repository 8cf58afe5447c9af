"""The numbers that attention is taught with: the default of `jumok explain`, with every product in them."""

import json
import math

import numpy as np
import pytest
import torch

from jumok.attention import build
from jumok.errors import InputError
from jumok.inspect import Request, explain, plain, worked_score, worked_scores
from jumok.inspect.names import formula_name

Q, K = [1.0, 3.0], [2.0, -5.0]


@pytest.mark.parametrize(
    ("case", "value"), [("dot", -13), ("general.identity", -13), ("general.diagonal", -58), ("general", -141)]
)
def test_from_the_dot_product_to_a_full_matrix(case: str, value: float):
    worked = worked_scores()[case]
    assert (worked.query.tolist(), worked.key.tolist()) == (Q, K)
    assert worked.value == value


def test_the_cross_terms_have_their_factors():
    ((general,),) = worked_scores()["general"].layers
    cross = {product.names: (product.factors, product.value) for product in general.products if product.cross}
    assert cross == {("W_10", "q_1", "k_0"): ((-8, 3, 2), -48), ("W_01", "q_0", "k_1"): ((7, 1, -5), -35)}
    same = [product.value for product in general.products if not product.cross]
    assert same == [2, -60]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("name", ["general", "luong-general"])
def test_general_is_printed_with_them(name: str, lang: str):
    lines = plain(explain(Request(name), lang)).splitlines()
    for line in (
        "    k_0, a = b: 1×1×2 + 4×3×(-5) = 2 - 60 = -58",
        "    k_0, a ≠ b: 7×1×(-5) + (-8)×3×2 = -35 - 48 = -83",
        "    e_0 = -58 - 83 = -141",
        "  e = [-141 -142]",
        "  α = [0.73105858 0.26894142]",
    ):
        assert line in lines
    assert all(number in lines[2] for number in ("-13", "-58", "-141"))


@pytest.mark.parametrize("name", ["concat", "luong-concat", "additive", "bahdanau"])
def test_the_hidden_layer_is_printed_unit_by_unit(name: str):
    lines = plain(explain(Request(name))).splitlines()
    for line in (
        "    u_{0,0} = tanh(0.5×1 + (-0.1)×3 + 0.1×2 + 0.2×(-5)) = tanh(-0.6) = -0.53704957",
        "    u_{0,1} = tanh(0.2×1 + 0.1×3 + (-0.3)×2 + (-0.1)×(-5)) = tanh(0.4) = 0.37994896",
        "    e_0 = v_aᵀ u_0 = 1×(-0.53704957) + (-0.5)×0.37994896 = -0.72702405",
    ):
        assert line in lines
    assert math.tanh(-0.6) - 0.5 * math.tanh(0.4) == pytest.approx(-0.72702405, abs=1e-8)


def test_a_single_layer_is_one_sum():
    lines = plain(explain(Request("perceptron", options={"layers": 1}))).splitlines()
    assert "    e_0 = 0.5×1 + (-0.1)×3 + 0.1×2 + 0.2×(-5) + 0.1 = -0.5" in lines


def test_two_layers_are_printed_layer_by_layer():
    lines = plain(explain(Request("perceptron"))).splitlines()
    assert "    u_{0,0} = tanh(0.5×1 + (-0.1)×3 + 0.1×2 + 0.2×(-5) + 0.1) = tanh(-0.5) = -0.46211716" in lines
    assert "    e_0 = 1×(-0.46211716) + (-0.5)×0.29131261 + 0.2 = -0.40777346" in lines
    assert "  e_i = W_2 tanh(W_q q + W_k k_i + b_1) + b_2" in lines


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
@pytest.mark.parametrize("score", ["general", "additive", "concat", "perceptron", "coverage"])
def test_what_is_written_out_is_the_score(score: str, layers: int):
    options = {"layers": layers} if score == "perceptron" else {}
    torch.manual_seed(layers)
    attend = (
        build(score, query_dim=3, key_dim=5, attention_dim=2, **options)
        if score != "general"
        else build(score, query_dim=3, key_dim=5)
    )
    attend = attend.double()
    query, key = torch.randn(3, dtype=torch.float64), torch.randn(5, dtype=torch.float64)
    named = {formula_name(full): p.detach().numpy() for full, p in attend.named_parameters()}
    scores = attend(query[None, None], key[None, None]).scores
    assert scores is not None
    assert worked_score(score, query.numpy(), key.numpy(), named).value == pytest.approx(scores.item(), abs=1e-12)


def test_coverage_is_one_more_product():
    named = {"W_q": [[1.0]], "W_k": [[1.0]], "w_c": [-2.0], "v_a": [1.0]}
    worked = worked_score("coverage", [0.5], [0.25], named, coverage=0.5)
    assert worked.layers[0][0].products[-1].factors == (-2, 0.5)
    assert worked.value == pytest.approx(math.tanh(0.5 + 0.25 - 1))


def test_the_examples_are_the_defaults_of_explain():
    """What a lesson gets is what `jumok explain` prints."""
    for name, case in (
        ("general", "general"),
        ("additive", "additive"),
        ("concat", "concat"),
        ("perceptron", "perceptron.2"),
    ):
        assert explain(Request(name)).looks[0].scores[0] == pytest.approx(worked_scores()[case].value, abs=1e-12)
    one = explain(Request("perceptron", options={"layers": 1})).looks[0].scores[0]
    assert one == pytest.approx(worked_scores()["perceptron.1"].value, abs=1e-12)


def test_concat_is_additive_with_its_matrices_side_by_side():
    found = worked_scores()
    assert found["concat"].value == found["additive"].value


def test_they_can_be_serialised():
    document = json.loads(json.dumps({name: worked.as_json() for name, worked in worked_scores().items()}))
    units = document["perceptron.2"]["layers"][0]
    assert [unit["activation"] for unit in units] == ["tanh", "tanh"]
    for worked in document.values():
        for layer in worked["layers"]:
            for unit in layer:
                values = [math.prod(product["factors"]) for product in unit["products"]]
                assert unit["total"] == pytest.approx(sum(values) + (unit["bias"] or 0))


def test_a_seed_draws_other_parameters_and_the_story_goes():
    drawn = explain(Request("general", seed=1))
    assert not np.array_equal(drawn.parameters["W"], explain(Request("general")).parameters["W"])
    assert "-141" not in plain(drawn)
    assert "seed 1" in plain(drawn)


def test_sizes_that_do_not_fit_the_example_are_drawn():
    assert explain(Request("concat", options={"attention_dim": 3})).parameters["W"].shape == (3, 4)
    assert explain(Request("general", options={"identity": True})).looks[0].scores.tolist() == [-13, 10]
    assert explain(Request("perceptron", options={"layers": 3})).parameters["W_3"].shape == (1, 2)


def test_a_score_that_is_not_written_out_is_named():
    with pytest.raises(InputError, match="one of dot, general"):
        worked_score("kernel", Q, K)
