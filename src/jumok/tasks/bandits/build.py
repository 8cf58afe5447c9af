"""From a config to worlds and to an agent."""

from collections.abc import Callable, Iterable, Iterator

import torch

from jumok.config import BanditsConfig
from jumok.data.worlds import Bandits, TabularMDPs, Worlds
from jumok.models.agents import Agent, LSTMAgent, SnailAgent, hidden_for, parameters_of

MOST_NUMBERS = 20_000_000
"""Random numbers that are drawn for worlds which are held at once."""
MOST_WORLDS = 1000


def worlds_at_once(config: BanditsConfig) -> int:
    """How many worlds are drawn and played side by side where it changes nothing: large ones take much memory."""
    data = config.data
    each = data.steps * (data.arms + 1) if data.world == "bandit" else 3 * data.steps + data.states**2 * data.arms
    return max(1, min(MOST_WORLDS, MOST_NUMBERS // each))


def in_parts(config: BanditsConfig, first: int, count: int, seed: int) -> Iterator[Worlds]:
    """So many worlds from the first on, a few at a time."""
    size = worlds_at_once(config)
    for start in range(first, first + count, size):
        yield draw_worlds(config, range(start, min(first + count, start + size)), seed)


def draw_worlds(config: BanditsConfig, numbers: Iterable[int], seed: int, trials: int | None = None) -> Worlds:
    """The worlds of these numbers, of so many trials; fewer than `data.trials` are like the end of a long world."""
    data = config.data
    trials = trials or data.trials
    if data.world == "bandit":
        worlds: Worlds = Bandits.draw(numbers, data.arms, trials, seed)
    else:
        worlds = TabularMDPs.draw(numbers, data.states, data.arms, data.horizon, trials, seed)
    worlds.longest = data.steps
    return worlds


def build_agent(config: BanditsConfig) -> Agent:
    """The agent that the config describes; weights follow torch's seed."""
    return AGENTS[config.model.kind](config)


def _lstm(config: BanditsConfig) -> LSTMAgent:
    observed, model = _observed(config), config.model
    hidden = model.hidden
    if not hidden:
        with torch.device("meta"):
            hidden = hidden_for(parameters_of(_snail(config)), observed, config.data.arms, model.size)
    return LSTMAgent(observed, config.data.arms, model.size, hidden)


def _snail(config: BanditsConfig) -> SnailAgent:
    data, model = config.data, config.model
    return SnailAgent(_observed(config), data.arms, data.steps, model.size, model.filters, model.keys, model.attention)


AGENTS: dict[str, Callable[[BanditsConfig], Agent]] = {"snail": _snail, "lstm": _lstm}


def _observed(config: BanditsConfig) -> int:
    data = config.data
    return data.arms + 2 if data.world == "bandit" else data.states + data.arms + 3
