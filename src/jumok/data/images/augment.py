"""Pictures changed a little in each epoch, as a pure function of seed, epoch and the picture's number."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from jumok.text.seeds import stable_seed


@dataclass(frozen=True)
class Augmentation:
    """What may change; zeros change nothing."""

    flip: float = 0.0
    """How often a picture is mirrored; 0 where captions say left and right."""
    crop: float = 0.0
    """The largest share of the side that is cut off; what is left is enlarged to the old size."""
    colour: float = 0.0
    """How far brightness, contrast and saturation may change: 0.2 is from 0.8 to 1.2."""

    @property
    def active(self) -> bool:
        """Whether anything may change."""
        return bool(self.flip or self.crop or self.colour)


def _drawn(seed: int, epoch: int, number: int) -> list[float]:
    """The numbers that decide how a picture is shown: mirrored or not, cut, where, three tones."""
    random = np.random.Generator(np.random.PCG64(stable_seed("augment", seed, epoch, number)))
    return random.random(7).tolist()


def is_mirrored(how: Augmentation, seed: int, epoch: int, number: int) -> bool:
    """Whether the picture of this number is mirrored in this epoch."""
    return _drawn(seed, epoch, number)[0] < how.flip


def augment(pixels_HW3: np.ndarray, how: Augmentation, seed: int, epoch: int, number: int) -> np.ndarray:
    """The picture of this number as it is shown in this epoch."""
    if not how.active:
        return pixels_HW3
    mirrored, cut, at_y, at_x, *tones = _drawn(seed, epoch, number)
    out = pixels_HW3[:, ::-1] if mirrored < how.flip else pixels_HW3
    if how.crop:
        out = _cropped(out, 1 - how.crop * cut, at_y, at_x)
    if how.colour:
        out = _toned(out, [1 + how.colour * (2 * tone - 1) for tone in tones])
    return np.ascontiguousarray(out)


def _cropped(pixels: np.ndarray, share: float, at_y: float, at_x: float) -> np.ndarray:
    height, width = pixels.shape[:2]
    top, left = at_y * (1 - share) * height, at_x * (1 - share) * width
    box = (left, top, min(left + share * width, width), min(top + share * height, height))
    image = Image.fromarray(np.ascontiguousarray(pixels))
    return np.array(image.resize((width, height), Image.Resampling.BICUBIC, box=box), np.uint8)


def _toned(pixels: np.ndarray, factors: list[float]) -> np.ndarray:
    brightness, contrast, saturation = factors
    values = pixels.astype(np.float32)
    grey = values @ np.array([0.299, 0.587, 0.114], np.float32)
    values = grey[..., None] + (values - grey[..., None]) * saturation
    mean = grey.mean()
    return np.clip((mean + (values - mean) * contrast) * brightness + 0.5, 0, 255).astype(np.uint8)
