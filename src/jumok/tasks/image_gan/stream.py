"""The endless order in which a run sees its pictures."""

from collections.abc import Iterator
from itertools import count

import numpy as np

from jumok.data.bucketing import Position
from jumok.tasks.image_gan.pictures import ImageBatch, Stored
from jumok.tasks.task import Place
from jumok.text.seeds import stable_seed


class Stream:
    """Endless batches from a position on; each epoch has an order of its own, which follows from its number."""

    def __init__(self, pictures: Stored, size: int, seed: int, place: Place) -> None:
        self.pictures, self.seed = pictures, seed
        self.size, self.processes = min(size, len(pictures)), place.processes

    def __call__(self, position: Position) -> Iterator[tuple[Position, ImageBatch]]:
        batches = len(self.pictures) // self.size
        for epoch in count(position.epoch):
            order = self._order(epoch)
            for number in range(position.batch if epoch == position.epoch else 0, batches):
                mine = order[number * self.size : (number + 1) * self.size]
                mine = mine[self.processes.rank :: self.processes.world]
                yield Position(epoch, number), self.pictures.batch(mine)

    def _order(self, epoch: int) -> np.ndarray:
        random = np.random.Generator(np.random.PCG64(stable_seed(self.seed, "epoch", epoch)))
        return random.permutation(len(self.pictures))
