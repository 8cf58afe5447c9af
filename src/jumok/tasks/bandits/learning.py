"""Learning from what was won: proximal policy optimisation with generalised advantages.

    δ_t = r_t + γ V_{t+1} − V_t          A_t = Σ_l (γλ)^l δ_{t+l}                     (Schulman et al. 2016)
    ρ_t = π(a_t) / π_old(a_t)            L = −min(ρ A, clip(ρ, 1 ± ε) A) + c_v (V − R)² − c_e H(π)    (2017)

A step of training plays a batch of worlds once and learns from it in several passes, each of one or more parts, and
each part is a turn of the same player. What was played lives only within a step, between two checkpoints: a run that is
resumed plays it again.

With hindsight (`reward.hindsight`, not in the papers) the loss knows the chance p_a of each arm; the agent never does.
What is won is then what was lost to the best arm, r_t = p_{a_t} − max_a p_a: the expectation differs by a constant of
the world, but neither luck nor a rich world counts. And what the next pull alone is worth is known for all arms:

    Δ_t(a) = p_a − Σ_b π_old(b) p_b      L = Σ_a π_old(a) clipped(ρ_t(a), Δ_t(a)) + clipped(ρ_t, A_t − Δ_t(a_t))

so that only what follows the pull is estimated from what happened to be played.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from jumok.config import RewardConfig
from jumok.data.numbered import NumberedBatch
from jumok.data.worlds import Worlds
from jumok.models.agents import Agent
from jumok.tasks.bandits.playing import Played, play
from jumok.training.objective import TIME_SHARE, Average, BatchLoss, Objective


@dataclass(frozen=True)
class WorldBatch(NumberedBatch):
    """Worlds to play in; `turn` counts the passes over what was played."""

    unit: ClassVar[str] = "decisions"
    examples: ClassVar[str] = "worlds"
    worlds: Worlds
    """All that are played, of which `part` is learned from; `numbers` are those of the part."""
    first: int
    """The number of the first of all of them."""
    part: slice
    turn: int
    device: torch.device

    @property
    def size(self) -> int:
        return len(self) * self.worlds.steps

    @property
    def counts(self) -> dict[str, int]:
        played = len(self.worlds) if self.turn == 0 else 0
        return {"episodes": played, "decisions": played * self.worlds.steps}

    def to(self, device: torch.device) -> "WorldBatch":
        return replace(self, device=device)

    def share(self, rank: int, count: int) -> "WorldBatch":
        raise AssertionError("an episode is played with the weights of its step, by one process")


@dataclass(frozen=True)
class Lesson:
    """What is learned from: a batch that was played, with its advantages and returns, on the agent's device."""

    seen_BTO: Tensor
    actions_BT: Tensor
    old_BTA: Tensor
    """log π of every action when it was played."""
    advantages_BT: Tensor
    returns_BT: Tensor
    known_BTA: Tensor
    """Δ: what is known of each action beforehand; no columns without hindsight."""
    won: float
    """The mean total reward."""

    def part(self, rows: slice) -> "Lesson":
        """The lesson of some of the worlds."""
        tensors = {name: value[rows] for name, value in vars(self).items() if isinstance(value, Tensor)}
        return replace(self, **tensors)


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
        lesson = self._lesson(model, batch, step).part(batch.part)
        judged = model(lesson.seen_BTO)
        log_BTA = judged.logits_BTA.log_softmax(-1)
        error = (judged.values_BT - lesson.returns_BT).square().sum()
        entropy = -(log_BTA.exp() * log_BTA).sum()
        done = max(step / self.max_steps, carried.get(TIME_SHARE, 0.0))
        keen = self.settings.entropy * max(0.0, 1 - done)
        total = self._surrogate(log_BTA, lesson) + self.settings.value * error - keen * entropy
        sums = {"loss": total, "value_error": error, "entropy": entropy}
        found = {name: value.detach() for name, value in sums.items()}
        return BatchLoss(total, found | {"reward": torch.tensor(lesson.won)})

    def _surrogate(self, log_BTA: Tensor, lesson: Lesson) -> Tensor:
        """The clipped loss of the actions that were played, and of all actions by what is known of them."""
        ratio_BTA = (log_BTA - lesson.old_BTA).exp()
        total = clipped(taken(ratio_BTA, lesson.actions_BT), lesson.advantages_BT, self.settings.clip).sum()
        if not self.settings.hindsight:
            return total
        each_BTA = clipped(ratio_BTA, lesson.known_BTA, self.settings.clip)
        return total + (lesson.old_BTA.exp() * each_BTA).sum()

    def _lesson(self, model: Agent, batch: WorldBatch, step: int) -> Lesson:
        """What the batch's worlds gave with the weights that the step began with."""
        if step != self._step:
            self._step, self._lessons = step, {}
        if batch.turn == 0:
            played = play(model, batch.worlds, batch.device)
            self._lessons[batch.first] = self._made(played, batch.worlds, batch.device)
        return self._lessons[batch.first]

    def _made(self, played: Played, worlds: Worlds, device: torch.device) -> Lesson:
        rewards_BT, known_BTA = played.rewards_BT, played.log_chances_BTA[..., :0]
        if self.settings.hindsight:
            chances_BA = worlds.chances()
            rewards_BT = chances_BA.gather(1, played.actions_BT) - chances_BA.amax(1, keepdim=True)
            known_BTA = self.scale * beyond_the_mean(chances_BA, played.log_chances_BTA)
        advantages_BT = advantages(
            rewards_BT * self.scale, played.values_BT, self.settings.discount, self.settings.trace
        )
        returns_BT, spread = advantages_BT + played.values_BT, advantages_BT.std().clamp_min(1e-6)
        if self.settings.hindsight:
            advantages_BT = advantages_BT - taken(known_BTA, played.actions_BT)
        centred_BT = (advantages_BT - advantages_BT.mean()) / spread
        parts = (played.seen_BTO, played.actions_BT, played.log_chances_BTA, centred_BT, returns_BT, known_BTA / spread)
        return Lesson(*(part.to(device) for part in parts), won=float(played.total_B.mean()))


def beyond_the_mean(chances_BA: Tensor, log_BTA: Tensor) -> Tensor:
    """Δ_t(a) = p_a − Σ_b π(b) p_b: what an action pays more than the policy does on average."""
    each_B1A = chances_BA.unsqueeze(1)
    return each_B1A - (log_BTA.exp() * each_B1A).sum(-1, keepdim=True)


def taken(values_BTA: Tensor, actions_BT: Tensor) -> Tensor:
    """The values of the actions that were taken."""
    return values_BTA.gather(-1, actions_BT.unsqueeze(-1)).squeeze(-1)


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
