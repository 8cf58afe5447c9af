"""The component in a notebook: the translate view, interactive, in a frame of its own that reaches nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Frame, expect

import jumok
from jumok.decoding.translation import Translation
from jumok.studio import notebook
from tests.browser.conftest import GOLDEN, Watched

SENTENCE = "I read </script><script>alert(1)</script> a book"
CELL = "<!doctype html><title>notebook</title><body>{}</body>"


@pytest.fixture(scope="module")
def translated() -> Translation:
    """What a notebook's cell has as its last value."""
    return jumok.load(GOLDEN / "transformer-1").translate(SENTENCE, beam=2, nbest=2)


def shown(context: BrowserContext, translation: Translation, folder: Path) -> tuple[Watched, Frame]:
    """A notebook's page with the cell's output, and the frame in it."""
    markup = translation._repr_html_()
    assert markup is not None
    file = folder / "notebook.html"
    file.write_text(CELL.format(markup), "utf-8")
    watched = Watched(context.new_page(), "file://").watch()
    watched.page.goto(file.as_uri())
    expect(watched.page.frame_locator("iframe").locator("heat-map canvas")).to_be_visible()
    return watched, watched.page.frames[1]


@pytest.mark.usefixtures("browser")
def test_a_cell_shows_the_linked_views(context: BrowserContext, translated: Translation, tmp_path: Path):
    watched, frame = shown(context, translated, tmp_path)
    expect(frame.get_by_test_id("output")).to_have_text(translated.text)
    frame.locator("head-grid").get_by_role("button", name="Layer 1, head 2").click()
    frame.locator("map-controls select[name=kind]").select_option("encoder")
    frame.locator("map-controls select[name=kind]").select_option("cross")
    frame.locator("map-controls select[name=level]").select_option("token")
    frame.locator("heat-map .stage").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        watched.page.keyboard.press(key)
    expect(frame.locator("heat-map .readout")).to_contain_text("←")
    expect(frame.locator("sentence-links g.own")).to_have_count(2)
    with watched.page.expect_download() as download:
        menu = frame.locator("heat-map export-menu")
        menu.locator("summary").click()
        expect(menu.locator("button")).to_have_count(4)
        menu.locator("button[data-format=svg]").click()
    assert translated.run is not None
    assert translated.run.hash in Path(download.value.path()).read_text("utf-8")
    assert (watched.complaints, watched.dialogs, watched.elsewhere) == ([], [], [])


def test_without_the_built_page_the_picture_is_a_plain_one(translated: Translation, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "SCRIPT", Path("nowhere.js"))
    notebook.component.cache_clear()
    assert translated._repr_html_() is None
    svg = translated._repr_svg_()
    assert svg is not None
    assert svg.lstrip().startswith("<")
    notebook.component.cache_clear()
