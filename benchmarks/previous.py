"""How quick this checkout is beside an earlier commit, in one run and in turn.

    python benchmarks/previous.py COMMIT [--rounds 3] [--json]

The commit is checked out into a temporary folder and both are run with this environment's packages, one after the
other in each round: every comparison of `guard.py` (our time over a fixed computation's), training of `peers.py` (our
tokens a second over a plain loop's, both in the same commit's process), and the seconds of new processes that print the
help or translate one sentence. Each number is ours now over ours then, the median of the ratios of the rounds; above 1
is slower. What is slower than the bound says, fails. It takes about eight minutes on a quiet machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from start_up import make_run, seconds

HERE = Path(__file__).resolve().parent.parent
MOST = 1.10
STARTS = 9
"""New processes of each kind."""
TRAINED = ("rnn", "transformer")
Times = dict[str, float]


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """The files of a commit in a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", str(HERE), "archive", commit], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


def variables(tree: Path) -> dict[str, str]:
    """What makes Python take that checkout's sources."""
    return os.environ | {"PYTHONPATH": str(tree / "src")}


def answer(tree: Path, *command: str) -> str:
    """What a benchmark of that checkout prints; a bound that is not kept does not count here."""
    done = subprocess.run(
        [sys.executable, *command], cwd=tree, env=variables(tree), capture_output=True, text=True, check=False
    )
    if not done.stdout:
        raise RuntimeError(done.stderr)
    return done.stdout


def guard(tree: Path) -> Times:
    """Our time over the fixed computation's."""
    return {f"guard, {one['name']}": one["ratio"] for one in json.loads(answer(tree, "benchmarks/guard.py", "--json"))}


def training(tree: Path) -> Times:
    """A plain loop's tokens a second over ours."""
    told = answer(
        tree, "benchmarks/peers.py", "--train", "--quick", "--only", "plain loop", "--rounds", "1", "--json"
    )  # fmt: skip
    models = json.loads(told)["training"]["models"]
    return {f"training, {name}": 1 / statistics.median(models[name]["ratios"]["plain loop"]) for name in TRAINED}


def starts(tree: Path, run: Path) -> Times:
    """Seconds of new processes."""
    jumok = [sys.executable, "-m", "jumok"]
    commands = {
        "start, --help": [*jumok, "--help"],
        "start, translate": [*jumok, "translate", str(run), "--engine", "fast"],
        "start, translate with torch": [*jumok, "translate", str(run), "--engine", "torch"],
    }
    return {name: seconds(command, variables(tree)) for name, command in commands.items()}


def compared(now: Path, then: Path, rounds: int) -> dict[str, list[float]]:
    """Ratios by name, one for each round; the two checkouts take turns to be first."""
    found: dict[str, list[float]] = {}

    def ratios(measure: Callable[[Path], Times], count: int) -> None:
        for number in range(count):
            trees = (now, then) if number % 2 else (then, now)
            times = {tree: measure(tree) for tree in trees}
            for name in times[now].keys() & times[then].keys():  # a new comparison has nothing to be compared with
                found.setdefault(name, []).append(times[now][name] / times[then][name])

    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder), variables(then))
        for tree in (now, then):  # fills the file cache
            starts(tree, run)
        ratios(lambda tree: starts(tree, run), STARTS)
    ratios(guard, rounds)
    ratios(training, rounds)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="what to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    with checkout(given.commit) as then:
        found = compared(HERE, then, given.rounds)
    middle = {name: statistics.median(each) for name, each in found.items()}
    if given.json:
        print(json.dumps(found))
    else:
        for name, each in sorted(found.items()):
            word = "ok" if middle[name] <= MOST else "SLOWER"
            print(f"{name:28} {middle[name]:5.2f}  ({min(each):.2f}–{max(each):.2f})  {word}")
    return 0 if max(middle.values()) <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
