"""The axe rules for WCAG 2.2 A and AA, in every view, light and dark."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import SENTENCE, Served, Watched, broken_rules, settle

VIEWS = {
    "translate": {"run": "small", "row": 1},
    "heads": {"run": "transformer-1", "layer": 0, "head": 1, "level": "token"},
    "steps": {"run": "small", "view": "steps", "row": 1},
    "whatif": {"run": "small", "view": "whatif", "edits": '[{"kind":"blank","word":1,"how":"remove"}]'},
    "beam": {"run": "small", "view": "beam", "beam": 3, "node": 2},
    "compare": {"run": "small", "view": "compare", "with": ["rnnsearch-1", "none"]},
    "learn": {"run": "small", "view": "learn", "frame": 1},
    "kernel": {"view": "lessons", "lesson": "query-key-value"},
    "train": {"view": "lessons", "lesson": "scores"},
    "encoder-decoder": {"view": "lessons", "lesson": "encoder-decoder", "p.step": 6},
    "positions": {"view": "lessons", "lesson": "positions", "p.positions": "with", "p.order": "0_4_2_3_1"},
    **{
        name: {"view": "lessons", "lesson": name}
        for name in ("five-steps", "worked-scores", "gradient-path", "generalise", "scale", "architecture")
    },
    **{name: {"view": "lessons", "lesson": name} for name in ("image-attention", "snail", "sagan")},
    "bottleneck": {"view": "lessons", "lesson": "bottleneck"},
    "attention": {"view": "lessons", "lesson": "attention"},
    "reversed": {"view": "lessons", "lesson": "reversed-source"},
    "forcing": {"view": "lessons", "lesson": "teacher-forcing"},
    "paths": {"view": "lessons", "lesson": "backpropagation"},
    "looks": {"view": "lessons", "lesson": "soft-hard-global-local"},
    "order": {"view": "lessons", "lesson": "word-order"},
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", list(VIEWS))
def test_axe_finds_nothing(view: str, scheme: str, watched: Watched, served: Served):
    page = watched.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(served.link(text=SENTENCE, **VIEWS[view]))
    watched.settle()
    for twin in page.locator("table-twin summary").all()[:3]:
        twin.click()
    assert broken_rules(page) == []


def test_every_picture_has_a_table(watched: Watched, served: Served):
    for state in VIEWS.values():
        watched.page.goto("about:blank")  # a link that differs after # only would not load the page again
        watched.page.goto(served.link(text=SENTENCE, **state))
        page = watched.settle()
        for name in ("heat-map", "sentence-links", "curve-chart", "head-grid", "kernel-play"):
            expect(page.locator(f"{name}:not(:has(table-twin))"), f"{state} {name}").to_have_count(0)


def test_little_motion_is_respected(context: BrowserContext, served: Served):
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    page.goto(served.link(text=SENTENCE, run="small", view="steps"))
    settle(page)
    expect(page.get_by_text("reduced motion")).to_have_count(1)
    moving = page.evaluate("document.getAnimations().length")
    assert moving == 0
