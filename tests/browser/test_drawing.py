"""The view of generated pictures: a picture, a pixel, where it looks, γ, and the way to another picture."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

import jumok
from jumok.studio.studio import Studio
from tests.browser.conftest import Served, settle
from tests.studio.conftest import serving
from tests.tasks.test_image_gan import TINY


@pytest.fixture(scope="module")
def drawing(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with a generator."""
    place = tmp_path_factory.mktemp("drawing")
    jumok.train(TINY, out=place / "drawn", progress=False)
    studio = Studio([place / "drawn"], place / "home")
    with serving(studio) as access:
        yield Served(f"http://127.0.0.1:{access.port}/", place)


def test_a_pixel_is_chosen_and_its_looks_are_shown(context: BrowserContext, drawing: Served):
    page = context.new_page()
    page.goto(drawing.link(run="drawn"))
    settle(page)
    expect(page.locator("nav a[aria-current]")).to_have_text("Drawn from noise")
    expect(page.locator(".sheet img")).to_have_count(24)
    expect(page.locator("figure[data-player]")).to_have_count(2)
    picture = page.locator("svg.pick")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] * 0.1, "y": box["height"] * 0.9})
    settle(page)
    expect(page.locator("figure").first).to_contain_text("Pixel 15, 2")
    assert "row=14" in page.url
    assert "col=1" in page.url
    picture.press("ArrowUp")
    settle(page)
    expect(page.locator("figure").first).to_contain_text("Pixel 14, 2")
    assert page.locator("figure[data-player=generator] svg rect[fill-opacity]").count() == 64


def test_another_picture_and_less_gamma_are_drawn(context: BrowserContext, drawing: Served):
    page = context.new_page()
    page.goto(drawing.link(run="drawn"))
    settle(page)
    shown = page.locator("svg.pick image")
    first = shown.get_attribute("href")
    page.locator("button[data-picture='5']").click()
    settle(page)
    assert shown.get_attribute("href") != first
    page.locator("input[name=gamma]").fill("0")
    settle(page)
    expect(page.get_by_test_id("strength")).to_have_text("0.00")
    page.locator("button[name=animate-share]").click()
    expect(page.locator("button[name=animate-share]")).to_have_attribute("aria-pressed", "false", timeout=60_000)
    settle(page)
    expect(page.locator("input[name=share]")).to_have_value("1")
    expect(page.locator(".near img")).to_have_count(3)
