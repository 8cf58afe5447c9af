"""How the page gets into the package, and what the lock file of its parts may say."""

import importlib.util
import json
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    """The build hook, as hatch loads it."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(hook: ModuleType, root: Path, version: str, monkeypatch: pytest.MonkeyPatch, problem: str | None = None):
    """What one build did: how often the page was built, and what it warned of."""
    built, said = [], []

    class App:
        display_warning = staticmethod(said.append)

    monkeypatch.setattr(hook, "build_page", lambda web: (built.append(web), problem)[1])
    page = hook.StudioPage(str(root), {}, None, None, "", "wheel")
    monkeypatch.setattr(type(page), "app", App)
    page.initialize(version, {})
    return len(built), said


def test_a_page_is_built_when_it_is_missing_or_old(hook, tmp_path, monkeypatch):
    source = tmp_path / "web" / "src" / "main.ts"
    index = tmp_path / "src" / "jumok" / "studio" / "static" / "index.html"
    for path in (source, index):
        path.parent.mkdir(parents=True)
    source.write_text("1")
    assert made(hook, tmp_path, "editable", monkeypatch) == (1, [])
    index.write_text("page")
    os.utime(source, (index.stat().st_atime, index.stat().st_mtime + 60))
    assert made(hook, tmp_path, "editable", monkeypatch)[0] == 0, "an editable install builds only what is missing"
    assert made(hook, tmp_path, "standard", monkeypatch)[0] == 1, "a wheel's page is never older than its sources"
    os.utime(source, (index.stat().st_atime, index.stat().st_mtime))
    assert made(hook, tmp_path, "standard", monkeypatch)[0] == 0, "an sdist gives all its files one time"


def test_without_node_the_build_goes_on_and_says_so(hook, tmp_path, monkeypatch):
    (tmp_path / "web").mkdir()
    count, said = made(hook, tmp_path, "standard", monkeypatch, "Node 20 or later (node and npm) is not installed")
    assert count == 1
    assert "Node 20" in said[0]
    assert "everything but the page works" in said[0]
    monkeypatch.undo()
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "web" / "package.json").write_text("{}")
    assert "Node 20" in hook.build_page(tmp_path / "web")


def test_the_lock_file_records_no_hosts():
    lock = (ROOT / "web" / "package-lock.json").read_text()
    parts = [part for name, part in json.loads(lock)["packages"].items() if name]
    assert all("resolved" not in part for part in parts)
    assert not re.search(r"https?://[^\"]*registry", lock)


def test_a_wheel_brings_the_lessons_models():
    from hatchling.builders.wheel import WheelBuilder

    from jumok.studio.lesson_models import MODELS

    packed = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    names = ("config.json", "manifest.json", "model.safetensors")
    assert {f"jumok/studio/models/{model}/{name}" for model in MODELS for name in names} <= packed
    text = ("source.vocab", "target.vocab", "tokenizer.json")
    assert {f"jumok/studio/models/additive/{name}" for name in text} <= packed
