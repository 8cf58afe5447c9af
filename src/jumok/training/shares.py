"""A batch shared among hands: each learns its own sentences, forward and backward, and the gradients are added.

Two threads that share every operation meet after each one, wait for the slower, and leave whatever torch does not split
(random numbers, copies, small products) to one of them. Hands that share the sentences meet once a step. The sum of the
shares' gradients is the batch's gradient; the shares, their random numbers and the order of addition follow from the
batch, the random state and the number of hands alone, so a run repeats itself to the bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from jumok.data.batch import Batch
from jumok.models.seq2seq import Seq2Seq

# Below this a share is too small for its own overhead.
LEAST_TOKENS = 256
LEAST_SENTENCES = 4
OUR_PARTS = ("jumok.", "torch.")


@dataclass(frozen=True)
class Learned:
    """What one share gave: the gradient of each parameter (None where none flowed) and its sums."""

    gradients: tuple[Tensor | None, ...]
    sums: list[float]


@dataclass(frozen=True)
class Task:
    """A batch to learn, and all that its gradient depends on besides the weights."""

    batch: Batch
    tokens: int
    """The loss is divided by this."""
    step: int
    baseline: float
    seed: int | None = None
    """Where random numbers start; None: they go on."""

    def share(self, rank: int, count: int) -> "Task":
        """What one of `count` hands does of it."""
        seed = None if self.seed is None else self.seed + rank
        return replace(self, batch=share(self.batch, rank, count), seed=seed)


Work = Callable[[Task], Learned]


def may_share(model: Seq2Seq) -> bool:
    """Whether all parts of the model are known to keep nothing from one step to the next but their parameters.

    A user's own part may keep more, which would be lost with the process that learned the share.
    """
    return all(type(part).__module__.startswith(OUR_PARTS) for part in model.modules())


def worth_sharing(batch: Batch, count: int) -> bool:
    """Whether each of `count` hands would have enough to do."""
    return len(batch) >= count * LEAST_SENTENCES and batch.target_tokens >= count * LEAST_TOKENS


def share(batch: Batch, rank: int, count: int) -> Batch:
    """Every `count`-th sentence from the `rank`-th on, padded no further than it needs."""
    rows = slice(rank, None, count)
    source_mask, target_mask = batch.source_mask_BS[rows], batch.target_mask_BT[rows]
    source, target = int(source_mask.sum(1).max()), int(target_mask.sum(1).max())
    return replace(
        batch,
        source_BS=batch.source_BS[rows, :source].contiguous(),
        source_mask_BS=source_mask[:, :source].contiguous(),
        target_in_BT=batch.target_in_BT[rows, :target].contiguous(),
        target_out_BT=batch.target_out_BT[rows, :target].contiguous(),
        target_mask_BT=target_mask[:, :target].contiguous(),
        index_B=batch.index_B[rows],
        alignment=None if batch.alignment is None else batch.alignment[rows],
        source_tokens=int(source_mask.sum()),
        target_tokens=int(target_mask.sum()),
    )


def added_up(parts: Sequence[Tensor | None]) -> Tensor | None:
    """The sum of the gradients of one parameter, in the order of the hands, in memory of its own."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    total = present[0].clone() if len(present) == 1 else present[0] + present[1]
    for part in present[2:]:
        total.add_(part)
    return total
