"""Whether attention over a picture lies where the word's thing is, and whether it matters.

    pointing   the centre of the cell with the most weight lies in the thing's region
    energy     the share of the weight that lies in the region; a cell's weight is spread evenly over its pixels
    effect     how much log p of the word falls when the attended cells are erased, beside as many other cells

The region of a thing is its filled outline, dilated by half a cell, without the outlines of things inside it: the
innermost thing wins. A word of several things (`three stars`) may point at any of them. Weights are means over heads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jumok.data.images.editing import erase

COVERED = 0.5
"""The attended region is the smallest set of cells that together have this share of the weight."""


def region_of(outlines_KHW: np.ndarray, things: Sequence[int], cell: tuple[float, float]) -> np.ndarray:
    """bool [H, W]: where a word that speaks of these things should look; `cell` is the height and width of a cell."""
    found = np.zeros(outlines_KHW.shape[1:], bool)
    for thing in things:
        mask = outlines_KHW[thing]
        region = dilate(mask, cell[0] / 2, cell[1] / 2)
        for other, inner in enumerate(outlines_KHW):
            if other not in things and inner.any() and inner.sum() < mask.sum() and not (inner & ~mask).any():
                region &= ~inner
        found |= region
    return found


def dilate(mask_HW: np.ndarray, down: float, right: float) -> np.ndarray:
    """The mask grown by an ellipse with these half axes, in pixels."""
    a, b = int(down), int(right)
    padded = np.pad(mask_HW, ((a, a), (b, b)))
    out = np.zeros_like(mask_HW)
    height, width = mask_HW.shape
    for y in range(-a, a + 1):
        for x in range(-b, b + 1):
            if (y / max(down, 1)) ** 2 + (x / max(right, 1)) ** 2 <= 1:
                out |= padded[a + y : a + y + height, b + x : b + x + width]
    return out


def points_at(weights_RC: np.ndarray, region_HW: np.ndarray) -> bool:
    """Whether the centre of the cell with the most weight lies in the region."""
    (rows, columns), (height, width) = weights_RC.shape, region_HW.shape
    row, column = divmod(int(weights_RC.argmax()), columns)
    return bool(region_HW[int((row + 0.5) * height / rows), int((column + 0.5) * width / columns)])


def energy_in(weights_RC: np.ndarray, region_HW: np.ndarray) -> float:
    """The share of the weight that lies in the region, from 0 to 1."""
    rows, columns = weights_RC.shape
    height, width = region_HW.shape
    row = np.arange(height) * rows // height
    column = np.arange(width) * columns // width
    inside, pixels = np.zeros((rows, columns)), np.zeros((rows, columns))
    np.add.at(inside, (row[:, None], column[None, :]), region_HW)
    np.add.at(pixels, (row[:, None], column[None, :]), 1)
    total = float(weights_RC.sum())
    return float((weights_RC * inside / np.maximum(pixels, 1)).sum()) / total if total else 0.0


@dataclass
class RegionTally:
    """Pointing and energy, added up caption by caption, for all words that speak of things and by word class."""

    _found: dict[str, list[float]] = field(default_factory=dict)

    def add(
        self,
        weights_WRC: np.ndarray,
        things: Sequence[Sequence[int]],
        classes: Sequence[str],
        outlines_KHW: np.ndarray,
    ) -> None:
        """The words of a caption that is right: their weights, and what gold says of them."""
        (_, rows, columns), (_, height, width) = weights_WRC.shape, outlines_KHW.shape
        regions: dict[tuple[int, ...], np.ndarray] = {}
        for weights, numbers, kind in zip(weights_WRC, things, classes, strict=True):
            if not numbers:
                continue
            key = tuple(numbers)
            if key not in regions:
                regions[key] = region_of(outlines_KHW, key, (height / rows, width / columns))
            row = (1.0, float(points_at(weights, regions[key])), energy_in(weights, regions[key]))
            for name in ("all", kind):
                sums = self._found.setdefault(name, [0.0, 0.0, 0.0])
                sums[:] = [total + value for total, value in zip(sums, row, strict=True)]

    def result(self) -> dict[str, dict[str, float]]:
        """For `all` and each word class: `words`, `pointing` and `energy` (means from 0 to 1)."""
        return {
            name: {"words": words, "pointing": pointing / words, "energy": energy / words}
            for name, (words, pointing, energy) in self._found.items()
        }


def attended_cells(weights_RC: np.ndarray, share: float = COVERED) -> np.ndarray:
    """bool [R, C]: the fewest cells that together have this share of the weight."""
    order = np.argsort(-weights_RC, axis=None, kind="stable")
    sums = np.cumsum(weights_RC.reshape(-1)[order])
    number = int(np.searchsorted(sums, share * sums[-1] * (1 - 1e-9))) + 1
    cells = np.zeros(weights_RC.size, bool)
    cells[order[:number]] = True
    return cells.reshape(weights_RC.shape)


def other_cells(cells_RC: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """As many cells as these, drawn from the others (from all, where the others are too few)."""
    free = np.flatnonzero(~cells_RC)
    number = int(cells_RC.sum())
    pool = free if len(free) >= number else np.arange(cells_RC.size)
    chosen = np.zeros(cells_RC.size, bool)
    chosen[random.choice(pool, number, replace=False)] = True
    return chosen.reshape(cells_RC.shape)


def pixels_of(cells_RC: np.ndarray, height: int, width: int) -> np.ndarray:
    """bool [H, W]: the pixels of these cells."""
    rows, columns = cells_RC.shape
    return cells_RC[np.arange(height)[:, None] * rows // height, np.arange(width)[None, :] * columns // width]


@dataclass(frozen=True)
class WordEffect:
    """How much log p of a word falls (positive: it falls) when what it attends to is erased, or other cells are."""

    attended: float
    elsewhere: float


def effects_of(
    pixels_HW3: np.ndarray,
    weights_WRC: np.ndarray,
    log_probs: Callable[[np.ndarray], np.ndarray],
    seed: int = 0,
) -> list[WordEffect]:
    """The effect of each word; `log_probs(pixels_NHW3)` gives log p [N, W] of the given words for each picture."""
    random = np.random.default_rng(seed)
    height, width = pixels_HW3.shape[:2]
    variants = [pixels_HW3]
    for weights in weights_WRC:
        cells = attended_cells(weights)
        for chosen in (cells, other_cells(cells, random)):
            variants.append(erase(pixels_HW3, pixels_of(chosen, height, width)))
    found = log_probs(np.stack(variants))
    words = range(len(weights_WRC))
    return [
        WordEffect(float(found[0, w] - found[1 + 2 * w, w]), float(found[0, w] - found[2 + 2 * w, w])) for w in words
    ]


def summarise_effects(effects: Sequence[tuple[str, WordEffect]]) -> dict[str, dict[str, Any]]:
    """Means by word class and for `all`: `words`, `attended`, `elsewhere`."""
    kinds = dict.fromkeys(("all", *(kind for kind, _ in effects)))
    out: dict[str, dict[str, Any]] = {}
    for name in kinds if effects else ():
        rows = [effect for kind, effect in effects if name in ("all", kind)]
        out[name] = {
            "words": len(rows),
            "attended": sum(row.attended for row in rows) / len(rows),
            "elsewhere": sum(row.elsewhere for row in rows) / len(rows),
        }
    return out
