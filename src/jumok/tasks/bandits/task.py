"""Learning to explore as a task: worlds in, an agent that finds out what pays."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import torch

from jumok.config import BanditsConfig
from jumok.data.bucketing import Position
from jumok.data.worlds import Worlds
from jumok.errors import ConfigError
from jumok.models.agents import Agent
from jumok.tasks.bandits.build import build_agent, draw_worlds, in_parts
from jumok.tasks.bandits.learning import PolicyLoss, WorldBatch
from jumok.tasks.bandits.metrics import METRICS, REWARD
from jumok.tasks.bandits.playing import play
from jumok.tasks.task import Opened, Place, Say, Task, check_network, require_validation
from jumok.tasks.warm_start import check_fit, new_network
from jumok.text.seeds import stable_seed
from jumok.training.events import Validation
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.player import Player
from jumok.training.progress import ALONE

# Validation worlds are the same for every run; no seed that a run can have gives them.
DEV_SEED = stable_seed("bandits", "validation")
CPU = torch.device("cpu")


class BanditTask(Task[BanditsConfig]):
    """From a kind of world to an agent that explores it."""

    name = "bandits"

    def title(self, config: BanditsConfig) -> str:
        data = config.data
        return f"{data.world}-{data.arms}-arms-{data.trials}-trials"

    def check_recipe(self, config: BanditsConfig) -> Agent:
        require_validation(config)
        _check_lessons(config)
        return check_network(config, build_agent)

    def check(self, config: BanditsConfig, *, begins: bool = True) -> None:
        network = self.check_recipe(config)
        if config.train.init_from and begins:
            check_fit(network, Path(config.train.init_from))

    def setup(self, opened: Opened[BanditsConfig], place: Place, say: Say | None) -> Setup:
        config = opened.config
        model = new_network(build_agent, config, place, say)
        objective = PolicyLoss(config.reward, config.data.steps, config.train.max_steps)
        player = Player.of(ALONE, model, objective, config.train)
        learner = Learner(
            [player],
            config.train,
            place.device,
            config.runtime.precision,
            place.processes,
            config.seed,
            turns=(ALONE,) * (config.reward.passes * config.reward.parts),
        )
        validate = Validator(config, place.device)
        batches = Stream(config, place)
        return Setup(learner, batches, validate, opened.folder, place.interrupts, place.environment, METRICS, REWARD)


def _check_lessons(config: BanditsConfig) -> None:
    data, reward = config.data, config.reward
    if reward.hindsight and data.world != "bandit":
        raise ConfigError("reward.hindsight is for data.world=bandit: only its arms pay the same at every step.")
    if reward.parts > data.batch:
        raise ConfigError(f"reward.parts={reward.parts} is more than data.batch={data.batch} worlds; lower it.")
    if data.first > data.trials:
        raise ConfigError(f"data.first={data.first} is more than data.trials={data.trials}; lower it.")
    if 0 < data.first < data.trials and config.train.max_minutes is not None:
        raise ConfigError(
            "data.first grows with the steps of train.max_steps, which train.max_minutes may end before; leave one out."
        )


class Stream:
    """Endless batches of new worlds; each step gets its worlds once for each part of each pass."""

    def __init__(self, config: BanditsConfig, place: Place) -> None:
        self.config, self.processes = config, place.processes
        self.turns, self.together = config.reward.passes * config.reward.parts, config.train.accumulate

    def __call__(self, position: Position) -> Iterator[tuple[Position, WorldBatch]]:
        # A position counts batches; a step has `turns` × `together` of them, and begins where one ended.
        each = self.turns * self.together
        for step in count(position.batch // each):
            made = [self._worlds(step, step * self.together + one) for one in range(self.together)]
            for turn in range(self.turns):
                for one, (numbers, worlds) in enumerate(made):
                    number = step * each + turn * self.together + one
                    mine = slice(turn % self.config.reward.parts, None, self.config.reward.parts)
                    yield Position(0, number), WorldBatch(numbers[mine], worlds, numbers[0], mine, turn, CPU)

    def _worlds(self, step: int, number: int) -> tuple[list[int], Worlds]:
        size, trials = self.config.data.batch, self.config.data.trials_at(step / self.config.train.max_steps)
        mine = range(number * size, (number + 1) * size)[self.processes.rank :: self.processes.world]
        return list(mine), draw_worlds(self.config, mine, self.config.seed, trials)


class Validator:
    """The mean total reward in worlds that no training run meets."""

    def __init__(self, config: BanditsConfig, device: torch.device) -> None:
        self.config, self.device = config, device
        self.count = config.train.validate_size

    def __call__(self, model: Agent) -> Validation:
        return Validation({"reward": float(rewards(model, self.config, self.count, self.device, DEV_SEED).mean())})


def rewards(
    agent: Agent, config: BanditsConfig, number: int, device: torch.device, seed: int, first: int = 0
) -> torch.Tensor:
    """The total reward of each of so many worlds of a seed."""
    return torch.cat([play(agent, worlds, device).total_B for worlds in in_parts(config, first, number, seed)])
