"""Pictures of any size brought to one size."""

import numpy as np
from PIL import Image

from jumok.errors import DataError, did_you_mean

FITS = ("crop", "pad", "stretch")
"""crop: cover the size and cut off what is outside; pad: all of the picture, on white; stretch: aspect lost."""


def fit(pixels_HWC: np.ndarray, height: int, width: int, how: str = "crop", *, grey: bool = False) -> np.ndarray:
    """The picture as uint8 [height, width, 3], or [height, width, 1] where `grey`, smoothed where it shrinks."""
    if how not in FITS:
        raise DataError(f"a picture is fitted by {', '.join(FITS)}, not by {how!r}{did_you_mean(how, FITS)}.")
    image = Image.fromarray(pixels_HWC)
    if grey:
        image = image.convert("L")
    if image.size != (width, height):
        image = _resized(image, height, width, how)
    fitted = np.array(image, dtype=np.uint8)
    return fitted[:, :, None] if grey else fitted


def _resized(image: Image.Image, height: int, width: int, how: str) -> Image.Image:
    smooth = Image.Resampling.BICUBIC
    if how == "stretch":
        return image.resize((width, height), smooth)
    if how == "crop":
        return image.resize((width, height), smooth, box=_middle(image, height / width))
    scale = min(width / image.width, height / image.height)
    inner = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    paper = Image.new(image.mode, (width, height), "white")
    paper.paste(image.resize(inner, smooth), ((width - inner[0]) // 2, (height - inner[1]) // 2))
    return paper


def _middle(image: Image.Image, ratio: float) -> tuple[float, float, float, float]:
    """The largest box in the middle of the picture whose height is `ratio` times its width."""
    width = min(float(image.width), image.height / ratio)
    height = width * ratio
    left, top = (image.width - width) / 2, (image.height - height) / 2
    return left, top, min(left + width, image.width), min(top + height, image.height)
