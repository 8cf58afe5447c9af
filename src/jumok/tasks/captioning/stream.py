"""Endless batches of pictures and captions, from any position; their order and content follow from it alone."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np

from jumok.data.bucketing import Position, TokenBatches
from jumok.data.caption_batch import CaptionBatch, images_from
from jumok.data.images.augment import Augmentation, augment
from jumok.data.loader import made_early
from jumok.tasks.captioning.prepare import Opened
from jumok.tasks.task import Place

Batches = Iterator[tuple[Position, CaptionBatch]]


class Stream:
    """This process's batches; captions of similar length are learned together."""

    def __init__(self, opened: Opened, place: Place) -> None:
        config = opened.config
        self.opened, self.ids, self.pixels = opened, opened.ids["train"], opened.pixels["train"]
        self.how = Augmentation(config.data.flip, config.data.crop, config.data.colour)
        self.order = TokenBatches(
            self.ids.lengths(),
            max_tokens=config.train.batch_tokens,
            seed=config.seed,
            rank=place.processes.rank,
            world=place.processes.world,
        )

    def __call__(self, position: Position) -> Batches:
        ahead = self.opened.config.runtime.prefetch
        made = ((at, self.batch(numbers, at.epoch)) for at, numbers in self.order.from_position(position))
        return made_early(made, ahead, threading.Event()) if ahead else made

    def batch(self, numbers: np.ndarray, epoch: int) -> CaptionBatch:
        """The captions of these numbers with their pictures as this epoch shows them."""
        pictures = self.ids.pictures[numbers]
        pixels = self.pixels.batch(pictures)
        if self.how.active:
            seed = self.opened.config.seed
            # Each caption of a picture shows it differently, so the caption's number is the picture's.
            pixels = np.stack(
                [augment(one, self.how, seed, epoch, int(n)) for one, n in zip(pixels, numbers, strict=True)]
            )
        return CaptionBatch.of(images_from(pixels), [self.ids[int(n)] for n in numbers], numbers.tolist())


def dev_batches(opened: Opened, most_tokens: int) -> Iterator[CaptionBatch]:
    """The validation captions, in order of length, without augmentation."""
    ids, pixels = opened.ids["dev"], opened.pixels["dev"]
    order = TokenBatches(ids.lengths(), max_tokens=most_tokens, seed=0, shuffle=False)
    for numbers in order.epoch(0):
        yield CaptionBatch.of(
            images_from(pixels.batch(ids.pictures[numbers])), [ids[int(n)] for n in numbers], numbers.tolist()
        )


def chunks(count: int, size: int) -> Iterator[Sequence[int]]:
    """0 … count − 1 in pieces."""
    return (range(start, min(count, start + size)) for start in range(0, count, size))
