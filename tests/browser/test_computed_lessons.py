"""Lessons that the page computes itself: what each passage claims, in its own numbers, in both languages."""

import json
import re
import subprocess
import sys
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from jumok.attention import build
from tests.browser.conftest import Served, Watched

LANGUAGES = ("en", "ko")


def lesson(watched: Watched, served: Served, name: str, lang: str = "en", **play: object) -> Page:
    """A lesson's page, with its picture set by the link."""
    state = {"view": "lessons", "lesson": name, **{f"p.{key}": value for key, value in play.items()}}
    watched.page.goto("about:blank")  # a link that differs after # only would not load the page again
    watched.page.goto(f"{served.url}?lang={lang}#{urlencode(state)}")
    page = watched.settle()
    expect(page.locator(f"article[data-lesson={name}]")).to_be_visible()
    return page


def field(page: Page, name: str, place: int) -> Locator:
    """A number that can be changed."""
    return page.locator(f"number-grid[data-name={name}] input").nth(place)


def number(text: str) -> float:
    """A number as the page writes it."""
    return float(text.replace("−", "-"))


def shown(page: Page, test_id: str) -> float:
    """The number of a part of the picture."""
    return number(page.get_by_test_id(test_id).inner_text())


def answer_quiz(page: Page, place: int) -> None:
    """Chooses an answer, which must be the right one."""
    page.locator("quiz-card input").nth(place).check()
    page.locator("quiz-card button").click()
    expect(page.get_by_test_id("verdict").locator(".right")).to_be_visible()


# ---------------------------------------------------------------- scores by hand


def explained(*words: str) -> float:
    """The score of q = (1, 3) and k = (2, −5) that `jumok explain` prints by default."""
    command = [sys.executable, "-m", "jumok", "explain", *words, "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert (told["query"], told["keys"][0]) == ([1, 3], [2, -5])
    return told["scores"][0]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_scores_by_hand_are_the_documents(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "worked-scores", lang)
    assert [shown(page, f"score-{name}") for name in ("dot", "diagonal", "full")] == [-13, -58, -141]
    full = page.locator("[data-score=full]")
    expect(full.locator(".sum mark")).to_have_text(["7×1×(−5)", "(−8)×3×2"])
    expect(full.locator("td.crosses")).to_have_text(["7×1×(−5) = −35", "(−8)×3×2 = −48"])
    expect(full).to_contain_text("= 2 − 35 − 48 − 60")
    expect(page.locator("[data-score=dot]")).to_contain_text("1×2 + 3×(−5)")
    expect(page.locator("[data-score=single]")).to_contain_text("[q; k] = [1, 3, 2, −5]")
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_only_a_score_with_parameters_learns_itself(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "worked-scores", lang)
    assert list(build("dot", query_dim=2, key_dim=2).parameters()) == []
    states = [torch.tensor(one, requires_grad=True) for one in ([1.0, 3], [2.0, -5])]
    weights = torch.tensor([[1.0, 7], [-8, 4]], requires_grad=True)
    query, key = states
    for name, score in (("dot", query @ key), ("full", query @ weights @ key)):
        wanted = dict(zip("qk", torch.autograd.grad(score, states, retain_graph=True), strict=True))
        if name == "full":
            wanted["W"] = torch.autograd.grad(score, weights)[0]
        lines = page.locator(f"[data-score={name}] [data-gradient]")
        assert [line.get_attribute("data-gradient") for line in lines.all()] == list(wanted)
        for line, gradient in zip(lines.all(), wanted.values(), strict=True):
            assert json.loads(line.locator("strong").inner_text().replace("−", "-")) == gradient.tolist()
    field(page, "q", 0).fill("4")
    watched.settle()
    expect(page.locator("[data-score=dot] [data-gradient=k] strong")).to_have_text("[4, 3]")


def test_scores_by_hand_are_those_of_explain(watched: Watched, served: Served):
    page = lesson(watched, served, "worked-scores")
    assert shown(page, "score-full") == explained("luong-general")
    assert shown(page, "score-single") == pytest.approx(explained("perceptron", "--option", "layers=1"))
    assert shown(page, "score-multi") == pytest.approx(explained("luong-concat"), abs=5e-5)


def test_numbers_follow_the_keyboard_the_pointer_and_the_link(watched: Watched, served: Served):
    page = lesson(watched, served, "worked-scores")
    field(page, "w", 1).fill("0")
    field(page, "w", 2).fill("0")
    assert shown(page, "score-full") == shown(page, "score-diagonal") == -58
    field(page, "k", 0).focus()
    page.keyboard.press("ArrowUp")
    assert shown(page, "score-dot") == 3 - 15
    box = field(page, "q", 0).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 10, steps=4)
    page.mouse.up()
    expect(field(page, "q", 0)).to_have_value("3")
    assert shown(page, "score-dot") == 3 * 3 - 15
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_test_id("score-dot")).to_have_text("−6")
    page.get_by_role("button", name="The numbers of the lesson").click()
    expect(page.get_by_test_id("score-full")).to_have_text("−141")


# ---------------------------------------------------------------- five steps


@pytest.mark.parametrize("lang", LANGUAGES)
def test_five_steps_show_every_digit(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "five-steps", lang)
    expect(page.get_by_test_id("score").locator("strong")).to_have_text(["15", "60", "15", "35"])
    expect(page.get_by_test_id("score").first).to_contain_text("10×0 + 5×1 + 10×1 = 15")
    digits = ["2.86251858e-20", "1.00000000e+00", "2.86251858e-20", "1.38879439e-11"]
    expect(page.get_by_test_id("weight")).to_have_text(digits)
    expect(page.get_by_test_id("context").locator("strong")).to_have_text(
        ["5.00000000e+00", "6.94397194e-11", "1.00000000e+00"]
    )
    expect(page.get_by_test_id("summary").locator("tr").nth(1)).to_contain_text("[5, 0, 1]")
    tops = page.get_by_test_id("context").locator("strong").evaluate_all("all => all.map(one => one.offsetTop)")
    assert len(set(tops)) == 1  # the vector in one line
    shapes = [
        text.partition(": ")[2].replace("\u00a0", " ") for text in page.get_by_test_id("shapes").all_inner_texts()
    ]
    assert shapes == ["(4, 3) × (3, 1) = (4, 1)", "(4, 1) ⊙ (4, 3) = (4, 3)", "(3,)"]
    expect(page.get_by_test_id("summary").locator("td:last-child")).to_have_text(
        ["[0, 0, 0]", "[5, 0, 1]", "[0, 0, 0]", "[0, 0, 0]"]
    )


def test_five_steps_follow_the_numbers(watched: Watched, served: Served):
    page = lesson(watched, served, "five-steps")
    for place in range(3):
        field(page, "decoder", place).fill("0")
    expect(page.get_by_test_id("weight")).to_have_text(["2.50000000e-01"] * 4)
    expect(page.get_by_test_id("context").locator("strong")).to_have_text(
        ["1.50000000e+00", "1.75000000e+00", "7.50000000e-01"]
    )
    answer_quiz(page, 2)


# ---------------------------------------------------------------- encoder and decoder


@pytest.mark.parametrize("lang", LANGUAGES)
def test_encoder_and_decoder_unroll(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "encoder-decoder", lang)
    encoder, decoder = (page.locator(f"[data-part={part}] li:not(.later)") for part in ("encoder", "decoder"))
    expect(encoder.locator(".state")).to_have_attribute("aria-label", "h₀(e) = [0, 0, 0, 0]")  # h0 of the encoder
    expect(decoder).to_have_count(0)
    step = page.get_by_role("group", name=re.compile("Player|재생")).locator("button").last
    for _ in range(3):
        step.click()
    expect(encoder.locator("[data-reads]")).to_have_text(["I", "go", "home"])
    expect(page.get_by_test_id("encoder-used")).to_contain_text("3")
    step.click()  # the state is handed over
    handed = encoder.last.locator(".state").get_attribute("aria-label") or ""
    expect(decoder.locator(".state")).to_have_attribute("aria-label", handed.replace("h₃(e)", "h₀(d)"))
    expect(page.get_by_test_id("says")).to_contain_text("h₀(d)")
    for _ in range(4):
        step.click()
    expect(decoder.locator("[data-reads]")).to_have_text(["<s>", "나는", "집에", "간다"])
    expect(decoder.locator("[data-writes]")).to_have_text(["나는", "집에", "간다", "</s>"])
    expect(page.get_by_test_id("encoder-used")).to_contain_text("3")
    expect(page.get_by_test_id("decoder-used")).to_contain_text("4")
    expect(step).to_be_disabled()
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_question_is_read_to_its_end_before_it_is_answered(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "encoder-decoder", lang, sentence="free", step=13)
    read, heard, said = (page.locator(f"[data-part={part}] [data-{side}]") for part, side in
                         (("encoder", "reads"), ("decoder", "reads"), ("decoder", "writes")))  # fmt: skip
    expect(read).to_have_text(["Are", "you", "free", "tomorrow", "?"])
    expect(heard).to_have_text(["<s>", "Yes", ",", "what", "'s", "up", "?"])
    expect(said).to_have_text(["Yes", ",", "what", "'s", "up", "?", "</s>"])  # what is written is heard next
    expect(page.locator("article")).to_contain_text("<SOS>")  # the mark's other name


def test_the_numbers_of_a_state_need_no_mouse(watched: Watched, served: Served):
    page = lesson(watched, served, "encoder-decoder", step=3)
    shown, states = page.get_by_test_id("numbers").first, page.locator("[data-part=encoder] button.state")
    expect(shown).to_have_text(states.nth(3).get_attribute("aria-label") or "h₃")  # the newest
    states.nth(2).focus()
    expect(shown).to_have_text(states.nth(2).get_attribute("aria-label") or "h₂")
    page.keyboard.press("Shift+Tab")
    expect(shown).to_have_text(states.nth(1).get_attribute("aria-label") or "h₁")
    states.nth(0).dispatch_event("click")  # a tap
    expect(shown).to_have_text("h₀(e) = [0, 0, 0, 0]")
    page.get_by_role("button", name="One step forward").click()
    expect(shown).to_have_text(states.nth(3).get_attribute("aria-label") or "h₃")
    expect(states.nth(3)).to_be_enabled()
    expect(page.locator("[data-part=decoder] button.state").nth(1)).to_be_disabled()  # not written yet


def test_encoder_and_decoder_play_by_themselves(watched: Watched, served: Served):
    page = lesson(watched, served, "encoder-decoder", sentence="apple")
    page.get_by_test_id("play").click()
    expect(page.locator("[data-part=encoder] li:not(.later)")).to_have_count(3)
    page.get_by_test_id("play").click()
    expect(page.get_by_test_id("play")).to_have_text("Play")
    expect(page.locator("[data-part=encoder] li:not(.later) [data-reads]").first).to_have_text("She")


# ---------------------------------------------------------------- learning


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_gradient_vanishes_but_not_through_attention(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "gradient-path", lang)
    assert shown(page, "recurrent") == pytest.approx(0.9**30, rel=1e-3)
    assert shown(page, "direct") == 0.5
    page.locator("input[name=length]").fill("50")
    assert shown(page, "recurrent") == 0.005154
    assert shown(page, "direct") == 0.5
    answer_quiz(page, 2)
    for name, value in (("which", 41), ("weight", 0.7)):  # what one word gets, the others lack
        page.locator(f"input[name={name}]").fill(str(value))
    assert shown(page, "recurrent") == pytest.approx(0.9**10, rel=1e-3)
    expect(page.locator("gradient-path .box").last).to_contain_text("0.3")
    drawn = page.locator("gradient-path curve-chart").evaluate("chart => chart.series.map(one => one.points)")
    assert [word for word, _ in drawn[0]] == list(range(1, 51))
    assert drawn[1] == [[41, 0.7]]  # at the chosen word only
    page.locator("input[name=which]").fill("1")
    page.locator("input[name=factor]").fill("1.1")
    assert shown(page, "recurrent") == pytest.approx(1.1**50, rel=1e-3)
    page.locator("input[name=factor]").fill("0.5")
    assert float(page.get_by_test_id("recurrent").inner_text().replace("−", "-")) == pytest.approx(0.5**50, rel=1e-2)


# ---------------------------------------------------------------- generalisation


def cells(page: Page, test_id: str) -> np.ndarray:
    """The numbers of a matrix."""
    rows = page.get_by_test_id(test_id).locator("tr")
    return np.array([[number(cell) for cell in row.locator("td").all_inner_texts()] for row in rows.all()])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_layer_is_generalised_in_four_steps(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "generalise", lang)
    inputs, queries = torch.tensor([[[1.0, 0], [0, 1], [1, 1]]]), torch.tensor([[[2.0, 0], [-1, 3]]])
    found = build("scaled_dot", query_dim=2, key_dim=2)(queries, inputs)
    np.testing.assert_allclose(cells(page, "a3"), found.weights[0].numpy(), atol=6e-4)
    np.testing.assert_allclose(cells(page, "y3"), found.context[0].numpy(), atol=6e-4)
    plain = build("dot", query_dim=2, key_dim=2)(queries[:, :1], inputs)
    np.testing.assert_allclose(cells(page, "y1"), plain.context[0].numpy(), atol=6e-4)
    keys, values = inputs @ torch.tensor([[0.0, 1], [1, 0]]), inputs @ torch.tensor([[10.0, 0], [0, 5]])
    apart = build("scaled_dot", query_dim=2, key_dim=2)(queries, keys, values)
    np.testing.assert_allclose(cells(page, "y4"), apart.context[0].numpy(), atol=6e-4)
    assert shown(page, "same-row") == 0
    assert shown(page, "same-all") > 1
    page.get_by_test_id("identity").click()
    expect(page.get_by_test_id("same-all")).to_have_text("0")
    answer_quiz(page, 0)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_scale_keeps_the_softmax_soft(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "scale", lang, size=0)
    for power in range(10):
        page.locator("input[name=size]").fill(str(power))
        expect(page.get_by_test_id("size-shown")).to_have_text(str(2**power))
        assert shown(page, "variance-plain") == pytest.approx(2**power, rel=0.15)
        assert shown(page, "variance-scaled") == pytest.approx(1, rel=0.15)
    chart = page.locator("scale-play curve-chart svg.chart").first
    ticks = chart.locator("text[text-anchor=middle]").all_text_contents()
    assert ticks == [str(2**power) for power in range(10)]  # the axis has the sizes themselves
    assert shown(page, "peak-plain") > 0.9
    assert shown(page, "peak-scaled") < 0.3
    assert shown(page, "gradient-plain") < shown(page, "gradient-scaled") / 3
    answer_quiz(page, 0)
