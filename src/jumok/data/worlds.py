"""Small worlds to learn in: multi-armed bandits and tabular MDPs, many side by side, each drawn from its number.

Everything that chance decides in episode `number` of a seed is drawn beforehand: two players of the same episode meet
the same world and the same luck, and a run that is resumed needs no state.

    bandit   k arms, each with its own chance p ~ U(0, 1) to pay 1; n pulls
    MDP      S states and A actions, rewards N(m, 1) with m ~ N(1, 1), transitions from a flat Dirichlet; n episodes of
             a few steps, each from state 0 (Duan et al. 2016; Mishra et al. 2018)
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from jumok.text.seeds import stable_seed


@dataclass(frozen=True)
class Moment:
    """What the players of a batch see, where they stand, and what their last action paid."""

    seen_BO: Tensor
    place_B: Tensor
    reward_B: Tensor


class Worlds(ABC):
    """A batch of worlds of a kind; time runs from 0 to `steps` − 1 in all of them."""

    actions: int
    steps: int
    longest: int
    """The steps that training leads to; `steps` may be fewer."""
    observed: int
    """The size of an observation."""
    choices_BT: Tensor
    """A number in [0, 1) for each step, with which a player may choose its action."""

    @abstractmethod
    def __len__(self) -> int:
        """How many worlds."""

    @abstractmethod
    def begin(self) -> Moment:
        """Before the first action."""

    @abstractmethod
    def after(self, moment: Moment, t: int, actions_B: Tensor) -> Moment:
        """What follows from the actions of step t."""

    def left(self, t: int) -> Tensor:
        """[B, 1]: the steps that are left before step t, as a share of the longest world's."""
        return torch.full((len(self), 1), (self.steps - t) / self.longest)

    def chances(self) -> Tensor:
        """[B, A]: what each action pays on average, where that never changes; for learning, never seen by a player."""
        raise NotImplementedError("only the arms of a bandit pay the same at every step")


class Bandits(Worlds):
    """Arms that pay 1 with a chance of their own. Seen: the last arm, what it paid, the share of pulls left."""

    def __init__(self, chances_BK: Tensor, luck_BTK: Tensor, choices_BT: Tensor) -> None:
        self.chances_BK, self.choices_BT = chances_BK, choices_BT
        self.pays_BTK = (luck_BTK < chances_BK.unsqueeze(1)).float()
        self.actions, self.steps = chances_BK.shape[1], luck_BTK.shape[1]
        self.longest, self.observed = self.steps, self.actions + 2

    @classmethod
    def draw(cls, numbers: Iterable[int], arms: int, pulls: int, seed: int) -> "Bandits":
        """The bandits of these numbers."""
        drawn = [_generator(seed, "bandit", number).random(arms + pulls * (arms + 1)) for number in numbers]
        rows = torch.from_numpy(np.stack(drawn)).float()
        chances, luck, choices = rows.split([arms, pulls * arms, pulls], dim=1)
        return cls(chances, luck.view(len(rows), pulls, arms), choices)

    def __len__(self) -> int:
        return len(self.chances_BK)

    def chances(self) -> Tensor:
        return self.chances_BK

    def begin(self) -> Moment:
        nothing = torch.zeros(len(self), self.actions + 1)
        zeros = torch.zeros(len(self), dtype=torch.long)
        return Moment(torch.cat([nothing, self.left(0)], 1), zeros, zeros.float())

    def after(self, moment: Moment, t: int, actions_B: Tensor) -> Moment:
        reward_B = self.pays_BTK[:, t].gather(1, actions_B.unsqueeze(1)).squeeze(1)
        pulled = F.one_hot(actions_B, self.actions).float()
        return Moment(torch.cat([pulled, reward_B.unsqueeze(1), self.left(t + 1)], 1), moment.place_B, reward_B)


class TabularMDPs(Worlds):
    """States and actions. Seen: the state, the last action, what it paid, whether an episode begins, what is left."""

    def __init__(self, transitions_BSAS: Tensor, means_BSA: Tensor, noise_BT: Tensor, luck_BT: Tensor, horizon: int):
        self.transitions_BSAS, self.means_BSA, self.horizon = transitions_BSAS, means_BSA, horizon
        self.noise_BT, self.luck_BT = noise_BT, luck_BT
        self.states, self.actions = means_BSA.shape[1:]
        self.steps = self.longest = noise_BT.shape[1]
        self.observed = self.states + self.actions + 3

    @classmethod
    def draw(
        cls, numbers: Iterable[int], states: int, actions: int, horizon: int, episodes: int, seed: int
    ) -> "TabularMDPs":
        """The MDPs of these numbers."""
        steps, parts = horizon * episodes, []
        for number in numbers:
            random = _generator(seed, "mdp", number)
            transitions = random.dirichlet(np.ones(states), (states, actions))
            means = random.normal(1, 1, (states, actions))
            parts.append((transitions, means, random.normal(0, 1, steps), random.random(steps), random.random(steps)))
        transitions, means, noise, luck, choices = (_stacked([one[part] for one in parts]) for part in range(5))
        made = cls(transitions, means, noise, luck, horizon)
        made.choices_BT = choices
        return made

    def __len__(self) -> int:
        return len(self.means_BSA)

    def begin(self) -> Moment:
        place_B = torch.zeros(len(self), dtype=torch.long)
        nothing = torch.zeros(len(self), self.actions + 1)
        return Moment(self._seen(place_B, nothing, 0), place_B, torch.zeros(len(self)))

    def after(self, moment: Moment, t: int, actions_B: Tensor) -> Moment:
        row = torch.arange(len(self))
        reward_B = self.means_BSA[row, moment.place_B, actions_B] + self.noise_BT[:, t]
        chances_BS = self.transitions_BSAS[row, moment.place_B, actions_B]
        place_B = (chances_BS.cumsum(-1) <= self.luck_BT[:, t].unsqueeze(1)).sum(-1).clamp_max(self.states - 1)
        place_B = torch.zeros_like(place_B) if (t + 1) % self.horizon == 0 else place_B
        done = torch.cat([F.one_hot(actions_B, self.actions).float(), reward_B.unsqueeze(1)], 1)
        return Moment(self._seen(place_B, done, t + 1), place_B, reward_B)

    def _seen(self, place_B: Tensor, done_BA: Tensor, t: int) -> Tensor:
        begins = torch.full((len(self), 1), float(t % self.horizon == 0))
        return torch.cat([F.one_hot(place_B, self.states).float(), done_BA, begins, self.left(t)], 1)


def _generator(seed: int, kind: str, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(stable_seed(seed, kind, number)))


def _stacked(parts: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(np.stack(parts)).float()
