"""Bandits and MDPs of the SNAIL paper: agents and the players that are not learned, on 20,000 paired episodes.

    python benchmarks/bandits.py --out FOLDER [--rows n10-k5 n100-k5] [--minutes 60]
    python benchmarks/bandits.py --out FOLDER --page                        # the table of what is there

A row is a world and an agent; a call trains each for at most `--minutes` and resumes where the call before ended. A row
that is finished is measured once and kept as JSON. Published for n = 100, k = 5: Gittins 78.3, RL² 78.7, SNAIL 79.1.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from budget import finished
from jumok.tasks.bandits.model import load
from resuming import training


@dataclass(frozen=True)
class Row:
    """A size of world, and the keys that differ from the usual ones."""

    name: str
    keys: tuple[str, ...]


def _bandit(pulls: int, arms: int, *more: str) -> Row:
    return Row(f"n{pulls}-k{arms}", (f"data.trials={pulls}", f"data.arms={arms}", *more))


SMALL = ("data.batch=128", "model.filters=16")
# A hundred pulls are learned from ten up, in small parts, and with hindsight (docs/bandits.md says what that is).
LONG = (*SMALL, "data.first=10", "reward.hindsight=true", "reward.trace=0.98", "reward.passes=2", "reward.parts=8",
        "train.learning_rate=0.003", "train.max_steps=1200", "train.validate_every=100")  # fmt: skip
ROWS = {
    row.name: row
    for row in (
        _bandit(10, 5),
        _bandit(10, 10),
        _bandit(10, 50, "train.max_steps=1500"),
        _bandit(100, 5, *LONG),
        _bandit(100, 10, *LONG),
        _bandit(100, 50, *LONG),
        Row("mdp", ("data.world=mdp", "data.trials=10", *SMALL, "train.max_steps=1500")),
    )
}
AGENTS = ("snail-agent", "lstm-agent")


def train(row: Row, agent: str, run: Path, minutes: float, more: list[str]) -> bool:
    """Trains an agent for so many minutes at most; True if it is finished."""
    return finished(training(run, ("task=bandits", f"model.preset={agent}", *row.keys, *more)), minutes)


def table(out: Path) -> str:
    """The finished rows as Markdown."""
    lines = ["| world | player | total reward | share of the best that is not learned |", "|---|---|---:|---:|"]
    for row in ROWS.values():
        for agent in AGENTS:
            path = out / f"{row.name}-{agent}.json"
            scores = json.loads(path.read_text()) if path.exists() else []
            for score in scores if agent == AGENTS[0] else scores[-1:]:
                reward = f"{score['mean']:.2f} ± {score['interval']:.2f}"
                lines.append(f"| {row.name} | {score['player']} | {reward} | {score['ratio']:.1%} |")
    return "\n".join(lines)


def main() -> None:
    """Trains, measures and prints rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for runs and results")
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--agents", nargs="*", default=list(AGENTS), choices=list(AGENTS))
    parser.add_argument("--minutes", type=float, default=60, help="longest training of an agent in this call")
    parser.add_argument("--episodes", type=int, default=20_000)
    parser.add_argument("--set", nargs="*", default=[], help="further keys, as for `jumok train`")
    parser.add_argument("--page", action="store_true", help="only the table of what is there")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for row in () if asked.page else map(ROWS.__getitem__, asked.rows):
        for agent in asked.agents:
            name = f"{row.name}-{agent}"
            done = asked.out / f"{name}.json"
            if not done.exists() and train(row, agent, asked.out / name, asked.minutes, asked.set):
                scores = load(asked.out / name).compare(asked.episodes)
                done.write_text(json.dumps([asdict(score) for score in scores], indent=2))
    print(table(asked.out))


if __name__ == "__main__":
    main()
