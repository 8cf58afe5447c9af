"""Token batches by length buckets, in an order that is a pure function of (seed, epoch).

Memory stays flat however many sentences there are: the sentences are taken in chunks of neighbours, the
chunks are shuffled, and a pool of chunks at a time is shuffled, sorted by length and cut into batches. A
corpus smaller than the pool is shuffled wholly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from jumok.errors import DataError
from jumok.text.seeds import stable_seed

CHUNK = 1024
POOL = 256 * CHUNK


@dataclass(frozen=True, order=True)
class Position:
    """A place in the endless order of batches; `Position(e, n)` with n batches in epoch e is `Position(e + 1,
    0)`."""

    epoch: int = 0
    batch: int = 0

    def after(self) -> "Position":
        """The place of the next batch."""
        return Position(self.epoch, self.batch + 1)


START = Position()


@dataclass(frozen=True)
class Segment:
    """Sentences [start, stop) of a store, and how often each is drawn in an epoch."""

    start: int
    stop: int
    weight: float = 1.0
    name: str = ""


class TokenBatches:
    """Batches of sentence numbers.

    A batch holds as many sentences as fit: `count x longest target <= max_tokens`, padding and one EOS
    included, and `count x longest source <= 2 x max_tokens` so that a lopsided batch cannot surprise the
    memory. A sentence that is longer than that by itself is a batch of its own. Inside a batch the longest
    source comes first.

    A weight w draws each sentence of its segment floor(w) times an epoch, and once more with probability w -
    floor(w), decided by (seed, epoch, sentence).

    With several processes every rank gets its share of each global batch, rows `rank, rank + world, …`:
    together they are the batch of a single process. A share is empty where a batch has fewer sentences than
    there are processes.
    """

    def __init__(
        self,
        lengths: np.ndarray,
        *,
        max_tokens: int,
        seed: int,
        max_length: int | None = None,
        max_sentences: int | None = None,
        segments: Sequence[Segment] = (),
        shuffle: bool = True,
        rank: int = 0,
        world: int = 1,
        chunk: int = CHUNK,
        pool: int = POOL,
    ) -> None:
        """`lengths` [N, 2] are the tokens of both sides without EOS; it may be memory-mapped."""
        if not 0 <= rank < world:
            raise DataError(f"rank {rank} is not one of {world} processes.")
        if max_tokens < 1:
            raise DataError(f"a batch must hold at least one token, not {max_tokens}.")
        self.lengths = lengths
        self.max_tokens = max_tokens
        self.seed = seed
        self.max_length = max_length
        self.max_sentences = max_sentences
        self.segments = tuple(segments)
        self.shuffle = shuffle
        self.rank, self.world = rank, world
        self.chunk, self.pool = chunk, pool
        if self.usable() == 0:
            longest = "" if max_length is None else f" of at most {max_length} tokens"
            raise DataError(f"there is no sentence{longest} to make batches of; check the corpus and max_length.")

    def usable(self) -> int:
        """How many sentences are short enough to be used."""
        return sum(int(self._short_enough(numbers).size) for numbers in self._chunks(range(self._chunk_count())))

    def epoch(self, epoch: int, start: int = 0) -> Iterator[np.ndarray]:
        """This rank's sentence numbers of each batch of the epoch, from batch number `start` on."""
        number = 0
        for pool, numbers in enumerate(self._pools(epoch)):
            batches = self._cut(numbers, epoch, pool)
            for batch in batches[max(0, start - number) :]:
                yield batch[self.rank :: self.world]
            number += len(batches)

    def from_position(self, position: Position = START) -> Iterator[tuple[Position, np.ndarray]]:
        """All batches from there on, epoch after epoch, each with its place."""
        epoch, start = position.epoch, position.batch
        while True:
            for number, batch in enumerate(self.epoch(epoch, start), start):
                yield Position(epoch, number), batch
            epoch, start = epoch + 1, 0

    def _chunk_count(self) -> int:
        return -(-len(self.lengths) // self.chunk)

    def _chunks(self, order: Sequence[int] | np.ndarray) -> Iterator[np.ndarray]:
        for place in order:
            start = int(place) * self.chunk
            yield np.arange(start, min(start + self.chunk, len(self.lengths)))

    def _short_enough(self, numbers: np.ndarray) -> np.ndarray:
        if self.max_length is None:
            return numbers
        return numbers[(self.lengths[numbers[0] : numbers[-1] + 1] <= self.max_length).all(axis=1)]

    def _pools(self, epoch: int) -> Iterator[np.ndarray]:
        """The sentences of the epoch, each as often as it is drawn, a pool at a time."""
        order = np.arange(self._chunk_count())
        if self.shuffle:
            order = self._random("chunks", epoch).permutation(order)
        waiting: list[np.ndarray] = []
        taken = 0
        for numbers in self._chunks(order):
            waiting.append(self._drawn(self._short_enough(numbers), epoch))
            taken += numbers.size
            if taken >= self.pool:
                yield np.concatenate(waiting)
                waiting, taken = [], 0
        if waiting:
            yield np.concatenate(waiting)

    def _drawn(self, numbers: np.ndarray, epoch: int) -> np.ndarray:
        """Each sentence as often as its segment's weight says for this epoch."""
        if not self.segments or numbers.size == 0:
            return numbers
        weights = np.zeros(numbers.size)
        for segment in self.segments:
            weights[(numbers >= segment.start) & (numbers < segment.stop)] = segment.weight
        times = np.floor(weights)
        coins = _uniform(numbers, stable_seed(self.seed, "weights", epoch))
        return np.repeat(numbers, (times + (coins < weights - times)).astype(np.int64))

    def _cut(self, numbers: np.ndarray, epoch: int, pool: int) -> list[np.ndarray]:
        """The pool's batches: sentences sorted by target length (then source), cut where a batch is full."""
        random = self._random("pool", epoch, pool)
        if self.shuffle:
            numbers = random.permutation(numbers)
        source = self.lengths[numbers, 0].astype(np.int64) + 1
        target = self.lengths[numbers, 1].astype(np.int64) + 1
        order = np.lexsort((source, target))
        numbers, source, target = numbers[order], source[order], target[order]
        batches: list[np.ndarray] = []
        start = 0
        while start < numbers.size:
            stop = start + self._room(source[start:], target[start:])
            longest_first = np.lexsort((-target[start:stop], -source[start:stop]))
            batches.append(numbers[start:stop][longest_first])
            start = stop
        if self.shuffle:
            batches = [batches[place] for place in random.permutation(len(batches))]
        return batches

    def _room(self, source: np.ndarray, target: np.ndarray) -> int:
        """How many of the first sentences fit into one batch; at least one does."""
        most = max(1, self.max_tokens // int(target[0]))
        if self.max_sentences is not None:
            most = min(most, self.max_sentences)
        count = np.arange(1, min(most, target.size) + 1)
        fits = count * np.maximum.accumulate(target[: count.size]) <= self.max_tokens
        fits &= count * np.maximum.accumulate(source[: count.size]) <= 2 * self.max_tokens
        return max(1, int(fits.sum()))

    def _random(self, *parts: int | str) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(stable_seed(self.seed, *parts)))


def _uniform(numbers: np.ndarray, seed: int) -> np.ndarray:
    """A number in [0, 1) for each integer, by the finaliser of SplitMix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / 2.0**53
