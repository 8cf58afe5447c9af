"""A batch shared among threads: each learns its own sentences, forward and backward, and the gradients are added.

Two threads that share every operation meet after each one, wait for the slower, and leave whatever torch does not split
(random numbers, copies, small products) to one of them. Two threads that share the sentences meet once a step. The sum
of the shares' gradients is the batch's gradient; the shares, their random numbers and the order of addition follow from
the batch, the random state and the number of threads alone, so a run repeats itself to the bit.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from jumok.attention import Attention
from jumok.attention.align import Hard
from jumok.data.batch import Batch
from jumok.models.dropout import drawing_from
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


Work = Callable[[Batch], Learned]


def may_share(model: Seq2Seq) -> bool:
    """Whether every random number of the model's forward pass comes from our own dropout.

    Anything else draws from the one generator that all threads share, in an order that is not repeatable; so may a
    user's own mechanism.
    """
    for part in model.modules():
        if isinstance(part, Hard) or (isinstance(part, Attention) and part.dropout > 0):
            return False
        if not type(part).__module__.startswith(OUR_PARTS):
            return False
    return True


def worth_sharing(batch: Batch, count: int) -> bool:
    """Whether each of `count` hands would have enough to do."""
    return len(batch) >= count * LEAST_SENTENCES and batch.target_tokens >= count * LEAST_TOKENS


def work_together(batch: Batch, count: int, work: Work) -> list[Learned]:
    """What each hand learned of its share of the batch, in order."""
    seeds: list[int] = torch.randint(1 << 62, (count,)).tolist()
    futures: list[Future[Learned]] = []
    try:
        for rank, seed in enumerate(seeds):
            futures.append(_hands(count).submit(_alone, work, share(batch, rank, count), seed))
        return [future.result() for future in futures]
    finally:
        # A signal may end the step early; nobody may then still be at work.
        wait(futures)


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
    """The sum of the gradients of one parameter, in the order of the hands."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    total = present[0]
    for part in present[1:]:
        total = total.add_(part) if total is not present[0] else total + part
    return total


def _alone(work: Work, batch: Batch, seed: int) -> Learned:
    with drawing_from(torch.Generator().manual_seed(seed)):
        return work(batch)


@cache
def _hands(count: int) -> ThreadPoolExecutor:
    """The threads, started once; each uses one core."""
    together = threading.Barrier(count + 1)
    hands = ThreadPoolExecutor(count, thread_name_prefix="hand")

    def start() -> None:
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        together.wait()

    for _ in range(count):
        hands.submit(start)
    together.wait()
    # Threads started from now on take the number that was set last.
    torch.set_num_threads(count)
    return hands
