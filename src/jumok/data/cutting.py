"""Long sources cut to what a model reads, for tasks in which the beginning of a text says most of it."""

from dataclasses import dataclass

import numpy as np

from jumok.data.store import PairSource, TokenPair
from jumok.shapes import UNK


@dataclass(frozen=True)
class CutPairs:
    """Pairs with at most `most` source tokens.

    Ids from `first_slot` on name unknown words of a source (text.slots). Where such a word stands only in the part that
    is cut off, nothing can copy it, and in the target it is an unknown word.
    """

    pairs: PairSource
    most: int
    first_slot: int | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    def lengths(self) -> np.ndarray:
        """[N, 2] tokens of source and target without EOS, as they are read."""
        return np.minimum(self.pairs.lengths(), np.array([self.most, np.iinfo(np.int32).max], dtype=np.int32))

    def pair(self, number: int, epoch: int = 0) -> TokenPair:
        """The pair of that number in that epoch, its source cut."""
        pair = self.pairs.pair(number, epoch)
        if len(pair.source) <= self.most:
            return pair
        source, target = np.asarray(pair.source)[: self.most], np.asarray(pair.target)
        if self.first_slot is not None:
            target = np.where((target >= self.first_slot) & ~np.isin(target, source), UNK, target)
        links = None if pair.links is None else pair.links[pair.links[:, 0] < self.most]
        return TokenPair(source, target, links)
