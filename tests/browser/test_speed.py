"""First load, smoothness with the largest grid, and what happens to a sentence that is too long."""

import gzip
import json
import statistics
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, Route, expect

from jumok.studio.app import STATIC
from tests.browser.conftest import Served, Watched

FIRST_LOAD = 150_000  # what the browser fetches to show the first view, gzipped
WHOLE_PAGE = 300_000  # all views and lessons together, of which each is fetched when it is opened
NOTEBOOK_LOAD = 60_000
FRAME = 50.0
WORDS = 59
MOVES = 120
# The frame that shows the pointer's new place has been drawn when the one after it begins.
NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Frames until the words of the row that the map reads out are the marked ones.
FOLLOWED = """async () => {
  const view = document.querySelector("jumok-studio").renderRoot.querySelector("translate-view").renderRoot;
  const marked = () => view.querySelector("sentence-links").renderRoot.querySelectorAll("g.own[data-kind=row]").length;
  const row = document.querySelector("jumok-studio").studio.look.row;
  const words = () => view.querySelector("sentence-links").renderRoot.querySelectorAll("g[data-kind=row]");
  const right = () => marked() === 1 && words()[row].classList.contains("own");
  for (let frame = 0; frame < 100; frame++) {
    if (right()) return frame;
    await new Promise(requestAnimationFrame);
  }
  return 100;
}"""


@pytest.mark.parametrize("view", ["translate", "lessons"])
def test_the_first_load_is_small(view: str, watched: Watched, served: Served):
    """Counted are the files that the browser asked for; another view then fetches what it lacks."""
    page, fetched = watched.page, set[Path]()
    page.on("response", lambda response: fetched.update(static_file(response.url)))
    page.goto(served.link(run="small", text="I read a book", view=view))
    watched.settle()
    assert len(fetched) > 3
    first = zipped(fetched)
    assert first < FIRST_LOAD, f"{first / 1000:.0f} kB are fetched before {view} is shown"
    before = set(fetched)
    page.locator("nav a[data-view=whatif]").click()
    expect(page.locator("whatif-view")).to_be_visible()
    assert any(path.name.startswith("whatif-view") for path in fetched - before)


def static_file(url: str) -> list[Path]:
    """The file of the page that an address stands for; nothing for answers of the studio."""
    path = Path(STATIC) / (urlsplit(url).path.lstrip("/") or "index.html")
    return [path] if path.is_file() else []


def test_all_parts_of_the_page_and_the_notebooks_bundle_stay_small():
    notebook = Path(STATIC) / "notebook"  # what a notebook loads; the page does not
    files = [path for path in Path(STATIC).rglob("*") if path.is_file()]
    assert zipped(path for path in files if notebook not in path.parents) < WHOLE_PAGE
    assert [path.name for path in notebook.iterdir()] == ["notebook.js"]
    assert zipped([notebook / "notebook.js"]) < NOTEBOOK_LOAD


def test_a_view_that_cannot_be_fetched_says_so_and_offers_to_reload(context: BrowserContext, served: Served):
    page = context.new_page()
    page.goto(served.link(run="small", text="I read a book"))
    expect(page.locator("heat-map canvas")).to_be_visible()
    page.route("**/assets/beam-view*.js", lambda route: route.abort())
    page.locator("nav a[data-view=beam]").click()
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    page.unroute("**/assets/beam-view*.js")
    page.get_by_role("button", name="Reload the page").click()
    expect(page.locator("beam-view")).to_be_visible()
    page.close()


def zipped(paths: Iterable[Path]) -> int:
    """The size of files as they are sent."""
    return sum(len(gzip.compress(path.read_bytes())) for path in paths)


def test_hovering_over_the_largest_grid_stays_smooth(watched: Watched, served: Served):
    """60 × 60, 6 layers of 8 heads: 95% of frames cost under 50 ms while the pointer moves."""
    source = " ".join(["I", "read", "a", "book"] * 20)
    page = watched.page

    def with_target(route: Route) -> None:
        body = json.loads(route.request.post_data or "{}")
        words = " ".join(["je", "lis", "un", "livre"] * 20).split()[:WORDS]
        response = route.fetch(post_data=json.dumps({**body, "target": " ".join(words)}))
        answer = response.json()
        # An untrained model looks everywhere alike; one that has learned gives the links something to draw.
        for layer in answer["reading"]["attention"]["cross"]:
            layer["data"] = peaked(*layer["shape"])
        route.fulfill(response=response, json=answer)

    page.route("**/api/v1/translate", with_target)
    text = " ".join(source.split()[:WORDS])
    page.goto(served.link(run="wide", text=text, level="token", layer=0))
    watched.settle()
    expect(page.locator("head-grid canvas")).to_have_count(6 * 9 + 1)
    size = page.locator("heat-map").evaluate("map => [map.picture.map.rows, map.picture.map.cols]")
    assert size == [WORDS + 1, WORDS + 1]
    assert page.locator("sentence-links path").count() > 200
    box = page.locator("heat-map canvas").bounding_box()
    assert box is not None
    page.locator("heat-map canvas").scroll_into_view_if_needed()
    slow = slow_frames(page)
    assert slow < FRAME, f"95% of frames cost up to {slow:.0f} ms of processor time"
    late = max(linked_frames(page, place) for place in range(8))
    assert late <= 2, f"the linked views follow {late} frames later"


def peaked(heads: int, rows: int, cols: int) -> list[float]:
    """Weights that follow the diagonal with five words in sight of each row."""
    near = {0: 0.5, 1: 0.15, 2: 0.1}
    row = [[near.get(abs(r - c), 0.0) for c in range(cols)] for r in range(rows)]
    return [value for _ in range(heads) for line in row for value in line]


def slow_frames(page: Page) -> float:
    """The processor time, in milliseconds, that 95% of the frames keep while the pointer sweeps over the map.

    It is that of the page's main thread, which frames wait for: other programs on the machine take turns with it and
    do not count.
    """
    box = page.locator("heat-map canvas").bounding_box()
    assert box is not None
    developer = page.context.new_cdp_session(page)
    developer.send("Performance.enable")
    times = [processor_time(developer)]
    for step in range(MOVES):
        x = box["x"] + box["width"] * (0.25 + 0.45 * ((step * 7) % 60) / 60)
        page.mouse.move(x, box["y"] + box["height"] * (0.35 + 0.6 * ((step * 11) % 60) / 60))
        page.evaluate(NEXT_FRAME)
        times.append(processor_time(developer))
    developer.detach()
    return statistics.quantiles([after - before for before, after in pairwise(times)], n=20)[-1]


def processor_time(developer: CDPSession) -> float:
    """What the page's main thread has used, in milliseconds."""
    metrics = {metric["name"]: metric["value"] for metric in developer.send("Performance.getMetrics")["metrics"]}
    return 1000 * metrics["ThreadTime"]


def linked_frames(page: Page, place: int) -> int:
    """How many frames after the map the sentences follow the pointer."""
    box = page.locator("heat-map canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * (0.4 + 0.06 * place))
    return page.evaluate(FOLLOWED)


def test_a_sentence_of_500_words_is_cut_and_the_page_says_so(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="small"))
    page.get_by_role("textbox", name="Sentence to translate").fill("soldier " * 500)
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.get_by_text("was cut to 80 words")).to_be_visible()
    expect(page.locator("heat-map canvas")).to_be_visible()
