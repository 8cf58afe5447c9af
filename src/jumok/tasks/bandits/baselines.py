"""What people thought of before: players of bandits and MDPs that are not learned, for a whole batch of worlds at once.

random               any arm
UCB1                 mean + √(2 ln t / pulls), every arm once before (Auer, Cesa-Bianchi, Fischer 2002)
tuned UCB            the same with the mean of the belief Beta(1, 1) and a width that is tuned, no arm forced
Thompson sampling    the best arm of a draw from the belief (Thompson 1933); in an MDP posterior sampling, PSRL
                     (Strens 2000; Osband, Russo, Van Roy 2013): the best policy of a drawn MDP for each episode
Gittins index        the arm with the largest index for the pulls that are left; for at most 500 pulls
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jumok.data.worlds import Bandits, Moment, TabularMDPs, Worlds
from jumok.tasks.bandits.gittins import MOST_PULLS, finite_indices

TRIED = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)
"""Widths of the tuned bound."""


@dataclass
class Record:
    """What a player of bandits has seen: how often each arm was pulled, and how often it paid."""

    pulls_BK: Tensor
    wins_BK: Tensor

    @classmethod
    def of(cls, worlds: Bandits) -> "Record":
        """Nothing yet."""
        return cls(torch.zeros(len(worlds), worlds.actions), torch.zeros(len(worlds), worlds.actions))

    def add(self, actions_B: Tensor, reward_B: Tensor) -> None:
        """Takes in a pull."""
        at = actions_B.unsqueeze(1)
        self.pulls_BK.scatter_add_(1, at, torch.ones_like(reward_B).unsqueeze(1))
        self.wins_BK.scatter_add_(1, at, reward_B.unsqueeze(1))


Rule = Callable[[Record, int, int], Tensor]
"""Scores [B, K] of the arms, from the record, the step and the number of steps; the largest is pulled."""


def ucb1(record: Record, t: int, steps: int) -> Tensor:
    """mean + √(2 ln t / pulls); an arm that was never pulled comes first."""
    pulls_BK = record.pulls_BK.clamp_min(1)
    bound_BK = record.wins_BK / pulls_BK + (2 * math.log(max(1, t)) / pulls_BK).sqrt()
    return bound_BK.masked_fill(record.pulls_BK == 0, math.inf)


def tuned_ucb(width: float) -> Rule:
    """(wins + 1) / (pulls + 2) + width √(ln (t + 1) / (pulls + 1))."""

    def scores(record: Record, t: int, steps: int) -> Tensor:
        bonus_BK = (math.log(t + 1) / (record.pulls_BK + 1)).sqrt()
        return (record.wins_BK + 1) / (record.pulls_BK + 2) + width * bonus_BK

    return scores


def thompson(seed: int) -> Rule:
    """A draw from each arm's belief."""
    random = np.random.default_rng(seed)

    def scores(record: Record, t: int, steps: int) -> Tensor:
        wins, pulls = record.wins_BK.numpy(), record.pulls_BK.numpy()
        return torch.from_numpy(random.beta(1 + wins, 1 + pulls - wins))

    return scores


def gittins(record: Record, t: int, steps: int) -> Tensor:
    """The index of each arm for the pulls that are left."""
    table = torch.from_numpy(finite_indices(steps)[steps - t])  # [wins, losses]
    wins = record.wins_BK.long()
    return table[wins, record.pulls_BK.long() - wins]


def at_random(seed: int) -> Rule:
    """Any arm."""
    random = torch.Generator().manual_seed(seed)
    return lambda record, t, steps: torch.rand(record.wins_BK.shape, generator=random)


def play_by_rule(worlds: Bandits, rule: Rule) -> Tensor:
    """The total reward of each world; ties go to the arm with the lowest number."""
    moment, record = worlds.begin(), Record.of(worlds)
    total_B = torch.zeros(len(worlds))
    for t in range(worlds.steps):
        actions_B = rule(record, t, worlds.steps).argmax(-1)
        moment = worlds.after(moment, t, actions_B)
        record.add(actions_B, moment.reward_B)
        total_B += moment.reward_B
    return total_B


def tuned_width(parts: Iterable[Worlds]) -> float:
    """The width of UCB's bound that earns most in these worlds, which come in parts."""
    won = dict.fromkeys(TRIED, 0.0)
    for worlds in parts:
        assert isinstance(worlds, Bandits)
        for width in TRIED:
            won[width] += float(play_by_rule(worlds, tuned_ucb(width)).sum())
    return max(TRIED, key=won.__getitem__)


def sweep(means_BSA: Tensor, transitions_BSAS: Tensor, horizon: int) -> Tensor:
    """[horizon, B, S]: the best action in each state with so many steps done, by dynamic programming."""
    value_BS = torch.zeros_like(means_BSA[..., 0])
    found: list[Tensor] = []
    for _ in range(horizon):
        value_BS, action_BS = (means_BSA + torch.einsum("bsaz,bz->bsa", transitions_BSAS, value_BS)).max(-1)
        found.append(action_BS)
    return torch.stack(found[::-1])


@dataclass
class Belief:
    """What a player of MDPs has seen: visits, rewards, and where each action led."""

    visits_BSA: Tensor
    rewards_BSA: Tensor
    led_BSAS: Tensor

    @classmethod
    def of(cls, worlds: TabularMDPs) -> "Belief":
        """Nothing yet."""
        visits = torch.zeros_like(worlds.means_BSA)
        return cls(visits, visits.clone(), torch.zeros_like(worlds.transitions_BSAS))

    def add(self, place_B: Tensor, actions_B: Tensor, after: Moment, counted: bool) -> None:
        """Takes in a step; where an episode ends it does not say where the action led."""
        row = torch.arange(len(place_B))
        self.visits_BSA[row, place_B, actions_B] += 1
        self.rewards_BSA[row, place_B, actions_B] += after.reward_B
        if counted:
            self.led_BSAS[row, place_B, actions_B, after.place_B] += 1

    def drawn(self, random: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Means and transitions of an MDP that may be the true one: N((1 + Σr) / (1 + v), 1 / (1 + v)), Dirichlet."""
        precision = 1 + self.visits_BSA.numpy()
        means = random.normal((1 + self.rewards_BSA.numpy()) / precision, precision**-0.5)
        weights = random.standard_gamma(1 + self.led_BSAS.numpy())
        transitions = weights / weights.sum(-1, keepdims=True)
        return torch.from_numpy(means).float(), torch.from_numpy(transitions).float()


def play_by_belief(worlds: TabularMDPs, random: np.random.Generator) -> Tensor:
    """The total reward of posterior sampling in each world."""
    belief = Belief.of(worlds)
    moment, total_B = worlds.begin(), torch.zeros(len(worlds))
    policy_HBS = torch.empty(0)
    for t in range(worlds.steps):
        step = t % worlds.horizon
        if step == 0:
            policy_HBS = sweep(*belief.drawn(random), worlds.horizon)
        place_B = moment.place_B
        actions_B = policy_HBS[step].gather(1, place_B.unsqueeze(1)).squeeze(1)
        moment = worlds.after(moment, t, actions_B)
        belief.add(place_B, actions_B, moment, step + 1 < worlds.horizon)
        total_B += moment.reward_B
    return total_B


def play_by_policy(worlds: TabularMDPs, policy_HBS: Tensor) -> Tensor:
    """The total reward of a policy [horizon, B, S] in each world."""
    moment, total_B = worlds.begin(), torch.zeros(len(worlds))
    for t in range(worlds.steps):
        actions_B = policy_HBS[t % worlds.horizon].gather(1, moment.place_B.unsqueeze(1)).squeeze(1)
        moment = worlds.after(moment, t, actions_B)
        total_B += moment.reward_B
    return total_B


Player = Callable[[Any], Tensor]
"""Gives the total rewards [B] of a batch of worlds."""


def baselines(parts: Iterable[Worlds], tuning: Callable[[], Iterable[Worlds]], seed: int) -> dict[str, Tensor]:
    """The total rewards of each player in the same worlds, which come in parts; `tuning` gives others of the kind."""
    players: dict[str, Player] = {}
    won: dict[str, list[Tensor]] = {}
    for worlds in parts:
        if not players:
            players = PLAYERS[type(worlds)](worlds.steps, tuning, seed)
        for name, play in players.items():
            won.setdefault(name, []).append(play(worlds))
    return {name: torch.cat(each) for name, each in won.items()}


def _of_bandits(steps: int, tuning: Callable[[], Iterable[Worlds]], seed: int) -> dict[str, Player]:
    """Players of bandits, the best last."""
    width = tuned_width(tuning())
    tuned = {f"tuned UCB (width {width:g})": tuned_ucb(width)}
    sampling = {"Thompson sampling": thompson(seed)}
    rules: dict[str, Rule] = {"random": at_random(seed), "UCB1": ucb1}
    rules |= tuned | sampling | {"Gittins index": gittins} if steps <= MOST_PULLS else sampling | tuned
    return {name: partial(play_by_rule, rule=rule) for name, rule in rules.items()}


def _of_mdps(steps: int, tuning: Callable[[], Iterable[Worlds]], seed: int) -> dict[str, Player]:
    """Players of MDPs, the best last; none of them is tuned."""
    coins, random = torch.Generator().manual_seed(seed), np.random.default_rng(seed)

    def by_chance(worlds: TabularMDPs) -> Tensor:
        shape = (worlds.horizon, *worlds.means_BSA.shape[:2])
        return play_by_policy(worlds, torch.randint(worlds.actions, shape, generator=coins))

    def knowing(worlds: TabularMDPs) -> Tensor:
        return play_by_policy(worlds, sweep(worlds.means_BSA, worlds.transitions_BSAS, worlds.horizon))

    return {
        "random": by_chance,
        "posterior sampling": partial(play_by_belief, random=random),
        "knows the MDP": knowing,
    }


PLAYERS: dict[type[Worlds], Callable[[int, Callable[[], Iterable[Worlds]], int], dict[str, Player]]] = {
    Bandits: _of_bandits,
    TabularMDPs: _of_mdps,
}
