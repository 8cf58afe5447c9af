"""Agents that remember: what was seen, done and won so far is a sequence, and the next action is read from its end.

    x_t = W [observation_t]          state, last action, last reward, share of the trials that is left
    π(a | x_1 … x_t), V(x_1 … x_t)   two linear layers over SNAIL's blocks, or over an LSTM

SNAIL for bandits and tabular MDPs (Mishra et al. 2018, appendix): a linear layer, two temporal blocks, one attention
block. The same agent does a whole recorded sequence (learning) and one more step from its state (playing).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from jumok.models.snail import AttentionBlock, Block, Stack, TemporalBlock


@dataclass(frozen=True)
class Judged:
    """Scores of the actions [B, T, A], values [B, T], and each attention block's weights [B, T, S]."""

    logits_BTA: Tensor
    values_BT: Tensor
    weights: tuple[Tensor, ...] = ()


class Agent(nn.Module, ABC):
    """A policy and a value over everything seen so far."""

    def __init__(self, observed: int, size: int) -> None:
        super().__init__()
        self.observed, self.enter = observed, nn.Linear(observed, size)

    def _judges(self, size: int, actions: int) -> None:
        self.policy, self.value = nn.Linear(size, actions), nn.Linear(size, 1)
        # All actions alike and a value of 0 at the start.
        for part in (self.policy, self.value):
            nn.init.zeros_(part.weight)
            nn.init.zeros_(part.bias)

    def _judged(self, states_BTD: Tensor, weights: tuple[Tensor, ...] = ()) -> Judged:
        return Judged(self.policy(states_BTD), self.value(states_BTD).squeeze(-1), weights)

    @abstractmethod
    def forward(self, seen_BTO: Tensor, need_weights: bool = False) -> Judged:
        """Policy and value after each observation of a sequence."""

    @abstractmethod
    def begin(self, batch: int) -> Any:
        """The state before the first observation."""

    @abstractmethod
    def step(self, seen_BO: Tensor, state: Any, need_weights: bool = False) -> tuple[Judged, Any]:
        """Policy and value after one more observation, and the state with it."""


class SnailAgent(Agent):
    """Temporal convolutions that gather, attention that pinpoints."""

    def __init__(
        self, observed: int, actions: int, length: int, size: int, filters: int, keys: Sequence[int], mechanism: str
    ) -> None:
        super().__init__(observed, size)
        blocks: list[Block] = []
        for _ in range(2):
            blocks.append(TemporalBlock(size, length, filters))
            size = blocks[-1].size
        for key in keys:
            blocks.append(AttentionBlock(size, key, key, mechanism, length))
            size = blocks[-1].size
        self.blocks = Stack(blocks)
        self._judges(size, actions)

    def forward(self, seen_BTO: Tensor, need_weights: bool = False) -> Judged:
        found = self.blocks(self.enter(seen_BTO), need_weights)
        return self._judged(found.states, found.weights)

    def begin(self, batch: int) -> Any:
        return self.blocks.empty(self.enter.weight.new_empty(batch, 0, self.enter.out_features))

    def step(self, seen_BO: Tensor, state: Any, need_weights: bool = False) -> tuple[Judged, Any]:
        found = self.blocks.step(self.enter(seen_BO).unsqueeze(1), state, need_weights)
        return self._judged(found.states, found.weights), found.cache


class LSTMAgent(Agent):
    """The yardstick: everything has to fit into one state."""

    def __init__(self, observed: int, actions: int, size: int, hidden: int) -> None:
        super().__init__(observed, size)
        self.lstm = nn.LSTM(size, hidden, batch_first=True)
        self._judges(hidden, actions)

    def forward(self, seen_BTO: Tensor, need_weights: bool = False) -> Judged:
        return self._judged(self.lstm(self.enter(seen_BTO))[0])

    def begin(self, batch: int) -> Any:
        zeros = self.enter.weight.new_zeros(1, batch, self.lstm.hidden_size)
        return zeros, zeros

    def step(self, seen_BO: Tensor, state: Any, need_weights: bool = False) -> tuple[Judged, Any]:
        states, state = self.lstm(self.enter(seen_BO).unsqueeze(1), state)
        return self._judged(states), state


def parameters_of(agent: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(parameter.numel() for parameter in agent.parameters())


def hidden_for(parameters: int, observed: int, actions: int, size: int) -> int:
    """The size of an LSTM agent that has about as many parameters.

    4h(size + h + 2) + (actions + 1)(h + 1) + (observed + 1)·size of them, which grows with h.
    """
    hidden = 1
    while _count(hidden + 1, observed, actions, size) <= parameters:
        hidden += 1
    return hidden


def _count(hidden: int, observed: int, actions: int, size: int) -> int:
    return 4 * hidden * (size + hidden + 2) + (actions + 1) * (hidden + 1) + (observed + 1) * size


def chosen(chances_BA: Tensor, luck_B: Tensor) -> Tensor:
    """An action for each row: the first whose cumulative probability exceeds its number in [0, 1)."""
    return (chances_BA.cumsum(-1) <= luck_B.unsqueeze(-1)).sum(-1).clamp_max(chances_BA.shape[-1] - 1)
