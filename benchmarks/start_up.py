"""How long a cold `jumok translate` of one sentence takes, and how much of it checks the run's files.

    python benchmarks/start_up.py [--json] [--rounds 9] [--engine fast torch]

A run with 50 MB of weights is made here (two steps of training: its words mean nothing, its size is what counts). Each
round starts new processes in turn: with the run's manifest, and with a copy that has none, which loads unchecked. The
ratio of the two, taken within each round, is what checking costs; its median must stay below 1.10. `--help` and
`import torch` stand beside them.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from jumok.run.names import MANIFEST

MOST = 1.10
SIZE = 768
SENTENCE = "The teacher reads a book ."
PYTHON = [sys.executable]
JUMOK = [sys.executable, "-m", "jumok"]


def make_run(folder: Path, variables: Mapping[str, str] = os.environ) -> Path:
    """A run with about 50 MB of weights."""
    sizes = [f"model.{key}={SIZE}" for key in ("embedding", "encoder.size", "decoder.size")]
    given = ["model.preset=rnnsearch", *sizes, "data.phrasebook=en-ko", "data.phrasebook_size=500", "train.max_steps=2"]
    run = folder / "run"
    subprocess.run([*JUMOK, "train", "--out", str(run), *given], check=True, capture_output=True, env=variables)
    return run


def without_manifest(run: Path) -> Path:
    """A copy of a run as it was before runs had manifests."""
    copy = run.with_name("without")
    shutil.copytree(run, copy)
    (copy / MANIFEST).unlink()
    return copy


def seconds(command: Sequence[str], variables: Mapping[str, str] = os.environ) -> float:
    """The wall time of a process that is given one sentence."""
    start = time.perf_counter()
    subprocess.run(command, input=SENTENCE + "\n", text=True, check=True, capture_output=True, env=variables)
    return time.perf_counter() - start


def measure(engines: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Seconds by condition, one of each in every round; the first round fills the file cache and is left out."""
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder))
        commands = {"--help": [*JUMOK, "--help"], "import torch": [*PYTHON, "-c", "import torch"]}
        kept = {"checked": run, "unchecked": without_manifest(run)}
        for engine in engines:
            for name, path in kept.items():
                commands[f"{engine}, {name}"] = [*JUMOK, "translate", str(path), "--engine", engine]
        found: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, command in commands.items():
                took = seconds(command)
                if number:
                    found[name].append(took)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--engine", nargs="+", default=["fast", "torch"], help="engines to start")
    given = parser.parse_args(arguments)
    found = measure(given.engine, given.rounds)
    ratios = {
        engine: statistics.median(
            a / b for a, b in zip(found[f"{engine}, checked"], found[f"{engine}, unchecked"], strict=True)
        )
        for engine in given.engine
    }
    if given.json:
        print(json.dumps({"seconds": found, "checked / unchecked": ratios}))
    else:
        for name, times in found.items():
            print(f"{name:18} {statistics.median(times):6.2f} s  ({min(times):.2f}–{max(times):.2f})")
        for engine, ratio in ratios.items():
            print(f"{engine}: checking the files makes it {ratio:.2f} × as long (at most {MOST:.2f})")
    return 0 if max(ratios.values()) <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
