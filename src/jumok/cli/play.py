"""`jumok play`: a trained agent beside players that are not learned, in the same worlds; or one episode in steps."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jumok.arguments import LARGEST_SEED

if TYPE_CHECKING:
    from jumok.tasks.bandits.playing import Played

BAR = 20


def play(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of task=bandits.")],
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Worlds that all players meet.")] = 2000,
    show: Annotated[
        int | None, typer.Option(min=0, max=LARGEST_SEED, help="Show this episode: each pull, and where it looked.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let a trained agent play bandits or MDPs beside UCB1, Thompson sampling and the Gittins index."""
    from jumok.tasks.bandits.model import load

    model = load(run)
    if show is not None:
        played = model.play(1, first=show)
        typer.echo(json.dumps(_as_json(played)) if as_json else "\n".join(_episode(played)))
        return
    scores = model.compare(episodes)
    if as_json:
        typer.echo(json.dumps([asdict(score) for score in scores]))
        return
    width = max(len(score.player) for score in scores)
    typer.echo(f"{'player':<{width}}  total reward  ± 95%   share of {scores[-2].player}")
    for score in scores:
        typer.echo(f"{score.player:<{width}}  {score.mean:12.3f}  {score.interval:.3f}   {_percent(score.ratio)}")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _as_json(played: "Played") -> dict[str, Any]:
    """The episode's actions (counted from 1), rewards, and where each step looked in the last attention block."""
    return {
        "actions": [action + 1 for action in played.actions_BT[0].tolist()],
        "rewards": played.rewards_BT[0].tolist(),
        "attention": [weights[-1][0, 0].tolist() if weights else [] for weights in played.weights],
    }


def _episode(played: "Played") -> list[str]:
    """A line for each step: the action, what it paid, and the earlier step that it looked at most."""
    lines = ["step  action  reward  looked most at step"]
    for t, (action, reward) in enumerate(
        zip(played.actions_BT[0].tolist(), played.rewards_BT[0].tolist(), strict=True)
    ):
        looked = ""
        if played.weights[t]:
            weights = played.weights[t][-1][0, 0]
            # Position 0 is what was known before the first pull; position s holds what pull s paid.
            place = int(weights.argmax())
            looked = f"{place or 'start':>5}  {float(weights[place]):.2f} {'█' * round(BAR * float(weights[place]))}"
        lines.append(f"{t + 1:>4}  {action + 1:>6}  {reward:>6.2f}  {looked}")
    return lines
