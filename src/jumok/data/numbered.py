"""Batches of numbered examples: what pictures, episodes, worlds and points have in common when they are learned."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor


@dataclass(frozen=True)
class NumberedBatch:
    """Examples that are learned together; a subclass adds tensors whose first dimension is the example.

    Training sees it through `training.batch.Batch`: a unit is an example, and the batch stays whole, because batch norm
    learns from all of it, unless a subclass says otherwise.
    """

    unit: ClassVar[str]
    examples: ClassVar[str]
    """The unit, where a subclass does not say otherwise."""
    numbers: list[int]

    def __init_subclass__(cls) -> None:
        if "examples" not in vars(cls):
            cls.examples = cls.unit

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def size(self) -> int:
        return len(self)

    @property
    def counts(self) -> dict[str, int]:
        return {self.unit: self.size}

    @property
    def most_shares(self) -> int:
        return 0

    def to(self, device: torch.device) -> Self:
        return replace(self, **{name: tensor.to(device) for name, tensor in self._tensors().items()})

    def share(self, rank: int, count: int) -> Self:
        mine: dict[str, Any] = {name: tensor[rank::count] for name, tensor in self._tensors().items()}
        return replace(self, **mine, numbers=self.numbers[rank::count])

    def _tensors(self) -> dict[str, Tensor]:
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if isinstance(value, Tensor)}
