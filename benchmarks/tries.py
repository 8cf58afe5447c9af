"""Ideas for a faster training step, each beside what is done without it; docs/log.md says what was kept.

    python benchmarks/tries.py [--threads 1] [--rounds 7] [--json]

Forward and backward of one part of a model at the size of benchmarks/peers.py. The two sides take turns; shown are the
median times and the ratio of each round, idea over usual: below 1 the idea is faster.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.attention import build
from jumok.models.recurrent import RecurrentLayer
from jumok.models.transformer import EncoderLayer, LayerForm
from jumok.models.whole_layer import run_gru

SENTENCES, LENGTH, SIZE = 160, 16, 128
ROWS, WORDS = 2560, 8000


@dataclass(frozen=True)
class Try:
    """One idea, measured; times in ms."""

    idea: str
    usual: float
    tried: float
    ratio: float
    least: float
    most: float
    failed: str = ""


def timed(run: Callable[[], Any], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        run()
    return 1000 * (time.perf_counter() - start) / times


def compare(idea: str, usual: Callable[[], Any], tried: Callable[[], Any], rounds: int, times: int = 8) -> Try:
    """Both by turns, after each has run twice."""
    try:
        for run in (usual, tried, usual, tried):
            run()
    except (RuntimeError, ImportError, OSError) as error:
        return Try(idea, 0, 0, 0, 0, 0, str(error).splitlines()[0][:200])
    pairs = [(timed(usual, times), timed(tried, times)) for _ in range(rounds)]
    ratios = [b / a for a, b in pairs]
    return Try(
        idea,
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
    )


def learn(forward: Callable[[], Tensor]) -> Callable[[], None]:
    """Forward and backward."""
    return lambda: forward().float().sum().backward()


def encoder_layer() -> tuple[EncoderLayer, Tensor]:
    """A layer of the Transformer and a full batch for it."""
    form = LayerForm(SIZE, 4, 2 * SIZE, "pre", dropout=0.0)
    layer = EncoderLayer(form, build("scaled_dot", query_dim=SIZE // 4, key_dim=SIZE // 4))
    return layer, torch.randn(SENTENCES, LENGTH, SIZE, requires_grad=True)


def compiled(rounds: int) -> Try:
    """torch.compile of an encoder layer at one fixed shape, which is its best case."""
    layer, states = encoder_layer()
    quick = torch.compile(layer)
    return compare(
        "torch.compile of an encoder layer, fixed shape",
        learn(lambda: layer(states, None, False)[0]),
        learn(lambda: quick(states, None, False)[0]),
        rounds,
    )


def half_layer(rounds: int) -> Try:
    """bfloat16 in an encoder layer."""
    layer, states = encoder_layer()

    def half() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return layer(states, None, False)[0]

    return compare("bfloat16 in an encoder layer", learn(lambda: layer(states, None, False)[0]), learn(half), rounds)


def half_output(rounds: int) -> Try:
    """bfloat16 in the output layer, the largest product."""
    x, w = torch.randn(ROWS, SIZE, requires_grad=True), torch.randn(WORDS, SIZE, requires_grad=True)

    def half() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return F.linear(x, w)

    return compare("bfloat16 in the output product", learn(lambda: F.linear(x, w)), learn(half), rounds, 2)


def torch_recurrence(cell: str, rounds: int) -> Try:
    """torch's own layer over a whole sequence (oneDNN's for an LSTM where torch takes it), beside a GRU of ours."""
    ours = RecurrentLayer("gru", 2 * SIZE, SIZE)
    theirs: nn.RNNBase = {"gru": nn.GRU, "lstm": nn.LSTM}[cell](2 * SIZE, SIZE)
    inputs = torch.randn(LENGTH, SENTENCES, 2 * SIZE, requires_grad=True)
    start = torch.zeros(SENTENCES, SIZE)

    def own() -> Tensor:
        return run_gru(F.linear(inputs, ours.W, ours.b), ours.U, ours.b_U, start)

    return compare(
        f"torch's {cell.upper()} beside our GRU as one operation", learn(own), learn(lambda: theirs(inputs)[0]), rounds
    )


def optimiser(rounds: int, **options: bool) -> Try:
    """Adam's ways through the parameters of a small Transformer; ours is the fused one."""
    torch.manual_seed(1)
    weights = [torch.randn(WORDS, SIZE)] + [torch.randn(SIZE, n) for n in 24 * [SIZE, 2 * SIZE]]

    def steps(**how: bool) -> Callable[[], None]:
        own = [nn.Parameter(weight.clone()) for weight in weights]
        for weight in own:
            weight.grad = torch.randn_like(weight)
        adam = torch.optim.Adam(own, **how)
        return lambda: adam.step()

    name = "foreach" if options.get("foreach") else "one by one"
    return compare(f"Adam {name} beside fused", steps(fused=True), steps(**options), rounds)


def main() -> None:
    """Measures every idea."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    rounds: int = options.rounds
    found = [
        half_layer(rounds),
        half_output(rounds),
        torch_recurrence("gru", rounds),
        torch_recurrence("lstm", rounds),
        optimiser(rounds, foreach=True),
        optimiser(rounds, foreach=False),
        compiled(rounds),
    ]
    if options.json:
        print(json.dumps([asdict(one) for one in found], indent=2))
        return
    print(f"{'':52}{'usual':>10}{'tried':>10}{'ratio':>8}  spread")
    for one in found:
        if one.failed:
            print(f"{one.idea:52}{one.failed}")
            continue
        print(f"{one.idea:52}{one.usual:7.1f} ms{one.tried:7.1f} ms{one.ratio:8.2f}  {one.least:.2f}-{one.most:.2f}")


if __name__ == "__main__":
    main()
