"""Lessons on models of pictures that come with Jumok: each shows what its text claims."""

import pytest
from playwright.sync_api import Page, expect

from jumok.data.picturebook import caption_of, outlines
from jumok.evaluation.regions import region_of
from jumok.studio.pictures import scene_named
from tests.browser.conftest import Served, Watched
from tests.browser.test_computed_lessons import answer_quiz
from tests.browser.test_episode import exchange_labels
from tests.browser.test_model_lessons import LANGUAGES, opened


@pytest.mark.parametrize("lang", LANGUAGES)
def test_snail_says_the_label_of_the_example_that_looks_alike(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "snail", lang)
    said = page.get_by_test_id("answer")
    while said.get_attribute("data-label") != said.get_attribute("data-truth"):  # most episodes are named right
        page.get_by_test_id("another").click()
        watched.settle()
    wrong = exchange_labels(page, int(said.get_attribute("data-truth") or 0))
    expect(said).to_have_attribute("data-label", wrong)
    page.locator("input[name=layers]").fill("4")
    expect(page.get_by_test_id("reach")).to_contain_text("16 of 16" if lang == "en" else "16개 시점 중 16개")
    answer_quiz(page, 0)


def pointed(page: Page) -> list[int]:
    """The region at which each word of the caption looks most."""
    most = "maps => maps.map(map => map.weights.indexOf(Math.max(...map.weights)))"
    return page.locator("scene-play region-strip region-map").evaluate_all(most)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_word_for_a_thing_points_into_the_thing(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "image-attention", lang)
    hits = total = 0
    for number in range(6):
        page.locator(f"picture-bar button[data-picture=picturebook-test-1-{number}]").click()
        watched.settle()
        scene = scene_named(f"picturebook-test-1-{number}")
        assert scene is not None
        gold = caption_of(scene, lang)
        words = page.get_by_test_id("caption").locator("button").all_inner_texts()
        if words != list(gold.words):
            continue
        marks = outlines(scene)
        for region, things, kind in zip(pointed(page), gold.things, gold.classes, strict=True):
            if kind in ("shape", "colour"):
                inside = region_of(marks, things, (8, 8))[8 * (region // 8) + 4, 8 * (region % 8) + 4]
                hits, total = hits + int(inside), total + 1
    assert total >= 10
    assert hits >= 0.85 * total


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_erased_is_no_longer_described(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "image-attention", lang)
    before = page.get_by_test_id("caption").inner_text()
    region = pointed(page)[3]
    page.locator("[data-tool=erase]").click()
    svg = page.get_by_test_id("stage").locator("svg")
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            row, column = region // 8 + dy, region % 8 + dx
            if 0 <= row < 8 and 0 <= column < 8:
                box = svg.bounding_box()
                assert box is not None
                svg.click(position={"x": box["width"] * (column + 0.5) / 8, "y": box["height"] * (row + 0.5) / 8})
    watched.settle()
    expect(page.get_by_test_id("edited")).not_to_have_text(before)
    assert page.get_by_test_id("edited").inner_text().split() != before.split()
    page.get_by_test_id("reset").click()
    expect(page.get_by_test_id("edited")).to_have_count(0)
