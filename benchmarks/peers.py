"""Jumok beside the toolkits a user could pick instead, in one run: training and translation.

    python benchmarks/peers.py [--train] [--translate] [--quick] [--data DIR] [--json]

Without --train and --translate both are measured. Each toolkit is installed into its own environment under out/peers/
the first time (some gigabytes). --data reads a Multi30k folder; without it the embedded phrasebook is used.
"""

import argparse
import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer_environments import PEERS


@dataclass(frozen=True)
class Options:
    """What is measured, on what, and how long."""

    data: Path | None
    out: Path
    quick: bool
    threads: int
    only: tuple[str, ...]
    """Toolkits to measure beside our own; empty means all."""
    installed_only: bool
    rounds: int
    run: list[Path] | None
    """Recurrent runs to translate with, and the Transformers beside them; trained now if not given."""
    transformer: Path | None
    post_norm: Path | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true", help="training speed")
    parser.add_argument("--translate", action="store_true", help="translation speed")
    parser.add_argument("--quick", action="store_true", help="fewer steps and rounds: minutes instead of an hour")
    parser.add_argument("--data", type=Path, help="folder of Multi30k; the phrasebook if not given")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=0, help="times that everything is repeated, in turn")
    parser.add_argument("--only", nargs="*", default=[], help="toolkits to measure beside ours")
    parser.add_argument("--installed-only", action="store_true", help="install nothing")
    parser.add_argument("--run", type=Path, nargs="+", help="recurrent runs to translate with")
    parser.add_argument("--transformer", type=Path, help="a Transformer run to give to the others")
    parser.add_argument("--post-norm", type=Path, help="a post-norm Transformer run to give to MarianMT")
    given = parser.parse_args()
    rounds = given.rounds or (2 if given.quick else 5)
    options = Options(
        given.data, PEERS, given.quick, given.threads, tuple(given.only), given.installed_only, rounds,
        given.run, given.transformer, given.post_norm,
    )  # fmt: skip
    both = not (given.train or given.translate)
    result: dict[str, Any] = {}
    PEERS.mkdir(parents=True, exist_ok=True)
    for kind, wanted in (("training", given.train or both), ("translation", given.translate or both)):
        if not wanted:
            continue
        # Only what is asked for is imported: each half needs libraries of its own.
        part = importlib.import_module(f"peer_{kind}")
        result[kind] = part.measure(options)
        if not given.json:
            part.show(result[kind])
        (PEERS / f"{kind}.json").write_text(json.dumps(result[kind], indent=1, allow_nan=False), encoding="utf-8")
    if given.json:
        print(json.dumps(result, indent=1, allow_nan=False))


if __name__ == "__main__":
    main()
