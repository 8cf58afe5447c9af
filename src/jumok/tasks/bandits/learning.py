"""Learning from what was won: proximal policy optimisation with generalised advantages.

    δ_t = r_t + γ V_{t+1} − V_t          A_t = Σ_l (γλ)^l δ_{t+l}                     (Schulman et al. 2016)
    ρ_t = π(a_t) / π_old(a_t)            L = −min(ρ A, clip(ρ, 1 ± ε) A) + c_v (V − R)² − c_e H(π)    (2017)

A step of training plays a batch of worlds once and learns from it in several passes, each a turn of the same player.
What was played lives only within a step, between two checkpoints: a run that is resumed plays it again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from jumok.config import RewardConfig
from jumok.data.numbered import NumberedBatch
from jumok.data.worlds import Worlds
from jumok.models.agents import Agent, log_chance
from jumok.tasks.bandits.playing import Played, play
from jumok.training.objective import Average, BatchLoss, Objective


@dataclass(frozen=True)
class WorldBatch(NumberedBatch):
    """Worlds to play in; `turn` counts the passes over what was played."""

    unit: ClassVar[str] = "decisions"
    examples: ClassVar[str] = "worlds"
    worlds: Worlds
    turn: int
    device: torch.device

    @property
    def size(self) -> int:
        return len(self) * self.worlds.steps

    @property
    def counts(self) -> dict[str, int]:
        first = self.turn == 0
        return {"episodes": len(self) * first, "decisions": self.size * first}

    def to(self, device: torch.device) -> "WorldBatch":
        return replace(self, device=device)

    def share(self, rank: int, count: int) -> "WorldBatch":
        raise AssertionError("an episode is played with the weights of its step, by one process")


@dataclass(frozen=True)
class Lesson:
    """What is learned from: a batch that was played, with its advantages and returns, on the agent's device."""

    seen_BTO: Tensor
    actions_BT: Tensor
    old_BT: Tensor
    advantages_BT: Tensor
    returns_BT: Tensor
    won: float
    """The mean total reward."""


class PolicyLoss(Objective):
    """The loss of a pass over a batch of worlds; the first pass plays them."""

    def __init__(self, settings: RewardConfig, steps: int, max_steps: int) -> None:
        self.settings, self.max_steps = settings, max_steps
        # Values are learned per decision, so that their errors are as large in long episodes as in short ones.
        self.scale = 1 / steps
        self._step, self._lessons = 0, dict[int, Lesson]()

    @property
    def losses(self) -> Mapping[str, Average]:
        return {"loss": "unit", "reward": "batch", "value_error": "unit", "entropy": "unit"}

    def __call__(
        self,
        model: Agent,
        batch: WorldBatch,
        step: int,
        coins: torch.Generator,
        carried: Mapping[str, float],
    ) -> BatchLoss:
        lesson = self._lesson(model, batch, step)
        judged = model(lesson.seen_BTO)
        ratio_BT = (log_chance(judged.logits_BTA, lesson.actions_BT) - lesson.old_BT).exp()
        error = (judged.values_BT - lesson.returns_BT).square().sum()
        log_BTA = judged.logits_BTA.log_softmax(-1)
        entropy = -(log_BTA.exp() * log_BTA).sum()
        keen = self.settings.entropy * max(0.0, 1 - step / self.max_steps)
        total = clipped(ratio_BT, lesson.advantages_BT, self.settings.clip).sum()
        total = total + self.settings.value * error - keen * entropy
        sums = {"loss": total, "value_error": error, "entropy": entropy}
        found = {name: value.detach() for name, value in sums.items()}
        return BatchLoss(total, found | {"reward": torch.tensor(lesson.won)})

    def _lesson(self, model: Agent, batch: WorldBatch, step: int) -> Lesson:
        """What the batch's worlds gave with the weights that the step began with."""
        if step != self._step:
            self._step, self._lessons = step, {}
        key = batch.numbers[0]
        if batch.turn == 0:
            self._lessons[key] = self._made(play(model, batch.worlds, batch.device), batch.device)
        return self._lessons[key]

    def _made(self, played: Played, device: torch.device) -> Lesson:
        rewards_BT = played.rewards_BT * self.scale
        advantages_BT = advantages(rewards_BT, played.values_BT, self.settings.discount, self.settings.trace)
        returns_BT = advantages_BT + played.values_BT
        spread = (advantages_BT - advantages_BT.mean()) / advantages_BT.std().clamp_min(1e-6)
        parts = (played.seen_BTO, played.actions_BT, played.log_chances_BT, spread, returns_BT)
        return Lesson(*(part.to(device) for part in parts), won=float(played.total_B.mean()))


def advantages(rewards_BT: Tensor, values_BT: Tensor, discount: float, trace: float) -> Tensor:
    """A_t = δ_t + γλ A_{t+1}: how much better than expected each step turned out; nothing follows the last one."""
    found, later_B = torch.zeros_like(rewards_BT), torch.zeros_like(rewards_BT[:, 0])
    next_B = torch.zeros_like(later_B)
    for t in reversed(range(rewards_BT.shape[1])):
        delta_B = rewards_BT[:, t] + discount * next_B - values_BT[:, t]
        later_B = delta_B + discount * trace * later_B
        found[:, t], next_B = later_B, values_BT[:, t]
    return found


def clipped(ratio: Tensor, advantage: Tensor, width: float) -> Tensor:
    """−min(ρ A, clip(ρ, 1 − ε, 1 + ε) A): no gain from moving an action's chance further than ε."""
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - width, 1 + width) * advantage)
