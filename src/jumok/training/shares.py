"""A batch shared among workers: each learns its own examples, forward and backward, and the gradients are added.

Two threads that share every operation meet after each one, wait for the slower, and leave whatever torch does not split
(random numbers, copies, small products) to one of them. Workers that share the examples meet once per step. The sum of
the shares' gradients is the batch's gradient; the shares, their random numbers and the order of addition follow from
the batch, the random state and the number of workers alone, so a run repeats itself to the bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import Tensor, nn

from jumok.training.batch import Batch
from jumok.training.buffers import buffer_names

OUR_PARTS = ("jumok.", "torch.")


@dataclass(frozen=True)
class WorkItem:
    """A batch to learn, and all that its gradient depends on besides the weights."""

    batch: Batch
    size: int
    """The loss is divided by this."""
    player: str
    step: int
    carried: Mapping[str, float]
    """What the player's objective kept from the steps before."""
    seed: int | None = None
    """Seeds the random numbers; None: they continue."""

    def share(self, rank: int, count: int) -> "WorkItem":
        """What one of `count` workers does of it."""
        seed = None if self.seed is None else self.seed + rank
        return replace(self, batch=self.batch.share(rank, count), seed=seed)


@dataclass(frozen=True)
class WorkResult:
    """What one share gave: the gradient of each parameter (None where none flowed) and its named sums."""

    gradients: tuple[Tensor | None, ...]
    sums: dict[str, float]


Work = Callable[[WorkItem], WorkResult]


def may_share(model: nn.Module) -> bool:
    """Whether all parts of the model are known to keep nothing from one step to the next but their parameters.

    Running statistics, or what a user's own part keeps, would be lost with the process that learned the share.
    """
    ours = all(type(part).__module__.startswith(OUR_PARTS) for part in model.modules())
    return ours and not buffer_names(model)


def added_up(parts: Sequence[Tensor | None]) -> Tensor | None:
    """The sum of the gradients of one parameter, in the order of the workers, in memory of its own."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    total = present[0].clone() if len(present) == 1 else present[0] + present[1]
    for part in present[2:]:
        total.add_(part)
    return total
