"""Shapes in public signatures are checked at run time, here and nowhere else."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

# Tests share the cores: without this every worker would start a thread for each core.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))

# How long an example takes says nothing about the law: another program may have the cores.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

install_import_hook(["jumok.attention", "jumok.models"], "beartype.beartype")


@pytest.fixture(autouse=True)
def whole_numbers() -> Iterator[None]:
    """Training in this process flushes denormal numbers; the next test meets them again."""
    yield
    torch.set_flush_denormal(False)


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int | str | None, str, str]]:
    """`call(…)` runs the command line in this process, which is quicker: (exit code, stdout, stderr)."""
    from jumok.cli import app

    def run(*arguments: object) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr(sys, "argv", ["jumok", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            app.run()
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


@pytest.fixture
def own_catalogue() -> Iterator[None]:
    """What a test adds to the catalogue of attention is gone after it."""
    from jumok.attention.catalog import MECHANISMS, NORMALISERS, SCOPES, SCORES

    families: tuple[dict[str, Any], ...] = (MECHANISMS, SCORES, SCOPES, NORMALISERS)
    before = [dict(family) for family in families]
    yield
    for family, old in zip(families, before, strict=True):
        family.clear()
        family.update(old)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The lines that tests of `jumok translate` translate, as a file."""
    from tests.test_cli_translate import LINES

    path = tmp_path / "in.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def picture_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny run of each task but translation, pictures, and a text that is called a picture."""
    import jumok
    from jumok.data.images import png_bytes
    from tests.tasks import test_bandits, test_captioning, test_few_shot, test_image_gan, test_summarisation

    folder = tmp_path_factory.mktemp("pictures")
    runs = {
        "captions": test_captioning, "episodes": test_few_shot, "worlds": test_bandits, "drawing": test_image_gan,
        "news": test_summarisation,
    }  # fmt: skip
    for name, tests in runs.items():
        short = {"train.max_steps": 1, "train.validate_every": 1, "train.save_every": 1}
        jumok.train(tests.TINY | short, out=folder / name, progress=False)
    picture = png_bytes(np.random.default_rng(1).integers(0, 255, (20, 20, 3), dtype=np.uint8))
    for file in ("picture.png", "support/a/1.png", "support/b/1.png"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(picture)
    (folder / "text.png").write_text("not a picture")
    (folder / "empty").mkdir()
    return folder
