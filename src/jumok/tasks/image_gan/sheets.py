"""Pictures side by side on one sheet, and the sheets of a run over time."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jumok.data.images import png_bytes
from jumok.durable import disk_errors, write_file
from jumok.run.names import SAMPLES
from jumok.training.events import Event, Validated

GAP = 2
PAPER = 255
LEAST_SHOWN = 64
"""Pixels of a picture's side on a sheet, at least: smaller ones are enlarged by a whole number."""


def sheet(pictures: Sequence[np.ndarray] | np.ndarray, columns: int) -> np.ndarray:
    """uint8 [H, W, 3] of pictures [S, S, 1] or [S, S, 3], `columns` in a row."""
    rows = -(-len(pictures) // columns)
    side = pictures[0].shape[0]
    times = max(1, -(-LEAST_SHOWN // side))
    cell = side * times + GAP
    out = np.full((rows * cell + GAP, columns * cell + GAP, 3), PAPER, np.uint8)
    for number, picture in enumerate(pictures):
        top, left = (GAP + place * cell for place in divmod(number, columns))
        large = picture.repeat(times, 0).repeat(times, 1)
        out[top : top + side * times, left : left + side * times] = large
    return out


class Sheets:
    """Writes `samples/<step>.png` at each validation: the same noise, drawn by the generator of that step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / SAMPLES

    def hear(self, event: Event) -> None:
        """Takes in one event of training."""
        if isinstance(event, Validated) and event.validation.sheet is not None:
            with disk_errors(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            write_file(self.folder / f"{event.step:06}.png", png_bytes(event.validation.sheet))

    def close(self) -> None:
        """Nothing is held."""
