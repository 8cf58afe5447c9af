"""What a person does on the page, in a real browser against a real model."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import SENTENCE, Served, Watched, settle

FOCUSED = (
    "() => { let e = document.activeElement;"
    " while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e?.name }"
)
PLACE = re.compile(r"[?&#]row=(\d+)")


def open_view(watched: Watched, served: Served, **state: object) -> Page:
    """The page at a state, once it has settled."""
    watched.page.goto(served.link(text=SENTENCE, **state))
    return watched.settle()


def words_of(svg: Locator) -> list[tuple[str, float]]:
    """The words of the upper sentence and where they are drawn."""
    return svg.evaluate(
        "s => [...s.querySelectorAll('text')].filter(t => +t.getAttribute('y') < 60)"
        ".map(t => [t.textContent, +t.getAttribute('x')])"
    )


def test_a_sentence_is_typed_and_translated(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="small"))
    page.get_by_role("textbox", name="Sentence to translate").fill(SENTENCE)
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.get_by_test_id("output")).not_to_be_empty()
    expect(page.locator("sentence-links svg[role=img]")).to_be_visible()
    expect(page.locator("heat-map canvas")).to_be_visible()
    expect(page.locator("word-chances tbody tr")).to_have_count(10)
    expect(page).to_have_url(re.compile(re.escape("text=He+will")))


def test_hovering_one_view_marks_all(watched: Watched, served: Served):
    page = open_view(watched, served, run="small")
    page.locator("sentence-links svg[role=img] text").last.hover()
    last = page.locator("sentence-links svg[role=img] text").last.text_content()
    expect(page.locator("sentence-links g.own")).to_have_count(1)
    expect(page.locator("word-chances h3")).to_contain_text(str(last))
    page.locator("heat-map canvas").scroll_into_view_if_needed()
    box = page.locator("heat-map canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + box["height"] - 30)
    expect(page.locator("heat-map .tip")).to_be_visible()
    expect(page.locator("heat-map .readout")).to_contain_text("←")


def test_words_and_subwords_and_tables(watched: Watched, served: Served):
    page = open_view(watched, served, run="small")
    page.locator("map-controls select[name=level]").select_option("token")
    twin = page.locator("heat-map table-twin")
    twin.get_by_text("Show as table").click()
    expect(twin.locator("tbody th").last).to_have_text("</s>")
    rows = twin.locator("tbody tr").evaluate_all(
        "rows => rows.map(r => [...r.querySelectorAll('td')]"
        ".reduce((s, d) => s + Number(d.textContent.replace('−', '-')), 0))"
    )
    assert all(abs(total - 1) < 0.02 for total in rows)


def test_zooming_changes_the_size_of_cells(watched: Watched, served: Served):
    page = open_view(watched, served, run="small")
    cell = (
        "document.querySelector('jumok-studio').renderRoot.querySelector('translate-view')"
        ".renderRoot.querySelector('heat-map').frame.cell"
    )
    expect(page.locator("heat-map canvas")).to_be_visible()
    before = page.evaluate(cell)
    page.locator("heat-map").get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"before => {cell} > before * 1.2", arg=before)


def test_a_transformer_shows_layers_heads_and_three_kinds(watched: Watched, served: Served):
    page = open_view(watched, served, run="transformer-1")
    grid = page.locator("head-grid")
    expect(grid.locator("button").first).to_be_visible()
    grid.get_by_role("button", name="Layer 1, head 2").click()
    expect(page).to_have_url(re.compile(re.escape("head=1")))
    for kind in ("encoder", "decoder", "cross"):
        page.locator("map-controls select[name=kind]").select_option(kind)
        expect(page.locator("heat-map canvas")).to_be_visible()
    grid.get_by_role("button", name="Layer 1, mean of heads").click()
    expect(page).to_have_url(re.compile(re.escape("layer=0")))
    expect(page).not_to_have_url(re.compile(re.escape("head=")))


def test_the_player_plays_and_shows_the_arithmetic(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="steps")
    expect(page.locator("li[data-stage=score] math")).to_be_visible()
    names = page.locator("li[data-stage=score] term-view .name")
    symbols = names.evaluate_all("all => all.map(one => one.dataset.symbol)")
    assert {"q", "W_q q", "W_k k_i", "e_i"} <= set(symbols)
    expect(page.locator(".name[data-symbol='W_k k_i'] sub")).to_have_text(["k", "i"])  # set as on a blackboard
    told = page.locator("li[data-stage=score]").get_by_test_id("told")
    assert not any("_" in text for text in [*names.all_text_contents(), told.inner_text()])
    stages = page.locator("ol.stages > li").evaluate_all("all => all.map(one => one.dataset.stage)")
    assert stages == ["score", "align", "alignment", "context", "decoder", "words"]
    page.get_by_label("Speed").select_option(label="0.5 s")
    page.get_by_test_id("play").click()
    expect(page.get_by_test_id("position")).to_have_text(re.compile(r"^([3-9]|\d\d) /"))  # it plays on while we look
    page.get_by_test_id("play").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="One step back").click()
    page.get_by_role("button", name="To the first step").click()
    expect(page.get_by_test_id("position")).to_contain_text("1 /")


def test_the_arithmetic_ends_in_the_weights_that_are_shown(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="steps", level="token", row=1)
    expect(page.locator("ol.stages details[open]")).to_have_count(1)  # one stage at a time keeps the player short
    page.locator("li[data-stage=align] summary").click()
    weights = page.locator("li[data-stage=align] term-view").filter(has_text="weights").locator("li .num")
    expect(weights.first).to_be_visible()
    total = sum(map(float, weights.all_text_contents()))
    assert abs(total - 1) < 0.01


def test_a_dragged_weight_changes_what_is_written(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="whatif", beam=1)
    sliders = page.locator("weight-sliders input")
    expect(sliders.first).to_be_visible()
    sliders.nth(6).fill("1")
    sliders.nth(6).dispatch_event("change")
    expect(page.get_by_test_id("changes")).to_contain_text("Change in log-probability")
    expect(page.locator("heat-map")).to_have_count(4)
    expect(page).to_have_url(re.compile(re.escape("edits=")))
    now = page.locator("weight-sliders tbody tr td:nth-child(3)").all_text_contents()
    assert abs(sum(map(float, now)) - 1) < 0.01
    page.get_by_role("button", name="Undo all").click()
    expect(page.get_by_test_id("changes")).to_have_count(0)


def test_words_are_blanked_forced_and_taught(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="whatif", beam=1)
    page.locator("whatif-view").get_by_role("button", name="movie", exact=True).click()
    expect(page.get_by_test_id("changes")).to_be_visible()
    page.locator("word-chances").get_by_role("button").nth(3).click()
    expect(page.locator("ul[aria-label=Changes] li")).to_have_count(3)
    page.get_by_label("teacher forcing").check()
    expect(page.get_by_role("button", name="Undo: teacher forcing")).to_be_visible()
    page.get_by_label("The output begins with").fill("그는")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_test_id("difference")).to_contain_text("그는")


def test_the_effect_of_removing_words_is_measured(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="whatif", beam=1)
    page.get_by_test_id("measure").click()
    expect(page.get_by_test_id("effects")).to_be_visible()
    expect(page.locator("weight-sliders thead")).to_contain_text("without the word")


def test_layers_are_averaged_for_each_kind_of_attention(watched: Watched, served: Served):
    page = open_view(watched, served, run="transformer-1", level="token")
    weights = "map => [...map.picture.map.values]"
    for kind in ("cross", "encoder", "decoder"):
        page.locator("map-controls select[name=kind]").select_option(kind)
        each: list[list[float]] = []
        for place in (2, 3):  # after "read as alignment" (or "last") and "mean of all"
            page.locator("map-controls select[name=layer]").select_option(index=place)
            each.append(page.locator("heat-map").evaluate(weights))
        page.locator("map-controls select[name=layer]").select_option(label="mean of all")
        mean = page.locator("heat-map").evaluate(weights)
        assert mean == pytest.approx([sum(cells) / 2 for cells in zip(*each, strict=True)], abs=1e-4)
    expect(page).to_have_url(re.compile(re.escape("layer=all")))
    expect(page.locator("head-grid").get_by_role("button", name="All layers")).to_have_attribute("aria-pressed", "true")


def test_a_cell_of_the_map_is_dragged(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="whatif", beam=1)
    canvas = page.locator("heat-map[weighable] canvas")
    expect(page.locator(".examples button").first).to_be_visible()  # what comes later would move the map
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    frame = page.locator("heat-map[weighable]").evaluate("map => map.frame")
    assert box is not None
    x = box["x"] + frame["left"] + 2.5 * frame["cell"]
    y = box["y"] + frame["top"] + 0.5 * frame["cell"]
    row = "map => [...map.picture.map.values].slice(0, map.picture.map.cols)"
    before = page.locator("heat-map[weighable]").evaluate(row)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=3)
    page.mouse.move(x, y - 80, steps=3)
    held = page.locator("heat-map[weighable]").evaluate(row)
    assert held[2] == pytest.approx(min(1, before[2] + 0.5), abs=0.02)
    assert sum(held) == pytest.approx(1, abs=1e-3)
    assert page.get_by_test_id("changes").count() == 0, "nothing is decoded before the hand lets go"
    assert float(page.locator("weight-sliders input").nth(2).input_value()) == pytest.approx(held[2], abs=0.011)
    page.mouse.up()
    expect(page.get_by_test_id("changes")).to_contain_text("Change in log-probability")
    expect(page).to_have_url(re.compile(re.escape("edits=")))


def test_translations_of_their_own_are_compared_word_by_word(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="compare", **{"with": ["small", "rnnsearch-1"]})
    page.locator("select[name=what]").select_option("own")
    told = page.get_by_test_id("not-compared").text_content() or ""
    own = page.get_by_test_id("compared").locator("tbody tr").nth(0).locator("td").first.text_content() or ""
    assert "Only in the other text" in told
    assert any(word in told for word in own.split())


def test_the_beam_tree_lights_the_winner_and_shows_any_node(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="beam", beam=3)
    expect(page.locator("g.node.winning").nth(2)).to_be_attached()
    expect(page.locator("g.node.pruned").first).to_be_attached()
    node = page.locator("g.node.pruned:not(.winning)").first
    node.click()
    expect(page.get_by_test_id("node-attention").locator("canvas")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape("node=")))
    page.get_by_label("show pruned hypotheses").uncheck()
    expect(page.locator("g.node.pruned:not(.winning)")).to_have_count(0)


def test_runs_stand_side_by_side(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="compare", **{"with": ["rnnsearch-1", "transformer-1", "none"]})
    expect(page.get_by_test_id("compared").locator("tbody tr")).to_have_count(3)
    expect(page.locator("section[data-run=none]")).to_contain_text("no attention")
    expect(page.locator("difference-map heat-map[scale=difference]")).to_have_count(1)
    page.get_by_role("checkbox", name="transformer-1").uncheck()
    expect(page.get_by_test_id("compared").locator("tbody tr")).to_have_count(2)


def test_checkpoints_are_scrubbed(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="learn")
    slider = page.locator("input[name=frame]")
    slider.fill("0")
    first = page.get_by_test_id("frame").text_content()
    slider.fill("3")
    expect(page.get_by_test_id("frame")).not_to_have_text(str(first))
    expect(page.locator("curve-chart path").first).to_be_visible()
    expect(page.locator("curve-chart .mark")).to_have_count(3)
    expect(page).to_have_url(re.compile(re.escape("frame=100")))


def test_a_link_reproduces_the_page(watched: Watched, served: Served, context: BrowserContext):
    page = open_view(watched, served, run="transformer-1", level="token", map="decoder", layer=0, head=1, row=2, col=1)
    again = context.new_page()
    again.goto(page.url)
    settle(again)
    for one in ("[data-testid=output]", "heat-map .readout", "word-chances h3"):
        assert page.locator(one).first.text_content() == again.locator(one).first.text_content()
    assert page.locator("heat-map .readout").text_content() != ""


def test_the_language_can_be_switched(watched: Watched, served: Served):
    page = open_view(watched, served, run="small")
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("button", name="번역", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "ko"
    for view in ("steps", "whatif", "beam", "compare", "learn", "lessons"):
        page.locator(f"a[data-view={view}]").click()
        watched.settle()
        titles = page.locator("h2:visible, h3:visible").all_text_contents()
        assert all(re.search("[가-힣]|^AER$|^[a-z0-9.−<>'\"${}()=\\- ]+$", title) for title in titles), titles
    page.get_by_role("button", name="English").click()
    expect(page.locator("a[data-view=beam]")).to_have_text("Beam search")


def test_right_to_left_text_is_laid_out_from_the_right(watched: Watched, served: Served):
    watched.page.goto(served.link(run="rnnsearch-1", text="שלום לכם חברים טובים"))
    page = watched.settle()
    drawn = words_of(page.locator("sentence-links svg[role=img]"))
    assert [text for text, _ in drawn][:2] == ["שלום", "לכם"]
    assert all(left[1] > right[1] for left, right in pairwise(drawn))
    expect(page.locator("textarea")).to_have_attribute("dir", "auto")


def test_hangul_is_composed_and_whole(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="small"))
    page.get_by_role("textbox", name="Sentence to translate").fill("한국어 문장")
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.locator("sentence-links svg[role=img] text").first).to_have_text("한국어")
    assert [text for text, _ in words_of(page.locator("sentence-links svg[role=img]"))] == ["한국어", "문장", "</s>"]


def test_nothing_is_put_under_the_hands_of_a_person_who_writes(watched: Watched, served: Served):
    page, held = watched.page, list[Route]()
    page.route("**/api/v1/examples*", lambda route: held.append(route))
    with page.expect_request("**/api/v1/examples*"):
        page.goto(served.link(run="small"))
    field = page.get_by_role("textbox", name="Sentence to translate")
    field.focus()
    with page.expect_response("**/api/v1/examples*"):
        held[0].continue_()
    expect(page.locator(".examples button").first).to_be_visible()
    page.keyboard.insert_text("한국어 문장")
    expect(field).to_have_value("한국어 문장")


def test_a_phone_has_no_sideways_scrolling(watched: Watched, served: Served):
    watched.page.set_viewport_size({"width": 360, "height": 740})
    for view in ("translate", "steps", "whatif", "beam", "compare", "learn", "lessons"):
        page = open_view(watched, served, run="small", view=view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view


def test_a_lesson_is_played_and_asks(watched: Watched, served: Served):
    watched.page.goto(served.link(view="lessons", lesson="query-key-value"))
    page = watched.settle()
    before = page.get_by_test_id("prediction").text_content()
    page.locator("input[name=query]").fill("4.2")
    expect(page.get_by_test_id("prediction")).not_to_have_text(str(before))
    page.get_by_label("It becomes zero.").check()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("Not quite")
    page.get_by_label("It becomes the plain mean of all values.").check()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("Right.")


def test_everything_is_reached_by_keyboard(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="small"))
    watched.settle()
    page.locator("a[data-view=translate]").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == "text":
            break
    page.keyboard.press("Control+A")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Enter")
    expect(page.locator("sentence-links svg[role=img]")).to_contain_text("movie")
    watched.settle()
    page.locator("heat-map .stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(PLACE)
    page.locator("a[data-view=beam]").focus()
    page.keyboard.press("Enter")
    watched.settle()
    page.locator("g.node[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("node-attention").locator("canvas")).to_be_visible()


def test_the_page_brings_a_font_for_hangul(watched: Watched, served: Served):
    """The face is fetched from the studio itself, under its policy, and nothing else has to be installed."""
    page = open_view(watched, served, lang="ko")
    faces = page.evaluate("async () => (await document.fonts.load('16px \"Jumok Hangul\"', '한')).map(f => f.status)")
    assert faces == ["loaded"]
