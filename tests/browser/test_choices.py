"""Choices that one view makes and another has to live with: subwords, kinds of attention, links, forced words."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import SENTENCE, Served, Watched
from tests.browser.test_exports import saved


def opened(watched: Watched, served: Served, **state: object) -> Page:
    """The page at a state."""
    watched.page.goto(served.link(text=SENTENCE, **state))
    return watched.settle()


def test_the_player_goes_through_the_pieces_of_a_word(watched: Watched, served: Served):
    page = opened(watched, served, run="rnnsearch-1", view="steps", beam=1)
    position = page.get_by_test_id("position")
    total = int((position.text_content() or "").split("/")[1])
    words = page.evaluate("document.querySelector('jumok-studio').studio.reading.target.words.length")
    assert total > words + 1, "no word of this translation is made of pieces"
    for step in range(2, total + 1):
        page.get_by_role("button", name="One step forward").click()
        expect(position).to_have_text(f"{step} / {total}")


def test_a_kind_that_a_model_lacks_is_not_kept(watched: Watched, served: Served):
    page = opened(watched, served, run="transformer-1", map="encoder")
    expect(page.locator("heat-map h3").first).to_contain_text("Encoder self-attention")
    page.locator("subject-bar select[name=run]").select_option("small")
    expect(page.locator("heat-map h3").first).to_contain_text("Cross-attention")
    page.locator("sentence-links svg[role=img] text").last.hover()
    expect(page.locator("word-chances h3")).not_to_contain_text("Step 1:")


def test_the_player_leaves_encoder_attention(watched: Watched, served: Served):
    page = opened(watched, served, run="transformer-1", map="encoder", view="steps", beam=1)
    page.get_by_role("button", name="One step forward").click()
    expect(page.get_by_test_id("position")).to_contain_text("2 /")
    expect(page.get_by_test_id("layer")).to_contain_text("of 2")


def test_two_words_are_forced_and_the_end_is_not(watched: Watched, served: Served):
    page = opened(watched, served, run="small", view="whatif", beam=1)
    for step in (0, 2):
        page.locator("ul[aria-label='Choose a step'] button").nth(step).click()
        page.locator("word-chances").get_by_role("button").nth(2).click()
        expect(page.get_by_test_id("changes")).to_be_visible()
    expect(page.locator("ul[aria-label=Changes] li")).to_have_count(3)
    expect(page.locator("whatif-view p.error")).to_have_count(0)
    page.locator("ul[aria-label='Choose a step'] button").last.click()
    expect(page.locator("word-chances th").filter(has_text="</s>")).to_have_count(1)
    expect(page.locator("word-chances button").filter(has_text="</s>")).to_have_count(0)


def test_two_weights_of_one_step_are_dragged_with_many_heads(watched: Watched, served: Served):
    page = opened(watched, served, run="transformer-1", view="whatif", beam=1)
    for place, value in ((1, "0.5"), (2, "0.25")):
        page.locator("weight-sliders input").nth(place).fill(value)
        page.locator("weight-sliders input").nth(place).dispatch_event("change")
        expect(page.get_by_test_id("changes")).to_be_visible()
    watched.settle()
    edits = page.evaluate(
        "(() => { const { state } = document.querySelector('jumok-studio').studio; return state.edits })()"
    )
    assert [edit["kind"] for edit in edits] == ["weight", "weight"], "heads keep what is their own of the rest"
    now = [float(one) for one in page.locator("weight-sliders tbody tr td:nth-child(3)").all_text_contents()]
    assert abs(now[2] - 0.25) < 0.001
    assert abs(sum(now) - 1) < 0.01


def test_a_link_of_an_unknown_run_says_so(watched: Watched, served: Served):
    page = opened(watched, served, run="nobody")
    expect(page.get_by_text("does not know the run")).to_contain_text("nobody")
    page.goto(f"{served.url}#view=beam&text=Who")
    expect(page.locator("beam-view svg")).to_be_visible()


def test_heads_are_taken_along_as_shapes(watched: Watched, served: Served, tmp_path: Path):
    page = opened(watched, served, run="transformer-1")
    text = saved(page, page.locator("head-grid"), "tex", tmp_path).read_text()
    maps = page.locator("head-grid canvas").count()
    assert text.count("rectangle") > 4 * maps


def test_a_frame_is_taken_along_with_its_own_hash(watched: Watched, served: Served, tmp_path: Path):
    page = opened(watched, served, run="small", view="learn", frame=50)
    text = saved(page, page.locator("heat-map"), "svg", tmp_path).read_text()
    best = page.evaluate("fetch('api/v1/runs').then(r => r.json()).then(a => a.runs.find(r => r.id === 'small').hash)")
    assert "step 50" in text
    assert best not in text


def test_gold_links_and_alignment_error_are_shown(watched: Watched, served: Served):
    page = opened(watched, served, run="small", view="compare", **{"with": ["small"]})
    row = page.get_by_test_id("compared").locator("tbody tr").first.locator("td")
    expect(row.nth(3)).to_contain_text("%")
    gold = page.locator("heat-map").first.evaluate("map => map.picture.gold")
    assert [2, 3] in gold, "watch – 볼"
    page.get_by_label("gold links").uncheck()
    assert page.locator("heat-map").first.evaluate("map => map.picture.gold") is None
    expect(page).to_have_url(re.compile(re.escape("gold=0")))


def test_hovering_marks_every_small_map(watched: Watched, served: Served):
    page = opened(watched, served, run="transformer-1")
    expect(page.locator("head-grid .grid.looking")).to_have_count(0)
    page.locator("sentence-links svg[role=img] text").last.hover()
    expect(page.locator("head-grid .grid.looking")).to_have_count(1)


def test_the_tree_and_the_terms_have_tables(watched: Watched, served: Served):
    page = opened(watched, served, run="small", view="beam", beam=2)
    page.locator("beam-view table-twin").first.get_by_text("Show as table").click()
    rows = page.locator("beam-view table-twin").first.locator("tbody tr")
    expect(rows).to_have_count(page.locator("g.node").count())
    page = opened(watched, served, run="small", view="steps")
    page.locator("term-view table-twin, term-view details").first.locator("summary").click()
    expect(page.locator("term-view table").first).to_be_visible()


def test_a_long_sentence_tells_how_much_is_left(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="none", text=" ".join(["word"] * 70)))
    watched.settle()
    note = page.locator("translate-view p[role=note]").filter(has_text="was cut")
    expect(note).to_contain_text(re.compile(r"cut to \d+ words"))
