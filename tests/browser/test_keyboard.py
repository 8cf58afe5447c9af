"""Every view by keyboard alone: no mouse, no clicks."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import SENTENCE, Served, Watched

WHERE = (
    "() => { let e = document.activeElement;"
    " while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
    " return [e?.localName, e?.getAttribute('name'), e?.getAttribute('aria-label') ?? '',"
    " (e?.textContent ?? '').trim()] }"
)


def tab_to(page: Page, wanted: str, most: int = 120) -> None:
    """Presses Tab until what has the focus is named so."""
    seen: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        told = " | ".join(str(part)[:60] for part in page.evaluate(WHERE))
        seen.append(told)
        if re.search(wanted, told):
            return
    raise AssertionError(f"no '{wanted}' among {seen}")


def go(page: Page, watched: Watched, served: Served, **state: object) -> None:
    """A view, with the focus at the top of the page."""
    page.goto("about:blank")
    page.goto(served.link(text=SENTENCE, run="small", **state))
    watched.settle()


def test_the_player(watched: Watched, served: Served):
    page = watched.page
    go(page, watched, served, view="steps")
    tab_to(page, r"button \| None \| One step forward")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    expect(page.get_by_test_id("position")).to_contain_text("3 /")
    tab_to(page, r"^input")
    page.keyboard.press("Home")
    expect(page.get_by_test_id("position")).to_contain_text("1 /")


def test_a_weight_on_the_map_and_a_word_taken_away(watched: Watched, served: Served):
    page = watched.page
    go(page, watched, served, view="whatif", beam=1)
    tab_to(page, r"button \| None \|  \| movie$")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo: without “movie”")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("changes")).to_have_count(0)
    tab_to(page, r"div .*drag a cell")
    for key in ("ArrowRight", "ArrowRight", *["Shift+ArrowUp"] * 4):
        page.keyboard.press(key)
    expect(page.get_by_test_id("changes")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Undo: step 1: weight of"))).to_be_visible()


def test_the_comparison(watched: Watched, served: Served):
    page = watched.page
    go(page, watched, served, view="compare", **{"with": ["small", "rnnsearch-1"]})
    expect(page.get_by_test_id("compared").locator("tbody tr")).to_have_count(2)
    tab_to(page, r"^select \| what")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("not-compared").first).to_contain_text("Only in the other text")


def test_the_checkpoints(watched: Watched, served: Served):
    page = watched.page
    go(page, watched, served, view="learn")
    tab_to(page, r"^input \| frame")
    page.keyboard.press("Home")
    first = page.get_by_test_id("frame").text_content()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("frame")).not_to_have_text(str(first))


def test_a_lesson(watched: Watched, served: Served):
    page = watched.page
    go(page, watched, served, view="lessons")
    tab_to(page, r"^a .*Query, key, value")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("prediction")).to_be_visible()
    before = page.get_by_test_id("prediction").text_content()
    tab_to(page, r"^input \| query")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("prediction")).not_to_have_text(str(before))
    tab_to(page, r"^input \| answer")
    page.keyboard.press("ArrowDown")
    tab_to(page, r"button .*Check")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("verdict")).not_to_be_empty()
