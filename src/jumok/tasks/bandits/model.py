"""A trained agent in use: `jumok.load(RUN).compare(1000)`."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from jumok.arguments import LARGEST_SEED, check_whole
from jumok.config import BanditsConfig
from jumok.models.stored import stored_network, usable_device
from jumok.run.folder import read_config, wrong_task
from jumok.run.integrity import steady
from jumok.tasks.bandits.baselines import baselines
from jumok.tasks.bandits.build import build_agent, draw_worlds, in_parts
from jumok.tasks.bandits.playing import Played, play
from jumok.tasks.bandits.task import rewards
from jumok.text.seeds import stable_seed

TEST_SEED = 20_262
TUNING_SEED = stable_seed("bandits", "tuning")
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
    """To the last baseline: the Gittins index (tuned UCB where that would take too long), or who knows the MDP; None
    where that one won nothing."""


class BanditModel:
    """The agent of a run, which explores worlds that it has never seen."""

    def __init__(self, folder: Path, config: BanditsConfig, device: torch.device) -> None:
        self.folder, self.config, self.device = folder, config, device
        self.agent = stored_network(lambda: build_agent(config), folder, config.plugins, device)

    def play(self, episodes: int, seed: int = TEST_SEED, first: int = 0) -> Played:
        """Plays worlds of a seed, with the weights of each look at the past.

        episodes   worlds to play, an episode in each
        seed       what the worlds are drawn from
        first      number of the first world
        """
        check_whole("first", first, 0, LARGEST_SEED)
        _check(episodes, seed)
        worlds = draw_worlds(self.config, range(first, first + episodes), played_seed(seed))
        return play(self.agent, worlds, self.device, need_weights=True)

    def rewards(self, episodes: int, seed: int = TEST_SEED) -> Tensor:
        """The total reward of each of so many worlds."""
        _check(episodes, seed)
        return rewards(self.agent, self.config, episodes, self.device, played_seed(seed))

    def compare(self, episodes: int, seed: int = TEST_SEED) -> list[Score]:
        """The agent beside players that are not learned, all in the same worlds with the same luck.

        episodes   worlds that all players meet
        seed       what the worlds are drawn from
        """
        own = self.rewards(episodes, seed)
        worlds = in_parts(self.config, 0, episodes, played_seed(seed))
        others = baselines(worlds, lambda: in_parts(self.config, 0, TUNED_ON, TUNING_SEED), seed)
        best = float(next(reversed(others.values())).mean())
        return [_score(name, won, best) for name, won in {**others, f"jumok ({self.config.model.kind})": own}.items()]


def played_seed(seed: int) -> int:
    """What worlds to play in are drawn from: none of them is met in training with the same seed, or with another."""
    return stable_seed("bandits", "test", seed)


def _check(episodes: int, seed: int) -> None:
    check_whole("episodes", episodes, 1, MOST_EPISODES)
    check_whole("seed", seed, 0, LARGEST_SEED)


def _score(player: str, won_B: Tensor, best: float) -> Score:
    mean = float(won_B.mean())
    spread = float(won_B.std()) / len(won_B) ** 0.5 if len(won_B) > 1 else 0.0
    return Score(player, mean, NORMAL * spread, mean / best if best > 0 else None)


def load(path: str | Path, device: str = "cpu") -> BanditModel:
    """The agent of a run folder."""
    return steady(lambda: BanditModel(Path(path), _config(Path(path)), usable_device(device)))


def _config(folder: Path) -> BanditsConfig:
    config = read_config(folder)
    if not isinstance(config, BanditsConfig):
        raise wrong_task(folder, config, "play")
    return config
