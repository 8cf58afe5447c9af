"""The arithmetic shown is the arithmetic done: terms put together again give scores, weights, context and words."""

import re
from xml.dom import minidom

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.attention.catalog import NORMALISERS, SCOPES, SCORES
from jumok.studio.mathml import formula
from tests.studio.conftest import ATTENDING, TRAINED
from tests.studio.test_reading import as_array


def terms_of(answer, stage=None):
    """Terms by name, of one stage or of all."""
    found = {}
    for one in answer["stages"]:
        if stage in (None, one["id"]):
            for term in one["terms"]:
                assert term["shape"] == term["shown"]
                data = [np.nan if value is None else value for value in term["data"]]
                found[term["name"]] = np.array(data, dtype=float).reshape(term["shape"])
    return found


def softmax(scores):
    shifted = np.exp(scores - scores.max())
    return shifted / shifted.sum()


def test_additive_attention_adds_up(served, example):
    answer = served.ask("step", run=TRAINED[0], text=example.source, prefix=[20, 31])
    terms = terms_of(answer)
    np.testing.assert_allclose(terms["tanh"], np.tanh(terms["W_q q"] + terms["W_k k"]), atol=1e-4)
    np.testing.assert_allclose(terms["tanh"] @ terms["v"], terms["scores"], atol=1e-3)
    np.testing.assert_allclose(softmax(terms["scores"]), terms["weights"], atol=1e-4)
    np.testing.assert_allclose(terms["weights"] @ terms["keys"], terms["context"], atol=1e-3)
    np.testing.assert_allclose(terms["alignment"].sum(0), terms["context"], atol=1e-3)
    assert answer["position"] == 2
    assert answer["previous"]["id"] == 31


def test_hard_attention_tells_what_it_took(served, example):
    answer = served.ask("step", run="hard", text=example.source, prefix=[])
    terms = terms_of(answer)
    place = int(terms["p"].argmax())
    assert terms["weights"][place] == 1
    told = next(stage for stage in answer["stages"] if stage["id"] == "align")["text"]
    said = re.search(r"position is (\d+), log p = (-[\d.]+\d)", told["en"])
    assert said is not None
    assert int(said[1]) == place
    assert float(said[2]) == pytest.approx(np.log(terms["p"][place]), abs=1e-3)
    assert f"위치는 {place}" in told["ko"]


def test_the_general_score_adds_up(served, example):
    terms = terms_of(served.ask("step", run="luong", text=example.source, prefix=[20]))
    np.testing.assert_allclose(terms["qW"], terms["query"] @ terms["W"], atol=1e-3)
    np.testing.assert_allclose(terms["keys"] @ terms["qW"], terms["scores"], atol=1e-3)


def test_heads_add_up(served, example):
    terms = terms_of(served.ask("step", run=TRAINED[1], text=example.source, prefix=[20], layer=0))
    dots = np.einsum("hd,hsd->hs", terms["q_h"], terms["k_h"])
    np.testing.assert_allclose(dots, terms["dots"], atol=1e-3)
    np.testing.assert_allclose(terms["dots"] * terms["scale"], terms["scores"], atol=1e-3)
    for scores, weights in zip(terms["scores"], terms["weights"], strict=True):
        np.testing.assert_allclose(softmax(scores), weights, atol=1e-4)
    np.testing.assert_allclose(np.einsum("hs,hsd->hd", terms["weights"], terms["v_h"]), terms["heads"], atol=1e-3)


def test_local_attention_shows_its_window(served, example):
    answer = served.ask("step", run="local", text=example.source)
    terms = terms_of(answer)
    weights = as_array(answer["weights"])[0]
    inside = ~np.isnan(terms["gaussian"])
    assert not weights[~inside].any()
    np.testing.assert_allclose(weights[inside], (terms["before gaussian"] * terms["gaussian"])[inside], atol=1e-4)
    assert [stage["id"] for stage in answer["stages"]][:4] == ["scope", "score", "align", "gaussian"]


@pytest.mark.parametrize("run", [*ATTENDING, "none", "bare"])
def test_every_mechanism_is_worked_through_in_both_languages(served, example, run):
    answer = served.ask("step", run=run, text=example.source)
    reading = served.ask("translate", run=run, text=example.source, beam=1)["reading"]
    for one, other in zip(answer["top"], reading["steps"][0]["top"], strict=True):
        assert one["log_prob"] == pytest.approx(other["log_prob"], abs=1e-4)
    assert [stage["id"] for stage in answer["stages"]][-2:] == ["decoder", "words"]
    for stage in answer["stages"]:
        minidom.parseString(stage["formula"]["mathml"])
        assert stage["title"]["en"] != stage["title"]["ko"]
        assert stage["text"]["en"]
        assert stage["text"]["ko"]
        for term in stage["terms"]:
            assert len(term["axes"]) == len(term["shape"])
            assert len(term["data"]) == np.prod(term["shown"], dtype=int)
    if reading["attention"]["cross"]:
        last = as_array(reading["attention"]["cross"][-1])[:, 0]
        np.testing.assert_allclose(as_array(answer["weights"]), last, atol=2e-5)
        assert answer["mechanism"]["name"] == served.session(run).run.config.model.decoder.attention
    else:
        assert answer["weights"] is None


def test_an_edited_step_shows_the_imposed_weights(served, example):
    edit = {"kind": "weight", "at": 0, "source": 1, "value": 0.75}
    answer = served.ask("step", run=TRAINED[0], text=example.source, edits=[edit])
    assert as_array(answer["weights"])[0, 1] == pytest.approx(0.75)


def test_terms_too_large_are_cut_and_say_so(served, example, monkeypatch):
    monkeypatch.setattr("jumok.studio.arithmetic.TERM_NUMBERS", 20)
    answer = served.ask("step", run=TRAINED[0], text=example.source)
    keys = next(term for stage in answer["stages"] for term in stage["terms"] if term["name"] == "keys")
    assert keys["shown"][0] == keys["shape"][0]
    assert keys["shown"][1] < keys["shape"][1]
    assert len(keys["data"]) == keys["shown"][0] * keys["shown"][1]


@pytest.mark.parametrize(
    "part", [*SCORES.values(), *SCOPES.values(), *NORMALISERS.values()], ids=lambda part: part.name
)
def test_every_formula_of_the_catalogue_has_well_formed_mathml(part):
    made = formula(part.formula or part.name)
    root = minidom.parseString(made.mathml).documentElement
    assert root.tagName == "math"


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("C",)), max_size=40))
def test_mathml_is_well_formed_whatever_it_is_given(text):
    minidom.parseString(formula(text).mathml)


def test_brackets_are_high_only_around_a_fraction():
    assert 'stretchy="false">(<' in formula("tanh(W [q; k])").mathml
    assert "stretchy" not in formula("(a / b)").mathml


def test_a_hyphen_within_a_word_is_no_minus_and_a_tilde_no_accent():
    made = formula("one-hot(i ~ softmax(e))")
    assert "<mi>one-hot</mi>" in made.mathml
    assert "<mo>∼</mo>" in made.mathml
    assert made.plain == "one-hot(i ~ softmax(e))"
    assert "<mo>-</mo>" in formula("q-k").mathml


def test_kernel_regression_is_the_1964_one(served):
    x, y = [0.0, 1.0, 2.5, 4.0], [0.1, 0.9, 0.4, -0.7]
    answer = served.ask("kernel", x=x, y=y, bandwidth=0.5, at=1.2, points=7)
    kernel = np.exp(-0.5 * ((1.2 - np.array(x)) / 0.5) ** 2)
    assert answer["prediction"] == pytest.approx(kernel @ y / kernel.sum(), abs=1e-5)
    np.testing.assert_allclose(answer["weights"], kernel / kernel.sum(), atol=1e-5)
    np.testing.assert_allclose(answer["mean"], np.mean(y), atol=1e-5)
    lonely = served.ask("kernel", x=[0, 100], y=[1, 2], bandwidth=1, profile="boxcar", at=50, points=5)
    assert lonely["prediction"] is None
    assert None in lonely["normalised"]
    assert served.post("kernel", x=[1, 2], y=[1]).status_code == 422
