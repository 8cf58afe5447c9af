"""The view of few-shot runs: thumbnails with weights, and what-ifs that change the answer."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from jumok.studio.lesson_models import SHIPPED
from jumok.studio.studio import Studio
from tests.browser.conftest import Served, Watched
from tests.studio.conftest import serving


@pytest.fixture(scope="module")
def named(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with the lesson's few-shot model."""
    place = tmp_path_factory.mktemp("named")
    studio = Studio([SHIPPED / "snail"], place / "home")
    with serving(studio) as access:
        yield Served(f"http://127.0.0.1:{access.port}/", place)


def opened(context: BrowserContext, served: Served, **state: object) -> Watched:
    watched = Watched(context.new_page(), served.url.rstrip("/")).watch()
    watched.page.goto(served.link(view="episode", run="snail", **state))
    watched.settle()
    return watched


def answer(page: Page) -> tuple[str | None, str | None]:
    said = page.get_by_test_id("answer")
    return said.get_attribute("data-label"), said.get_attribute("data-truth")


def test_every_block_shows_a_weight_for_each_example(context: BrowserContext, named: Served):
    watched = opened(context, named)
    page = watched.page
    examples = page.locator("thead img:not(.query)").count()
    assert examples == 5
    for block in page.locator("tr[data-block]").all():
        weights = [float(one.split()[0]) for one in block.locator("td.weight").all_inner_texts()]
        assert len(weights) == examples + 1
        assert sum(weights) == pytest.approx(1, abs=0.01 * len(weights))
    page.get_by_test_id("another").click()
    watched.settle()
    assert "p.episode=1" in page.url
    assert watched.complaints == []


def exchange_labels(page: Page, truth: int) -> str:
    """Gives the example of a class the label of the next one, and the other way round; returns that label."""
    places = page.locator("select[data-label]").evaluate_all("all => all.map(one => [one.dataset.label, one.value])")
    place = {label: place for place, label in places}
    other = str((truth + 1) % len(place))
    page.locator(f"select[data-label='{place[str(truth)]}']").select_option(other)
    page.locator(f"select[data-label='{place[other]}']").select_option(str(truth))
    return other


def test_leaving_out_moving_and_mislabelling_change_the_answer(context: BrowserContext, named: Served):
    watched = opened(context, named)
    page = watched.page
    # The first episode that is named right; most are.
    while len(set(answer(page))) > 1:
        page.get_by_test_id("another").click()
        watched.settle()
    label, truth = answer(page)
    chances = page.get_by_test_id("chance").all_inner_texts()
    other = exchange_labels(page, int(truth or 0))
    watched.settle()
    assert answer(page)[0] == other != label  # it believes the labels
    page.get_by_test_id("undo").click()
    watched.settle()
    assert page.get_by_test_id("chance").all_inner_texts() == chances
    for change in ("drop", "swap"):
        page.locator(f"button[data-{change}]").first.click()
        watched.settle()
        assert page.get_by_test_id("chance").all_inner_texts() != chances
        assert f"p.edits={change[0]}" in page.url
        left_out = page.locator("tr[data-block='0'] td.weight").filter(has_text="–")
        expect(left_out).to_have_count(int(change == "drop"))
        page.get_by_test_id("undo").click()
        watched.settle()
    assert watched.complaints == []
