"""Parts of a picture taken away, to see what depends on them."""

import numpy as np


def erase(pixels_HW3: np.ndarray, mask_HW: np.ndarray) -> np.ndarray:
    """The picture with the masked pixels in the median colour of the others, which is the paper of a drawn scene."""
    out = pixels_HW3.copy()
    kept = pixels_HW3[~mask_HW] if not mask_HW.all() else pixels_HW3.reshape(-1, pixels_HW3.shape[-1])
    out[mask_HW] = np.median(kept, axis=0).astype(pixels_HW3.dtype)
    return out


def blur(pixels_HW3: np.ndarray, mask_HW: np.ndarray, radius: int = 6) -> np.ndarray:
    """The picture with the masked pixels smoothed by three box filters, almost a Gaussian."""
    soft = pixels_HW3.astype(np.float64)
    for _ in range(3):
        for axis in (0, 1):
            soft = _box(soft, radius, axis)
    return np.where(mask_HW[..., None], (soft + 0.5).astype(pixels_HW3.dtype), pixels_HW3)


def _box(values: np.ndarray, radius: int, axis: int) -> np.ndarray:
    """Means over 2 · radius + 1 neighbours along an axis; the edge continues outwards."""
    pad = [(0, 0)] * values.ndim
    pad[axis] = (radius + 1, radius)
    sums = np.cumsum(np.pad(values, pad, mode="edge"), axis=axis)
    wide, size = 2 * radius + 1, values.shape[axis]
    ahead = np.take(sums, range(wide, wide + size), axis)
    return (ahead - np.take(sums, range(size), axis)) / wide
