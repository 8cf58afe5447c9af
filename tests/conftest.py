"""Shapes in public signatures are checked at run time, here and nowhere else."""

import os
import sys
from collections.abc import Callable, Iterator

import pytest
import torch
from jaxtyping import install_import_hook

# Tests share the cores: without this every worker would start a thread for each core.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))

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
