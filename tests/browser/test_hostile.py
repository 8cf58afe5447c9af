"""Over 200 strings that want to be run, in sentences, run names, answers and exports. Nothing runs."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from tests.browser.conftest import SENTENCE, Served, Watched
from tests.browser.hostile import HOSTILE
from tests.browser.models import HOSTILE_NAMES
from tests.browser.test_exports import saved

# What the program decides by; anything else in an answer is text.
_KEYS = {"kind", "state", "id", "mathml", "code", "axes", "target_from", "pair", "run", "hash"}
OWNED = "[window.owned, document.title].map(String)"


def test_the_corpus_is_large_enough():
    assert len(set(HOSTILE)) >= 200


def poisoned(value: Any, text: str) -> Any:
    """The answer with that text in place of every text."""
    if isinstance(value, dict):
        return {
            key: one if key in _KEYS and isinstance(one, str) else poisoned(one, text) for key, one in value.items()
        }
    if isinstance(value, list):
        return [poisoned(one, text) for one in value]
    return text if isinstance(value, str) else value


def nothing_ran(watched: Watched) -> None:
    """No script, no dialog, no other host, no complaint of the Content-Security-Policy."""
    owned, title = watched.page.evaluate(OWNED)
    assert owned == "undefined"
    assert "owned" not in title
    assert watched.dialogs == []
    assert watched.elsewhere == []
    assert watched.complaints == []


def opens_quietly(context: BrowserContext, file: Path) -> None:
    """A saved file that is opened by itself runs nothing and asks nobody."""
    other = Watched(context.new_page(), "file://").watch()
    other.page.goto(file.as_uri())
    assert other.page.evaluate("String(window.owned)") == "undefined"
    assert (other.dialogs, other.elsewhere) == ([], [])
    other.page.close()


def test_sentences_are_text(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="small"))
    watched.settle()
    for start in range(0, len(HOSTILE), 12):
        text = " ".join(HOSTILE[start : start + 12]).replace("\n", " ")
        page.locator("textarea").fill(text)
        page.get_by_role("button", name="Translate", exact=True).click()
        watched.settle()
        expect(page.get_by_test_id("output")).to_be_visible()
        nothing_ran(watched)


@pytest.mark.parametrize("view", ["translate", "steps", "beam"])
def test_answers_are_text(view: str, watched: Watched, served: Served):
    """Every text of an answer is replaced by each of the strings, as a hostile model or corpus might write them."""
    page = watched.page
    now = {"text": HOSTILE[0]}

    def poison(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps(poisoned(answer.json(), now["text"])))

    page.route("**/api/v1/translate", poison)
    page.route("**/api/v1/step", poison)
    page.goto(served.link(run="small", text=SENTENCE, view=view, beam=2))
    watched.settle()
    answer = page.evaluate(
        "fetch('api/v1/translate', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({{run: 'small', text: {json.dumps(SENTENCE)}, beam: 2}})}}).then(r => r.json())"
    )
    shown = (
        "answer => { const studio = document.querySelector('jumok-studio').studio;"
        " studio.answer = answer; studio.changed(); return document.querySelector('jumok-studio').updateComplete; }"
    )
    for text in HOSTILE:
        page.evaluate(shown, poisoned(answer, text))
    page.wait_for_timeout(300)
    nothing_ran(watched)


HOLDERS: dict[str, dict[str, object]] = {
    "steps": {},
    "whatif": {"edits": '[{"kind":"blank","word":1,"how":"remove"}]'},
    "compare": {"with": ["small", "rnnsearch-1"]},
    "learn": {},
}


@pytest.mark.parametrize("view", list(HOLDERS))
def test_what_a_view_was_answered_is_text(view: str, watched: Watched, served: Served):
    """The same for the answers that a view keeps for itself."""
    page = watched.page
    page.goto(served.link(run="small", text=SENTENCE, view=view, beam=2, **HOLDERS[view]))
    watched.settle()
    holder = page.locator(f"{view}-view")
    there = "name => document.querySelector('jumok-studio').renderRoot.querySelector(name)?.answer != null"
    page.wait_for_function(there, arg=f"{view}-view")
    answer = holder.evaluate("view => JSON.parse(JSON.stringify(view.answer))")
    assert answer is not None
    for text in HOSTILE:
        holder.evaluate(
            "(view, answer) => { view.answer = answer; return view.updateComplete; }", poisoned(answer, text)
        )
    nothing_ran(watched)


def test_every_string_as_a_run_name_is_text(watched: Watched, served: Served):
    page = watched.page

    def poison(route: Route) -> None:
        answer = route.fetch()
        tree = answer.json()
        small = next(run for run in tree["runs"] if run["id"] == "small")
        tree["runs"] += [{**small, "id": f"x{n}", "name": text} for n, text in enumerate(HOSTILE)]
        broken = {"state": "broken", "hash": None}
        tree["runs"] += [{**small, **broken, "id": f"y{n}", "message": text} for n, text in enumerate(HOSTILE)]
        route.fulfill(response=answer, body=json.dumps(tree))

    page.route("**/api/v1/runs", poison)
    page.goto(served.link(run="small", text=SENTENCE, view="compare", **{"with": ["small"]}))
    watched.settle()
    expect(page.locator("compare-view fieldset input").nth(len(HOSTILE))).to_be_visible()
    assert len(page.locator("select[name=run] option").all()) > 2 * len(HOSTILE)
    for place in range(0, len(HOSTILE), 5):
        page.locator("select[name=run]").select_option(f"y{place}")
        expect(page.locator("p.error")).to_be_visible()
    nothing_ran(watched)


def test_run_names_are_text(watched: Watched, served: Served):
    watched.page.goto(served.link(run="small", text=SENTENCE, view="compare"))
    page = watched.settle()
    expect(page.locator("select[name=run] option").filter(has_text=HOSTILE_NAMES[0])).to_have_count(1)
    options = page.locator("select[name=run] option").all_text_contents()
    assert set(HOSTILE_NAMES) <= set(options)
    for name in HOSTILE_NAMES:
        page.locator("select[name=run]").select_option(label=name)
        watched.settle()
        nothing_ran(watched)


def test_links_are_text(watched: Watched, served: Served):
    for text in HOSTILE[::17]:
        watched.page.goto("about:blank")
        watched.page.goto(served.link(run=text, text=text, view=text, edits=text, lesson=text, map=text))
        watched.settle()
        nothing_ran(watched)


@pytest.mark.parametrize("form", ["svg", "html", "csv", "json", "tex"])
@pytest.mark.parametrize("part", ["beam-view", "word-chances"])
def test_trees_and_tables_are_text(
    part: str, form: str, watched: Watched, served: Served, context: BrowserContext, tmp_path
):
    """The strings as words of a beam and of a distribution, saved and opened again."""
    view = "beam" if part == "beam-view" else "translate"
    watched.page.goto(served.link(run="small", text=SENTENCE, view=view, beam=2))
    page = watched.settle()
    replaced = """texts => {
      const { studio } = document.querySelector('jumok-studio');
      let n = 0;
      const swap = (key, value) => key === 'text' && typeof value === 'string' ? texts[n++ % texts.length] : value;
      studio.answer = JSON.parse(JSON.stringify(studio.answer, swap));
      studio.changed();
    }"""
    for start in range(0, len(HOSTILE), 64):
        page.evaluate(replaced, HOSTILE[start : start + 64])
        file = saved(page, page.locator(part).first, form, tmp_path)
        nothing_ran(watched)
        if form in ("svg", "html"):
            opens_quietly(context, file)


@pytest.mark.parametrize("form", ["svg", "png", "html", "csv", "json", "tex"])
def test_exports_are_text(form: str, watched: Watched, served: Served, context: BrowserContext, tmp_path):
    """The strings as labels of a map, saved and opened again."""
    watched.page.goto(served.link(run="small", text=SENTENCE))
    page = watched.settle()
    for start in range(0, len(HOSTILE), 64):
        page.locator("heat-map").evaluate(
            """(map, texts) => {
              const side = Math.ceil(texts.length / 2);
              const [rows, cols] = [texts.slice(0, side), texts.slice(side)];
              const values = new Float64Array(rows.length * cols.length).fill(0.5);
              const grid = {rows: rows.length, cols: cols.length, values};
              map.picture = {...map.picture, rows, cols, map: grid, gold: null};
              map.label = texts[0];
              map.about = {...map.about, text: texts[1], target: texts[2]};
              return map.updateComplete;
            }""",
            HOSTILE[start : start + 64],
        )
        file = saved(page, page.locator("heat-map"), form, tmp_path)
        nothing_ran(watched)
        if form == "svg":
            assert ElementTree.fromstring(file.read_bytes()).tag.endswith("svg")
        if form in ("svg", "html"):
            opens_quietly(context, file)
