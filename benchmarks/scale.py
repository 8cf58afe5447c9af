"""What a billion words cost on a cluster: the speed of one worker measured here, the rest simulated.

    python benchmarks/scale.py [--run FOLDER] [--words 1e9] [--workers 1 8 64] [--lines 20000] [--beam 5]

One worker's words per second are measured in processor time, so other programs do not matter. The simulation hands
pieces of lines to workers that start, fail at random, lose the piece they were at and start again, as
`jumok cluster translate` does. What it leaves out: reading and writing files, the network, and cores that share memory.
"""

import argparse
import heapq
import random
import time
from dataclasses import dataclass
from pathlib import Path

from jumok.data.phrasebook import generate

RUN = Path(__file__).resolve().parent.parent / "tests" / "engine" / "trained" / "rnnsearch"


@dataclass(frozen=True)
class Cost:
    """Of a corpus."""

    hours: float
    worker_hours: float
    lost: int
    """Pieces that were tried again."""


def words_per_second(run: Path, count: int, beam: int) -> float:
    """Source words that one worker translates in a second of processor time."""
    from jumok.decoding.options import Options
    from jumok.decoding.translator import Translator
    from jumok.engine.loading import EngineChoice, open_engine

    lines = [one.source for one in generate("en-fr", "test", count)]
    translator = Translator([open_engine(run, "cpu", EngineChoice("auto", workers=1))])
    list(translator.translate_stream(lines[:20], Options(beam=beam)))
    start = time.process_time()
    list(translator.translate_stream(lines, Options(beam=beam)))
    return sum(len(line.split()) for line in lines) / (time.process_time() - start)


def simulate(pieces: int, seconds: float, workers: int, between: float, starting: float, seed: int = 1) -> Cost:
    """Workers that take pieces of so many seconds; each fails on average once in `between` seconds of work."""
    draw = random.Random(seed)
    free = [(starting, worker) for worker in range(workers)]
    fails = {worker: starting + draw.expovariate(1 / between) for worker in range(workers)}
    left, lost, end = pieces, 0, 0.0
    while left:
        now, worker = heapq.heappop(free)
        if fails[worker] < now + seconds:  # the piece is lost and stays to be done
            now, lost = max(now, fails[worker]) + starting, lost + 1
            fails[worker] = now + draw.expovariate(1 / between)
        else:
            now, left = now + seconds, left - 1
            end = max(end, now)
        heapq.heappush(free, (now, worker))
    return Cost(end / 3600, end * workers / 3600, lost)


def main() -> None:
    """Measures, simulates and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=RUN)
    parser.add_argument("--words", type=float, default=1e9)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--hours-between-failures", type=float, default=24.0)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=1000)
    given = parser.parse_args()
    rate = words_per_second(given.run, given.sentences, given.beam)
    words = sum(len(one.source.split()) for one in generate("en-fr", "test", 200)) / 200
    seconds = given.lines * words / rate
    pieces = max(1, round(given.words / (given.lines * words)))
    print(
        f"measured: {rate:.0f} words per second of one core (beam {given.beam}); simulated for {given.words:.3g} words:"
    )
    for workers in given.workers:
        cost = simulate(pieces, seconds, workers, given.hours_between_failures * 3600, 10.0)
        print(
            f"{workers:5} workers: {cost.hours:8.1f} h, {cost.worker_hours:8.1f} core hours, {cost.lost} pieces again"
        )


if __name__ == "__main__":
    main()
