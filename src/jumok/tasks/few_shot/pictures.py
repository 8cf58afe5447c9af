"""The pictures of a run: glyphs, class folders or an array, stored once in the run folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jumok.config import EpisodesConfig, FewShotConfig
from jumok.data.episodes import Classes
from jumok.data.glyphbook import draw, name_of
from jumok.data.images import class_folders, fit, open_store, read_image, write_store
from jumok.data.images.labelled import read_arrays
from jumok.errors import ConfigError, DataError, RunError
from jumok.run.names import STORED

# Validation glyphs come from alphabets that no training run of sensible size reaches.
FIRST_DEV_CLASS = 24 * 1_000_000
MIDDLE_GREY = 127


@dataclass(frozen=True)
class Pictures:
    """Classes before they are stored."""

    names: Sequence[str]
    counts: Sequence[int]
    rows: Iterator[np.ndarray]


def read_ink(path: Path | str | bytes, side: int) -> np.ndarray:
    """A picture as uint8 [side, side], grey, dark where nothing is: a light one is inverted."""
    return as_ink(fit(read_image(path), side, side, "pad", grey=True)[..., 0])


def as_ink(grey_HW: np.ndarray) -> np.ndarray:
    """The picture with a dark background, as all are learned."""
    return 255 - grey_HW if grey_HW.mean() > MIDDLE_GREY else grey_HW


def store_pictures(config: FewShotConfig, folder: Path) -> None:
    """Stores the classes to learn from and those to validate on below the folder."""
    for split, pictures in _splits(config.data, config.seed).items():
        notes = {"names": list(pictures.names), "counts": list(pictures.counts)}
        side = config.data.side
        write_store(folder / STORED / split, split, (side, side), pictures.rows, notes=notes)


def stored_classes(folder: Path, split: str) -> Classes:
    """The classes that a run stored."""
    store = open_store(folder / STORED / split, split)
    if store is None:
        raise RunError(f"The pictures in {folder / STORED / split} are damaged or gone; copy the complete run folder.")
    return Classes.of(store)


def _splits(data: EpisodesConfig, seed: int) -> dict[str, Pictures]:
    if data.dev and not data.train:
        raise ConfigError("data.dev is set but data.train is not; name both, or neither for the glyphbook.")
    if data.train is None:
        train = _glyphs(range(data.classes), data, seed)
        return {"train": train, "dev": _glyphs(range(FIRST_DEV_CLASS, FIRST_DEV_CLASS + data.held_out), data, seed)}
    if data.dev:
        return {"train": _opened(Path(data.train), data.side), "dev": _opened(Path(data.dev), data.side)}
    return _held_out(Path(data.train), data)


def _glyphs(classes: Sequence[int], data: EpisodesConfig, seed: int) -> Pictures:
    rows = (draw(seed, one, drawing, data.side) for one in classes for drawing in range(data.drawings))
    names = [name_of(seed, one) for one in classes]
    return Pictures(names, [data.drawings] * len(names), rows)


def _opened(path: Path, side: int, part: slice = slice(None)) -> Pictures:
    """The classes of a folder or of an array, or a part of them."""
    if path.suffix == ".npz":
        images, names = read_array(path)
        images, names = images[part], names[part]
        rows = (as_ink(_fitted(one, side)) for drawings in images for one in drawings)
        return Pictures(names, [images.shape[1]] * len(names), rows)
    found = list(class_folders(path).items())[part]
    rows = (read_ink(file, side) for _, files in found for file in files)
    return Pictures([name for name, _ in found], [len(files) for _, files in found], rows)


def read_array(path: Path) -> tuple[np.ndarray, list[str]]:
    """`images` [classes, drawings, H, W] of an .npz file, and the classes' names."""
    arrays = read_arrays(path, "images", perhaps=["class_name"])
    images = arrays["images"]
    if images.ndim != 4 or images.dtype != np.uint8:
        raise DataError(
            f"`images` of {path} must be uint8 [classes, drawings, H, W], not {images.dtype} {images.shape}."
        )
    if "class_name" not in arrays:
        return images, [f"class {number + 1}" for number in range(len(images))]
    names = [str(name) for name in arrays["class_name"].ravel()]
    if len(names) != len(images):
        raise DataError(f"`class_name` of {path} has {len(names)} names for {len(images)} classes.")
    return images, names


def _fitted(grey_HW: np.ndarray, side: int) -> np.ndarray:
    if grey_HW.shape == (side, side):
        return grey_HW
    return fit(np.repeat(grey_HW[..., None], 3, axis=2), side, side, "pad", grey=True)[..., 0]


def _held_out(path: Path, data: EpisodesConfig) -> dict[str, Pictures]:
    count = len(read_array(path)[1]) if path.suffix == ".npz" else len(class_folders(path))
    kept = min(data.held_out, count // 4)
    if data.held_out < data.ways:
        raise ConfigError(f"data.held_out={data.held_out} is less than data.ways={data.ways}; raise it.")
    if kept < data.ways:
        raise DataError(
            f"{path} has {count} classes, of which {kept} may be held out, too few for data.ways={data.ways}; name "
            "others with data.dev, add classes, or lower data.ways."
        )
    return {
        "train": _opened(path, data.side, slice(0, count - kept)),
        "dev": _opened(path, data.side, slice(count - kept, count)),
    }
