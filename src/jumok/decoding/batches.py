"""Sentences of similar length together, within a budget, so that little is computed for padding."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jumok.shapes import EOS, PAD

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Numbers of sentences in batches whose padded size (longest × count) stays within the budget.

    Longest first, so that the largest batch is met first; a sentence beyond the budget has a batch of its own.
    """
    batches: list[list[int]] = []
    batch: list[int] = []
    longest = 0
    for number in sorted(range(len(lengths)), key=lambda n: (-lengths[n], n)):
        if batch and longest * (len(batch) + 1) > budget:
            batches.append(batch)
            batch = []
        if not batch:
            longest = max(1, lengths[number])
        batch.append(number)
    return [*batches, batch] if batch else batches


def pad_sources(sources: Sequence[Sequence[int]], device: "torch.device") -> "tuple[Tensor, Tensor]":
    """Ids [B, S], each source followed by EOS, and their mask."""
    import torch

    longest = max(map(len, sources)) + 1
    padded = [[*ids, EOS] + [PAD] * (longest - 1 - len(ids)) for ids in sources]
    lengths_B = torch.tensor([len(ids) + 1 for ids in sources], device=device)
    source_BS = torch.tensor(padded, dtype=torch.long, device=device)
    return source_BS, torch.arange(longest, device=device) < lengths_B[:, None]
