"""What a reader sees is right: rows that sum to 1, given texts, the root of a tree, words in one piece, a phone."""

import re
import shutil

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import SENTENCE, Served, Watched, running, settle
from tests.decoding.tiny_run import make_run

ROWS = """map => Array.from({length: map.picture.map.rows}, (_, r) =>
  [...map.picture.map.values].slice(r * map.picture.map.cols, (r + 1) * map.picture.map.cols))"""
PHONE = {"width": 390, "height": 820}


def open_view(watched: Watched, served: Served, **state: object) -> Page:
    """A view of the tests' sentence."""
    watched.page.goto(served.link(text=SENTENCE, **state))
    return watched.settle()


def teacher(text: str) -> str:
    """The edit that gives the model a text."""
    return f'[{{"kind":"teacher_forcing","reference":"{text}"}}]'


# ---------------------------------------------------------------- sums


@pytest.mark.parametrize("view", ["translate", "compare", "learn"])
def test_rows_over_words_hold_all_of_the_attention(view: str, watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view=view, **{"with": ["small"]})
    shown = page.locator("heat-map:not([scale=difference])").first
    assert shown.evaluate("map => map.picture.cols.at(-1)") == "</s>"
    for row in shown.evaluate(ROWS):
        assert sum(row) == pytest.approx(1, abs=1e-3)
    expect(page.get_by_test_id("sums")).to_have_count(0)


def test_predictive_local_attention_says_that_it_sums_to_less(watched: Watched, tmp_path_factory):
    place = tmp_path_factory.mktemp("local")
    options = ("model.preset=luong", "model.decoder.attention=luong-local-p", "model.decoder.attention_options.D=2")
    with running([make_run(place / "local", *options)], place) as url:
        watched.origin = url.rstrip("/")
        watched.page.goto(f"{url}#run=local&text=The+teacher+reads+a+book.")
        page = watched.settle()
        sums = [sum(row) for row in page.locator("heat-map").evaluate(ROWS)]
        assert min(sums) < 0.98
        expect(page.get_by_test_id("sums")).to_contain_text("does not normalise again")
        expect(page.get_by_test_id("sums")).to_contain_text(f"{min(sums):.2f}")
        exported = page.locator("heat-map").evaluate("map => [map.exported().note, map.exported().view.columns.at(-1)]")
        assert "less than 1" in exported[0]
        assert exported[1] == "</s>"


# ---------------------------------------------------------------- what if


def test_a_given_text_is_told_with_its_probability_and_the_models_words(watched: Watched, served: Served):
    text = "군인은 책을 읽을 거예요."
    page = open_view(watched, served, run="small", view="whatif", beam=1, edits=teacher(text))
    told = page.get_by_test_id("changes")
    expect(told).to_contain_text("Log-probability of the given text: −")
    body = {"run": "small", "text": SENTENCE, "target": text}
    given = page.request.post(f"{served.url}api/v1/translate", data=body).json()["reading"]
    expect(told).to_contain_text(f"{given['log_prob']:.3f}".replace("-", "−"))
    rows = page.get_by_test_id("taught").locator("tbody tr")
    expect(rows).to_have_count(len(given["steps"]))
    for number, step in enumerate(given["steps"]):
        expect(rows.nth(number)).to_contain_text(given["target"]["tokens"][number]["text"])
        expect(rows.nth(number)).to_contain_text(step["top"][0]["text"])


def test_sliders_follow_a_given_text(watched: Watched, served: Served):
    text = "군인은 책을 읽을 거예요."
    page = open_view(watched, served, run="small", view="whatif", beam=1, edits=teacher(text))
    steps = page.locator("ul[aria-label='Choose a step'] button")
    expect(steps.nth(1)).to_contain_text("책을")
    steps.nth(1).click()
    expect(page.locator("word-chances").first).to_contain_text("Step 2")
    page.locator("weight-sliders input").nth(6).fill("1")
    page.locator("weight-sliders input").nth(6).dispatch_event("change")
    settle(page)
    expect(page.get_by_test_id("changes")).to_contain_text("The other changes add")
    expect(page.locator("ul[aria-label=Changes] li")).to_have_count(3)  # the text, the weight, undo all
    now = page.locator("weight-sliders tbody tr td:nth-child(3)").all_text_contents()
    assert float(now[6]) == pytest.approx(1)


def test_the_result_stays_beside_the_sliders_and_no_control_is_idle(watched: Watched, served: Served):
    page = open_view(
        watched, served, run="small", view="whatif", beam=1, edits='[{"kind":"blank","word":1,"how":"remove"}]'
    )
    expect(page.get_by_test_id("changes")).to_be_visible()
    page.locator("weight-sliders input").last.scroll_into_view_if_needed()
    expect(page.get_by_test_id("changes")).to_be_in_viewport()
    now = page.locator("weight-sliders tbody tr").nth(1).locator("td:nth-child(3)")
    expect(now).to_have_text("0.000")  # a word that was taken away has no weight left
    expect(page.locator("whatif-view").get_by_label("gold links")).to_have_count(0)
    expect(page.locator("whatif-view select[name=level]")).to_have_count(0)


# ---------------------------------------------------------------- beam


def test_the_beam_opens_at_its_root_and_explains_its_numbers(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="beam", beam=8)
    root = page.locator("g[data-node='0'] rect").bounding_box()
    box = page.locator("beam-view .scroll").bounding_box()
    assert root is not None
    assert box is not None
    assert box["y"] <= root["y"]
    assert root["y"] + root["height"] <= box["y"] + box["height"]
    assert page.locator("beam-view .scroll").evaluate("one => one.scrollHeight > one.clientHeight")
    expect(page.get_by_test_id("beam-numbers")).to_contain_text("length penalty")


def test_only_a_finished_hypothesis_has_a_row_of_the_end(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="beam", beam=3)
    rows = "map => map.picture.rows"
    nodes = page.evaluate("document.querySelector('jumok-studio').studio.answer.beam.nodes")
    going = next(node for node in nodes if node["state"] == "kept" and node["step"] == 2)
    ended = next(node for node in nodes if node["state"] == "finished")
    for node, end in ((going, False), (ended, True)):
        page.goto(served.link(text=SENTENCE, run="small", view="beam", beam=3, node=node["id"]))
        settle(page)
        shown = page.get_by_test_id("node-attention").locator("heat-map").evaluate(rows)
        assert (shown[-1] == "</s>") is end
        assert len(shown) == node["step"]


# ---------------------------------------------------------------- side by side, learning


def test_runs_of_other_languages_are_not_chosen_for_a_sentence(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="compare")
    chosen = page.locator("compare-view input[type=checkbox][value]:checked").evaluate_all(
        "all => all.map(o => o.value)"
    )
    known = page.evaluate("document.querySelector('jumok-studio').studio.runs")
    languages = {run["id"]: (run["source_language"], run["target_language"]) for run in known}
    assert chosen[0] == "small"
    assert {languages[run] for run in chosen} == {("en", "ko")}
    assert ("en", "fr") in languages.values()
    expect(page.locator("compare-view fieldset")).to_contain_text("en → fr")


def test_losses_that_cannot_be_compared_are_explained_and_percentages_end_at_100(watched: Watched, served: Served):
    page = open_view(watched, served, run="small", view="learn")
    expect(page.get_by_test_id("smoothing")).to_contain_text("label smoothing (0.10)")
    scores = page.locator("curve-chart").nth(1)
    scores.evaluate("chart => { chart.series = [{name: 'x', points: [[0, 0], [10, 99]]}]; }")
    ticks = [
        float(text)
        for text in scores.locator("svg.chart text[text-anchor=end]").all_text_contents()
        if text[0].isdigit()
    ]
    assert max(ticks) == 100


def test_a_stopped_run_says_so(watched: Watched, served: Served):
    page = open_view(watched, served, run="small")
    told = page.get_by_test_id("about-run")
    expect(told).not_to_contain_text("stopped")
    page.evaluate("""() => { const {studio} = document.querySelector('jumok-studio');
      studio.runs = studio.runs.map(run => ({...run, stopped: true, step: 60, max_steps: 150})); studio.changed(); }""")
    expect(told).to_contain_text("stopped at step 60 of 150")
    expect(page.locator("select[name=run] option").first).to_contain_text("stopped early")


def test_a_run_that_was_deleted_is_said_to_be_gone(watched: Watched, tmp_path_factory):
    place = tmp_path_factory.mktemp("gone")
    with running([make_run(place / "mine"), make_run(place / "other")], place) as url:
        watched.origin = url.rstrip("/")
        page = watched.page
        page.goto(f"{url}#run=mine&text=The+teacher+reads+a+book.")
        expect(watched.settle().get_by_test_id("output")).to_be_visible()
        shutil.rmtree(place / "mine")
        page.locator("textarea").fill("The teacher reads.")
        page.get_by_role("button", name="Translate").click()
        expect(page.locator("jumok-studio > * , p.error").filter(has_text="deleted or moved").first).to_be_visible()
        watched.complaints.clear()  # the browser itself notes the status 410


# ---------------------------------------------------------------- lessons


def test_a_wide_kernel_gives_the_plain_mean(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(view="lessons", lesson="query-key-value"))
    watched.settle()
    page.locator("input[name=bandwidth]").evaluate(
        "one => { one.value = one.max; one.dispatchEvent(new Event('input')); }"
    )
    settle(page)
    page.locator("kernel-play table-twin summary").click()
    cells = page.locator("kernel-play table-twin td:last-child")
    expect(cells).to_have_count(12)  # the table is drawn when it is opened
    weights = [float(text.replace("−", "-")) for text in cells.all_text_contents()]
    assert weights == pytest.approx([1 / 12] * 12, abs=2e-3)
    values = page.locator("kernel-play").evaluate("one => [one.answer.prediction, one.answer.mean[0]]")
    assert values[0] == pytest.approx(values[1], abs=0.01)


def test_all_models_are_trained_by_one_button(watched: Watched, served: Served):
    asked: list[str] = []
    page = watched.page
    page.on(
        "request",
        lambda request: (
            asked.append(request.post_data or "") if request.method == "POST" and "/jobs" in request.url else None
        ),
    )

    def without_two(route: Route) -> None:
        """The studio's own answer, as if two of the shipped models were missing until they are asked for."""
        told = route.fetch().json()
        for model in told["models"]:
            if not asked and model["id"] in ("dot", "general"):
                model |= {"state": "missing", "run": None, "shipped": False}
        route.fulfill(json=told)

    count = len(page.request.get(f"{served.url}api/v1/lessons").json()["models"])
    page.route("**/api/v1/lessons", without_two)
    page.goto(served.link(view="lessons", lesson="query-key-value"))
    watched.settle()
    expect(page.get_by_test_id("models-ready")).to_contain_text(f"{count - 2} of {count}")
    page.get_by_test_id("train-all").click()
    expect(page.get_by_test_id("train-all")).to_have_count(0)
    assert [body for body in asked if "lesson" in body] == [
        '{"kind":"lesson","model":"dot"}',
        '{"kind":"lesson","model":"general"}',
    ]
    for job in page.request.get(f"{served.url}api/v1/jobs").json()["jobs"]:
        page.request.post(f"{served.url}api/v1/jobs/{job['id']}/cancel", data={})


# ---------------------------------------------------------------- a phone


@pytest.mark.parametrize("view", ["translate", "whatif", "beam", "compare", "learn", "lessons"])
def test_a_phone_breaks_no_word_and_no_number(view: str, watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = open_view(watched, served, run="small", view=view, **({"lesson": "attention"} if view == "lessons" else {}))
    assert_fits_a_phone(page)


def assert_fits_a_phone(page: Page) -> None:
    """No word, number or formula is broken, and nothing is wider than the screen."""
    assert page.evaluate(BROKEN) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    for formula in page.locator("math-formula:visible").all():
        assert formula.evaluate("one => one.scrollWidth <= one.clientWidth"), formula.inner_html()


# A word or a number, with the Korean particle that follows its bracket or quotation mark.
BROKEN = """() => {
  const WORD = /[\\p{L}\\p{N}]+(?:[.,]\\p{N}+)*%?(?:[)\\]’”>]\\u2060?\\p{Script=Hangul}+)?/gu;
  const found = [];
  const visit = (root) => {
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) visit(one.shadowRoot);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (["STYLE", "SCRIPT"].includes(node.parentElement?.tagName)) continue;
      for (const word of node.data.matchAll(WORD)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
        const lines = new Set(boxes.map((box) => Math.round(box.top / 4)));
        if (lines.size > 1) found.push(word[0]);
      }
    }
  };
  visit(document);
  return found;
}"""


def test_a_phones_first_screen_shows_the_translation(watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = open_view(watched, served, run="small")
    output = page.get_by_test_id("output").bounding_box()
    links = page.locator("sentence-links svg").first.bounding_box()
    assert output is not None
    assert links is not None
    assert output["y"] + output["height"] < PHONE["height"] / 2
    assert links["x"] + links["width"] <= PHONE["width"]
    for name in ("run", "weights", "beam"):
        expect(page.locator(f"select[name={name}]")).to_be_in_viewport()
    expect(page.locator("a[data-view=translate]")).to_be_in_viewport()
    assert re.search(r"\w", page.get_by_test_id("output").text_content() or "")


# ---------------------------------------------------------------- Hangul


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hangul_that_was_drawn_before_its_font_came_is_drawn_again(lang: str, watched: Watched, served: Served):
    watched.page.goto(f"{served.url}?lang={lang}#view=lessons&lesson=scale")
    page = watched.settle()
    page.evaluate("document.fonts.ready.then(() => null)")
    button = page.get_by_role("button", name="한국어")
    shown, fresh = button.evaluate("""one => {
      const width = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect().width;
      };
      const copy = one.cloneNode(true);
      one.after(copy);
      copy.lang = "";
      const widths = [width(one), width(copy)];
      copy.remove();
      return widths;
    }""")
    assert shown == pytest.approx(fresh, abs=0.5)  # boxes in place of letters would be narrower


def test_a_map_that_was_drawn_before_its_font_came_is_drawn_again(watched: Watched, served: Served):
    page, held = watched.page, []
    page.route("**/hangul.ttf", lambda route: held.append(route))
    page.goto(served.link(run="lesson-additive", text="She is eating a green apple."))
    watched.settle()
    if not held:
        pytest.skip("this system has a font for Hangul of its own")
    drawn = page.locator("translate-view heat-map").first
    boxes = drawn.evaluate(DRAWING)
    held[0].continue_()
    page.evaluate("document.fonts.ready.then(() => null)")
    watched.settle()
    letters = drawn.evaluate(DRAWING)
    assert letters != boxes
    assert drawn.evaluate("async (map) => { map.themed(); await map.updateComplete; }") is None
    assert drawn.evaluate(DRAWING) == letters  # nothing is left to draw again


DRAWING = "map => map.shadowRoot.querySelector('canvas').toDataURL()"


def test_a_model_without_stored_steps_has_no_idle_slider(watched: Watched, served: Served):
    page = open_view(watched, served, run="wide", view="learn")
    expect(page.get_by_test_id("only-best")).to_be_visible()
    expect(page.locator("learn-view input[name=frame]")).to_have_count(0)
    expect(page.locator("learn-view").get_by_role("button", name="Play")).to_have_count(0)
    expect(page.locator("learn-view heat-map canvas")).to_be_visible()
