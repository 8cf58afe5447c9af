"""Sentence pairs as word numbers, and batches of pairs of similar length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor

from jumok.aligner.spelling import fold
from jumok.text.normal import words_of

Sentence = tuple[int, ...]


@dataclass(frozen=True)
class Batch:
    """Some pairs side by side; padding is 0 and outside the masks."""

    numbers: tuple[int, ...]
    """Which pairs of the bitext these are."""
    source_BS: Tensor
    source_mask_BS: Tensor
    target_BT: Tensor
    target_mask_BT: Tensor


@dataclass(frozen=True)
class Bitext:
    """Pairs of sentences over two lists of different (folded) words."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    sources: tuple[Sentence, ...]
    targets: tuple[Sentence, ...]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> "Bitext":
        """The bitext of lines of white-space words."""
        source_words, sources = _number([source for source, _ in pairs])
        target_words, targets = _number([target for _, target in pairs])
        return cls(source_words, target_words, sources, targets)

    def __len__(self) -> int:
        return len(self.sources)

    def reversed(self) -> "Bitext":
        """The same pairs from target to source."""
        return Bitext(self.target_words, self.source_words, self.targets, self.sources)

    def target_counts(self) -> Tensor:
        """How often each target word stands in the bitext."""
        every = torch.tensor([word for sentence in self.targets for word in sentence], dtype=torch.long)
        return torch.bincount(every, minlength=len(self.target_words))

    def batches(
        self, batch_words: int, numbers: Sequence[int] | None = None, seed: int | None = None
    ) -> Iterator[Batch]:
        """Batches of about so many target words (padding counted) in an order of the seed, or by length.

        A pair with an empty side has nothing to align and is in no batch.
        """
        chosen = range(len(self)) if numbers is None else numbers
        order = [n for n in chosen if self.sources[n] and self.targets[n]]
        order.sort(key=lambda n: (len(self.targets[n]), len(self.sources[n]), n))
        groups = list(self._groups(order, batch_words))
        if seed is not None:
            Random(seed).shuffle(groups)
        for group in groups:
            source_BS, source_mask_BS = _pad([self.sources[n] for n in group])
            target_BT, target_mask_BT = _pad([self.targets[n] for n in group])
            yield Batch(tuple(group), source_BS, source_mask_BS, target_BT, target_mask_BT)

    def _groups(self, order: Sequence[int], batch_words: int) -> Iterator[list[int]]:
        group: list[int] = []
        for number in order:
            # The order rises, so the newest is the longest and tells what padding costs.
            if group and (len(group) + 1) * len(self.targets[number]) > batch_words:
                yield group
                group = []
            group.append(number)
        if group:
            yield group


def _number(lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[Sentence, ...]]:
    """The different folded words, in order of appearance, and the lines as their numbers."""
    numbers: dict[str, int] = {}
    sentences = [tuple(numbers.setdefault(fold(word), len(numbers)) for word in words_of(line)) for line in lines]
    return tuple(numbers), tuple(sentences)


def _pad(sentences: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
    longest = max(len(sentence) for sentence in sentences)
    ids = torch.zeros(len(sentences), longest, dtype=torch.long)
    mask = torch.zeros(len(sentences), longest, dtype=torch.bool)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = torch.tensor(sentence)
        mask[row, : len(sentence)] = True
    return ids, mask
