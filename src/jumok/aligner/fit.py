"""Fitting one direction: gradient ascent on the likelihood of the bitext, alignments summed out."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from jumok.aligner.bitext import Bitext
from jumok.aligner.choose import Matrix
from jumok.aligner.latent import LatentAlignment
from jumok.arguments import LARGEST_SEED, check_finite, check_whole
from jumok.errors import ConfigError, DataError


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How an aligner is built and fitted; the defaults were chosen by the likelihood of held-out pairs."""

    size: int = 96
    """Of the word vectors."""
    epochs: int = 6
    least_steps: int = 600
    """A small bitext is gone through more often than `epochs`, until there were so many batches."""
    uniform_epochs: int = 1
    """Epochs at the beginning without jumps (IBM model 1), so that words are learned before the order is."""
    learning_rate: float = 1e-2
    chain_rate: float = 10.0
    """How many times faster the few parameters of jumps and null are learned."""
    batch_words: int = 2048
    warmup: int = 40
    null: float = 0.1
    """Where the probability of coming from no word begins; it is learned."""
    spelled: bool = True
    """Whether words are bags of n-grams; otherwise each has a vector of its own."""
    marks_apart: bool = True
    """Whether punctuation comes from punctuation only (or from nothing), and words from words."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("learning_rate", "chain_rate", "null"):
            check_finite(name, getattr(self, name))
        check_whole("the seed", self.seed, 0, LARGEST_SEED)
        if min(self.size, self.epochs, self.batch_words, self.warmup) < 1 or self.uniform_epochs < 0:
            raise ConfigError("an aligner needs a size, epochs, batch words and warm-up of at least 1.")
        if not (0 < self.null < 1 and self.learning_rate > 0 and self.chain_rate > 0):
            raise ConfigError("an aligner needs learning rates above 0, and a null between 0 and 1.")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step: a short warm-up, then down to nearly nothing along a line."""
        return self.learning_rate * min(1.0, (step + 1) / self.warmup) * max(0.02, 1 - step / steps)


@dataclass(frozen=True)
class EpochDone:
    """An epoch's mean log-likelihood of a target word, in nats, while it was being learned."""

    epoch: int
    epochs: int
    log_likelihood: float
    seconds: float


Listener = Callable[[EpochDone], None]


def fit(
    bitext: Bitext,
    settings: Settings | None = None,
    listen: Listener | None = None,
    *,
    numbers: Sequence[int] | None = None,
) -> LatentAlignment:
    """The aligner of a bitext, source to target, learned from all pairs or those of the numbers.

    The same arguments give the same aligner.
    """
    settings = settings or Settings()
    numbers = range(len(bitext)) if numbers is None else numbers
    words = sum(len(bitext.targets[n]) for n in numbers if bitext.sources[n])
    if words == 0:
        raise DataError("there is no pair with words on both sides to learn an alignment from.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = LatentAlignment(
            bitext.source_words, bitext.target_words, bitext.target_counts(), size=settings.size,
            spelled=settings.spelled, marks_apart=settings.marks_apart, null=settings.null,
        )  # fmt: skip
        for done in _epochs(model, bitext, settings, numbers, words):
            if listen is not None:
                listen(done)
    return model.eval()


def _epochs(
    model: LatentAlignment, bitext: Bitext, settings: Settings, numbers: Sequence[int], words: int
) -> Iterator[EpochDone]:
    """Teaches the model, an epoch at a time."""
    slow, fast = model.rates()
    optimizer = torch.optim.Adam([{"params": slow}, {"params": fast}], betas=(0.9, 0.98), fused=True)
    batches = sum(1 for _ in bitext.batches(settings.batch_words, numbers))
    epochs = max(settings.epochs, -(-settings.least_steps // batches))
    step, begin = 0, time.monotonic()
    for epoch in range(epochs):
        total = 0.0
        jumps = epoch >= settings.uniform_epochs * epochs / settings.epochs
        for batch in bitext.batches(settings.batch_words, numbers, seed=settings.seed * 1009 + epoch):
            rate = settings.rate(step, epochs * batches)
            for group, scale in zip(optimizer.param_groups, (1.0, settings.chain_rate), strict=True):
                group["lr"] = rate * scale
            log_likelihood = model(batch, jumps=jumps).sum()
            optimizer.zero_grad(set_to_none=True)
            (-log_likelihood / batch.target_mask_BT.sum()).backward()
            optimizer.step()
            total += log_likelihood.item()
            step += 1
        yield EpochDone(epoch + 1, epochs, total / words, time.monotonic() - begin)


@torch.no_grad()
def mean_log_likelihood(
    model: LatentAlignment, bitext: Bitext, numbers: Sequence[int] | None = None, batch_words: int = 2048
) -> float:
    """Mean log-likelihood of a target word, in nats: on pairs held out of `fit` it compares settings without gold."""
    total, words = 0.0, 0
    for batch in bitext.batches(batch_words, numbers):
        total += model(batch).sum().item()
        words += int(batch.target_mask_BT.sum())
    if words == 0:
        raise DataError("there is no pair with words on both sides to measure the likelihood of.")
    return total / words


def attention_of(model: LatentAlignment, bitext: Bitext, batch_words: int = 2048) -> list[Matrix]:
    """The posterior attention [target, source] of every pair of the bitext the model was fitted to."""
    found = [np.zeros((len(t), len(s)), np.float32) for s, t in zip(bitext.sources, bitext.targets, strict=True)]
    for batch in bitext.batches(batch_words):
        weights_BTS = model.attention(batch).numpy()
        for row, number in enumerate(batch.numbers):
            height, width = found[number].shape
            found[number] = weights_BTS[row, :height, :width].copy()
    return found
