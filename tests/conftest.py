"""Shapes in public signatures are checked at run time, here and nowhere else."""

import os
from collections.abc import Iterator

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
