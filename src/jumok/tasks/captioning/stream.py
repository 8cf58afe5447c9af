"""Endless batches of pictures and captions, from any position; their order and content follow from it alone."""

import threading
from collections.abc import Iterator, Sequence

import numpy as np

from jumok.data.bucketing import Position, TokenBatches
from jumok.data.caption_batch import CaptionBatch
from jumok.data.images.augment import Augmentation
from jumok.data.loader import made_early
from jumok.tasks.captioning.prepare import WithCaptions
from jumok.tasks.task import Place

Batches = Iterator[tuple[Position, CaptionBatch]]


class Stream:
    """This process's batches; captions of similar length are learned together."""

    def __init__(self, opened: WithCaptions, place: Place) -> None:
        config = opened.config
        self.opened, self.ids, self.shown = opened, opened.ids["train"], opened.shown["train"]
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
        pictures, seed = self.ids.pictures[numbers], self.opened.config.seed
        # Each caption of a picture shows it differently, so the caption's number is what its changes follow from.
        source = self.shown.changed(pictures, self.how, seed, epoch, numbers)
        return CaptionBatch.of(source, [self.ids[int(n)] for n in numbers], numbers.tolist())


def dev_batches(opened: WithCaptions, most_tokens: int) -> Iterator[CaptionBatch]:
    """The validation captions, in order of length, without augmentation."""
    ids, shown = opened.ids["dev"], opened.shown["dev"]
    order = TokenBatches(ids.lengths(), max_tokens=most_tokens, seed=0, shuffle=False)
    for numbers in order.epoch(0):
        source = shown.source(ids.pictures[numbers])
        yield CaptionBatch.of(source, [ids[int(n)] for n in numbers], numbers.tolist())


def chunks(count: int, size: int) -> Iterator[Sequence[int]]:
    """0 … count − 1 in pieces."""
    return (range(start, min(count, start + size)) for start in range(0, count, size))
