"""Kills a real training run again and again, resumes it, and compares it byte for byte with one never killed.

    python benchmarks/kill_resume.py --kills 100 --steps 400 --threads 2

Dropout, subword sampling, scheduled sampling, accumulation, a moving average and checkpoint averaging are on. A
third of the signals are SIGKILL at random times, a third SIGKILL while a checkpoint is being written, and a third
SIGTERM. Each life of the run is a process of its own, forked from one that has torch loaded already.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

SETTINGS = [
    "text.kind=unigram",
    "text.size=700",
    "text.sampling=0.2",
    "data.phrasebook_size=400",
    "data.held_out=20",
    "model.dropout=0.2",
    "model.embedding=16",
    "model.encoder.size=16",
    "model.decoder.size=16",
    "train.batch_tokens=128",
    "train.accumulate=2",
    "train.teacher_forcing=0.8",
    "train.ema=0.9",
    "train.validate_every=10",
    "train.save_every=5",
    "train.validate_size=4",
    "train.pictures=0",
    "train.log_every=3",
    "train.warmup=5",
    "train.keep=2",
    "train.average=2",
    "runtime.prefetch=2",
]
COMPARED = ("model.safetensors", "metrics.jsonl", "config.json")
# These name the machine and the time; the manifest holds their hashes.
NOT_COMPARED = {"environment.json", "manifest.json"}


def live(folder: Path, settings: list[str], log: Path) -> int:
    """Starts or resumes the run in a forked process and gives its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        code = train(folder, settings)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def train(folder: Path, settings: list[str]) -> int:
    """Begins the run, or resumes it where there is one; its exit code."""
    from jumok.config import resolve
    from jumok.tasks import training
    from jumok.training.report import watcher

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if (folder / "config.json").exists():
        run = training.resume(folder, [], say)
    else:
        keys = {setting.partition("=")[0] for setting in settings}
        run = training.begin(resolve({}, settings), keys, folder, say)
    with watcher() as printer:
        for event in run:
            printer.hear(event)
    return run.exit_code


def ended(child: int) -> int | None:
    """The exit code of a child that has ended (negative: the signal that killed it), or None."""
    done, status = os.waitpid(child, os.WNOHANG)
    return None if done == 0 else os.waitstatus_to_exitcode(status)


def wait_for(child: int, happened: Callable[[], bool], limit: float) -> int | None:
    """Waits until something has happened, the child has ended or time is up; the exit code if it has ended."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline and not happened():
        code = ended(child)
        if code is not None:
            return code
        time.sleep(0.0005)
    return None


def is_saving(folder: Path) -> bool:
    """True while a checkpoint lies half-written beside the others."""
    try:
        return any(entry.name.startswith(".writing-") for entry in os.scandir(folder / "checkpoints"))
    except FileNotFoundError:
        return False


def wait_for_save(child: int, folder: Path, skip: int, longest: float) -> int | None:
    """Waits until a save is under way, after `skip` others; the exit code if the child has ended before."""
    for _ in range(skip):
        for saving in (True, False):
            code = wait_for(child, lambda wanted=saving: is_saving(folder) == wanted, longest)
            if code is not None:
                return code
    return wait_for(child, lambda: is_saving(folder), 4 * longest)


def one_life(folder: Path, settings: list[str], way: str, chance: random.Random, longest: float, log: Path) -> int:
    """Lets the run live until the chosen moment; its exit code, or −9 / 143 if the signal came first."""
    child = live(folder, settings, log)
    if way == "save":
        code = wait_for_save(child, folder, chance.randrange(3), longest)
        time.sleep(chance.random() * 0.004)
    else:
        code = wait_for(child, lambda: False, chance.random() * longest)
    if code is not None:
        return code
    os.kill(child, signal.SIGTERM if way == "term" else signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def run_killed(folder: Path, settings: list[str], kills: int, seed: int, longest: float, log: Path) -> dict[str, int]:
    """Kills the run up to `kills` times, then lets it finish; how often each way really struck."""
    chance = random.Random(seed)
    struck = {"time": 0, "save": 0, "term": 0}
    while sum(struck.values()) < kills:
        way = ("time", "save", "term")[sum(struck.values()) % 3]
        code = one_life(folder, settings, way, chance, longest, log)
        if code == 0:
            break
        if code not in (-signal.SIGKILL, -signal.SIGTERM, 143):
            raise SystemExit(f"A life ended with {code}:\n{log.read_text()[-3000:]}")
        struck[way] += 1
    code = None
    child = live(folder, settings, log)
    while code is None:
        code = wait_for(child, lambda: False, 1.0)
    if code != 0:
        raise SystemExit(f"The last life ended with {code}:\n{log.read_text()[-3000:]}")
    return struck


def differences(one: Path, other: Path) -> list[str]:
    """The files whose bytes are not the same."""
    newest = max((path for path in (one / "checkpoints").iterdir()), key=lambda path: int(path.name)).name
    inside = sorted(path.name for path in (one / "checkpoints" / newest).iterdir() if path.name not in NOT_COMPARED)
    names = [*COMPARED, *(f"checkpoints/{newest}/{name}" for name in inside)]
    return [
        name
        for name in names
        if not (other / name).exists() or (one / name).read_bytes() != (other / name).read_bytes()
    ]


def main() -> None:
    """Prints what was struck and whether the bytes agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder if not given")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    # Loaded once, so that a life costs no start-up; nothing is computed before the fork.
    import jumok.data.phrasebook
    import jumok.tasks.translation.task
    import jumok.training.curves
    import jumok.training.report

    jumok.training.curves.curves_svg([])  # matplotlib takes its time only once

    settings = [*SETTINGS, f"train.max_steps={options.steps}", f"runtime.threads={options.threads}"]
    with tempfile.TemporaryDirectory() as temporary:
        place = options.folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        run_killed(place / "whole", settings, 0, 0, 0.0, place / "whole.log")
        whole = time.monotonic() - start
        # About as many lives as kills if each gets its share of the time, starting included. A run that ends before
        # it was killed often enough is followed by another.
        longest = max(0.3, 2.0 * whole / max(1, options.kills) + 0.2 * whole)
        struck, different = {"time": 0, "save": 0, "term": 0}, []
        for run in count(1):
            left = options.kills - sum(struck.values())
            killed = place / f"killed-{run}"
            ways = run_killed(killed, settings, left, options.seed + run, longest, place / "killed.log")
            struck = {way: struck[way] + ways[way] for way in struck}
            different += [f"{killed.name}/{name}" for name in differences(place / "whole", killed)]
            if sum(struck.values()) >= options.kills:
                break
            longest *= 0.7  # it came through too early: another run, with shorter lives
    result = {"kills": struck, "total": sum(struck.values()), "steps": options.steps, "different": different}
    print(json.dumps(result) if options.json else f"{result}\n{'DIFFERENT' if different else 'bit-identical'}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
