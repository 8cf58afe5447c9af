"""Builds the studio's page into the package: always fresh in wheels and sdists, once in an editable install.

Node is needed only here. Without it everything but the page works, and the build and the studio say what is missing. An
sdist carries the built page, so that a wheel made from it, like any wheel that is installed, needs no Node.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = (
    "src", "public", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts",
    "vite.notebook.config.ts",
)  # fmt: skip


class StudioPage(BuildHookInterface):
    """Runs Vite where the page is missing or older than its sources."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before files are collected; `version` is `editable` for an editable install."""
        web = Path(self.root) / "web"
        index = Path(self.root) / "src" / "jumok" / "studio" / "static" / "index.html"
        if index.is_file() and (version == "editable" or not is_newer(web, index)):
            return
        problem = build_page(web)
        if problem is None:
            return
        kept = "an older build of it is packed" if index.is_file() else "everything but the page works"
        self.app.display_warning(f"The studio's page was not built: {problem}; {kept}. `make web` builds it.")


def is_newer(web: Path, index: Path) -> bool:
    """Whether any source of the page is younger than the page."""
    places = [web / name for name in _SOURCES]
    files = [file for place in places for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()]
    # An sdist gives all its files one time: the page in it is never older than its sources.
    return any(file.stat().st_mtime > index.stat().st_mtime for file in files)


def build_page(web: Path) -> str | None:
    """Builds the page; gives what stood in the way, or None."""
    npm = shutil.which("npm")
    if not (web / "package.json").is_file():
        return "its sources (web/) are not here"
    if npm is None or shutil.which("node") is None:
        return "Node 20 or later (node and npm) is not installed"
    # `npm ci` refuses a lock file made where other platforms' optional packages could not be looked up.
    for command in ([npm, "install", "--no-save", "--no-progress"], [npm, "run", "build"]):
        done = subprocess.run(command, cwd=web, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
            return f"`npm {' '.join(command[1:])}` failed ({last[0]})"
    return None
