"""A real studio process over small trained models, and a real Chromium that looks at it."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

from jumok.studio.app import STATIC
from tests.browser.chromium import chromium, find_chromium
from tests.browser.models import HOSTILE_NAMES, block_lesson, train_small, wide_run
from tests.decoding.tiny_run import make_run

GOLDEN = Path(__file__).parents[1] / "golden"
SENTENCE = "He will watch a movie at the theater."
expect.set_options(timeout=30_000)
# Counts the questions that are on their way, inside the page: Playwright's own "networkidle" holds once a document.
COUNT = """(() => {
  let open = 0;
  const held = (promise) => { open++; const done = () => { open--; }; promise.then(done, done); return promise; };
  const { fetch } = window, { json, blob } = Response.prototype;
  window.fetch = (...all) => held(fetch(...all));
  Response.prototype.json = function () { return held(json.call(this)); };
  Response.prototype.blob = function () { return held(blob.call(this)); };
  window.atRest = () => {
    const studio = document.querySelector("jumok-studio")?.studio;
    const known = Boolean(studio) && (studio.limits !== null || studio.runsError !== null);
    return known && open === 0 && studio.parts.waiting === 0 && studio.status !== "working";
  };
})()"""
REST = """async () => {
  const end = performance.now() + 60000;
  for (let calm = 0; calm < 4;) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 25)));
    calm = window.atRest() ? calm + 1 : 0;
    if (performance.now() > end) throw new Error("the page did not come to rest");
  }
}"""
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@dataclass
class Served:
    """A running `jumok studio`."""

    url: str
    home: Path

    def link(self, **state: object) -> str:
        """A link to a state of the page."""
        return f"{self.url}#{urlencode(state, doseq=True)}"


@dataclass
class Watched:
    """A page, and everything it did that it should not have done."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self) -> "Watched":
        """Starts listening."""
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        return self

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and f"{address.scheme}://{address.netloc}" != self.origin:
            self.elsewhere.append(request.url)

    def settle(self) -> Page:
        """The page once nothing is on its way."""
        return settle(self.page)


def broken_rules(page: Page) -> list[str]:
    """What axe finds in the page as it is: each broken rule with its place."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })", WCAG)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def settle(page: Page) -> Page:
    """The page once it has what it asked for and has drawn it."""
    page.evaluate(REST)
    return page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    if find_chromium() is None:
        pytest.skip("no Chromium is installed and none could be had; see `make browser`")
    if not (STATIC / "index.html").is_file():
        pytest.skip("the page is not built (it needs Node 20); see `make web`")
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`jumok studio` over a run trained just now, golden runs, one without attention and one with hostile names."""
    if "JUMOK_TEST_STUDIO" in os.environ:  # one that runs already, while the page is being worked on
        yield Served(os.environ["JUMOK_TEST_STUDIO"], tmp_path_factory.mktemp("home"))
        return
    runs = make_runs(tmp_path_factory.mktemp("runs"))
    home = tmp_path_factory.mktemp("home")
    block_lesson(home / "runs" / "lessons")
    with running(runs, home) as url:
        yield Served(url, home)


def make_runs(place: Path) -> list[Path]:
    """The runs of the tests' studio."""
    runs = [train_small(place / "small")]
    for name in ("rnnsearch-1", "transformer-1"):
        runs.append(Path(shutil.copytree(GOLDEN / name, place / name)))
    runs.append(make_run(place / "none", "model.preset=seq2seq"))
    runs.append(wide_run(place / "wide"))
    for name in HOSTILE_NAMES:
        runs.append(Path(shutil.copytree(GOLDEN / "rnnsearch-1", place / name)))
    return runs


class running:  # noqa: N801 (reads as a verb)
    """A studio process for as long as the block lasts."""

    def __init__(self, runs: list[Path], home: Path) -> None:
        self.command = [sys.executable, "-m", "jumok", "studio", *map(str, runs), "--no-open"]
        self.home = home

    def __enter__(self) -> str:
        log = (self.home / "studio.log").open("wb")
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(self.command, cwd=self.home, stdout=log, stderr=log, env=environment)
        for _ in range(1200):
            text = (self.home / "studio.log").read_text()
            if found := re.search(r"http://127\.0\.0\.1:\d+/", text):
                return found[0]
            assert self.process.poll() is None, text
            time.sleep(0.1)
        raise AssertionError("The studio did not start within two minutes.")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(120)  # a job that is being stopped is waited for


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile, in English and light."""
    fresh = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", color_scheme="light")
    fresh.set_default_timeout(60_000)
    fresh.add_init_script(COUNT)
    yield fresh
    fresh.close()


@pytest.fixture
def watched(context: BrowserContext, served: Served) -> Iterator[Watched]:
    """A page that must ask no other host, complain of nothing and run nothing it was told by data."""
    one = Watched(context.new_page(), served.url.rstrip("/")).watch()
    yield one
    assert one.elsewhere == []
    assert one.complaints == []
    assert one.dialogs == []
