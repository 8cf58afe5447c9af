"""A picture as it was given, as the model reads it, and what was erased from it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from jumok.data.caption_batch import images_from
from jumok.data.images.editing import blur, erase
from jumok.data.images.picture import Picture, pixel_key
from jumok.data.sources import Source
from jumok.decoding.intake import PictureJob, fitted, image_frontend
from jumok.decoding.run import Run
from jumok.errors import InputError
from jumok.inspect.sentence import How
from jumok.models.layout import Grid, Layout

Given = Picture | Path | str | bytes | np.ndarray
"""A file, the content of one, or uint8 pixels [H, W, 3]."""


@dataclass(frozen=True, eq=False)
class Sight:
    """A picture fitted to the model's side; its columns are the regions of the grid, row by row."""

    pixels_HW3: np.ndarray
    """uint8 [side, side, 3], with what was erased."""
    layout: Grid
    name: str = "picture"
    hidden: frozenset[int] = frozenset()
    """Regions that cross attention may not look at."""
    key: Hashable = field(default=())
    """Follows from the pixels; `of` and `without` set it."""

    @classmethod
    def of(cls, pixels_HW3: np.ndarray, grid: Grid, name: str = "picture") -> "Sight":
        """The sight of fitted pixels."""
        return cls(pixels_HW3, grid, name, key=pixel_key(pixels_HW3))

    @property
    def columns(self) -> range:
        """Every region is read."""
        return range(self.layout.count)

    @property
    def width(self) -> int:
        """How many regions there are."""
        return self.layout.count

    @property
    def units(self) -> int:
        """How many regions can be erased."""
        return self.layout.count

    def read_layout(self, layout: Layout) -> Layout:
        """The grid."""
        return layout

    def source(self, others: "Sequence[Sight]", device: torch.device) -> Source:
        """This picture and others of the same side."""
        pixels_BHW3 = np.stack([one.pixels_HW3 for one in (self, *others)])
        return images_from(pixels_BHW3).to(device)

    def job(self, prefix: tuple[int, ...]) -> PictureJob:
        """The search for its caption."""
        picture = Picture(self.pixels_HW3, self.name)
        return PictureJob(self.name, (), (), 0, prefix, picture=picture, grid=self.layout)

    def pixels_of(self, regions: Sequence[int]) -> np.ndarray:
        """bool [H, W]: the pixels of these regions."""
        height, width = self.pixels_HW3.shape[:2]
        mask_HW = np.zeros((height, width), bool)
        for region in regions:
            if not 0 <= region < self.width:
                raise InputError(f"The picture has {self.width} regions, from 0; there is no region {region}.")
            row, column = self.layout.place(region)
            rows = slice(row * height // self.layout.rows, (row + 1) * height // self.layout.rows)
            columns = slice(column * width // self.layout.columns, (column + 1) * width // self.layout.columns)
            mask_HW[rows, columns] = True
        return mask_HW

    def without(self, word: int, how: How) -> "Sight":
        """The picture with a region hidden from attention (`mask`), blurred (`unknown`) or painted over (`remove`)."""
        return self.without_regions([word], how)

    def without_regions(self, regions: Sequence[int], how: How) -> "Sight":
        """The same with several regions."""
        mask_HW = self.pixels_of(regions)
        if how == "mask":
            return replace(self, hidden=self.hidden | set(regions))
        return self.edited((blur if how == "unknown" else erase)(self.pixels_HW3, mask_HW))

    def edited(self, pixels_HW3: np.ndarray) -> "Sight":
        """The same with other pixels."""
        return replace(self, pixels_HW3=pixels_HW3, key=pixel_key(pixels_HW3))


def sight_of(run: Run, picture: Given) -> Sight:
    """The picture as the model of a run reads it."""
    given = Picture.of(picture)
    return Sight.of(fitted(run, given), image_frontend(run).grid, given.name)
