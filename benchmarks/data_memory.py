"""Does anonymous memory stay flat when the corpus grows? Builds and iterates stores of two sizes and
compares.

    python benchmarks/data_memory.py                        0.5 and 5 million generated pairs, some minutes
    python benchmarks/data_memory.py --small 20000 --large 200000

Each size runs in a process of its own: checks, tokenizer, store, one epoch of shuffled batches. A thread
reads the process's anonymous memory (RssAnon; mapped files can be dropped by the system at any time and do
not count) twenty times a second. Claim: peak(large) <= 1.2 x peak(small) + 16 bytes a pair.
"""

import argparse
import json
import multiprocessing
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jumok.data.corpus import Pair

WORDS = 40_000
CLAIM_RATIO = 1.2
CLAIM_BYTES_PER_PAIR = 16


def anonymous_bytes() -> int:
    """Resident anonymous memory of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("this benchmark reads RssAnon from /proc, which this system does not have")


class Watch:
    """The highest anonymous memory seen in each stage."""

    def __init__(self) -> None:
        self.stage = "start"
        self.peaks: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def look(self) -> None:
        self.peaks[self.stage] = max(self.peaks.get(self.stage, 0), anonymous_bytes())

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            self.look()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


def generated(size: int) -> Iterator["Pair"]:
    """Pairs of 3 to 20 words of a Zipf-like vocabulary, some twice; the same ones at each call."""
    from jumok.data.corpus import Pair

    draw = random.Random(17).random
    previous = Pair("a", "b", 0)
    for line in range(1, size + 1):
        if line % 97 == 0:
            yield Pair(previous.source, previous.target, line)
            continue
        numbers = [int(WORDS ** draw()) for _ in range(3 + int(draw() * 18))]
        source = " ".join(f"w{number}" for number in numbers)
        target = " ".join(f"v{number}" for number in reversed(numbers))
        previous = Pair(source, target, line)
        yield previous


def measure(size: int, folder: str) -> dict[str, object]:
    """Build and iterate a store of that size; peaks and seconds by stage."""
    from jumok.data.bucketing import TokenBatches
    from jumok.data.corpus import GeneratedCorpus, Weighted
    from jumok.data.loader import load_batches
    from jumok.data.prepare import prepare_text
    from jumok.data.store import build_store
    from jumok.text import build_tokenizer

    watch = Watch()
    seconds: dict[str, float] = {}
    began = time.perf_counter()

    def stage(name: str) -> None:
        nonlocal began
        watch.look()
        seconds[watch.stage] = round(time.perf_counter() - began, 1)
        watch.stage, began = name, time.perf_counter()

    stage("check")
    corpus = GeneratedCorpus("generated", str(size), lambda: generated(size))
    text = prepare_text([Weighted(corpus)], folder)
    stage("tokenizer")
    source = build_tokenizer("words", text.train.sources(), size=8000)
    target = build_tokenizer("bpe", text.train.targets(), size=8000)
    stage("store")
    store = build_store(text.train, source, target, folder)
    stage("iterate")
    batches = TokenBatches(store.lengths(), max_tokens=4096, seed=1)
    count = tokens = 0
    loaded = load_batches(store, batches)
    for place, batch in loaded:
        if place.epoch > 0:
            break
        count += 1
        tokens += batch.source_tokens + batch.target_tokens
    loaded.close()
    stage("end")
    watch.stop()
    return {
        "pairs": size,
        "kept": len(store),
        "batches": count,
        "tokens": tokens,
        "seconds": seconds,
        "tokens_per_second": round(tokens / max(seconds["iterate"], 0.1)),
        "peak_anonymous_mb": {name: round(peak / 2**20, 1) for name, peak in watch.peaks.items()},
        "peak": max(watch.peaks.values()),
    }


def _child(size: int, folder: str, sender: "multiprocessing.connection.Connection") -> None:
    sender.send(measure(size, folder))


def in_own_process(size: int, parent: str | None) -> dict[str, object]:
    """`measure` in a fresh process, so that one size leaves nothing to the other."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        process = context.Process(target=_child, args=(size, folder, sender))
        process.start()
        sender.close()
        try:
            return receiver.recv()
        finally:
            process.join()


def main() -> None:
    """Measure both sizes, print them, and say whether the claim holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=500_000)
    parser.add_argument("--large", type=int, default=5_000_000)
    parser.add_argument("--folder", help="where the stores are written (about 1 GB for 5 million pairs)")
    options = parser.parse_args()
    small = in_own_process(options.small, options.folder)
    print(json.dumps(small), flush=True)
    large = in_own_process(options.large, options.folder)
    print(json.dumps(large), flush=True)
    allowed = CLAIM_RATIO * float(str(small["peak"])) + CLAIM_BYTES_PER_PAIR * options.large
    holds = float(str(large["peak"])) <= allowed
    verdict = {"allowed_mb": round(allowed / 2**20, 1), "peak_mb": round(float(str(large["peak"])) / 2**20, 1)}
    print(json.dumps({**verdict, "holds": holds}))
    raise SystemExit(0 if holds else 1)


if __name__ == "__main__":
    main()
