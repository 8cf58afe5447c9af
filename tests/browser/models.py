"""Small models for the browser tests."""

import subprocess
import sys
from pathlib import Path

from tests.decoding.tiny_run import make_run

# Folder names that a page which took names for markup would run.
HOSTILE_NAMES = ("<img src=x onerror=alert(1)>", "'-alert(2)-'", '"><svg onload=alert(3)>', "${alert(4)}{{alert(4)}}")
SMALL = (
    "data.phrasebook=en-ko", "data.phrasebook_size=2000", "data.held_out=40", "model.preset=rnnsearch",
    "model.embedding=48", "model.encoder.size=64", "model.decoder.size=64", "train.max_steps=150",
    "train.batch_tokens=768", "train.learning_rate=0.01", "train.warmup=20", "train.validate_every=75",
    "train.validate_size=20", "train.save_every=75", "train.snapshots=25", "train.log_every=5", "train.pictures=0",
    "runtime.threads=1",
)  # fmt: skip


def train_small(folder: Path) -> Path:
    """A recurrent model, really trained, with weights of six steps: long enough for some words to find each other."""
    command = [sys.executable, "-m", "jumok", "train", "--out", str(folder), *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def block_lesson(folder: Path) -> None:
    """A lesson's model that cannot be trained: a file is in its way."""
    folder.mkdir(parents=True)
    (folder / "dot").write_text("in the way")


def wide_run(folder: Path) -> Path:
    """Six layers of eight heads that take 60 words: the largest grid the page must stay smooth with."""
    sides = [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("layers=6", "heads=8", "size=32")]
    return make_run(folder, "model.preset=transformer", *sides, "model.embedding=32", "data.max_length=70")
