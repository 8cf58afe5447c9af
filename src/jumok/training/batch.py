"""What training needs to know about a batch; the rest is between the task's stream of batches and its objective."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, Self

import torch


class Batch(Protocol):
    """Examples that are learned together: sentence pairs, images, episodes, …"""

    unit: ClassVar[str]
    """What `size` counts, as in `tokens` per second."""
    examples: ClassVar[str]
    """What the examples are called in messages: `sentences`."""

    @property
    def size(self) -> int:
        """How many units it has: losses are averaged over them."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """Named counts that a step reports; the same names for each batch of a stream."""
        ...

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of its examples in their corpus, for messages."""
        ...

    @property
    def most_shares(self) -> int:
        """Into how many shares it can be split before each is too small for its own overhead; 0: it stays whole."""
        ...

    def __len__(self) -> int:
        """The number of examples; a process of a group may get a batch of none."""
        ...

    def to(self, device: torch.device, /) -> Self:
        """The same batch on another device."""
        ...

    def share(self, rank: int, count: int, /) -> Self:
        """Every `count`-th example from the `rank`-th on."""
        ...
