"""What we claim about the speed and memory of attention, measured here and now.

    python benchmarks/attention.py            a table, out/attention.json and out/attention.svg
    python benchmarks/attention.py --check    leave with 1 when a bound is missed
    python benchmarks/attention.py --quick    smaller and fewer runs, for continuous integration

Every figure is a ratio of two things measured in turns in one run, by the median of each, so that a slow or busy
machine slows both. Memory is what the process really took: each variant runs in a fresh process, its peak resident
size (VmHWM of Linux) is reset before the run, and free memory is handed back first so that none of it is reused
unseen.
"""

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from torch import Tensor

from jumok import figure
from jumok.attention import build, score
from jumok.attention.kernels import additive_scores, additive_scores_plain
from jumok.output import require_file_place, require_picture_place

THREADS = 2
ENOUGH_SECONDS = 20.0
Run = Callable[[], object]
Relation = Literal["≤", "≥"]


@dataclass(frozen=True)
class Figure:
    """One measured number beside the bound it must keep."""

    name: str
    measured: float
    relation: Relation
    bound: float
    details: Mapping[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the bound is kept."""
        return self.measured <= self.bound if self.relation == "≤" else self.measured >= self.bound


# ---------------------------------------------------------------- time


def times_of(runs: Mapping[str, Run], repeat: int) -> dict[str, float]:
    """The median seconds of each, run in turns after one warm-up, and the fastest (`<name>_fastest`).

    On a machine that is busy with other things there are fewer turns: none begins after ENOUGH_SECONDS.
    """
    for run in runs.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    began = time.perf_counter()
    for turn in range(repeat):
        if turn >= 3 and time.perf_counter() - began > ENOUGH_SECONDS:
            break
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    return medians | {f"{name}_fastest": min(each) for name, each in seconds.items()}


def forward_and_backward(make: Callable[..., Tensor], *inputs: Tensor) -> Run:
    """A run that makes a tensor of the inputs and differentiates it by all of them that want it."""
    wanted = [x for x in inputs if x.requires_grad]

    def run() -> object:
        made = make(*inputs)
        return torch.autograd.grad(made, wanted, torch.ones_like(made))

    return run


def states(*shape: int, grad: bool = False) -> Tensor:
    """Seeded random vectors."""
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
    return drawn.requires_grad_(grad)


def additive_inputs(B: int, T: int, S: int, A: int) -> tuple[Tensor, Tensor, Tensor]:
    """Projected queries, projected keys and v."""
    return states(B, T, A, grad=True), states(B, S, A, grad=True), states(A, grad=True)


@contextmanager
def plain_score() -> Generator[None]:
    """Additive mechanisms take the plain path inside."""
    score.additive_scores = additive_scores_plain
    try:
        yield
    finally:
        score.additive_scores = additive_scores


# ---------------------------------------------------------------- memory


def status_bytes(key: str) -> int:
    """A size from this process's status, such as VmRSS or VmHWM."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"error: this system does not tell {key} of a process; memory is measured on Linux only.")


def peak_extra_bytes(run: Run) -> int:
    """How far the resident size of this process rises above where it was, at its highest, while `run` runs."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # VmHWM is counted from here
    before = status_bytes("VmRSS")
    run()
    return max(status_bytes("VmHWM") - before, 4096)


def memory_in_own_process(family: str, sizes: list[tuple[int, ...]]) -> list[int]:
    """Peak extra bytes of a family for each (B, n, A), all in one fresh process, in the order given."""
    command = [sys.executable, __file__, "--memory-of", family, "--sizes", json.dumps(sizes)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"error: measuring the memory of {family} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def measure_memory(family: str, sizes: list[tuple[int, int, int]]) -> list[int]:
    """Peak extra bytes of a family for each (B, n, A), in this process."""
    peaks: list[int] = []
    FAMILIES[family](1, 64, 64)()  # what the first call of all loads and starts is not what is measured
    for B, n, A in sizes:
        run = FAMILIES[family](B, n, A)
        peaks.append(peak_extra_bytes(run))
        del run
    return peaks


# ---------------------------------------------------------------- the families, forward and backward over n positions


def of_kernel(kernel: Callable[..., Tensor]) -> Callable[[int, int, int], Run]:
    """An additive score alone."""
    return lambda B, n, A: forward_and_backward(kernel, *additive_inputs(B, n, n, A))


def of_mechanism(name: str, need_weights: bool, plain: bool = False) -> Callable[[int, int, int], Run]:
    """A whole mechanism of the catalogue, its context differentiated by query and keys."""

    def make(B: int, n: int, A: int) -> Run:
        attend = build(name, query_dim=A, key_dim=A)

        def context(query: Tensor, keys: Tensor) -> Tensor:
            with plain_score() if plain else _as_it_is():
                return attend(query, keys, need_weights=need_weights).context

        return forward_and_backward(context, states(B, n, A, grad=True), states(B, n, A, grad=True))

    return make


@contextmanager
def _as_it_is() -> Generator[None]:
    yield


FAMILIES: dict[str, Callable[[int, int, int], Run]] = {
    "additive score, plain": of_kernel(additive_scores_plain),
    "additive score": of_kernel(additive_scores),
    "bahdanau, plain": of_mechanism("bahdanau", need_weights=True, plain=True),
    "bahdanau": of_mechanism("bahdanau", need_weights=True),
    "dot, with weights": of_mechanism("dot", need_weights=True),
    "dot, fused": of_mechanism("dot", need_weights=False),
    "luong-local-m": of_mechanism("luong-local-m", need_weights=True),
    "luong-local-p": of_mechanism("luong-local-p", need_weights=True),
}
CURVES = list(FAMILIES)[2:]


# ---------------------------------------------------------------- the claims


def large_additive(quick: bool) -> list[Figure]:
    """Additive scores of B=8, T=S=512, A=256, forward and backward, against the plain path."""
    B, n, A = (2, 512, 256) if quick else (8, 512, 256)
    where = f"additive, fwd+bwd, B={B}, T=S={n}, A={A}"
    plain_bytes, tiled_bytes = (
        memory_in_own_process(family, [(B, n, A)])[0] for family in ("additive score, plain", "additive score")
    )
    inputs = additive_inputs(B, n, n, A)
    seconds = times_of(
        {
            "plain": forward_and_backward(additive_scores_plain, *inputs),
            "tiled": forward_and_backward(additive_scores, *inputs),
        },
        3 if quick else 5,
    )
    memory = {"plain_bytes": plain_bytes, "tiled_bytes": tiled_bytes, "times_less": plain_bytes / tiled_bytes}
    return [
        Figure(f"{where}: peak extra memory / plain", tiled_bytes / plain_bytes, "≤", 1 / 50, memory),
        Figure(f"{where}: time / plain", seconds["tiled"] / seconds["plain"], "≤", 0.8, seconds),
    ]


def decoder_step(quick: bool) -> list[Figure]:
    """The case an RNN decoder really has: one query for each of 64 sentences of 32 words."""
    B, T, S, A = 64, 1, 32, 256
    repeat = 60 if quick else 300
    inputs = additive_inputs(B, T, S, A)
    attend = build("bahdanau", query_dim=A, key_dim=A)
    query, keys = states(B, T, A, grad=True), states(B, S, A, grad=True)
    ours = forward_and_backward(lambda q, k: attend(q, k).context, query, keys)

    def plain() -> object:
        with plain_score():
            return ours()

    runs = {
        "plain": forward_and_backward(additive_scores_plain, *inputs),
        "ours": forward_and_backward(additive_scores, *inputs),
        "bahdanau_plain": plain,
        "bahdanau": ours,
    }
    seconds = times_of(runs, repeat)
    where = f"fwd+bwd, B={B}, T={T}, S={S}, A={A}: time / plain"
    return [
        Figure(f"additive, {where}", seconds["ours"] / seconds["plain"], "≤", 1.05, seconds),
        Figure(f"bahdanau, {where}", seconds["bahdanau"] / seconds["bahdanau_plain"], "≤", 1.05, seconds),
    ]


def growth(quick: bool) -> list[Figure]:
    """Local scopes grow with n, the global one with n²: eight times the length, forward."""
    short, long, d = 1024, 8192, 64
    repeat = 3 if quick else 9
    found: list[Figure] = []
    bounds: list[tuple[str, Relation, float]] = [
        ("luong-local-m", "≤", 10),
        ("luong-local-p", "≤", 10),
        ("dot", "≥", 40),
    ]
    for name, relation, bound in bounds:
        attend = build(name, query_dim=d, key_dim=d)

        def run(n: int, attend: torch.nn.Module = attend) -> Run:
            query, keys = states(1, n, d), states(1, n, d)
            return torch.no_grad()(lambda: attend(query, keys))

        # The short one is over in a moment: eight in a row stand for one, so that both see the same disturbances.
        brief = run(short)
        seconds = times_of({"short_x8": lambda brief=brief: [brief() for _ in range(8)], "long": run(long)}, repeat)
        ratio = 8 * seconds["long"] / seconds["short_x8"]
        options = ", D=10" if relation == "≤" else ", with weights"
        where = f"{name}{options}: time at n={long} / at n={short}"
        found.append(Figure(where, ratio, relation, bound, seconds))
    return found


def fused_dot(quick: bool) -> list[Figure]:
    """The dot family without weights is torch's fused kernel, with next to nothing added."""
    B, H, n, d = 16, 8, 256, 64
    query, keys, values = (states(B, H, n, d) for _ in range(3))
    attend = build("scaled_dot", query_dim=d, key_dim=d)
    without_gradients = torch.no_grad()
    runs: dict[str, Run] = {
        "torch": without_gradients(lambda: F.scaled_dot_product_attention(query, keys, values)),
        "ours": without_gradients(lambda: attend(query, keys, values, need_weights=False)),
    }
    seconds = times_of(runs, 20 if quick else 100)
    where = f"scaled_dot without weights, B={B}, {H} heads, T=S={n}, d={d}: time / torch's fused function"
    return [Figure(where, seconds["ours"] / seconds["torch"], "≤", 1.05, seconds)]


CLAIMS = (large_additive, decoder_step, growth, fused_dot)


# ---------------------------------------------------------------- growth curves


def growth_curves(quick: bool) -> dict[str, Any]:
    """The fastest seconds and peak extra bytes of each family, forward and backward, over the length n."""
    d = 64
    lengths = [64, 128, 256, 512] if quick else [64, 128, 256, 512, 1024, 2048]
    curves: dict[str, dict[str, list[float]]] = {}
    for family in CURVES:
        seconds = [times_of({"it": FAMILIES[family](1, n, d)}, 5)["it_fastest"] for n in lengths]
        peaks = memory_in_own_process(family, [(1, n, d) for n in lengths])
        curves[family] = {"seconds": seconds, "bytes": [float(peak) for peak in peaks]}
    return {"n": lengths, "B": 1, "size": d, "families": curves}


def draw_curves(curves: Mapping[str, Any], path: Path) -> None:
    """Time and memory over n, one line a family, both axes logarithmic."""
    panels = (("seconds", 1e3, "time, ms"), ("bytes", 1 / 2**20, "peak extra memory, MiB"))
    with figure.drawing():
        page = figure.blank(11.0, 4.8)
        for number, (key, unit, label) in enumerate(panels):
            axes = page.add_axes((0.07 + 0.385 * number, 0.13, 0.32, 0.73))
            for family, color, marker in zip(curves["families"], figure.PALETTE, figure.MARKERS, strict=False):
                values = [value * unit for value in curves["families"][family][key]]
                axes.plot(curves["n"], values, color=color, marker=marker, label=family)
            axes.set(xscale="log", yscale="log", xlabel="length n = T = S")
            axes.set_xticks(curves["n"], [str(n) for n in curves["n"]])
            axes.minorticks_off()
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.grid(True, axis="y")
            axes.set_title(label, loc="left", fontsize=11)
        page.axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
        title = f"Forward and backward, B={curves['B']}, size {curves['size']}"
        page.text(0.07, 0.95, title, fontsize=12, weight="bold", va="center")
    figure.save(page, path)


# ---------------------------------------------------------------- the report


def report(figures: list[Figure], curves: Mapping[str, Any], quick: bool, picture: Path) -> dict[str, Any]:
    """Everything measured, as one JSON object."""
    return {
        "benchmark": "attention",
        "quick": quick,
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "machine": platform.machine(),
        "passed": all(one.passed for one in figures),
        "figures": [{**asdict(one), "passed": one.passed} for one in figures],
        "curves": curves,
        "picture": str(picture),
    }


def table_of(figures: list[Figure]) -> Table:
    """The figures and their bounds, to be read."""
    table = Table(title=f"Attention, {THREADS} threads: ratios of medians measured in turns")
    table.add_column("figure", overflow="fold")
    table.add_column("measured", justify="right")
    table.add_column("bound", justify="right")
    table.add_column("kept", justify="center")
    for one in figures:
        kept = "[green]yes[/]" if one.passed else "[bold red]no[/]"
        table.add_row(one.name, f"{one.measured:.4g}", f"{one.relation} {one.bound:.4g}", kept)
    return table


def arguments() -> argparse.Namespace:
    """What the user asked for."""
    parser = argparse.ArgumentParser(description="Measures the speed and memory of attention against its bounds.")
    parser.add_argument("--quick", action="store_true", help="smaller and fewer runs, for continuous integration")
    parser.add_argument("--check", action="store_true", help="leave with 1 when a bound is missed")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--out", type=Path, default=Path("out/attention.json"), help="where the JSON is written")
    parser.add_argument("--memory-of", choices=list(FAMILIES), help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=json.loads, default=[], help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Measures, prints, writes and draws."""
    asked = arguments()
    torch.set_num_threads(THREADS)
    if asked.memory_of:
        print(json.dumps(measure_memory(asked.memory_of, asked.sizes)))
        return 0
    require_file_place(asked.out, "a JSON file of results", lambda head: b'"benchmark": "attention"' in head)
    require_picture_place(asked.out.with_suffix(".svg"))
    talk = Console(stderr=True)
    figures: list[Figure] = []
    for claim in CLAIMS:
        talk.print(f"measuring: {(claim.__doc__ or '').splitlines()[0]}", highlight=False)
        figures += claim(asked.quick)
    talk.print("measuring: growth curves", highlight=False)
    curves = growth_curves(asked.quick)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    picture = asked.out.with_suffix(".svg")
    draw_curves(curves, picture)
    whole = report(figures, curves, asked.quick, picture)
    asked.out.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if asked.json:
        print(json.dumps(whole, ensure_ascii=False))
    else:
        Console().print(table_of(figures))
        talk.print(f"written: {asked.out} and {picture}", highlight=False)
    return 1 if asked.check and not whole["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
