"""A batch of pictures with a caption each, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from jumok.data.batch import ForcedTargets, Ids
from jumok.data.sources import Features, Images

# Below this a share of a batch is too small for its own overhead.
LEAST_PICTURES = 8


@dataclass(frozen=True)
class CaptionBatch:
    """Pictures and captions; `target_in_BT`, `target_out_BT` and `target_mask_BT` as in a batch of sentence pairs."""

    unit: ClassVar[str] = "tokens"
    examples: ClassVar[str] = "captions"

    source: Images | Features
    target_in_BT: Tensor
    target_out_BT: Tensor
    target_mask_BT: Tensor
    numbers: tuple[int, ...]
    """The captions' numbers in their store."""
    tokens: int

    @classmethod
    def of(cls, source: Images | Features, captions: Sequence[Ids], numbers: Sequence[int]) -> "CaptionBatch":
        """The batch of these captions, ids without BOS and EOS."""
        target = ForcedTargets.of(captions)
        return cls(source, target.in_BT, target.out_BT, target.mask_BT, tuple(numbers), target.tokens)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def size(self) -> int:
        """Target tokens: what losses are averaged over."""
        return self.tokens

    @property
    def counts(self) -> dict[str, int]:
        """What a training step reports."""
        return {"target_tokens": self.tokens, "pictures": len(self)}

    @property
    def most_shares(self) -> int:
        """Into how many shares it can be split before each is too small for its own overhead."""
        return len(self) // LEAST_PICTURES

    @property
    def alignment(self) -> None:
        """Pictures have no word links."""
        return None

    def without_links(self) -> "CaptionBatch":
        """The same batch: it has no word links."""
        return self

    def share(self, rank: int, count: int) -> "CaptionBatch":
        """Every `count`-th caption from the `rank`-th on, padded no further than it needs."""
        rows = torch.arange(rank, len(self), count)
        mask_BT = self.target_mask_BT[rows]
        longest = int(mask_BT.sum(1).max())
        return replace(
            self,
            source=self.source.select(rows),
            target_in_BT=self.target_in_BT[rows, :longest].contiguous(),
            target_out_BT=self.target_out_BT[rows, :longest].contiguous(),
            target_mask_BT=mask_BT[:, :longest].contiguous(),
            numbers=self.numbers[rank::count],
            tokens=int(mask_BT.sum()),
        )

    def to(self, device: torch.device | str) -> "CaptionBatch":
        """The same batch on another device."""
        if self.target_in_BT.device == torch.device(device):
            return self
        moved = {name: getattr(self, name).to(device) for name in ("target_in_BT", "target_out_BT", "target_mask_BT")}
        return replace(self, source=self.source.to(device), **moved)


def images_from(pixels_BHWC: np.ndarray) -> Images:
    """Pictures as a store keeps them, as a source."""
    return Images(torch.from_numpy(pixels_BHWC).permute(0, 3, 1, 2))
