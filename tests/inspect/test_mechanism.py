"""Explanations say what the module computes: the worked example, and laws over the whole catalogue."""

import json

import numpy as np
import pytest
import torch

from jumok.attention import build, catalog
from jumok.errors import InputError, JumokError, UnknownNameError
from jumok.inspect import Explanation, Request, explain, explain_regression, generalise, plain, worked_example
from jumok.inspect.names import formula_name
from jumok.inspect.numbers import Array

NAMES = [mechanism.name for mechanism in catalog()]


def rows(*values: list[float]) -> Array:
    return np.array(values, dtype=np.float64)


# ------------------------------------------------------------ the worked example


def test_the_worked_example_to_every_digit():
    text = plain(worked_example())
    for printed in (
        "e = [15 60 15 35]",
        "e_0 = 10×0 + 5×1 + 10×1 = 15",
        "α = [2.86251858e-20 1.00000000e+00 2.86251858e-20 1.38879439e-11]",
        "[5.00000000e+00 0.00000000e+00 1.00000000e+00]",
        "c = [5.00000000e+00 6.94397194e-11 1.00000000e+00]",
    ):
        assert printed in text


def test_the_worked_example_equals_numpy():
    E, D = rows([0, 1, 1], [5, 0, 1], [1, 1, 0], [0, 5, 1]), rows([10, 5, 10])
    x = E @ D.T
    softmax = np.exp(x) / sum(np.exp(x))
    look = worked_example().looks[0]
    np.testing.assert_array_equal(look.scores, x[:, 0])
    np.testing.assert_allclose(look.weights, softmax[:, 0], rtol=1e-14)
    np.testing.assert_allclose(look.alignment, E * softmax, rtol=1e-14)
    np.testing.assert_allclose(look.context, (E * softmax).sum(0), rtol=1e-14)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_worked_example_has_five_steps(lang: str):
    steps = worked_example(lang).looks[0].steps
    assert len(steps) == 5
    assert list(steps[0].numbers) == ["e"]
    assert "디코더" in steps[4].title or "decoder" in steps[4].title


@pytest.mark.parametrize(("W", "score"), [([[1, 0], [0, 1]], -13), ([[1, 0], [0, 4]], -58), ([[1, 7], [-8, 4]], -141)])
def test_the_general_score_by_hand(W: list[list[float]], score: float):
    request = Request("general", query=rows([1, 3]), keys=rows([2, -5]), parameters={"W": rows(*W)})
    found = explain(request)
    assert found.as_json()["scores"] == [score]
    assert f"e = [{score}]" in plain(found)


# ------------------------------------------------------------ every mechanism of the catalogue


@pytest.fixture(scope="module")
def explained() -> dict[str, Explanation]:
    return {name: explain_regression(Request(name), "ko") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_alignment_is_weight_times_value_and_context_their_sum(name: str, explained: dict[str, Explanation]):
    found = explained[name]
    for look in found.looks:
        assert look.weights.shape == look.scores.shape
        if look.weights.ndim == 1:
            np.testing.assert_allclose(look.alignment, look.weights[:, None] * found.values)
            np.testing.assert_allclose(look.alignment.sum(0), look.context, atol=1e-12)
        else:
            np.testing.assert_allclose(look.alignment.sum(1), look.terms["heads"].value, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_explanation_is_the_module(name: str, explained: dict[str, Explanation]):
    """What is shown equals a plain call of the same mechanism with the same parameters."""
    found = explained[name]
    query, keys, values = (
        torch.tensor(a)[None] for a in (np.stack([k.query for k in found.looks]), found.keys, found.values)
    )
    sizes = {"query_dim": query.shape[-1], "key_dim": keys.shape[-1]}
    attend = build(name, **sizes, **found.options).double().eval()
    by_short_name = found.parameters
    with torch.no_grad():
        for full, parameter in attend.named_parameters():
            parameter.copy_(torch.tensor(by_short_name[formula_name(full)]))
    positions = torch.tensor([[look.position for look in found.looks]])
    out = attend(query, keys, values, positions=positions)
    context = np.stack([look.context for look in found.looks])
    np.testing.assert_allclose(out.context[0].detach().numpy(), context, atol=1e-12)


def test_parameters_are_set_by_the_name_of_the_formula_or_of_the_code():
    for name in ("v_a", "v", "score.v"):
        assert explain(Request("additive", parameters={name: rows([1, 2])})).parameters["v_a"].tolist() == [1, 2]
    for name in ("b_2", "layers.0.bias"):
        assert explain(Request("perceptron", parameters={name: rows([7])})).parameters["b_2"].tolist() == [7]


@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_can_be_told_and_serialised(name: str, explained: dict[str, Explanation]):
    text = plain(explained[name])
    assert "nan" not in text
    assert all(step.text and step.numbers for look in explained[name].looks for step in look.steps)
    document = json.loads(json.dumps(explained[name].as_json(), allow_nan=False))
    assert {"mechanism", "scores", "weights", "alignment", "context", "terms", "query", "keys", "values"} <= set(
        document
    )
    assert document["mechanism"] == name


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("additive", {"W_q q", "W_k k", "tanh", "v"}),
        ("general", {"W", "qW"}),
        ("luong-local-p", {"centre", "gaussian", "window", "share", "before gaussian"}),
        ("kernel", {"distance/h", "K", "h"}),
        ("hard", {"p"}),
        ("sparsemax", {"threshold"}),
        ("coverage", {"coverage", "w_c", "tanh"}),
        ("location", {"W q"}),
        ("transformer", {"q_h", "k_h", "v_h", "heads"}),
    ],
)
def test_the_terms_of_each_mechanism(name: str, terms: set[str], explained: dict[str, Explanation]):
    assert terms <= set(explained[name].looks[0].terms)


def test_terms_make_up_the_score(explained: dict[str, Explanation]):
    look = explained["additive"].looks[0]
    hidden = np.tanh(look.terms["W_q q"].value + look.terms["W_k k"].value)
    np.testing.assert_allclose(hidden, look.terms["tanh"].value)
    np.testing.assert_allclose(hidden @ look.terms["v"].value, look.scores)


@pytest.mark.parametrize("name", ["sparsemax", "entmax15", "entmax"])
def test_the_threshold_gives_the_weights(name: str, explained: dict[str, Explanation]):
    look = explained[name].looks[0]
    alpha = {"sparsemax": 2.0, "entmax15": 1.5}.get(name) or float(look.terms["alpha"].value)
    by_hand = np.clip((alpha - 1) * look.scores - look.terms["threshold"].value, 0, None) ** (1 / (alpha - 1))
    np.testing.assert_allclose(by_hand, look.weights, atol=1e-7)


def test_a_local_look_leaves_positions_out():
    found = explain(Request("luong-local-m", options={"D": 1}, position=3)).looks[0]
    assert [i for i, weight in enumerate(found.weights) if weight] == [2, 3, 4]
    assert found.scores[0] == -np.inf
    assert found.position == 3


def test_the_edge_of_the_source_shows_no_place_twice():
    step = explain(Request("luong-local-m", options={"D": 1}, position=0)).looks[0].steps[1]
    assert len(step.numbers["W k_i"]) == 2
    assert [line[:3] for line in step.worked if line.startswith("e_")] == ["e_0", "e_1"]


def test_a_mask_closes_a_position():
    request = Request("dot", query=rows([1, 0]), keys=rows([1, 2], [3, 4]), mask=np.array([[True, False]]))
    assert explain(request).as_json()["weights"] == [1.0, 0.0]


def test_nothing_to_attend_is_said():
    request = Request("dot", query=rows([1, 0]), keys=rows([1, 2], [3, 4]), mask=np.array([[False, False]]))
    found = explain(request)
    assert found.as_json()["context"] == [0.0, 0.0]
    assert "No position is visible" in plain(found)


def test_one_layer_says_that_the_query_cancels():
    say = lambda layers: plain(explain(Request("perceptron", options={"layers": layers})))  # noqa: E731
    assert "do not depend on the query" in say(1)
    assert "do not depend on the query" not in say(2)


def test_hard_draws_follow_the_seed():
    drawn = {int(explain(Request("hard", seed=seed, draw=True)).looks[0].weights.argmax()) for seed in range(12)}
    assert len(drawn) > 1
    best = explain(Request("hard")).looks[0]
    assert best.weights.argmax() == best.scores.argmax()


def test_the_second_look_of_coverage_differs_by_memory_alone(explained: dict[str, Explanation]):
    first, second = explained["coverage"].looks
    np.testing.assert_array_equal(first.query, second.query)
    np.testing.assert_allclose(second.terms["coverage"].value, first.weights)
    top = first.weights.argmax()
    assert second.weights[top] < first.weights[top]


def test_parameters_follow_the_seed_and_have_two_decimals():
    one, again, other = (explain(Request("general", seed=seed)).parameters["W"] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    np.testing.assert_allclose(one, np.round(one, 2), atol=0)


def test_the_global_generator_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    explain(Request("hard", draw=True))
    generalise()
    torch.testing.assert_close(torch.rand(3), expected)


# ------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Request("bahdanauu"), "did you mean 'bahdanau'"),
        (Request("dot", query=rows([1, 2])), "without --keys"),
        (Request("dot", keys=rows([1, 2])), "without --query"),
        (Request("dot", query=rows([1, 2]), keys=rows([1, 2, 3])), "equal size"),
        (Request("dot", values=rows([1])), "one row for each of the 4 keys"),
        (Request("dot", mask=np.array([[True]])), "each of the 4 keys"),
        (Request("dot", position=-1), "counts from 0"),
        (Request("general", parameters={"V": rows([1])}), "no parameter 'V'"),
        (Request("general", parameters={"W": rows([1, 2])}), "2 × 2"),
        (Request("general", options={"DD": 1}), "no option 'DD'"),
        (Request("luong-local-m", options={"D": "x"}), "option"),
        (Request("additive", options={"attention_dim": -1}), "option"),
        (Request("dot", query=rows([1e300]), keys=rows([1e300])), "too large"),
    ],
)
def test_bad_requests_are_our_own_errors(request_: Request, said: str):
    with pytest.raises(JumokError) as error:
        explain(request_)
    assert said in str(error.value)
    assert isinstance(error.value, InputError | UnknownNameError | ValueError)
