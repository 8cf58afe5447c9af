"""Frontends that read pictures: a vector for each region of a grid."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from jumok.data.sources import Images, Source
from jumok.errors import ShapeError
from jumok.models.contract import Frontend, Vectors
from jumok.models.dropout import Dropout
from jumok.models.layout import Grid

# Channels are normalised in groups of about this many.
GROUP = 16


class GridPositions(nn.Module):
    """A learned vector for each row and one for each column, added to the regions."""

    def __init__(self, grid: Grid, size: int) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.empty(grid.rows, 1, size).normal_(0.0, 0.1))
        self.columns = nn.Parameter(torch.empty(1, grid.columns, size).normal_(0.0, 0.1))

    def forward(self, regions_BSE: Tensor) -> Tensor:
        return regions_BSE + (self.rows + self.columns).flatten(0, 1)


class GridFrontend(Frontend):
    """What all frontends of pictures share: pixels are checked and scaled, regions are laid out row by row."""

    def __init__(self, side: int, grid: Grid, size: int, *, positions: bool, dropout: float) -> None:
        super().__init__()
        self.side, self.grid, self.size = side, grid, size
        self.positions = GridPositions(grid, size) if positions else None
        self.dropout = Dropout(dropout)

    def laid_out(self, regions_BSE: Tensor) -> Vectors:
        """The vectors with their positions and layout."""
        placed = regions_BSE if self.positions is None else self.positions(regions_BSE)
        mask_BS = torch.ones(placed.shape[:2], dtype=torch.bool, device=placed.device)
        return Vectors(self.dropout(placed), mask_BS, self.grid)


class PixelFrontend(GridFrontend):
    """A frontend that learns to see: from pixels to regions."""

    @abstractmethod
    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        """Vectors [B, E, rows, columns] of pixels from −1 to 1."""

    def forward(self, source: Source) -> Vectors:
        if not isinstance(source, Images):
            raise ShapeError(f"This model reads pictures, not {type(source).__name__.lower()}.")
        return self.laid_out(self.regions(scaled(source.pixels_BCHW, self.side)).flatten(2).transpose(1, 2))


class CNNFrontend(PixelFrontend):
    """Convolutions from scratch: each of the first layers halves the sides, until a region has `cell` pixels."""

    def __init__(self, side: int, channels: Sequence[int], cell: int, *, positions: bool, dropout: float) -> None:
        halvings = cell.bit_length() - 1
        if len(channels) < halvings:
            raise ShapeError(
                f"Regions of {cell} pixels need {halvings} layers of channels or more, not {len(channels)}."
            )
        if side % cell:
            raise ShapeError(f"A side of {side} pixels cannot be cut into regions of {cell}.")
        grid = Grid(side // cell, side // cell)
        super().__init__(side, grid, channels[-1], positions=positions, dropout=dropout)
        sizes = [3, *channels]
        layers = [
            convolution(given, made, 5 if number == 0 else 3, 2 if number < halvings else 1, late=number < halvings - 1)
            for number, (given, made) in enumerate(pairwise(sizes))
        ]
        self.layers = nn.Sequential(*layers)

    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        return self.layers(pixels_BCHW)


class PatchesFrontend(PixelFrontend):
    """Square patches of pixels through one matrix (Dosovitskiy et al. 2021).

    With `stem` two strided convolutions come first, and a patch is cut from what they make of it.
    """

    def __init__(self, side: int, size: int, patch: int, *, stem: bool, positions: bool, dropout: float) -> None:
        if side % patch or (stem and patch % 4):
            raise ShapeError(f"A side of {side} pixels cannot be cut into patches of {patch}" + " after a stem." * stem)
        grid = Grid(side // patch, side // patch)
        super().__init__(side, grid, size, positions=positions, dropout=dropout)
        half = max(8, size // 2)
        self.stem = None
        if stem:
            self.stem = nn.Sequential(convolution(3, half // 2, 5, 2, late=True), convolution(half // 2, half, 3, 2))
        width = patch // 4 if stem else patch
        self.cut = nn.Conv2d(half if stem else 3, size, width, width)

    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        return self.cut(pixels_BCHW if self.stem is None else self.stem(pixels_BCHW))


def convolution(given: int, made: int, width: int, stride: int, *, late: bool = False) -> nn.Sequential:
    """Convolution, normalisation over groups of channels (no statistics are kept between batches), ReLU.

    An odd filter that skips every second pixel is centred on the first pixel of each pair, or on the second where it is
    `late`. Late in all halvings but the last, the centre of a region's view is the centre of the region: after n of
    them 2ⁿ⁻¹ − 1 pixels from its corner. Otherwise a model looks at the region to the lower right of what it sees.
    """
    pad = nn.ZeroPad2d((width // 2 - 1, width // 2, width // 2 - 1, width // 2)) if late else nn.Identity()
    found = nn.Conv2d(given, made, width, stride, 0 if late else width // 2, bias=False)
    nn.init.kaiming_normal_(found.weight, nonlinearity="relu")
    return nn.Sequential(pad, found, nn.GroupNorm(math.gcd(made, max(1, made // GROUP)), made), nn.ReLU())


def scaled(pixels_BCHW: Tensor, side: int) -> Tensor:
    """uint8 pixels as numbers from −1 to 1."""
    if pixels_BCHW.ndim != 4 or pixels_BCHW.shape[1:] != (3, side, side) or pixels_BCHW.dtype != torch.uint8:
        raise ShapeError(
            f"encode needs pictures as uint8 [B, 3, {side}, {side}], got {pixels_BCHW.dtype} {list(pixels_BCHW.shape)}."
        )
    return pixels_BCHW.float().mul_(1 / 127.5).sub_(1)
