"""The pictures of a run: drawn from a book or read from files, fitted, and stored once in the run folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from jumok.config import ImageGanConfig, PicturesConfig
from jumok.data.glyphbook import draw as draw_glyph
from jumok.data.glyphbook import name_of
from jumok.data.images import Labelled, PixelStore, open_store, read_labelled, write_store
from jumok.data.images.labelled import fitted
from jumok.data.numbered import NumberedBatch
from jumok.data.picturebook import SHAPES, Scene, draw
from jumok.data.picturebook.sampler import Sampler
from jumok.data.picturebook.scene import Background
from jumok.errors import DataError, RunError
from jumok.run.names import STORED
from jumok.text.seeds import stable_seed

SPLITS = ("train", "dev")
LEAST_TO_LEARN = 50
LEAST = next(count for count in range(LEAST_TO_LEARN, 2 * LEAST_TO_LEARN) if count - count // 4 >= LEAST_TO_LEARN)
"""Pictures that are needed: a quarter may be kept apart."""
ALONE, BIG = 20.0, 11.0
"""The radius of a thing that stands alone, and of one that stands beside another."""
FAR = 16.0
"""From the edge to the centres of two things that agree: half a picture lies between them."""
_TOGETHER = 64


@dataclass(frozen=True)
class ImageBatch(NumberedBatch):
    """Real pictures from −1 to 1, and their classes if they have some."""

    unit: ClassVar[str] = "images"
    pictures_BCHW: Tensor
    labels_B: Tensor | None


@dataclass(frozen=True)
class Stored:
    """The pictures of a split as a run stored them."""

    store: PixelStore
    labels_N: np.ndarray | None
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.store)

    @property
    def classes(self) -> int:
        """How many classes are learned; 0 where there are none."""
        return 0 if self.labels_N is None else len(self.names)

    def batch(self, numbers: Sequence[int] | np.ndarray) -> ImageBatch:
        """The pictures of these numbers."""
        pixels = torch.from_numpy(self.store.batch(numbers))
        labels = None if self.labels_N is None else torch.from_numpy(self.labels_N[np.asarray(numbers)])
        return ImageBatch([int(number) for number in numbers], as_numbers(pixels), labels)


def as_numbers(pixels_BHWC: Tensor) -> Tensor:
    """uint8 pixels [B, H, W, C] as [B, C, H, W] from −1 to 1, the channels of a pixel together."""
    return pixels_BHWC.permute(0, 3, 1, 2).float().div_(127.5).sub_(1)


def as_pixels(pictures_BCHW: Tensor) -> np.ndarray:
    """Pictures from −1 to 1 as uint8 pixels [B, H, W, C]."""
    pixels = pictures_BCHW.detach().clamp(-1, 1).add(1).mul(127.5).round().to(torch.uint8)
    return np.ascontiguousarray(pixels.permute(0, 2, 3, 1).cpu().numpy())


def store_pictures(config: ImageGanConfig, folder: Path) -> None:
    """Stores the pictures to learn from and those to compare with below the folder."""
    data = config.data
    found = _found(data, config.seed)
    labelled = data.labelled and found.labels is not None
    kept = min(data.held_out, len(found) // 4)
    if len(found) < LEAST:
        raise DataError(
            f"{data.train or data.book} has {len(found):,} pictures, too few to learn from and to keep some apart; "
            f"{LEAST:,} are needed."
        )
    order = np.random.Generator(np.random.PCG64(stable_seed(config.seed, "held out"))).permutation(len(found))
    shape = (data.side, data.side, 3 if data.colour else 1)
    for split, numbers in zip(SPLITS, (order[kept:], order[:kept]), strict=True):
        chosen = [int(number) for number in numbers]
        labels = [int(found.labels[number]) for number in chosen] if labelled and found.labels is not None else None
        notes = {"names": list(found.names) if labelled else [], "labels": labels}
        write_store(folder / STORED / split, split, shape, found.rows(chosen, data.side, data.colour), notes=notes)


def stored_pictures(folder: Path, split: str) -> Stored:
    """The pictures that a run stored."""
    store = open_store(folder / STORED / split, split)
    if store is None:
        raise RunError(f"The pictures in {folder / STORED / split} are damaged or gone; copy the complete run folder.")
    labels = store.notes["labels"]
    return Stored(store, None if labels is None else np.asarray(labels, np.int64), tuple(store.notes["names"]))


def _found(data: PicturesConfig, seed: int) -> Labelled:
    if data.train is not None:
        return read_labelled(Path(data.train), data.labels)
    if data.labels is not None:
        raise DataError("data.labels is set but data.train is not; name both, or neither for an embedded book.")
    total = data.size + data.held_out
    return _glyphs(data, seed, total) if data.book == "glyphbook" else _scenes(data, seed, total)


def _glyphs(data: PicturesConfig, seed: int, total: int) -> Labelled:
    """The same number of drawings of each of the first characters."""
    labels = [number % data.classes for number in range(total)]
    drawn = (draw_glyph(seed, label, number // data.classes, data.side) for number, label in enumerate(labels))
    names = tuple(name_of(seed, number) for number in range(data.classes))
    return Labelled(np.stack(list(drawn)), labels, names)


def _scenes(data: PicturesConfig, seed: int, total: int) -> Labelled:
    """Scenes of the picturebook, small: one thing in the middle, or two far apart that look the same."""
    sampler = Sampler(Random(f"image-gan {data.scenes} {seed}"))
    make = {"one": _alone, "agree": agreeing}[data.scenes]
    scenes = [make(sampler) for _ in range(total)]
    labels = [SHAPES.index(scene.things[0].look.shape) for scene in scenes]
    return Labelled(np.concatenate(list(_painted(scenes, data))), labels, SHAPES)


def _painted(scenes: Sequence[Scene], data: PicturesConfig) -> Iterator[np.ndarray]:
    """The pictures at the size of the run, a few at a time."""
    rest = iter(scenes)
    while some := list(islice(rest, _TOGETHER)):
        small = [fitted(picture, data.side, data.colour) for picture in draw(some)]
        yield np.stack(small) if data.colour else np.stack(small)[..., 0]


def _alone(sampler: Sampler) -> Scene:
    (look,) = sampler.looks(1)
    look = look._replace(size="big", filling="plain")
    middle = 32.0
    return Scene((sampler.put(look, middle, middle, ALONE),), _quiet(sampler))


def agreeing(sampler: Sampler) -> Scene:
    """Two things of one look, left and right: what stands on one side can only be known from the other."""
    (look,) = sampler.looks(1)
    look = look._replace(size="big", filling="plain")
    things = (sampler.put(look, FAR, 32.0, BIG), sampler.put(look, 64.0 - FAR, 32.0, BIG))
    return Scene(things, _quiet(sampler))


def _quiet(sampler: Sampler) -> Background:
    return sampler.background()._replace(kind="plain", paper="cream", noise=0.0)
