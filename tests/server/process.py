"""A server as a process of its own. Not a test by itself."""

import os
import subprocess
import sys
from pathlib import Path

from jumok.data.phrasebook import generate

TRAINED = Path(__file__).parents[1] / "engine" / "trained"
LINES = [one.source for one in generate("en-fr", "test", 24)]


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """A server process, and its address once it takes requests."""
    command = [sys.executable, "-m", "jumok", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    address = process.stdout.readline().strip()  # type: ignore[union-attr]
    if not address:
        raise AssertionError(process.stderr.read())  # type: ignore[union-attr]
    return process, address


def children(process: subprocess.Popen[str]) -> list[int]:
    """The ids of the worker processes, the resource tracker left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            words = (path.parent / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if parent == process.pid and b"spawn_main" in words:
            found.append(int(path.parent.name))
    return found
