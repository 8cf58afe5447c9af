"""The tour: every lesson shows its picture on live models, also by a direct link; what cannot be trained says why."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served, Watched

PICTURES = {
    "bottleneck": "bottleneck-play chance-bars",
    "attention": "sentence-play heat-map canvas",
    "word-order": "order-play heat-map canvas",
    "soft-hard-global-local": "looks-play heat-map canvas",
    "query-key-value": "kernel-play svg[role=img]",
    "self-attention": "heads-play heat-map canvas",
    "multi-head": "heads-play head-grid canvas",
    "transformer": "sentence-play heat-map canvas",
    "reversed-source": "reversed-play curve-chart svg.chart",
    "teacher-forcing": "forcing-play table",
    "backpropagation": "paths-play svg[role=img]",
}


@pytest.mark.parametrize("lesson", list(PICTURES))
def test_a_direct_link_shows_the_picture_of_a_lesson(lesson: str, watched: Watched, served: Served):
    watched.page.goto(served.link(view="lessons", lesson=lesson))
    page = watched.settle()
    expect(page.locator(PICTURES[lesson]).first).to_be_visible()
    expect(page.locator("quiz-card input")).not_to_have_count(0)


def test_the_tour_is_walked_from_page_to_page(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(view="lessons"))
    for lesson in ("bottleneck", "reversed-source", "attention", "five-steps", "word-order", "worked-scores", "scores"):
        page.get_by_role("button", name="Next").click()
        expect(page.locator(f"article[data-lesson={lesson}]")).to_be_visible()
    page.get_by_role("link", name="Self-attention").click()
    expect(page.locator("heads-play heat-map h3").first).to_contain_text("Encoder self-attention")
    page.get_by_role("link", name="Many heads").click()
    expect(page.locator("heads-play heat-map h3").first).to_contain_text("Cross-attention")


def test_what_was_played_is_in_the_link(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(view="lessons", lesson="query-key-value"))
    page.locator("input[name=query]").fill("4.2")
    expect(page.get_by_test_id("prediction")).to_contain_text("4.20")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_test_id("prediction")).to_contain_text("4.20")
    page.goto(served.link(view="lessons", lesson="attention", text="The teacher reads a book."))
    expect(page.locator("sentence-play input")).to_have_value("The teacher reads a book.")


def test_a_shipped_model_can_be_trained_here_and_a_failure_is_told(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(view="lessons", lesson="scores"))
    expect(page.locator("sentence-play heat-map canvas").first).to_be_visible()  # nothing had to be trained
    page.locator("details.models > summary").click()
    expect(page.locator("model-trainer li").first).to_contain_text("comes with Jumok")
    page.get_by_test_id("train").click()
    expect(page.locator("model-trainer p.error[role=alert]")).to_contain_text("dot", timeout=120_000)
    for left in (2, 1):  # the other two are trained or wait for their turn
        expect(page.locator("job-progress progress")).to_have_count(left, timeout=120_000)
        page.locator("job-progress").last.get_by_role("button", name="Stop").click()
    expect(page.locator("job-progress")).to_have_count(0, timeout=120_000)
    expect(page.get_by_test_id("train")).to_be_visible()
