"""An agent plays a batch of worlds: what it saw, did and won."""

from dataclasses import dataclass

import torch
from torch import Tensor

from jumok.data.worlds import Worlds
from jumok.models.agents import Agent, chosen


@dataclass(frozen=True)
class Played:
    """A batch of episodes: observations, actions, rewards, and what the agent thought of them."""

    seen_BTO: Tensor
    actions_BT: Tensor
    rewards_BT: Tensor
    log_chances_BTA: Tensor
    """log π of every action."""
    values_BT: Tensor
    weights: tuple[tuple[Tensor, ...], ...] = ()
    """For each step and attention block [B, 1, t + 1], where asked for."""

    @property
    def total_B(self) -> Tensor:
        """What each episode won."""
        return self.rewards_BT.sum(1)


@torch.no_grad()
def play(agent: Agent, worlds: Worlds, device: torch.device, need_weights: bool = False) -> Played:
    """Plays every world to its end; actions are drawn with the worlds' own numbers."""
    moment, state = worlds.begin(), agent.begin(len(worlds))
    seen, actions, rewards, chances, values, weights = [], [], [], [], [], []
    for t in range(worlds.steps):
        seen.append(moment.seen_BO)
        judged, state = agent.step(moment.seen_BO.to(device), state, need_weights)
        log_BA = judged.logits_BTA[:, 0].float().cpu().log_softmax(-1)
        actions_B = chosen(log_BA.exp(), worlds.choices_BT[:, t])
        moment = worlds.after(moment, t, actions_B)
        actions.append(actions_B)
        rewards.append(moment.reward_B)
        chances.append(log_BA)
        values.append(judged.values_BT[:, 0].float().cpu())
        weights.append(judged.weights)
    columns = (torch.stack(part, 1) for part in (seen, actions, rewards, chances, values))
    return Played(*columns, weights=tuple(weights))
