"""How cost grows: training and translation over model size, sentence length, batch, beam and vocabulary.

    python benchmarks/scaling.py              # tables, out/scaling.json, out/scaling-*.svg
    python benchmarks/scaling.py --docs docs  # the pictures into docs/images too
    python benchmarks/scaling.py --quick      # all of it into out/scaling/, the full measurement stays
    python benchmarks/scaling.py --parts processes   # only whether a second process is worth its core
    python benchmarks/scaling.py --parts      # measures nothing: tables and pictures of what was measured before

Every point is a process of its own, so that its peak memory and its start are its own too. It is kept as soon as it is
measured, and what is not measured this time stays. Words are drawn at random from the whole vocabulary: only their
number matters here. Translations have a fixed length, because a model that has learned nothing never stops.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scaling_page import GROWTH, LABELS, MODELS, Point, draw_all, markdown

OUT = Path("out/scaling")
# What stays as it is while one thing grows.
TRAIN = {"size": 256, "length": 20, "tokens": 2048, "words": 8000}
TRANSLATE = {"size": 256, "length": 20, "batch": 64, "beam": 1, "words": 8000}
PARTS = ("train", "translate", "processes")
# A point has taken enough time after so many seconds with the least of rounds, or after the most with any.
ENOUGH_SECONDS, LEAST_ROUNDS, MOST_SECONDS = 3, 3, 10
SLOWEST_SECONDS = 600  # of a process that is given up
# Two processes of one thread must reach this share of what a second core gives to matrix products.
LEAST_SHARE = 0.85


# ---------------------------------------------------------------- one point, in its own process


def train_point(model: str, case: dict[str, int], steps: int, threads: int, begun: float) -> dict[str, float]:
    """Target tokens a second and peak memory of learning one batch again and again; seconds to the first step's end."""
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
    config = resolve({}, sized(model, case["size"]))
    torch.manual_seed(1)
    network = build_model(config.model, case["words"], case["words"])
    objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
    learner = Learner.of_model(network, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)
    count = max(1, case["tokens"] // (case["length"] + 1))
    rows = np.random.default_rng(1).integers(4, case["words"], (2, count, case["length"]))
    batch = Batch.of(list(rows[0]), list(rows[1]), range(count))

    def step() -> float:
        start = time.perf_counter()
        learner.apply(learner.step([batch], batch.target_tokens, 0.0))
        return time.perf_counter() - start

    with watching_memory() as peak:
        step()
        started = time.time() - begun
        step()
        spent: list[float] = []
        while len(spent) < steps and not is_enough(spent):
            spent.append(step())
    speed = batch.target_tokens / statistics.median(spent)
    return {"tokens_per_second": speed, "peak_mb": peak[0], "start_seconds": started}


def translate_point(run: Path, case: dict[str, int], steps: int, threads: int) -> dict[str, float]:
    """Tokens a second and peak memory of our engine with one worker, or of torch; other sentences in every round."""
    from jumok.decoding.options import Options
    from jumok.tasks.translation.model import load

    translator = load(run, engine="auto", workers=1)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(threads)
    length = case["length"]
    options = Options(beam=case["beam"], min_length=length, max_length=length, alignment=False)
    rounds = drawn_lines(case)
    translator.translate(next(rounds)[:4], options=options)
    spent: list[float] = []
    with watching_memory() as peak:
        # Quick rounds are many: one alone would be shorter than what else the machine does meanwhile.
        while (len(spent) < steps or sum(spent) < 1) and not is_enough(spent):
            lines = next(rounds)
            start = time.perf_counter()
            translator.translate(lines, options=options)
            spent.append(time.perf_counter() - start)
    return {"tokens_per_second": case["batch"] * length / statistics.median(spent), "peak_mb": peak[0]}


def is_enough(spent: Sequence[float]) -> bool:
    """Whether a slow case has been measured long enough."""
    return sum(spent) >= (ENOUGH_SECONDS if len(spent) >= LEAST_ROUNDS else MOST_SECONDS)


def drawn_lines(case: dict[str, int]) -> Iterator[list[str]]:
    """Batches of sentences from the whole vocabulary, the same for every model."""
    import numpy as np

    draw = np.random.default_rng(1)
    while True:
        numbers = draw.integers(0, case["words"], (case["batch"], case["length"]))
        yield [" ".join(f"w{number}" for number in row) for row in numbers]


@contextmanager
def watching_memory():
    """The most memory of this process and those it made, in megabytes; shared pages count once."""
    peak, done = [0.0], threading.Event()

    def look() -> None:
        while True:
            start = time.perf_counter()
            peak[0] = max(peak[0], resident())
            # Looking at much memory takes a while: it must not become a part of what is measured.
            if done.wait(max(0.02, 20 * (time.perf_counter() - start))):
                return

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def resident() -> float:
    """Megabytes of this process and its children; what they share is divided among them."""
    own = os.getpid()
    children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    total = 0
    for pid in (str(own), *children):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


# ---------------------------------------------------------------- all points


def sized(model: str, size: int) -> list[str]:
    """The config of a model of that size."""
    keys = [f"model.preset={model}", f"model.encoder.size={size}", f"model.decoder.size={size}", "model.dropout=0.1"]
    if model == "transformer":
        keys += [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("layers=4", f"ff={2 * size}")]
    return [*keys, f"model.embedding={size}"] if model == "rnnsearch" else keys


def untrained(model: str, size: int, words: int) -> Path:
    """A run that has learned nothing, with as many words as asked for."""
    run = OUT / f"untrained-{model}-{size}-{words}"
    if (run / "model.safetensors").is_file():
        return run
    import torch
    from safetensors.torch import save_file

    from jumok.config import resolve
    from jumok.models.build import build_model
    from jumok.run.folder import vocabulary_of, write_config
    from jumok.text.tokenizer import build_tokenizer

    run.mkdir(parents=True, exist_ok=True)
    config = resolve({}, sized(model, size))
    tokenizer = build_tokenizer("words", [f"w{number}" for number in range(words)])
    for side in ("source", "target"):
        tokenizer.save(run, side)
    write_config(run, config, vocabulary_of(tokenizer, tokenizer))
    torch.manual_seed(1)
    network = build_model(config.model, tokenizer.size, tokenizer.size)
    parts = {name: value.contiguous() for name, value in network.state_dict().items()}
    save_file(parts, run / "unfinished")
    (run / "unfinished").rename(run / "model.safetensors")
    return run


class NotMeasuredError(Exception):
    """A point that could not be measured, and why."""


def answer(command: Sequence[str], stdin: str = "") -> str:
    """What a command prints; it must go well and end in time."""
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=SLOWEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotMeasuredError(f"it took more than {SLOWEST_SECONDS} seconds") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NotMeasuredError(f"exit code {done.returncode}: {last}")
    return done.stdout


def in_own_process(point: dict[str, Any]) -> dict[str, float]:
    """A point, measured by this program in another process."""
    begun = time.time()
    return json.loads(answer([sys.executable, __file__, "--point", json.dumps(point | {"begun": begun})]))


def start_seconds(run: Path, case: dict[str, int], times: int, threads: int) -> float:
    """`jumok translate` from its start to its end, the median of some."""
    length = str(case["length"])
    command = [sys.executable, "-m", "jumok", "translate", str(run), "--beam", str(case["beam"])]
    command += ["--min-length", length, "--max-length", length, "--threads", str(threads)]
    lines = "\n".join(next(drawn_lines(case))) + "\n"
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        answer(command, lines)
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def measure(kind: str, model: str, over: str, case: dict[str, int], quick: bool, threads: int) -> dict[str, float]:
    """One point."""
    point: dict[str, Any] = {"kind": kind, "model": model, "case": case, "steps": 3 if quick else 8, "threads": threads}
    if kind == "train":
        return in_own_process(point)
    run = untrained(model, case["size"], case["words"])
    # A start is for one line, except where the lines are what grows.
    start = case if over == "batch" else case | {"batch": 1}
    measured = in_own_process(point | {"run": str(run)})
    return measured | {"start_seconds": start_seconds(run, start, 1 if quick else 3, threads)}


def points(kind: str, axes: Sequence[str], quick: bool, threads: int) -> Iterator[Point]:
    """Every point of one kind over the axes, as they are measured."""
    usual = TRAIN if kind == "train" else TRANSLATE
    known: dict[Any, dict[str, float]] = {}  # the usual case is met on every axis
    for model in MODELS:
        for over in axes:
            values = GROWTH[kind][over]
            for value in (values[0], values[-2]) if quick else values:
                case = usual | {over: value}
                key = (model, *case.values(), over == "batch")
                try:
                    measured = known[key] = known.get(key) or measure(kind, model, over, case, quick, threads)
                except NotMeasuredError as error:
                    print(f"{kind} {model}, {over} {value} was not measured: {error}", file=sys.stderr)
                    continue
                said = ", ".join(f"{key} {number:,.4g}" for key, number in measured.items())
                print(f"{kind} {model}, {over} {value}: {said}", file=sys.stderr)
                yield Point(kind, model, over, value, measured)


# ---------------------------------------------------------------- a second process


def processes(quick: bool) -> dict[str, Any]:
    """What a second process of one thread gains, beside what a second thread gives to matrix products."""
    rounds = []
    for _ in range(1 if quick else 3):
        products = [product_rate(threads) for threads in (1, 2)]
        one, two = (trained_tokens_per_second(count, 0.3 if quick else 0.7) for count in (1, 2))
        gained, bound = two / one, products[1] / products[0]
        rounds.append({"one": one, "two": two, "gained": gained, "machine": bound, "share": gained / bound})
        print(f"two processes gain {gained:.2f}, the machine {bound:.2f}: {gained / bound:.2f}", file=sys.stderr)
    share = statistics.median(row["share"] for row in rounds)
    return {"rounds": rounds, "share": share, "least": LEAST_SHARE, "passed": share >= LEAST_SHARE}


def product_rate(threads: int) -> float:
    """Products of matrices that stay in cache, a second."""
    program = (
        "import sys, time, torch; torch.set_num_threads(int(sys.argv[1]));"
        "a, b, c = torch.randn(240, 768), torch.randn(768, 512), torch.empty(240, 512);"
        "[torch.mm(a, b, out=c) for _ in range(500)]; start = time.perf_counter();"
        "[torch.mm(a, b, out=c) for _ in range(3000)]; print(3000 / (time.perf_counter() - start))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(threads)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def trained_tokens_per_second(count: int, minutes: float) -> float:
    """Target tokens a second of `jumok train` in so many processes of one thread, as the run itself reports."""
    run = OUT / f"processes-{count}"
    subprocess.run(["rm", "-rf", str(run)], check=True)
    prefix = [sys.executable, "-m"]
    if count > 1:
        prefix += ["torch.distributed.run", "--standalone", f"--nproc-per-node={count}", "-m"]
    keys = [
        "model.preset=rnnsearch", "train.batch_tokens=4096", "runtime.threads=1", f"train.max_minutes={minutes}",
        "train.max_steps=1000000", "train.validate_every=1000000", "train.validate_size=0", "train.log_every=2",
    ]  # fmt: skip
    command = [*prefix, "jumok", "train", "--out", str(run), *keys]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    rows = [json.loads(line) for line in (run / "timing.jsonl").read_text(encoding="utf-8").splitlines()]
    speeds = [row["tokens_per_second"] for row in rows if "tokens_per_second" in row]
    return statistics.median(speeds[1:])


# ---------------------------------------------------------------- the program


def before(path: Path, measured_now: set[tuple[str, str]]) -> list[Point]:
    """Points of an earlier time that are not measured again."""
    if not path.is_file():
        return []
    kept = [Point(**row) for row in json.loads(path.read_text(encoding="utf-8"))["points"]]
    return [p for p in kept if (p.kind, p.over) not in measured_now and "start_seconds" in p.measured]


def save(path: Path, result: dict[str, Any], found: Sequence[Point]) -> None:
    """Writes what there is so far; a file that was begun takes its name when it is whole."""
    result["points"] = [vars(point) for point in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(result, indent=1), encoding="utf-8")
    unfinished.replace(path)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two values of each, fewer rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--over", nargs="*", choices=tuple(LABELS), default=list(LABELS), help="only what grows so")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch")
    parser.add_argument("--docs", type=Path, help="folder of documents: pictures go into its images, too")
    parser.add_argument("--point", type=json.loads, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    given = options()
    if p := given.point:
        if p["kind"] == "train":
            done = train_point(p["model"], p["case"], p["steps"], p["threads"], p["begun"])
        else:
            done = translate_point(p["run"], p["case"], p["steps"], p["threads"])
        print(json.dumps(done))
        return 0
    if given.parts and (load := os.getloadavg()[0]) > 1.5:
        print(
            f"The machine is busy (load {load:.1f}): threads wait for each other, speeds are too low.", file=sys.stderr
        )
    path = (OUT / "quick" if given.quick else OUT).with_suffix(".json")
    axes = {kind: [over for over in GROWTH[kind] if over in given.over] for kind in GROWTH if kind in given.parts}
    found = before(path, {(kind, over) for kind in axes for over in axes[kind]})
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for kind in axes:
        for point in points(kind, axes[kind], given.quick, given.threads):
            found.append(point)
            save(path, result, found)
    if "processes" in given.parts:
        result["processes"] = processes(given.quick)
    save(path, result, found)
    draw_all(found, path.parent)
    if given.docs:
        draw_all(found, given.docs / "images")
    print(json.dumps(result) if given.json else markdown(result, found))
    failed = "processes" in given.parts and not result["processes"]["passed"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
