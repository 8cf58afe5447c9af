"""A run that another process is training is watched on the page while it learns."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from jumok.studio.payload import MAX_FRAMES
from tests.browser.conftest import SENTENCE, Served, Watched, running
from tests.browser.models import SMALL, train_small


@contextmanager
def training(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`jumok train` of a small model without an end, as a process of its own."""
    endless = [*SMALL, "train.max_steps=100000", "train.snapshots=10", "train.validate_every=60", "train.patience=0"]
    command = [sys.executable, "-m", "jumok", "train", "--out", str(folder), *endless]
    with (folder.parent / "train.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        for _ in range(1200):
            if (folder / "timing.jsonl").is_file():
                break
            assert process.poll() is None, (folder.parent / "train.log").read_text()
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(60)


def frames(page: Page) -> int:
    """How many kept weights the slider goes over."""
    return int(page.locator("input[name=frame]").get_attribute("max") or 0) + 1


def drawn(page: Page) -> str:
    """The line of the training loss."""
    return page.locator("curve-chart path").first.get_attribute("d") or ""


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Waits until the page shows what it must, at most three minutes."""
    for _ in range(720):
        if holds():
            return
        page.wait_for_timeout(250)
    raise AssertionError("The page did not follow the training within three minutes.")


def test_frames_and_curves_grow_while_a_run_is_trained(context: BrowserContext, tmp_path: Path):
    folder = tmp_path / "growing"
    with training(folder) as process, running([folder], tmp_path) as url:
        watched = Watched(context.new_page(), url.rstrip("/")).watch()
        page = watched.page
        page.goto(Served(url, tmp_path).link(run="growing", view="learn", text=SENTENCE))
        expect(page.get_by_text("Training is running.")).to_be_visible()
        expect(page.locator("learn-view heat-map canvas")).to_be_visible(timeout=120_000)
        seen, line = frames(page), drawn(page)
        wait_until(page, lambda: frames(page) >= seen + 2 and drawn(page) != line)
        page.locator("input[name=frame]").fill("0")
        expect(page.get_by_test_id("frame")).to_have_text("step 10")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        expect(page.get_by_text("Training is running.")).to_have_count(0)
        kept = {one.name for kind in ("checkpoints", "snapshots") for one in (folder / kind).iterdir()}
        wait_until(page, lambda: frames(page) == min(len(kept), MAX_FRAMES - 1) + 1)  # and the best weights
        assert (watched.complaints, watched.dialogs, watched.elsewhere) == ([], [], [])


def test_a_run_that_goes_on_is_noticed(context: BrowserContext, tmp_path: Path):
    folder = train_small(tmp_path / "growing")
    with running([folder], tmp_path) as url:
        page = context.new_page()
        page.goto(Served(url, tmp_path).link(run="growing", view="learn", text=SENTENCE))
        expect(page.locator("learn-view heat-map canvas")).to_be_visible()
        expect(page.get_by_text("Training is running.")).to_have_count(0)
        seen = frames(page)
        resumed = [sys.executable, "-m", "jumok", "train", "--resume", str(folder), "train.max_steps=100000"]
        process = subprocess.Popen(resumed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            expect(page.get_by_text("Training is running.")).to_be_visible(timeout=180_000)
            wait_until(page, lambda: frames(page) > seen)
        finally:
            process.terminate()
            process.wait(60)
