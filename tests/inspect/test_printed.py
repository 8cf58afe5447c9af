"""What `jumok explain` prints: titles keep their promise, each symbol means one thing, formulas need no English."""

import re

import numpy as np
import pytest

from jumok.attention import catalog
from jumok.inspect import Explanation, Request, explain, explain_regression, generalise, plain

NAMES = [mechanism.name for mechanism in catalog()]
LANGUAGES = ["en", "ko"]
# What a formula may spell out: functions and the names of our own parameters.
SYMBOLS = {"exp", "log", "tanh", "softmax", "sigmoid", "cos", "argmin", "max", "one", "hot", "diag", "Var", "MLP"}
SYMBOLS |= {"cov", "att", "head"}
OPTIONS = {
    "luong-local-p": {"renormalise": True},
    "window": {"causal": True},
    "perceptron": {"layers": 1},
    "kernel": {"profile": "boxcar"},
    "entmax": {"learn_alpha": False, "alpha": 1.7},
    "scaled_dot": {"temperature": 2.0},
}


def printed(name: str, lang: str, **options: object) -> str:
    return plain(explain_regression(Request(name, options=options), lang))


@pytest.mark.parametrize(
    ("lang", "step", "use", "measurement"),
    [("en", r"^Step \d", r"^Use \d", "^Measurement"), ("ko", r"^\d단계", r"^활용 \d", "^측정")],
)
def test_the_title_of_generalise_counts_what_is_printed(lang: str, step: str, use: str, measurement: str):
    text = plain(generalise(lang))
    words = {"four steps": 4, "three uses": 3, "one measurement": 1, "네 단계": 4, "세 가지 활용": 3, "한 가지 측정": 1}
    promised = [count for word, count in words.items() if word in text.splitlines()[0]]
    assert promised == [len(re.findall(pattern, text, re.MULTILINE)) for pattern in (step, use, measurement)]
    assert [found[-1] for found in re.findall(use, text, re.MULTILINE)] == ["1", "2", "3"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_window_is_explained_before_anything_is_left_out(lang: str):
    for name in ("luong-local-p", "luong-local-m", "window", "causal"):
        text = printed(name, lang)
        assert text.index("  i = [") < text.index("-inf")
        assert "−inf" in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_predicted_window_and_its_gaussian_are_written_out(lang: str):
    text = printed("luong-local-p", lang)
    for line in (
        "  D = 2",
        "  σ = 1",
        "    p_t = 7×0.57452926 = 4.0217048",
        "    [p_t − D, p_t + D] = [2.0217048, 6.0217048]",
        "    exp(−(3 − 4.0217048)² / (2×1²)) = 0.5933681",
    ):
        assert line in text.splitlines()
    assert "  w = 1" in printed("window", lang).splitlines()
    assert "  D = 1" in printed("luong-local-m", lang).splitlines()
    for name in ("window", "luong-local-m"):
        assert "  t = 3" in printed(name, lang).splitlines()
        assert "p_t" not in printed(name, lang)


def test_a_gaussian_that_is_renormalised_does_not_claim_to_sum_to_less():
    text = printed("luong-local-p", "en", renormalise=True)
    assert "  Σ α = 1" in text.splitlines()
    assert "less than 1" not in text
    assert "less than 1" in printed("luong-local-p", "en")


def test_a_causal_window_ends_at_the_query():
    found = explain(Request("window", options={"causal": True, "w": 2}))
    assert found.given["scope"].endswith("t − w ≤ i ≤ t")
    assert found.looks[0].steps[0].numbers["i"].tolist() == [1, 2, 3]


def test_concat_projects_the_query_with_its_own_half_of_W():
    step = explain(Request("concat")).looks[0].steps[0]
    assert "W_q q" in step.numbers
    assert "W q" not in step.numbers


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_symbol_has_one_meaning(name: str, lang: str):
    """What is printed as `x = …` is a parameter, an input or a result, and only one of them."""
    found = explain_regression(Request(name), lang)
    head = re.findall(
        r"^  (\S+) = ", plain(found).partition("\n\n1" if lang == "ko" else "\n\nStep 1")[0], re.MULTILINE
    )
    results = {"e", "a", "c", "α", "i", "p", "v", "k", "q"}
    assert not results & set(head)
    for look in found.looks:
        for step in look.steps:
            assert len({label.removesuffix("_i") for label in step.numbers}) == len(step.numbers)
            assert not set(head) & set(step.numbers)


def test_the_sparsity_of_entmax_is_printed():
    assert "  γ = 1.7" in printed("entmax", "en", alpha=1.7, learn_alpha=False).splitlines()


def test_a_look_back_at_many_weights_lists_the_largest_in_order_of_position():
    for lang, note in (("en", "the 16 largest of 30 weights, in order of position"), ("ko", "큰 16개만 표시(위치 순)")):
        found = explain_regression(Request("nadaraya-watson"), lang)
        text = plain(found)
        rows = [int(row) for row in re.findall(r"^  (\d+) +\[", text, re.MULTILINE)]
        largest = np.argsort(-found.looks[0].weights, kind="stable")[:16]
        assert rows == sorted(largest.tolist())
        assert note in text


def test_heads_have_their_own_index():
    formulas = [step.formula for step in explain(Request("transformer")).looks[0].steps]
    assert "e_{h,i} = q_hᵀ k_{h,i} / √d_k" in formulas
    assert "α_{h,i} = exp(e_{h,i}) / Σ_j exp(e_{h,j})" in formulas
    assert "a_{h,i} = α_{h,i} v_{h,i}" in formulas


def test_coverage_shows_how_its_softmax_comes_about():
    step = explain(Request("coverage")).looks[1].steps[1]
    np.testing.assert_allclose(step.numbers["exp(e_i − max e)"] / step.numbers["Σ exp(e_j − max e)"], step.numbers["α"])


@pytest.mark.parametrize("name", ["generalise", *NAMES])
def test_formulas_need_no_english(name: str):
    """Formulas are printed and drawn as they are in both languages."""
    for options in ({}, OPTIONS.get(name, {})):
        found = generalise("ko") if name == "generalise" else explain_regression(Request(name, options=options), "ko")
        for formula in formulas_of(found):
            words = set(re.findall(r"[A-Za-z]{3,}", formula))
            assert words <= SYMBOLS, formula


def formulas_of(found: Explanation) -> list[str]:
    steps = [step.formula.splitlines()[0] for look in found.looks for step in look.steps]
    heads = [found.given[part].partition("    ")[2] for part in ("score", "scope", "align") if part in found.given]
    return steps + heads


def test_a_mask_closes_the_score_too():
    request = Request("dot", query=np.ones((1, 2)), keys=np.ones((3, 2)), mask=np.array([[True, False, True]]))
    look = explain(request).looks[0]
    assert look.scores.tolist() == [2, -np.inf, 2]
    assert [line[:3] for line in look.steps[0].worked] == ["e_0", "e_2"]
