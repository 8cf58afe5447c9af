"""Every view can be taken along in six formats, each with the model's hash and the sentence inside."""

import csv
import json
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import SENTENCE, Served, Watched

FORMATS = ("svg", "png", "csv", "json", "tex", "html")
BLANKED = '[{"kind":"blank","word":1,"how":"remove"}]'
PICTURES = {
    "heat map": ({"run": "small"}, "heat-map"),
    "links": ({"run": "small"}, "sentence-links"),
    "tree": ({"run": "small", "view": "beam", "beam": 2}, "beam-view"),
    "curves": ({"run": "small", "view": "learn"}, "curve-chart"),
}


def saved(page: Page, part: Locator, form: str, folder: Path) -> Path:
    """The file that the part's menu saves."""
    menu = part.locator("export-menu").first
    menu.locator("summary").click()
    with page.expect_download() as download:
        menu.locator(f"button[data-format={form}]").click()
    file = folder / f"{len(list(folder.iterdir()))}-{form}.{form}"
    download.value.save_as(file)
    return file


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("picture", list(PICTURES))
def test_a_file_knows_its_model_and_sentence(picture: str, form: str, watched: Watched, served: Served, tmp_path: Path):
    state, name = PICTURES[picture]
    watched.page.goto(served.link(text=SENTENCE, **state))
    page = watched.settle()
    model = page.evaluate("fetch('api/v1/runs').then(r => r.json()).then(a => a.runs.find(r => r.id === 'small').hash)")
    file = saved(page, page.locator(name).first, form, tmp_path)
    content = file.read_bytes()
    assert model.encode() in content
    assert "theater" in content.decode("utf-8", "replace")
    if form == "png":
        assert content.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", content[16:24])
        assert width > 200
        assert height > 100
    if form == "svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    if form == "json":
        assert json.loads(content)["text"] == SENTENCE
    if form == "csv":
        assert len(list(csv.reader(content.decode("utf-8-sig").splitlines()))) > 3


EVERYWHERE = {
    "heads": ({"run": "transformer-1"}, "head-grid"),
    "chances": ({"run": "small"}, "step-chances word-chances"),
    "arithmetic": ({"run": "small", "view": "steps"}, "steps-view section:has(#sums)"),
    "what if": ({"run": "small", "view": "whatif", "edits": BLANKED}, "whatif-view section:has(difference-line)"),
    "what-if difference": ({"run": "small", "view": "whatif", "edits": BLANKED}, "difference-map"),
    "comparison": ({"run": "small", "view": "compare", "with": ["small", "rnnsearch-1"]}, "compare-view section"),
    "difference": ({"run": "small", "view": "compare", "with": ["small", "rnnsearch-1"]}, "difference-map"),
    "kernel": ({"view": "lessons", "lesson": "query-key-value"}, "kernel-play"),
}


@pytest.mark.parametrize("view", list(EVERYWHERE))
def test_every_view_is_saved_in_every_format(view: str, watched: Watched, served: Served, tmp_path: Path):
    state, name = EVERYWHERE[view]
    watched.page.goto(served.link(text=SENTENCE, **state))
    page = watched.settle()
    part = page.locator(name).first
    expect(part.locator("export-menu").first).to_be_visible()
    for form in FORMATS:
        content = saved(page, part, form, tmp_path).read_bytes()
        assert len(content) > 200, form
        text = content.decode("utf-8", "replace")
        assert ("theater" in text) == (view != "kernel"), form
        if form == "svg":
            assert ElementTree.fromstring(content).tag.endswith("svg")
        if form == "tex":
            assert text.count("\\begin{") == text.count("\\end{") > 1
        if form == "png":
            assert content.startswith(b"\x89PNG")
        if form == "html":
            assert "<table" in text
            assert "<script" not in text


def test_a_saved_page_opens_again_without_a_server(
    watched: Watched, served: Served, context: BrowserContext, tmp_path: Path
):
    watched.page.goto(served.link(text=SENTENCE, run="small"))
    page = watched.settle()
    output = page.get_by_test_id("output").text_content()
    file = saved(page, page.locator("heat-map"), "html", tmp_path)
    other = Watched(context.new_page(), "file://").watch()
    other.page.goto(file.as_uri())
    expect(other.page.locator("svg")).to_be_visible()
    expect(other.page.locator("body")).to_contain_text(str(output))
    assert other.page.locator("table tr").count() > 2
    assert other.page.locator("script").count() == 0
    assert other.elsewhere == []
    assert other.complaints == []


def test_arithmetic_is_saved_as_a_table(watched: Watched, served: Served, tmp_path: Path):
    watched.page.goto(served.link(text=SENTENCE, run="small", view="steps"))
    page = watched.settle()
    file = saved(page, page.locator("steps-view section").filter(has_text="arithmetic"), "csv", tmp_path)
    assert "W_q q" in file.read_text("utf-8-sig")
