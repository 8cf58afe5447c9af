"""Where a Chromium is for the browser tests, and how to get one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_WAYS = {
    "Debian": ("apt-get", "install", "--yes", "--no-install-recommends", "chromium"),
    "Playwright": (sys.executable, "-m", "playwright", "install", "chromium"),
}


def find_chromium() -> str | None:
    """The program of $JUMOK_CHROMIUM, of the system, or of Playwright's own store; None where there is none."""
    for name in (os.environ.get("JUMOK_CHROMIUM"), *_NAMES):
        found = shutil.which(name) if name else None
        if found is not None:
            return found
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser without a window."""
    program = find_chromium()
    if program is None:
        raise FileNotFoundError("No Chromium was found; `make browser` says how to get one.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS), headless=True)
        try:
            yield browser
        finally:
            browser.close()


def install() -> int:
    """Tries to get a Chromium and says what happened; never fails, because every other test can run without it."""
    found = find_chromium()
    if found is not None:
        print(f"Browser tests use {found}.")
        return 0
    for tries, command in _WAYS.items():
        if shutil.which(command[0]) is None or (command[0] == "apt-get" and os.geteuid() != 0):
            continue
        print(f"No Chromium here; asking {tries} for one.")
        subprocess.run(command, check=False)
        if find_chromium() is not None:
            break
    if find_chromium() is None:
        print("No Chromium could be had: the browser tests will be skipped (Debian: apt-get install chromium).")
    return 0


if __name__ == "__main__":
    if "--install" in sys.argv[1:]:
        sys.exit(install())
    print(find_chromium() or "none")
