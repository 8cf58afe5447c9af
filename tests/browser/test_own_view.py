"""A view of one's own, as docs/extending.md adds it: one file and two rows, built and opened in a browser."""

import math
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from jumok.studio.studio import Studio
from tests.browser.conftest import COUNT, GOLDEN, settle
from tests.studio.conftest import start

ROOT = Path(__file__).parents[2]
SENTENCE = "The teacher reads a book ."


@pytest.fixture
def built(tmp_path) -> Path:
    """The page with the example's view, built from a copy of its sources."""
    if shutil.which("npx") is None or not (ROOT / "web" / "node_modules").is_dir():
        pytest.skip("Node or the page's packages are not installed; see `make web`")
    web = tmp_path / "web"
    shutil.copytree(ROOT / "web", web, ignore=shutil.ignore_patterns("node_modules", "test"))
    (web / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    views = web / "src" / "views"
    shutil.copy(ROOT / "docs" / "examples" / "sharpness-view.ts", views)
    add(views / "titles.ts", "  lessons:", '  sharpness: { en: "Sharpness", ko: "집중도", tasks: TEXT },\n')
    draw = "draw: () => html`<sharpness-view></sharpness-view>`"
    row = f'  sharpness: {{ load: () => import("./sharpness-view"), {draw} }},\n'
    add(views / "pages.ts", "  lessons:", row)
    out = tmp_path / "static"
    for command in (["tsc", "--noEmit"], ["vite", "build", "--outDir", str(out)]):
        done = subprocess.run(["npx", "--no-install", *command], cwd=web, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    return out


def add(path: Path, before: str, row: str) -> None:
    """A row in a table, before another."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, row + before), encoding="utf-8")


def test_a_view_of_ones_own_is_built_and_shows_what_the_model_did(browser, built, tmp_path):
    studio = Studio([Path(shutil.copytree(GOLDEN / "rnnsearch-1", tmp_path / "rnnsearch-1"))], tmp_path / "home")
    server, thread, access = start(studio, static=built)
    url = f"http://127.0.0.1:{access.port}"
    try:
        page = browser.new_page()
        page.add_init_script(COUNT)
        page.goto(f"{url}/?lang=ko#view=sharpness&text={SENTENCE.replace(' ', '+')}")
        settle(page)
        expect(page.get_by_role("link", name="집중도")).to_have_attribute("aria-current", "page")
        shown = [float(text) for text in page.get_by_test_id("entropy").all_inner_texts()]
        body = {"run": "rnnsearch-1", "text": SENTENCE}
        found = httpx.post(f"{url}/api/v1/translate", json=body, timeout=60).json()["reading"]["alignment"]
        width = found["weights"]["shape"][1]
        data, end = found["weights"]["data"], found["end"]
        rows = [[*data[t * width : (t + 1) * width], end[t]] for t in range(len(data) // width)]
        wanted = [-sum(p * math.log(p) for p in row if p > 0) for row in rows]
        assert len(shown) == len(wanted) > 2
        assert all(abs(a - b) < 0.01 for a, b in zip(shown, wanted, strict=True))
        page.close()
    finally:
        server.should_exit = True
        thread.join(10)
        studio.close()
