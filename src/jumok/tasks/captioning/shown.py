"""The pictures of a split as a model is shown them: pixels, changed a little in training, or features."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from jumok.data.caption_batch import images_from
from jumok.data.images import PixelStore
from jumok.data.images.augment import Augmentation, augment
from jumok.data.sources import Features, Images


@dataclass(frozen=True)
class Shown:
    """Pictures in a store, and what a frozen backbone made of them, where there is one."""

    pixels: PixelStore
    features: PixelStore | None = None

    def __len__(self) -> int:
        return len(self.pixels)

    def source(self, pictures: Sequence[int] | np.ndarray) -> Images | Features:
        """The pictures of these numbers as they are."""
        if self.features is None:
            return images_from(self.pixels.batch(pictures))
        states_BSE = torch.from_numpy(self.features.batch(pictures))
        return Features(states_BSE, torch.ones(states_BSE.shape[:2], dtype=torch.bool))

    def changed(
        self, pictures: np.ndarray, how: Augmentation, seed: int, epoch: int, numbers: np.ndarray
    ) -> Images | Features:
        """The pictures as an epoch shows them: a pure function of seed, epoch and number."""
        if not how.active:
            return self.source(pictures)
        rows = zip(self.pixels.batch(pictures), numbers, strict=True)
        return images_from(np.stack([augment(one, how, seed, epoch, int(number)) for one, number in rows]))
