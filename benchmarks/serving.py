"""What `jumok serve` takes: throughput, latency, overload, memory and stalled connections, beside what is asked for.

    python benchmarks/serving.py [--run FOLDER] [--text FILE] [--full] [--json] [--only ROW …] [--seconds OF_OVERLOAD]

The short form (about a minute) shows that every row can be measured; `--full` has the sizes that count: 5 minutes of
overload, 100,000 requests, 1,000 stalled connections. Server, clients and `jumok translate` share the machine
and are all ended with the program. Throughput is a ratio of medians of rounds in turn; `jumok translate` is measured
without its start, as the difference between many and few lines.
"""

import argparse
import asyncio
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import uvloop

from jumok.data.phrasebook import generate
from jumok.server.serving import raise_open_files
from serving_flood import Flood, Flooded
from serving_load import Answered, load, request, run_load, stall

RUN = Path(__file__).resolve().parent.parent / "tests" / "engine" / "trained" / "rnnsearch"
CLIENTS = 64
LEAST_SHARE, MOST_LATENCY, ADDED, MOST_TAIL = 0.85, 1.3, 0.002, 4.0
LEAST_DIFFERENCE = 0.1
REFUSED_IN, NORMAL_IN, CLOSED_IN, GROWTH = 0.1, 2.0, 30.0, 1.1
GROWTH_LATER = 1.05
"""Memory at the end of an overload, in parts of what it was after a fifth of it, when connections and full batches have
their buffers."""
EACH = 10
"""Requests of each client in a round, at least: with one or two there is only a beginning and an end."""
MOST_AFFECTED = 1.5
"""Latency of others beside stalled connections, in parts of their usual one."""
BESIDE = 4
"""Clients beside stalled connections."""
DEADLINE = 5.0


@dataclass(frozen=True)
class Sizes:
    """How much is done."""

    lines: int
    rounds: int
    overload_seconds: float
    requests: int
    stalled: int


SHORT = Sizes(400, 2, 6.0, 2000, 200)
FULL = Sizes(4000, 5, 300.0, 100_000, 1000)


@dataclass(frozen=True)
class Row:
    """A figure beside what is asked for; None where nothing is asked."""

    name: str
    measured: float
    asked: str
    good: bool | None
    note: str = ""


@dataclass(frozen=True)
class Server:
    """A server process."""

    address: str
    process: int

    def memory(self) -> float:
        """Megabytes that the server and its workers hold."""
        return sum(resident(one) for one in [self.process, *children(self.process)])


def children(process: int) -> list[int]:
    """The processes that a process started."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return [int(one) for thread in threads for one in (thread / "children").read_text().split()]


def resident(process: int) -> float:
    """Megabytes of a process."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20
    except OSError:
        return 0.0


@contextmanager
def serving(run: Path, *options: str) -> Iterator[Server]:
    """A server for the time of a row."""
    command = [sys.executable, "-m", "jumok", "serve", str(run), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit("The server did not start; run the command itself: " + " ".join(command))
        try:
            yield Server(address, process.pid)
        finally:
            process.terminate()


def command_rate(run: Path, lines: list[str], beam: int, precision: str) -> float | None:
    """Sentences per second of `jumok translate` once it has started; None where that cannot be told."""

    def seconds(count: int) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in (lines * 3)[:count]))
            file.flush()
            command = [sys.executable, "-m", "jumok", "translate", str(run), file.name, "--beam", str(beam)]
            start = time.perf_counter()
            subprocess.run([*command, "--precision", precision], check=True, stdout=subprocess.DEVNULL)
            return time.perf_counter() - start

    few, many = len(lines) // 4, 3 * len(lines)
    start, whole = seconds(few), seconds(many)
    return rate(many - few, whole - start, whole)


def rate(count: int, difference: float, whole: float) -> float | None:
    """Sentences per second by the difference of two measurements.

    None where it is less than a tenth of the longer one, or negative: that is the machine's unrest, not the sentences.
    """
    return count / difference if difference >= LEAST_DIFFERENCE * whole else None


def grouped(lines: list[str], size: int) -> list[str | list[str]]:
    """The texts of requests."""
    return list(lines) if size == 1 else [lines[at : at + size] for at in range(0, len(lines), size)]


def throughput(run: Path, lines: list[str], sizes: Sizes, beam: int, precision: str, size: int) -> Row:
    """Sentences per second with 64 clients, as a part of the command's."""
    served: list[float] = []
    alone: list[float] = []
    clients: list[float] = []
    # A new server in each round, like the command: where a process lies in memory decides by up to a third how fast it
    # searches, on machines that are a part of a larger one.
    for _ in range(sizes.rounds):
        with serving(run, "--precision", precision) as server:
            sent = [request(server.address, texts, beam) for texts in grouped(lines, size)]
            times = -(-EACH * CLIENTS // len(sent))
            run_load(server.address, sent[: CLIENTS * 2], CLIENTS)
            found = run_load(server.address, sent * times, CLIENTS)
        served.append(len(lines) * times / found.elapsed if len(found.good) == len(sent) * times else 0.0)
        clients.append(found.processor / found.elapsed / (os.cpu_count() or 1))
        if (own := command_rate(run, lines, beam, precision)) is not None:
            alone.append(own)
    name = f"throughput, beam {beam}, {precision}, {size} a request"
    if not alone:
        return Row(name, 0.0, f"at least {LEAST_SHARE}", False, "not measured: take more sentences or a larger model")
    share = statistics.median(served) / statistics.median(alone)
    asked = None if precision == "int8" and size == 1 else share >= LEAST_SHARE
    note = (
        f"{statistics.median(served):.0f} of {statistics.median(alone):.0f} sentences per second; "
        f"the clients took {statistics.median(clients):.0%} of the machine"
    )
    told = "reported" if asked is None else f"at least {LEAST_SHARE}"
    return Row(name, share, told, asked, note)


def latencies(run: Path, lines: list[str], sizes: Sizes) -> list[Row]:
    """One client beside the engine itself, and the tail under full load."""
    from jumok.decoding.translator import Translator
    from jumok.engine.loading import EngineChoice, open_engine

    translator = Translator([open_engine(run, "cpu", EngineChoice("auto", workers=1))])
    own: list[float] = []
    one: list[float] = []
    with serving(run) as server:
        sent = [request(server.address, line, 5) for line in lines]
        run_load(server.address, sent[:50], 1)
        for at in range(0, min(len(lines), 400), 20):
            one += run_load(server.address, sent[at : at + 20], 1).good
            for line in lines[at : at + 20]:
                start = time.perf_counter()
                translator.translate(line)
                own.append(time.perf_counter() - start)
        full = run_load(server.address, sent * sizes.rounds, CLIENTS).good
    engine, median = statistics.median(own), statistics.median(one)
    tail = statistics.quantiles(full, n=100)[98] / statistics.median(full)
    allowed = MOST_LATENCY * engine + ADDED
    told = f"at most {allowed * 1000:.2f} ms ({MOST_LATENCY} × the engine's {engine * 1000:.2f} ms + 2 ms)"
    return [
        Row("latency of one client, ms", median * 1000, told, median <= allowed),
        Row("99th percentile under load / median", tail, f"at most {MOST_TAIL}", tail <= MOST_TAIL,
            f"median {statistics.median(full) * 1000:.1f} ms"),
    ]  # fmt: skip


def overload(run: Path, lines: list[str], sizes: Sizes) -> list[Row]:
    """Ten times the load that the server takes: what is refused, what is answered, memory, and the time after."""
    with serving(run, "--deadline", str(DEADLINE), "--queue", "256") as server:
        sent = [request(server.address, line, 5) for line in lines]
        usual = statistics.median(run_load(server.address, sent[:100], 1).good)
        taken = run_load(server.address, sent, CLIENTS)
        rate = 10 * len(taken.good) / taken.elapsed
        held = [server.memory()]
        later = threading.Timer(sizes.overload_seconds / 5, lambda: held.append(server.memory()))
        later.start()
        found = Flood(server.address, 10 * CLIENTS).run(sent, rate, sizes.overload_seconds, patience=2 * DEADLINE)
        later.join()
        normal = 99.0
        held.append(server.memory())
        while normal == 99.0 and time.perf_counter() - found.over < 60:
            if statistics.median(run_load(server.address, sent[:9], 1).good or [99.0]) <= 3 * usual:
                normal = time.perf_counter() - found.over  # answers that were still to come are part of it
    return overload_rows(found, rate, held, normal)


def overload_rows(found: Flooded, rate: float, held: Sequence[float], normal: float) -> list[Row]:
    """The figures of an overload; `rate` is how many requests per second were meant to come.

    `held` are megabytes before it, after a fifth of it, and at its end.
    """
    before, early, after = held
    refused = sorted(seconds for status in (429, 503) for seconds in found.seconds.get(status, []))
    late = sum(seconds > REFUSED_IN for seconds in refused)
    slowest = max([*found.good, *found.expired], default=99.0)
    others = found.answered - len(refused) - len(found.good) - len(found.expired) + found.broken
    middle, rare, most = (refused[int(part * (len(refused) - 1))] if refused else 99.0 for part in (0.5, 0.999, 1.0))
    came = found.answered / found.elapsed
    return [
        Row("overload: requests per second, of ten times what the server takes", came / rate, "reported", None,
            f"{came:.0f} of {rate:.0f}; the generator took {found.processor / found.elapsed:.0%} of a core and was "
            f"itself late by up to {found.longest_turn * 1000:.0f} ms"),
        Row("overload: slowest refusal, s", most, f"at most {REFUSED_IN}", most <= REFUSED_IN,
            f"{len(refused)} refused: median {middle * 1000:.1f} ms, 99.9% within {rare * 1000:.1f} ms, {late} late; "
            f"the slowest on a new connection {found.first * 1000:.0f} ms"),
        Row("overload: slowest answer, s", slowest, f"at most {DEADLINE}",
            slowest <= DEADLINE and not others and not found.expired,
            f"{len(found.good)} answered, {len(found.expired)} accepted and not answered in time, {others} others"),
        Row("overload: memory at its end / after a fifth of it", after / early, f"at most {GROWTH_LATER}",
            after <= GROWTH_LATER * early,
            f"{before:.0f} MB before with {CLIENTS} clients, {early:.0f} with {10 * CLIENTS}, {after:.0f} at the end"),
        Row("overload: normal again after s", normal, f"at most {NORMAL_IN}", normal <= NORMAL_IN),
    ]  # fmt: skip


def endurance(run: Path, lines: list[str], sizes: Sizes) -> Row:
    """Memory over many requests."""
    with serving(run) as server:
        sent = [request(server.address, line, 1) for line in lines]
        some = (sent * (sizes.requests // len(sent) + 1))[: sizes.requests]
        run_load(server.address, some[: len(some) // 5], CLIENTS)
        before = server.memory()
        found = run_load(server.address, some[len(some) // 5 :], CLIENTS, seconds=3600.0)
        growth = server.memory() / before
    good = growth <= GROWTH and len(found.good) == len(some) - len(some) // 5
    return Row(f"memory after {sizes.requests} requests", growth, f"at most {GROWTH}", good, f"{before:.0f} MB before")


def stalled(run: Path, lines: list[str], sizes: Sizes) -> list[Row]:
    """Connections that send half a request, and clients beside them for as long as it takes."""

    async def both(server: Server, sent: list[bytes]) -> tuple[int, float, Answered]:
        holding = asyncio.create_task(stall(server.address, sizes.stalled, CLOSED_IN))
        beside = Answered()
        while not holding.done():
            found = await load(server.address, sent, BESIDE)
            for status, seconds in found.seconds.items():
                beside.seconds.setdefault(status, []).extend(seconds)
        return (*await holding, beside)

    with serving(run) as server:
        sent = [request(server.address, line, 5) for line in lines[:200]]
        usual = statistics.median(run_load(server.address, sent * 3, BESIDE).good)
        closed, last, beside = uvloop.run(both(server, sent))
    others = sum(map(len, beside.seconds.values()))
    part = statistics.median(beside.good or [99.0]) / usual
    good = closed == sizes.stalled and last <= CLOSED_IN
    unaffected = part <= MOST_AFFECTED and len(beside.good) == others
    return [
        Row("stalled connections: the last closed after s", last, f"at most {CLOSED_IN}", good,
            f"{closed} of {sizes.stalled} closed"),
        Row("stalled connections: latency of others / usual", part, f"at most {MOST_AFFECTED}", unaffected,
            f"{len(beside.good)} of {others} answered; median {usual * 1000:.1f} ms before"),
    ]  # fmt: skip


def sentences(text: Path | None, count: int) -> list[str]:
    """So many lines of a file, from its beginning again where it has fewer; of the phrasebook without a file."""
    if text is None:
        return [one.source for one in generate("en-fr", "test", count)]
    opened = gzip.open if text.suffix == ".gz" else open
    with opened(text, "rt", encoding="utf-8") as file:
        found = [line.strip() for line in file if line.strip()]
    return [found[number % len(found)] for number in range(count)]


def rows(run: Path, lines: list[str], sizes: Sizes) -> dict[str, Callable[[], list[Row]]]:
    """What can be measured."""
    return {
        "throughput": lambda: [throughput(run, lines, sizes, 5, "float32", 1)],
        "int8": lambda: [throughput(run, lines, sizes, 1, "int8", size) for size in (16, 1)],
        "latency": lambda: latencies(run, lines, sizes),
        "overload": lambda: overload(run, lines, sizes),
        "memory": lambda: [endurance(run, lines, sizes)],
        "stalled": lambda: stalled(run, lines, sizes),
    }


def shown(row: Row) -> str:
    """A row as a line."""
    verdict = {True: "held", False: "NOT HELD", None: "—"}[row.good]
    return f"{verdict:8} {row.name}: {row.measured:.3g} (asked: {row.asked}) {row.note}".rstrip()


def main() -> None:
    """Measures and prints; the exit status says whether all that was asked for was reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=RUN)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--text", type=Path, help="sentences to send, one a line; the phrasebook's if not given")
    parser.add_argument("--lines", type=int, help="how many sentences")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="of overload")
    parser.add_argument("--only", nargs="*", choices=list(rows(RUN, [], SHORT)), default=None)
    given = parser.parse_args()
    raise_open_files()
    sizes = FULL if given.full else SHORT
    sizes = replace(sizes, lines=given.lines or sizes.lines, rounds=given.rounds or sizes.rounds,
                    overload_seconds=given.seconds or sizes.overload_seconds)  # fmt: skip
    table = rows(given.run, sentences(given.text, sizes.lines), sizes)
    found: list[Row] = []
    for name in given.only or table:
        for row in table[name]():
            found.append(row)
            print(json.dumps(asdict(row)) if given.json else shown(row), flush=True)
    sys.exit(any(row.good is False for row in found))


if __name__ == "__main__":
    main()
