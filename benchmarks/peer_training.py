"""Training speed beside other toolkits: the same text, model, batch size and threads, in turn and repeated.

Each measurement is a process of its own. Ours and the plain loop count target tokens over seconds after a warm-up; a
toolkit's number is what it reports of itself, after its first report. Run it through `peers.py`, or one alone:

    python benchmarks/peer_training.py ours rnn out/peers/text-multi30k --steps 20
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from peer_environments import environment
from peer_text import Text, prepare
from peer_toolkits import BATCH_TOKENS, TOOLKITS

MODELS = ("rnn", "transformer")
OURS = {
    "rnn": [
        "model.preset=rnnsearch", "model.decoder.order=after", "model.decoder.input_feeding=true",
        "model.decoder.readout=false",
    ],
    "transformer": [
        "model.preset=transformer", "model.encoder.size=128", "model.decoder.size=128", "model.encoder.ff=256",
        "model.decoder.ff=256", "model.encoder.layers=4", "model.decoder.layers=4",
    ],
}  # fmt: skip
SHARED = ["text.joint=true", "model.tie_source=true"]
PRODUCT = (240, 512, 768)  # rows, columns, inner size of a matrix product that stays in cache


def measure(options: Any) -> dict[str, Any]:
    """Target tokens a second of each toolkit and model, the ratios, and the share of the machine's bound."""
    text = prepare(options.data, options.out)
    steps = 10 if options.quick else 30
    wanted = options.only or (*TOOLKITS, "plain loop")
    peers = [environment(name, not options.installed_only) for name in TOOLKITS if name in wanted]
    result: dict[str, Any] = {
        "text": text.name, "vocabulary": text.size, "batch_tokens": BATCH_TOKENS, "threads": options.threads,
        "missing": {peer.name: peer.reason for peer in peers if peer.python is None}, "models": {},
        "versions": {peer.name: peer.versions for peer in peers},
    }  # fmt: skip
    for model in MODELS:
        runs: dict[str, Callable[[], float]] = {"ours": lambda m=model: alone("ours", m, text, steps, options.threads)}
        if "plain loop" in wanted:
            runs["plain loop"] = lambda m=model: alone("plain", m, text, steps, options.threads)
        for peer in peers:
            if peer.python is not None and model in TOOLKITS[peer.name].models:
                runs[peer.name] = lambda p=peer, m=model: TOOLKITS[p.name].run(p, m, text, steps, options.threads)
            elif peer.python is not None:
                result["missing"][f"{peer.name} {model}"] = "it has no such model"
        result["models"][model] = compare(runs, options.rounds, text, model, options.threads)
    return result


def compare(runs: dict[str, Callable[[], float]], rounds: int, text: Text, model: str, threads: int) -> dict[str, Any]:
    """Every toolkit in turn, `rounds` times; ratios are taken within a round."""
    speeds: dict[str, list[float | None]] = {name: [] for name in runs}
    bounds: list[float] = []
    failed: dict[str, str] = {}
    for _ in range(rounds):
        bounds.append(product_speed(threads))
        for name, run in runs.items():
            try:
                speed = run() if name not in failed else None
            except (subprocess.SubprocessError, ValueError) as error:
                failed[name], speed = str(error)[:500], None
            speeds[name].append(speed)
    flops = flops_per_token(model, text)
    known = {name: [speed for speed in each if speed] for name, each in speeds.items()}
    peers = [name for name in runs if name != "ours" and known[name]]
    return {
        "tokens_per_second": known,
        "failed": failed,
        "ratios": {
            name: [a / b for a, b in zip(speeds["ours"], speeds[name], strict=True) if a and b] for name in peers
        },
        "fastest_peer": max(peers, key=lambda name: statistics.median(known[name]), default=None),
        "mega_flops_per_token": flops / 1e6,
        "product_giga_flops": bounds,
        "share_of_bound": [
            flops * ours / (bound * 1e9) for ours, bound in zip(speeds["ours"], bounds, strict=True) if ours
        ],
    }


def show(result: dict[str, Any]) -> None:
    """The result as tables."""
    console = Console()
    for model, found in result["models"].items():
        table = Table(title=f"Training, {model}: target tokens/s ({result['text']}, {result['threads']} threads)")
        for column in ("", "median", "least to most", "ours is … times as fast"):
            table.add_column(column)
        for name, speeds in found["tokens_per_second"].items():
            ratios = found["ratios"].get(name)
            shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})" if ratios else ""
            if speeds:
                spread = f"{min(speeds):.0f}–{max(speeds):.0f}"
                table.add_row(name, f"{statistics.median(speeds):.0f}", spread, shown)
        console.print(table)
        bound = statistics.median(found["product_giga_flops"])
        if found["share_of_bound"]:
            console.print(
                f"Ours reaches {statistics.median(found['share_of_bound']):.0%} of what {bound:.0f} GFLOP/s, a matrix "
                f"product in cache, would allow at {found['mega_flops_per_token']:.1f} MFLOP a token."
            )
        for name, reason in found["failed"].items():
            console.print(f"{name} failed: {reason}")
    for name, reason in result["missing"].items():
        console.print(f"{name} was not measured: {reason}.")


def alone(who: str, model: str, text: Text, steps: int, threads: int) -> float:
    """Target tokens a second of our own or the plain loop, in a process of its own."""
    command = [sys.executable, __file__, who, model, str(text.folder), "--steps", str(steps), "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    return float(json.loads(done.stdout)["tokens_per_second"])


def product_speed(threads: int) -> float:
    """GFLOP/s of a matrix product in cache, the best of many."""
    import torch

    torch.set_num_threads(threads)
    rows, columns, inner = PRODUCT
    a, b, out = torch.randn(rows, inner), torch.randn(inner, columns), torch.empty(rows, columns)
    best = float("inf")
    for _ in range(200):
        start = time.perf_counter()
        torch.mm(a, b, out=out)
        best = min(best, time.perf_counter() - start)
    return 2 * rows * columns * inner / best / 1e9


def flops_per_token(model: str, text: Text) -> float:
    """Floating-point operations of one target token's products with weights: two a weight, forward and twice back."""
    network = our_model(model, text.size)
    count = 0.0
    for name, parameter in network.named_parameters():
        if parameter.ndim < 2 or name.startswith("own_source_embedding"):
            continue
        # The encoder, keys and values see source tokens; the (shared) embedding counts as the output layer.
        of_source = name.startswith("encoder.") or "W_k" in name or "W_v" in name
        count += parameter.numel() * (text.ratio if of_source else 1.0)
    return 6.0 * count


def our_model(model: str, size: int) -> Any:
    """Our model of that kind."""
    from jumok.config import resolve
    from jumok.models.build import build_model

    return build_model(resolve({}, [*OURS[model], *SHARED]).model, size, size)


def endless_batches(text: Text) -> Iterator[Any]:
    """Batches as `jumok train` makes them."""
    import numpy as np

    from jumok.data.batch import Batch
    from jumok.data.bucketing import TokenBatches

    pairs = text.ids()
    lengths = np.array([(len(one), len(other)) for one, other in pairs])
    for _, numbers in TokenBatches(lengths, max_tokens=BATCH_TOKENS, seed=1).from_position():
        yield Batch.of([pairs[n][0] for n in numbers], [pairs[n][1] for n in numbers], numbers)


def our_step(model: str, text: Text) -> Callable[[Any], None]:
    """One step of `jumok train`."""
    import torch

    from jumok.config import resolve
    from jumok.training import teacher_forcing
    from jumok.training.distributed import Processes
    from jumok.training.learner import Learner
    from jumok.training.sequence_objective import SequenceObjective

    settings = resolve({}, [*OURS[model], *SHARED]).train
    objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
    network = our_model(model, text.size)
    learner = Learner.of_model(network, objective, settings, torch.device("cpu"), "float32", Processes(), 1)
    return lambda batch: learner.apply(learner.step([batch], batch.target_tokens, 0.0))


def plain_step(model: str, text: Text) -> Callable[[Any], None]:
    """One step of the loop that a person writes by hand."""
    import torch

    import plain_loop

    network = plain_loop.MODELS[model](text.size)
    adam = torch.optim.Adam(network.parameters(), lr=1e-3)
    return lambda batch: plain_loop.plain_step(network, adam, batch)


def main() -> None:
    """Measures one of our two loops in this process and prints JSON."""
    import torch

    from jumok.training import environment as machine

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("who", choices=["ours", "plain"])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    facts = json.loads((given.folder / "about.json").read_text(encoding="utf-8"))
    text = Text(given.folder, given.folder.name, facts["size"], facts["ratio"])
    if given.who == "ours":
        machine.set_up(given.threads, deterministic=True)
    torch.set_num_threads(given.threads)
    torch.manual_seed(1)
    step = (our_step if given.who == "ours" else plain_step)(given.model, text)
    batches = endless_batches(text)
    for _ in range(3):
        step(next(batches))
    tokens, start = 0, time.perf_counter()
    for _ in range(given.steps):
        batch = next(batches)
        step(batch)
        tokens += batch.target_tokens
    print(json.dumps({"tokens_per_second": tokens / (time.perf_counter() - start)}))


if __name__ == "__main__":
    main()
