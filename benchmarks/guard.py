"""Fails when our own path has become slower, relative to a fixed computation in the same run.

    python benchmarks/guard.py [--json]

The fixed computation is the loop a person writes by hand with torch's layers (`plain_loop.py`), on the same batch with
one thread. Both are timed in turn by the time their own thread used, and the best of several is compared, so that
another program on the machine does not decide. It takes some twenty seconds.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

import plain_loop
from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.models.build import build_model
from jumok.shapes import BOS
from jumok.training import teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.objective import Objective
from peer_training import OURS, SHARED

WORDS = 2000
SENTENCES, LENGTH = 48, 15
REPEATS = 8
# Our time over the fixed computation's. Measured on a machine whose speed moves by half: 0.71–0.90, 0.71–0.77 and
# 1.20–1.25 (ours chooses its words, the fixed one is given them). A path that takes half as long again is noticed.
BOUNDS = {"train rnn": 1.2, "train transformer": 1.1, "step rnn": 1.8}

Case = tuple[Callable[[], object], Callable[[], object]]


@dataclass(frozen=True)
class Verdict:
    """One comparison."""

    name: str
    ratio: float
    bound: float

    @property
    def passed(self) -> bool:
        """Whether we are as fast as we should be."""
        return self.ratio <= self.bound


def cases() -> dict[str, Case]:
    """What is compared: ours, and the fixed computation."""
    found: dict[str, Case] = {}
    batch = example()
    for kind in ("rnn", "transformer"):
        torch.manual_seed(1)
        config = resolve({}, [*OURS[kind], *SHARED])
        model, plain = build_model(config.model, WORDS, WORDS), plain_loop.MODELS[kind](WORDS)
        objective = Objective(0.1, teacher_forcing.parse("always"))
        learner = Learner(model, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)
        adam = torch.optim.Adam(plain.parameters(), lr=1e-3)
        found[f"train {kind}"] = (
            lambda learner=learner: learner.apply(learner.step([batch], batch.target_tokens, batch.source_tokens, 0.0)),
            lambda plain=plain, adam=adam: plain_loop.plain_step(plain, adam, batch),
        )
        if kind == "rnn":
            found["step rnn"] = (lambda model=model: walk(model, batch), lambda plain=plain: plain_walk(plain, batch))
    return found


def example() -> Batch:
    """Sentences of one length, drawn once for all."""
    draw = np.random.default_rng(1)
    rows = draw.integers(4, WORDS, (2, SENTENCES, LENGTH))
    return Batch.of(list(rows[0]), list(rows[1]), range(SENTENCES))


@torch.no_grad()
def walk(model: Any, batch: Batch) -> None:
    """A greedy translation, word by word."""
    model.eval()
    state = model.init_state(model.encode(batch.source_BS, batch.source_mask_BS))
    words = torch.full((SENTENCES,), BOS)
    for _ in range(LENGTH):
        output, state = model.step(words, state)
        words = output.logits_BV.argmax(-1)
    model.train()


@torch.no_grad()
def plain_walk(plain: Any, batch: Batch) -> None:
    """As much work by the fixed computation: the words are given."""
    plain(batch.source_BS, batch.source_mask_BS, batch.target_in_BT)


def compare(name: str, ours: Callable[[], object], fixed: Callable[[], object]) -> Verdict:
    """The best of several, in turn."""
    best = [float("inf"), float("inf")]
    for _ in range(REPEATS + 1):  # the first warms up: the best forgets it
        for place, work in enumerate((ours, fixed)):
            start = time.thread_time()
            work()
            best[place] = min(best[place], time.thread_time() - start)
    return Verdict(name, best[0] / best[1], BOUNDS[name])


def verdicts() -> list[Verdict]:
    """Every comparison, with one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        return [compare(name, *case) for name, case in cases().items()]
    finally:
        torch.set_num_threads(threads)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found = verdicts()
    if given.json:
        print(json.dumps([asdict(verdict) | {"passed": verdict.passed} for verdict in found], indent=1))
    else:
        for verdict in found:
            word = "ok" if verdict.passed else "TOO SLOW"
            print(
                f"{verdict.name:18s} {verdict.ratio:.2f} of the fixed computation, at most {verdict.bound:.2f}: {word}"
            )
    sys.exit(0 if all(verdict.passed for verdict in found) else 1)


if __name__ == "__main__":
    main()
