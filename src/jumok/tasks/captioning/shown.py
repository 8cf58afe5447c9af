"""The pictures of a split as a model is shown them: pixels, changed a little in training, or features."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from jumok.data.caption_batch import images_from
from jumok.data.images import PixelStore
from jumok.data.images.augment import Augmentation, augment, is_mirrored
from jumok.data.sources import Features, Images


@dataclass(frozen=True)
class Shown:
    """Pictures in a store, and what a frozen backbone made of them, where there is one."""

    pixels: PixelStore
    features: PixelStore | None = None
    mirrored: PixelStore | None = None
    """What it made of the same pictures mirrored, where training shows those too."""

    def __len__(self) -> int:
        return len(self.pixels)

    def source(self, pictures: Sequence[int] | np.ndarray) -> Images | Features:
        """The pictures of these numbers as they are."""
        if self.features is None:
            return images_from(self.pixels.batch(pictures))
        return _as_source(self.features.batch(pictures))

    def changed(
        self, pictures: np.ndarray, how: Augmentation, seed: int, epoch: int, numbers: np.ndarray
    ) -> Images | Features:
        """The pictures as an epoch shows them: a pure function of seed, epoch and number."""
        if not how.active:
            return self.source(pictures)
        if self.features is not None:
            return self._perhaps_mirrored(pictures, [is_mirrored(how, seed, epoch, int(n)) for n in numbers])
        rows = zip(self.pixels.batch(pictures), numbers, strict=True)
        return images_from(np.stack([augment(one, how, seed, epoch, int(number)) for one, number in rows]))

    def _perhaps_mirrored(self, pictures: np.ndarray, mirrored: list[bool]) -> Features:
        assert self.features is not None
        assert self.mirrored is not None
        states_BSE, chosen = self.features.batch(pictures), np.array(mirrored)
        states_BSE[chosen] = self.mirrored.batch(pictures[chosen])
        return _as_source(states_BSE)


def _as_source(states_BSE: np.ndarray) -> Features:
    states = torch.from_numpy(states_BSE)
    return Features(states, torch.ones(states.shape[:2], dtype=torch.bool))
