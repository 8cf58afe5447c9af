"""What a model reads, as tensors: a frontend knows its own kind of source."""

from dataclasses import dataclass

import torch
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


@dataclass(frozen=True)
class Images:
    """A batch of pictures of one size, uint8."""

    pixels_BCHW: Tensor

    def select(self, index_N: Tensor) -> "Images":
        """The pictures named by `index_N`."""
        return Images(self.pixels_BCHW.index_select(0, index_N))

    def to(self, device: "torch.device | str") -> "Images":
        """The same on another device."""
        return Images(self.pixels_BCHW.to(device))


@dataclass(frozen=True)
class Features:
    """A batch of pictures whose vectors a frozen network computed before; half precision, as they are stored."""

    states_BSE: Tensor
    mask_BS: Tensor

    def select(self, index_N: Tensor) -> "Features":
        """The pictures named by `index_N`."""
        return Features(self.states_BSE.index_select(0, index_N), self.mask_BS.index_select(0, index_N))

    def to(self, device: "torch.device | str") -> "Features":
        """The same on another device."""
        return Features(self.states_BSE.to(device), self.mask_BS.to(device))


Source = Tokens | Images | Features
