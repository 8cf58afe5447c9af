"""Frontends that read pictures: a vector for each region of a grid."""

import math
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

    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        """Vectors [B, E, rows, columns] of pixels from −1 to 1."""
        raise NotImplementedError

    def forward(self, source: Source) -> Vectors:
        if not isinstance(source, Images):
            raise ShapeError(f"This model reads pictures, not {type(source).__name__.lower()}.")
        return self.laid_out(self.regions(scaled(source.pixels_BCHW, self.side)).flatten(2).transpose(1, 2))

    def laid_out(self, regions_BSE: Tensor) -> Vectors:
        """The vectors with their positions and layout."""
        placed = regions_BSE if self.positions is None else self.positions(regions_BSE)
        mask_BS = torch.ones(placed.shape[:2], dtype=torch.bool, device=placed.device)
        return Vectors(self.dropout(placed), mask_BS, self.grid)


class CNNFrontend(GridFrontend):
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
            convolution(given, made, 5 if number == 0 else 3, 2 if number < halvings else 1)
            for number, (given, made) in enumerate(pairwise(sizes))
        ]
        self.layers = nn.Sequential(*layers)

    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        return self.layers(pixels_BCHW)


def convolution(given: int, made: int, width: int, stride: int) -> nn.Sequential:
    """Convolution, normalisation over groups of channels (no statistics are kept between batches), ReLU."""
    found = nn.Conv2d(given, made, width, stride, width // 2, bias=False)
    nn.init.kaiming_normal_(found.weight, nonlinearity="relu")
    # Pixels are stored with their channels together, and stay so.
    found.weight.data = found.weight.data.contiguous(memory_format=torch.channels_last)
    return nn.Sequential(found, nn.GroupNorm(math.gcd(made, max(1, made // GROUP)), made), nn.ReLU())


def scaled(pixels_BCHW: Tensor, side: int) -> Tensor:
    """uint8 pixels as numbers from −1 to 1."""
    if pixels_BCHW.ndim != 4 or pixels_BCHW.shape[1:] != (3, side, side) or pixels_BCHW.dtype != torch.uint8:
        raise ShapeError(
            f"encode needs pictures as uint8 [B, 3, {side}, {side}], got {pixels_BCHW.dtype} {list(pixels_BCHW.shape)}."
        )
    return pixels_BCHW.float().mul_(1 / 127.5).sub_(1)
