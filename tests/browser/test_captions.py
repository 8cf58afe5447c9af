"""Pictures and captions in the page: words light up regions, regions mark words, and changes are written again."""

import json
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

import jumok
from jumok.studio.studio import Studio
from tests.browser.conftest import Served, broken_rules, settle
from tests.studio.conftest import serving
from tests.studio.hostile_pictures import refused, saved
from tests.tasks.test_captioning import TINY

SCENE = "picturebook-test-1-2"
# Two seconds of learning, after which a caption has words.
LEARNED = TINY | {"train.max_steps": 80, "train.validate_every": 80, "train.learning_rate": 0.02, "train.warmup": 5}


@pytest.fixture(scope="module")
def gallery(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with two runs that describe pictures, one with soft and one with hard attention."""
    place = tmp_path_factory.mktemp("gallery")
    jumok.train(LEARNED | {"train.save_every": 40}, out=place / "soft")
    jumok.train(LEARNED | {"model.decoder.attention": "hard"}, out=place / "hard")
    studio = Studio([place / "soft", place / "hard"], place / "home")
    with serving(studio) as access:
        yield Served(f"http://127.0.0.1:{access.port}/", place)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must not complain."""
    found = context.new_page()
    complaints: list[str] = []
    found.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
    found.on("pageerror", lambda error: complaints.append(str(error)))
    yield found
    assert complaints == []


def weights_of(gallery: Served) -> np.ndarray:
    """[words, regions] as the server has them."""
    body = {"run": "soft", "picture": SCENE}
    found = httpx.post(f"{gallery.url}api/v1/translate", json=body, timeout=60).json()["reading"]["alignment"]
    return np.array(found["weights"]["data"]).reshape(found["weights"]["shape"])


def opacities(page: Page) -> list[float]:
    """How dark each region of the large picture is."""
    shown = page.get_by_test_id("stage").locator("rect[data-region]")
    return [float(one) for one in shown.evaluate_all("all => all.map(one => one.getAttribute('fill-opacity'))")]


def pick(page: Page, region: int) -> None:
    """Clicks into the middle of a region."""
    svg = page.get_by_test_id("stage").locator("svg")
    box = svg.bounding_box()
    assert box is not None
    svg.click(position={"x": box["width"] * (region % 8 + 0.5) / 8, "y": box["height"] * (region // 8 + 0.5) / 8})
    settle(page)


def test_pointing_at_a_word_lights_its_region_and_at_a_region_marks_its_words(page: Page, gallery: Served):
    page.goto(gallery.link(run="soft", picture=SCENE))
    settle(page)
    weights = weights_of(gallery)
    words = page.get_by_test_id("caption").locator("button")
    assert words.count() == len(weights)
    assert set(opacities(page)) == {0.0}
    words.nth(1).hover()
    settle(page)
    dark = opacities(page)
    assert dark[int(weights[1].argmax())] == min(dark) == 0.0
    assert np.allclose(dark, 0.78 * (1 - weights[1] / weights[1].max()), atol=2e-3)
    region = 27
    box = page.get_by_test_id("stage").locator("svg").bounding_box()
    assert box is not None
    page.mouse.move(
        box["x"] + box["width"] * (region % 8 + 0.5) / 8, box["y"] + box["height"] * (region // 8 + 0.5) / 8
    )
    settle(page)
    marked = words.evaluate_all("all => all.map(one => Number(one.dataset.weight))")
    assert np.allclose(marked, weights[:, region], atol=2e-5)


def test_regions_are_erased_words_forced_and_weights_moved_and_all_of_it_is_in_the_link(page: Page, gallery: Served):
    page.goto(gallery.link(run="soft", picture=SCENE, row=1))
    settle(page)
    page.locator("[data-tool=erase]").click()
    pick(page, 18)
    expect(page.get_by_test_id("edited")).to_be_visible()
    page.locator("[data-tool=weight]").click()
    pick(page, 61)
    page.locator("word-chances button").nth(2).click()
    settle(page)
    edits = json.loads(page.evaluate("new URLSearchParams(location.hash.slice(1)).get('edits')"))
    assert [edit["kind"] for edit in edits] == ["blank", "weight", "force"]
    assert (edits[0]["word"], edits[1]["source"], edits[1]["at"], edits[2]["at"]) == (18, 61, 1, 1)
    written = page.get_by_test_id("edited").inner_text()
    page.reload()
    settle(page)
    assert page.get_by_test_id("edited").inner_text() == written
    page.get_by_test_id("reset").click()
    expect(page.get_by_test_id("edited")).to_have_count(0)


def test_a_file_is_described_and_one_that_is_no_picture_is_refused_by_name(page: Page, gallery: Served):
    page.goto(gallery.link(run="soft"))
    settle(page)
    chooser = page.locator("input[type=file]")
    chooser.set_input_files(
        {"name": "x.png", "mimeType": "image/png", "buffer": saved(Image.new("RGB", (90, 60), "teal"), "PNG")}
    )
    settle(page)
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('picture')").startswith("given-")
    expect(page.locator("picture-bar img[alt='Your picture']")).to_be_visible()


def test_hostile_files_only_give_a_message(context: BrowserContext, gallery: Served):
    page = context.new_page()
    page.goto(gallery.link(run="soft", picture=SCENE))
    settle(page)
    for name in ("svg", "huge-png", "cut-jpeg"):
        file = {"name": "a.png", "mimeType": "image/png", "buffer": refused()[name]}
        page.locator("input[type=file]").set_input_files(file)
        settle(page)
        expect(page.locator("picture-bar").get_by_role("alert")).to_contain_text("The picture")
        expect(page.get_by_test_id("caption").locator("button").first).to_be_visible()
    page.close()


def test_soft_and_hard_are_shown_side_by_side_and_steps_over_time(page: Page, gallery: Served):
    page.goto(gallery.link(run="soft", view="compare", picture=SCENE))
    settle(page)
    expect(page.locator("compare-view section[data-run] region-strip")).to_have_count(2)
    expect(page.locator("main")).not_to_contain_text("ranslation")
    page.goto(gallery.link(run="soft", view="learn", picture=SCENE, frame=40))
    page.reload()
    settle(page)
    expect(page.get_by_test_id("frame")).to_have_text("step 40")
    expect(page.locator("learn-view region-strip region-map").first).to_be_visible()


def test_the_maps_are_exported_exactly(page: Page, gallery: Served, tmp_path):
    page.goto(gallery.link(run="soft", picture=SCENE))
    settle(page)
    menu = page.locator("region-strip export-menu")
    menu.locator("summary").click()
    for kind in ("json", "svg", "png"):
        with page.expect_download() as waiting:
            menu.locator(f"[data-format={kind}]").click()
        waiting.value.save_as(tmp_path / f"maps.{kind}")
        menu.locator("details").evaluate("one => { one.open = true; }")
    assert "data:image/png;base64," in (tmp_path / "maps.svg").read_text()
    assert Image.open(tmp_path / "maps.png").size[0] > 300
    told = json.loads((tmp_path / "maps.json").read_text())
    values = told["view"]["values"] if "view" in told else told["values"]
    assert np.allclose(np.array(values).ravel(), weights_of(gallery).ravel(), atol=1e-5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["captions", "steps", "compare", "learn"])
def test_axe_finds_nothing(page: Page, gallery: Served, view: str, scheme: str):
    edits = '[{"kind":"blank","word":20,"how":"remove"}]' if view == "captions" else "[]"
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(gallery.link(run="soft", view=view, picture=SCENE, row=1, edits=edits))
    settle(page)
    assert broken_rules(page) == []
