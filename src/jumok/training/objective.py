"""What a player minimises: a loss with a gradient, and named sums that are reported."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

Average = Literal["unit", "batch"]
TIME_SHARE = "time_share"
"""Among what a step is given: how much of the allowed time was over when it began."""


@dataclass(frozen=True)
class BatchLoss:
    """The losses of a batch: `total`, a sum over the units of the batch, carries the gradient."""

    total: Tensor
    sums: Mapping[str, Tensor]
    """By the names that the objective declares; without gradient."""


class Objective(ABC):
    """The loss of a batch for one player."""

    @property
    @abstractmethod
    def losses(self) -> Mapping[str, Average]:
        """The names of the sums it gives, the most important first, and what each is averaged over: the units of the
        batches (tokens, images, …), or the batches."""

    @abstractmethod
    def __call__(
        self, model: Any, batch: Any, step: int, coins: torch.Generator, carried: Mapping[str, float]
    ) -> BatchLoss:
        """The losses of a batch at a step.

        `model` is the network, or the networks of all players by name where there are several. `coins` draws what must
        repeat when a run is resumed, `carried` is what `carry` gave after the step before, and `TIME_SHARE`.
        """

    def carry(self, carried: Mapping[str, float], means: Mapping[str, float], step: int) -> dict[str, float]:
        """The values that the next step needs from this one's mean losses, such as a moving baseline."""
        return dict(carried)

    def settings_at(self, step: int) -> dict[str, float]:
        """What of the objective itself changes from step to step, for the lines of metrics."""
        return {}

    def needed(self, batch: Any) -> Any:
        """The batch without what this loss does not read: less to send to the workers."""
        return batch
