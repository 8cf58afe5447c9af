"""How cost grows: training and translation over model size, sentence length, batch, beam and vocabulary.

    python benchmarks/scaling.py              # a table, out/scaling.json and out/scaling.svg
    python benchmarks/scaling.py --quick
    python benchmarks/scaling.py --parts processes   # only whether a second process is worth its core

Every point is a process of its own, so that its peak memory and its start are its own too. Words are drawn at random:
only their number matters here. Translations have a fixed length, because a model that has learned nothing never stops.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer_translation import seconds

OUT = Path("out/scaling")
# What stays as it is while one thing grows.
TRAIN = {"size": 256, "length": 20, "tokens": 2048, "words": 8000}
TRANSLATE = {"size": 256, "length": 20, "batch": 64, "beam": 1, "words": 8000}
GROWTH: dict[str, dict[str, tuple[int, ...]]] = {
    "train": {
        "size": (64, 128, 256, 512),
        "length": (5, 10, 20, 40, 80),
        "tokens": (256, 512, 1024, 2048, 4096, 8192),
        "words": (1000, 4000, 16000, 64000),
    },
    "translate": {
        "size": (64, 128, 256, 512),
        "length": (5, 10, 20, 40, 80),
        "batch": (1, 4, 16, 64, 256),
        "beam": (1, 2, 5, 10, 20),
        "words": (1000, 4000, 16000, 64000),
    },
}
LABELS = {
    "size": "units of a layer",
    "length": "words in a sentence",
    "tokens": "target tokens in a batch",
    "batch": "sentences at once",
    "beam": "beam",
    "words": "words of the vocabulary",
}
MODELS = ("rnnsearch", "transformer")
PARTS = ("train", "translate", "processes")
# Two processes of one thread must reach this share of what a second core gives to matrix products.
LEAST_SHARE = 0.85


@dataclass(frozen=True)
class Point:
    """One measurement."""

    kind: str
    model: str
    over: str
    value: int
    measured: dict[str, float]


# ---------------------------------------------------------------- one point, in its own process


def train_point(model: str, case: dict[str, int], steps: int, threads: int) -> dict[str, float]:
    """Target tokens a second and peak memory of learning one batch again and again."""
    import numpy as np
    import torch

    from jumok.config import resolve
    from jumok.data.batch import Batch
    from jumok.models.build import build_model
    from jumok.training import environment, teacher_forcing
    from jumok.training.distributed import Processes
    from jumok.training.learner import Learner
    from jumok.training.objective import Objective

    environment.set_up(threads, deterministic=True)
    config = resolve({}, sized(model, case["size"]))
    torch.manual_seed(1)
    network = build_model(config.model, case["words"], case["words"])
    objective = Objective(0.1, teacher_forcing.parse("always"))
    learner = Learner(network, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)
    count = max(1, case["tokens"] // (case["length"] + 1))
    rows = np.random.default_rng(1).integers(4, case["words"], (2, count, case["length"]))
    batch = Batch.of(list(rows[0]), list(rows[1]), range(count))
    spent = []
    with watching_memory() as peak:
        for _ in range(steps + 2):
            start = time.perf_counter()
            learner.apply(learner.step([batch], batch.target_tokens, batch.source_tokens, 0.0))
            spent.append(time.perf_counter() - start)
    return {"tokens_per_second": batch.target_tokens / statistics.median(spent[2:]), "peak_mb": peak[0]}


def translate_point(run: Path, case: dict[str, int]) -> dict[str, float]:
    """Sentences and tokens a second, and peak memory, of an engine with one worker."""
    from jumok.decoding.options import Options
    from jumok.engine.loading import load

    translator = load(run, engine="auto", workers=1)
    length = case["length"]
    options = Options(beam=case["beam"], min_length=length, max_length=length, alignment=False)
    lines = [" ".join(f"w{(17 * row + word) % 50}" for word in range(length)) for row in range(case["batch"])]
    translator.translate(lines[:4], options=options)
    rounds, start = 0, time.perf_counter()
    with watching_memory() as peak:
        while rounds < 2 or time.perf_counter() - start < 1:
            translator.translate(lines, options=options)
            rounds += 1
    spent = time.perf_counter() - start
    sentences = rounds * len(lines) / spent
    return {"sentences_per_second": sentences, "tokens_per_second": sentences * length, "peak_mb": peak[0]}


@contextmanager
def watching_memory():
    """The most memory of this process and those it made, in megabytes; shared pages count once."""
    peak, done = [0.0], threading.Event()

    def look() -> None:
        while True:
            peak[0] = max(peak[0], resident())
            if done.wait(0.02):
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
    run = OUT / f"{model}-{size}-{words}"
    if (run / "model.safetensors").is_file():
        return run
    OUT.mkdir(parents=True, exist_ok=True)
    text = OUT / f"words-{words}.txt"
    lines = [" ".join(f"w{n}" for n in range(first, min(words, first + 10))) for first in range(0, words, 10)]
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    jumok(
        "train", "--source", str(text), "--target", str(text), "--out", str(run), "text.kind=words",
        "data.held_out=5", "train.max_steps=1", "train.validate_size=0", "train.pictures=0", "train.batch_tokens=64",
        *sized(model, size),
    )  # fmt: skip
    return run


def jumok(*arguments: str) -> None:
    """A command of ours that must go well."""
    command = [sys.executable, "-m", "jumok", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def in_own_process(case: dict[str, Any]) -> dict[str, float]:
    """A point, measured by this program in another process."""
    command = [sys.executable, __file__, "--point", json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def points(kind: str, quick: bool, threads: int) -> list[Point]:
    """Every point of one kind."""
    usual = TRAIN if kind == "train" else TRANSLATE
    found = []
    for model in MODELS:
        for over, values in GROWTH[kind].items():
            for value in (values[0], values[-2]) if quick else values:
                case: dict[str, Any] = {"kind": kind, "model": model, "steps": 3 if quick else 8, "threads": threads}
                case["case"] = usual | {over: value}
                if kind == "translate":
                    case["run"] = str(untrained(model, case["case"]["size"], case["case"]["words"]))
                measured = in_own_process(case)
                if kind == "translate" and over == "size":
                    command = [sys.executable, "-m", "jumok", "translate", case["run"]]
                    measured["start_seconds"] = seconds(command, "w1 w2 w3\n", 1 if quick else 3)
                found.append(Point(kind, model, over, value, measured))
                said = ", ".join(f"{key} {number:,.4g}" for key, number in measured.items())
                print(f"{kind} {model}, {over} {value}: {said}", file=sys.stderr)
    return found


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


# ---------------------------------------------------------------- what a person sees

PANELS = (("tokens_per_second", "tokens a second"), ("peak_mb", "peak memory, MB"))


def draw(found: Sequence[Point], path: Path) -> None:
    """Speed and memory of each kind over each thing that grows."""
    from jumok import figure

    columns = [(kind, over) for kind in GROWTH for over in GROWTH[kind] if any(p.kind == kind for p in found)]
    with figure.drawing():
        page = figure.blank(2.6 * len(columns), 5.6)
        width = 1 / len(columns)
        for column, (kind, over) in enumerate(columns):
            for row, (key, label) in enumerate(PANELS):
                left = (column + 0.24) * width
                axes = page.add_axes((left, 0.57 - 0.43 * row, 0.7 * width, 0.3))
                for model, color, marker in zip(MODELS, figure.PALETTE, figure.MARKERS, strict=False):
                    of_model = [p for p in found if (p.kind, p.over, p.model) == (kind, over, model)]
                    heights = [p.measured[key] for p in of_model]
                    axes.plot([p.value for p in of_model], heights, color=color, marker=marker, label=model)
                axes.set(xscale="log", yscale="log", xlabel=LABELS[over])
                values = sorted({p.value for p in found if (p.kind, p.over) == (kind, over)})
                axes.set_xticks(values, [f"{value // 1000}k" if value >= 1000 else str(value) for value in values])
                axes.minorticks_off()
                axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
                axes.grid(True, axis="y")
                if column == 0 or columns[column - 1][0] != kind:
                    axes.set_title(f"{kind}: {label}", loc="left", fontsize=10)
        page.axes[0].legend(loc="lower right", fontsize=8)
    figure.save(page, path)


def markdown(found: Sequence[Point]) -> str:
    """The points as tables for a document."""
    tables = []
    for kind in GROWTH:
        for over in GROWTH[kind]:
            rows = [p for p in found if (p.kind, p.over) == (kind, over)]
            if not rows:
                continue
            keys = list(rows[0].measured)
            tables.append(f"{kind}, {LABELS[over]}\n")
            tables.append("| " + " | ".join(["model", LABELS[over], *(key.replace("_", " ") for key in keys)]) + " |")
            tables.append("|" + "---|" * (len(keys) + 2))
            for p in rows:
                numbers = [f"{p.measured[key]:,.2f}" if "seconds" in key else f"{p.measured[key]:,.0f}" for key in keys]
                tables.append("| " + " | ".join([p.model, f"{p.value:,}", *numbers]) + " |")
            tables.append("")
    return "\n".join(tables)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two values of each, fewer rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--threads", type=int, default=2, help="threads of a training process")
    parser.add_argument("--point", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.point:
        p = given.point
        one = p["kind"] == "train"
        done = (
            train_point(p["model"], p["case"], p["steps"], p["threads"])
            if one
            else translate_point(p["run"], p["case"])
        )
        print(json.dumps(done))
        return 0
    found = [point for kind in GROWTH if kind in given.parts for point in points(kind, given.quick, given.threads)]
    result: dict[str, Any] = {"points": [vars(point) for point in found]}
    if "processes" in given.parts:
        result["processes"] = processes(given.quick)
    path = OUT.with_suffix(".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1), encoding="utf-8")
    if found:
        draw(found, path.with_suffix(".svg"))
    print(json.dumps(result) if given.json else markdown(found))
    return 0 if result.get("processes", {}).get("passed", True) else 1


if __name__ == "__main__":
    sys.exit(main())
