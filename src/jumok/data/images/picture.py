"""A picture that someone gives to a model: a file, the content of one, or an array."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from jumok.data.images.fitting import fit
from jumok.data.images.reading import read_image
from jumok.errors import InputError


@dataclass(frozen=True, eq=False)
class Picture:
    """Upright uint8 pixels [H, W, 3] of any size, and what messages call them."""

    pixels_HW3: np.ndarray
    name: str = "picture"

    @classmethod
    def of(cls, given: "Picture | Path | str | bytes | np.ndarray") -> "Picture":
        """The picture of a file name, of the bytes of a file, or of uint8 pixels [H, W, 3] or [H, W]."""
        if isinstance(given, Picture):
            return given
        if isinstance(given, np.ndarray):
            return cls(_rgb(given), "array")
        if not isinstance(given, str | Path | bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"A picture is a file name, its bytes or an array, not {type(given).__name__}.")
        name = "picture" if isinstance(given, bytes) else Path(given).name
        return cls(read_image(given), name)

    def __str__(self) -> str:
        return self.name

    def fitted(self, side: int, how: str) -> np.ndarray:
        """uint8 [side, side, 3]."""
        return fit(self.pixels_HW3, side, side, how)


def pixel_key(pixels: np.ndarray) -> tuple[int, ...]:
    """Whole numbers that follow from the pixels alone: the same picture has the same."""
    return tuple(blake2b(np.ascontiguousarray(pixels).tobytes(), digest_size=16).digest())


def _rgb(pixels: np.ndarray) -> np.ndarray:
    shape = pixels.shape
    if pixels.dtype != np.uint8 or len(shape) not in (2, 3) or 0 in shape or shape[2:] not in ((), (1,), (3,)):
        raise InputError(f"An array must be uint8 [H, W, 3] or [H, W], not {pixels.dtype} {[*shape]}.")
    grey = pixels if pixels.ndim == 3 else pixels[..., None]
    return np.ascontiguousarray(np.broadcast_to(grey, (*shape[:2], 3)))
