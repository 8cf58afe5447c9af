"""What a model reads, as tensors: a frontend knows its own kind of source."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Tokens:
    """A batch of sentences as ids."""

    ids_BS: Tensor
    mask_BS: Tensor
    """True at real positions."""

    def select(self, index_N: Tensor) -> "Tokens":
        """The sentences named by `index_N`."""
        return Tokens(self.ids_BS.index_select(0, index_N), self.mask_BS.index_select(0, index_N))


Source = Tokens
