"""A trained agent in use: `jumok.load(RUN).compare(1000)`."""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load as read_tensors
from torch import Tensor

from jumok.arguments import check_whole
from jumok.attention import load_plugins
from jumok.config import BanditsConfig
from jumok.errors import RunError
from jumok.run.folder import read_config
from jumok.run.integrity import checked
from jumok.run.names import WEIGHTS
from jumok.tasks.bandits.baselines import baselines
from jumok.tasks.bandits.build import build_agent, draw_worlds
from jumok.tasks.bandits.playing import Played, play
from jumok.tasks.bandits.task import rewards

TEST_SEED = 20_262
TUNING_SEED = 20_263
TUNED_ON = 5000
MOST_EPISODES = 1_000_000
# A normal interval of 95%.
NORMAL = 1.96


@dataclass(frozen=True)
class Score:
    """A player's mean total reward with its 95% interval, and its share of another's in the same worlds."""

    player: str
    mean: float
    interval: float
    ratio: float | None
    """To the last baseline: the Gittins index, or who knows the MDP; None where that one won nothing."""


class BanditModel:
    """The agent of a run, which explores worlds that it has never seen."""

    def __init__(self, folder: Path, config: BanditsConfig, device: torch.device) -> None:
        self.folder, self.config, self.device = folder, config, device
        self.agent = build_agent(config)
        with checked(folder / WEIGHTS) as content:
            self.agent.load_state_dict(read_tensors(content.bytes))
        self.agent.to(device).eval()

    def play(self, episodes: int, seed: int = TEST_SEED, first: int = 0) -> Played:
        """Plays worlds of a seed, with the weights of each look at the past."""
        check_whole("episodes", episodes, 1, MOST_EPISODES)
        worlds = draw_worlds(self.config, range(first, first + episodes), seed)
        return play(self.agent, worlds, self.device, need_weights=True)

    def rewards(self, episodes: int, seed: int = TEST_SEED) -> Tensor:
        """The total reward of each of so many worlds."""
        check_whole("episodes", episodes, 1, MOST_EPISODES)
        return rewards(self.agent, self.config, episodes, self.device, seed)

    def compare(self, episodes: int, seed: int = TEST_SEED) -> list[Score]:
        """The agent beside players that are not learned, all in the same worlds with the same luck."""
        own = self.rewards(episodes, seed)
        worlds = draw_worlds(self.config, range(episodes), seed)
        others = baselines(worlds, lambda: draw_worlds(self.config, range(TUNED_ON), TUNING_SEED), seed)
        best = float(next(reversed(others.values())).mean())
        return [_score(name, won, best) for name, won in {**others, f"jumok ({self.config.model.kind})": own}.items()]


def _score(player: str, won_B: Tensor, best: float) -> Score:
    mean = float(won_B.mean())
    spread = float(won_B.std()) / len(won_B) ** 0.5 if len(won_B) > 1 else 0.0
    return Score(player, mean, NORMAL * spread, mean / best if best > 0 else None)


def load(path: str | Path, device: str = "cpu") -> BanditModel:
    """The agent of a run folder."""
    config = read_config(Path(path))
    if not isinstance(config, BanditsConfig):
        raise RunError(f"{path} is a run of task={config.task}, which does not play.")
    load_plugins(config.plugins)
    return BanditModel(Path(path), config, torch.device(device))
