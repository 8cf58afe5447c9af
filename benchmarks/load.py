"""What our work keeps of its fair share of the cores beside other programs that compute.

    python benchmarks/load.py [--json] [--only NAME …] [--seconds 4] [--rounds 3]

Each kind of work is done by a process of its own, as a user's would be, and measured for some seconds at a time: alone,
beside one, two and three processes that never wait, and alone with OpenMP threads that spin (as they do if nothing is
set), in turn. The busy processes are plain loops of one thread that write down how much processor time they had, so the
fair share is measured in the same seconds: each thread of ours may expect the part of a core that such a loop got, but
of k threads of ours and n loops on c cores never more than c / (k + n) (what we leave to them does not raise what
we are asked for). `gain` is what two threads give over one, and CTranslate2 through
`--engine ctranslate2` is compared with CTranslate2 called directly. It takes about six minutes on a quiet machine; all
that it starts ends with it.
"""

import argparse
import importlib
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TRAINED = Path(__file__).resolve().parent.parent / "tests" / "engine" / "trained"
LOADS = (1, 2, 3)
# What is asked for: this share of the fair share, this part of the speed of spinning threads, and of CTranslate2.
LEAST_SHARE, LEAST_QUIET, LEAST_ENGINE = 0.85, 0.95, 0.9
# libgomp's own number of looks before a waiting thread sleeps, where nothing is set.
SPINNING = {"GOMP_SPINCOUNT": "300000"}
# Processor seconds, where a busy process writes them after each turn.
USED = struct.Struct("d")
# A busy process ends with its time or with the process that started it.
BUSY = """
import mmap, os, struct, sys, time
parent, end = os.getppid(), time.monotonic() + float(sys.argv[1])
with open(sys.argv[2], "r+b") as file: told = mmap.mmap(file.fileno(), 0)
print("ready", flush=True)
while time.monotonic() < end and os.getppid() == parent:
    for _ in range(20_000): pass
    struct.pack_into("d", told, 0, time.process_time())
"""
Step = Callable[[], float]
"""Does a little and gives how much: tokens, pairs or sentences."""


@dataclass(frozen=True)
class Work:
    """Something a user waits for."""

    name: str
    make: Callable[[int, Path], Step]
    """From threads and a folder for files."""
    threads: int


# ------------------------------------------------------------ the work


def training(threads: int, _: Path) -> Step:
    """Steps of `jumok train`; target tokens."""
    import numpy as np
    import torch

    from jumok.config import resolve
    from jumok.data.batch import Batch
    from jumok.models.build import build_model
    from jumok.training import environment, teacher_forcing
    from jumok.training.distributed import Processes
    from jumok.training.learner import Learner
    from jumok.training.sequence_objective import SequenceObjective

    environment.set_up(threads, deterministic=True)
    torch.manual_seed(1)
    config: Any = resolve({}, ["model.preset=transformer"])
    objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
    model = build_model(config.model, 4000, 4000)
    learner = Learner.of_model(model, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)
    rows = np.random.default_rng(1).integers(4, 4000, (2, 64, 20))
    batch = Batch.of(list(rows[0]), list(rows[1]), range(64))

    def step() -> float:
        learner.apply(learner.step([batch], batch.target_tokens, 0.0))
        return batch.target_tokens

    return step


def aligner(threads: int, _: Path) -> Step:
    """The aligner on pairs of the phrasebook; pairs times epochs."""
    from jumok.aligner import Settings, align_bitext
    from jumok.data.phrasebook import generate

    pairs = [(one.source, one.target) for one in generate("en-fr", "train", 300)]
    settings = Settings(epochs=1, least_steps=1)

    def step() -> float:
        align_bitext(pairs, settings, threads=threads)
        return len(pairs)

    return step


def translation(threads: int, _: Path) -> Step:
    """A Transformer over torch with a beam of 5; sentences."""
    import torch

    from jumok.tasks.translation.model import load

    torch.set_num_threads(threads)
    return sentences(load(TRAINED / "transformer", engine="torch"), 100)


def engine(threads: int, folder: Path) -> Step:
    """The same model with `--engine ctranslate2`; sentences."""
    from jumok.tasks.translation.model import load

    return sentences(load(exported(folder), engine="ctranslate2", workers=threads), 1000)


def direct(threads: int, folder: Path) -> Step:
    """CTranslate2 as its own documentation uses it; sentences."""
    import ctranslate2

    from jumok.run.names import EXPORTED
    from peer_engines import Tuned

    run, lines = exported(folder), test_lines(1000)
    library = ctranslate2.Translator(
        str(run / EXPORTED), inter_threads=threads, intra_threads=1, compute_type="float32"
    )
    translate = Tuned(library, run, 5, False, threads)
    return lambda: float(len(translate(lines)))


def sentences(translator: Any, count: int) -> Step:
    """Some sentences of the phrasebook with a beam of 5."""
    from jumok.decoding.options import Options

    lines, options = test_lines(count), Options(beam=5, alignment=False)
    return lambda: float(len(translator.translate(lines, options=options)))


def test_lines(count: int) -> list[str]:
    """Sources of the phrasebook that was not trained on."""
    from jumok.data.phrasebook import generate

    return [one.source for one in generate("en-fr", "test", count)]


def exported(folder: Path) -> Path:
    """The trained Transformer with its export, in a folder of ours."""
    from jumok.engine.ctranslate2_export import export
    from jumok.run.names import EXPORTED

    run = folder / "transformer"
    if not run.exists():
        shutil.copytree(TRAINED / "transformer", run)
        export(run, run / EXPORTED)
    return run


WORKS = {
    work.name: work
    for work in (
        Work("training", training, 2),
        Work("aligner", aligner, 1),
        Work("translation", translation, 1),
        Work("ctranslate2", engine, 2),
    )
}
MAKERS: dict[str, Callable[[int, Path], Step]] = {name: work.make for name, work in WORKS.items()} | {"direct": direct}

# ------------------------------------------------------------ processes


def serve(name: str, threads: int, folder: Path) -> None:
    """Does the work for as many seconds as each line of stdin says, and prints how much it did a second."""
    # Before torch, as every command of ours does: it says how threads wait for each other.
    importlib.import_module("jumok")
    step = MAKERS[name](threads, folder)
    step()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, start, done = float(line), time.perf_counter(), 0.0
        while time.perf_counter() - start < seconds:
            done += step()
        print(done / (time.perf_counter() - start), flush=True)


class Worker:
    """A process that does one kind of work when it is told to."""

    def __init__(self, name: str, threads: int, folder: Path, **variables: str) -> None:
        command = [sys.executable, __file__, "--serve", name, str(threads), str(folder)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | variables
        )
        self.hear()

    def hear(self) -> str:
        """Its next line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the work ended with code {self.process.wait()}")
        return line

    def speed(self, seconds: float) -> float:
        """How much it does in a second."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return float(self.hear())

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()


class Busy:
    """Processes that never wait and say how much processor time they had."""

    def __init__(self, count: int, seconds: float) -> None:
        self.processes: list[subprocess.Popen[str]] = []
        self.files = [tempfile.NamedTemporaryFile() for _ in range(count)]  # noqa: SIM115 (closed with the processes)
        for file in self.files:
            file.write(bytes(USED.size))
            file.flush()
            command = [sys.executable, "-c", BUSY, str(seconds), file.name]
            self.processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        for process in self.processes:
            assert process.stdout is not None
            process.stdout.readline()

    def used(self) -> list[float]:
        """Processor seconds of each so far."""
        return [USED.unpack(Path(file.name).read_bytes())[0] for file in self.files]

    def during(self, work: Callable[[], float]) -> tuple[float, float]:
        """What some work gives, and what part of a core each loop got in the same seconds, on average."""
        before, start = sum(self.used()), time.perf_counter()
        given = work()
        wall = time.perf_counter() - start
        return given, (sum(self.used()) - before) / len(self.files) / wall

    def close(self) -> None:
        """Ends them."""
        for process, file in zip(self.processes, self.files, strict=True):
            process.kill()
            process.wait()
            file.close()


@contextmanager
def busy(count: int, seconds: float) -> Iterator[Busy]:
    """So many processes that never wait, for at most so many seconds."""
    loops = Busy(count, seconds)
    try:
        yield loops
    finally:
        loops.close()


# ------------------------------------------------------------ measuring


@dataclass(frozen=True)
class Found:
    """What was measured of one kind of work; medians of the rounds."""

    name: str
    threads: int
    quiet: float
    shares: dict[int, float]
    """Of the fair share, beside so many busy processes."""
    against_spinning: float
    gain: float
    """Of two threads over one."""
    against_direct: float | None = None

    @property
    def passed(self) -> bool:
        """Whether it keeps what is asked for."""
        engine = self.against_direct is None or self.against_direct >= LEAST_ENGINE
        return min(self.shares.values()) >= LEAST_SHARE and self.against_spinning >= LEAST_QUIET and engine


def fair(threads: int, others: int, cores: int, got: float) -> float:
    """What part of a core each thread may expect beside `others` loops that got this part of one meanwhile."""
    return min(got, 1.0, cores / (threads + others))


def measure(work: Work, seconds: float, rounds: int, folder: Path) -> Found:
    """Every condition in turn, so many times."""
    with ExitStack() as open_workers:

        def start(name: str, threads: int, **variables: str) -> Worker:
            worker = Worker(name, threads, folder, **variables)
            open_workers.callback(worker.close)
            return worker

        ours = start(work.name, work.threads)
        others = {
            "spinning": start(work.name, work.threads, **SPINNING),
            "other threads": start(work.name, 3 - work.threads),
        }
        if work.name == "ctranslate2":
            others["direct"] = start("direct", work.threads)
        speeds: dict[Any, list[float]] = {}
        for _ in range(rounds):
            for name, speed in one_round(work, ours, others, seconds).items():
                speeds.setdefault(name, []).append(speed)
    return summary(work, speeds)


def one_round(work: Work, ours: Worker, others: dict[str, Worker], seconds: float) -> dict[Any, float]:
    """Our shares beside each load, our quiet speed before and after, and the others' beside the last of them."""
    cores, limit = len(os.sched_getaffinity(0)), 20 * seconds + 60
    before = ours.speed(seconds)
    beside: dict[int, tuple[float, float]] = {}
    for load in LOADS:
        with busy(load, limit) as loops:
            beside[load] = loops.during(lambda: ours.speed(seconds))
    after = ours.speed(seconds)
    quiet = (before + after) / 2
    shares = {load: speed / quiet / fair(work.threads, load, cores, got) for load, (speed, got) in beside.items()}
    return shares | {"quiet": quiet} | {name: after / worker.speed(seconds) for name, worker in others.items()}


def summary(work: Work, found: dict[Any, list[float]]) -> Found:
    """Medians over rounds."""
    middle = {name: statistics.median(each) for name, each in found.items()}
    shares = {load: middle[load] for load in LOADS}
    gain = middle["other threads"] if work.threads == 2 else 1 / middle["other threads"]
    return Found(
        work.name, work.threads, middle["quiet"], shares, middle["spinning"], gain, middle.get("direct")
    )  # fmt: skip


def row(found: Found) -> str:
    """One line of the table."""
    shares = " ".join(f"{found.shares[load]:8.2f}" for load in LOADS)
    engine = "" if found.against_direct is None else f"; {found.against_direct:.2f} of CTranslate2 called directly"
    return (
        f"{found.name:12} {found.threads:7} {found.quiet:10,.0f} {shares} {found.against_spinning:11.2f} "
        f"{found.gain:6.2f}  {'passed' if found.passed else 'FAILED'}{engine}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--only", nargs="*", choices=tuple(WORKS), default=list(WORKS), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.serve:
        serve(given.serve[0], int(given.serve[1]), Path(given.serve[2]))
        return 0
    head = "work         threads  quiet, /s  of fair share beside 1, 2, 3  of spinning   gain"
    print(head, file=sys.stderr if given.json else sys.stdout)
    found: list[Found] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only:
            found.append(measure(WORKS[name], given.seconds, given.rounds, Path(folder)))
            print(row(found[-1]), file=sys.stderr if given.json else sys.stdout, flush=True)
    if given.json:
        print(json.dumps([asdict(one) | {"passed": one.passed} for one in found]))
    return 0 if all(one.passed for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
