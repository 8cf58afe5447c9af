"""Pictures with classes, wherever they lie: a folder, class folders, an .npz, or idx files as MNIST has them."""

import gzip
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from jumok.data.images.fitting import fit
from jumok.data.images.folders import class_folders, image_files
from jumok.data.images.reading import read_image
from jumok.errors import DataError

IMAGES_MAGIC, LABELS_MAGIC = 0x803, 0x801
MOST_IDX_BYTES = 4_000_000_000


@dataclass(frozen=True)
class Labelled:
    """Pictures that are read when their turn comes, and the class of each, if there are classes."""

    pictures: Sequence[Path] | np.ndarray
    """Files, or uint8 pixels [N, H, W] or [N, H, W, 3]."""
    labels: Sequence[int] | None
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pictures)

    def rows(self, order: Sequence[int], side: int, colour: bool) -> Iterator[np.ndarray]:
        """The pictures of these numbers as uint8 [side, side, 3], or [side, side, 1] without colour."""
        for number in order:
            picture = self.pictures[number]
            pixels = picture if isinstance(picture, np.ndarray) else read_image(picture)
            yield fitted(pixels, side, colour)


def fitted(pixels: np.ndarray, side: int, colour: bool) -> np.ndarray:
    """A grey or coloured picture of any size at the wanted one, cut to a square in its middle."""
    if pixels.ndim == 2:
        if pixels.shape == (side, side) and not colour:
            return pixels[..., None]
        pixels = np.repeat(pixels[..., None], 3, axis=2)
    return fit(pixels, side, side, "crop", grey=not colour)


def read_labelled(path: Path, labels: str | None = None) -> Labelled:
    """The pictures of a folder or file; `labels` names the array of an .npz, or the idx file, with the classes."""
    if path.is_dir():
        return _folder(path)
    if path.suffix == ".npz":
        return _array(path, labels)
    if path.is_file():
        return _idx(path, labels)
    raise DataError(f"{path} is not there; name a folder of pictures, an .npz or an idx file.")


def _folder(path: Path) -> Labelled:
    flat = image_files(path)
    if flat:
        return Labelled(flat, None, ())
    classes = class_folders(path)
    files = [file for pictures in classes.values() for file in pictures]
    labels = [number for number, pictures in enumerate(classes.values()) for _ in pictures]
    return Labelled(files, labels, tuple(classes))


def read_arrays(path: Path, *names: str, perhaps: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """The named arrays of an .npz file, and those of `perhaps` that it has."""
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            raise DataError(f"{path} holds one array without a name; save it with numpy.savez(…, images=…).")
        with content as file:
            missing = [name for name in names if name not in file]
            if missing:
                raise DataError(f"{path} has no array `{missing[0]}`; it has {', '.join(file.files) or 'none'}.")
            return {name: file[name] for name in (*names, *(one for one in perhaps if one in file))}
    except DataError:
        raise
    except (OSError, ValueError, EOFError, BadZipFile, zlib.error):
        raise DataError(f"{path} cannot be read: it is not an .npz file of plain numbers, or it is damaged.") from None


def _array(path: Path, name: str | None) -> Labelled:
    arrays = read_arrays(path, "images", *([] if name is None else [name]))
    images, values = arrays["images"], None if name is None else arrays[name]
    size = 3 if images.ndim > 3 and images.shape[-1] == 3 else 2
    if images.dtype != np.uint8 or images.ndim <= size:
        raise DataError(
            f"`images` of {path} must be uint8 […, H, W] or […, H, W, 3], not {images.dtype} {images.shape}."
        )
    leading = images.shape[:-size]
    pictures = images.reshape(-1, *images.shape[-size:])
    if values is None:
        return Labelled(pictures, None, ())
    return _named(pictures, _spread(values, leading, f"`{name}` of {path}").reshape(-1))


def _spread(values: np.ndarray, leading: tuple[int, ...], what: str) -> np.ndarray:
    """The classes for every picture, also where they are given along one axis of several."""
    if values.shape == leading:
        return values
    axes = [axis for axis, length in enumerate(leading) if values.shape == (length,)]
    if len(axes) != 1:
        raise DataError(f"{what} has shape {values.shape}, which names no axis of the pictures {leading}.")
    shape = [length if axis == axes[0] else 1 for axis, length in enumerate(leading)]
    return np.broadcast_to(values.reshape(shape), leading)


def _named(pictures: np.ndarray, values: np.ndarray) -> Labelled:
    names, labels = np.unique(values, return_inverse=True)
    return Labelled(pictures, labels.reshape(-1).tolist(), tuple(str(name) for name in names))


def _idx(path: Path, labels: str | None) -> Labelled:
    """Pictures of an idx file; the labels that lie beside it are found by their usual name."""
    images = _idx_array(path, IMAGES_MAGIC, 3)
    beside = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))
    chosen = Path(labels) if labels else beside if beside != path and beside.is_file() else None
    if chosen is None:
        return Labelled(images, None, ())
    values = _idx_array(chosen, LABELS_MAGIC, 1)
    if len(values) != len(images):
        raise DataError(f"{chosen} has {len(values):,} labels for {len(images):,} pictures in {path}.")
    return _named(images, values)


def _idx_array(path: Path, magic: int, axes: int) -> np.ndarray:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(MOST_IDX_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    head = 4 * (1 + axes)
    if len(content) < head or struct.unpack(">i", content[:4])[0] != magic:
        raise DataError(f"{path} is not an idx file of {'pictures' if axes == 3 else 'labels'}; use a folder or .npz.")
    shape = struct.unpack(f">{axes}i", content[4:head])
    body = np.frombuffer(content, np.uint8, offset=head)
    if min(shape) < 0 or body.size != int(np.prod(shape, dtype=np.int64)):
        raise DataError(f"{path} is cut off: its head promises {shape}, and {body.size:,} bytes follow.")
    return body.reshape(shape)
