"""Whoever makes the batches and whenever, they are the same, in the same order, from any position."""

import multiprocessing
import pickle
import threading
from itertools import islice

import pytest
import torch

from jumok.data.batch import Batch
from jumok.data.bucketing import Position, TokenBatches
from jumok.data.loader import Worker, load_batches, make_batch
from jumok.data.row_worker import RowWork
from jumok.data.store import PairSource, SampledPairs, TokenPair
from tests.data.conftest import Small


def same(one: Batch, other: Batch) -> bool:
    tensors = ("source_BS", "source_mask_BS", "target_in_BT", "target_out_BT", "target_mask_BT", "index_B")
    assert one.alignment is not None
    assert other.alignment is not None
    links = all(torch.equal(a, b) for a, b in zip(one.alignment, other.alignment, strict=True))
    return links and all(torch.equal(getattr(one, name), getattr(other, name)) for name in tensors)


def sources(small: Small) -> list[PairSource]:
    return [small.store, SampledPairs(small.store, small.text.train, small.source, small.target, seed=9)]


def take(pairs: PairSource, batches: TokenBatches, start: Position, count: int, worker: Worker):
    loaded = load_batches(pairs, batches, start, worker=worker, ahead=3)
    found = list(islice(loaded, count))
    loaded.close()
    return found


@pytest.mark.parametrize("worker", ["thread", "process"])
@pytest.mark.parametrize("sampled", [False, True])
def test_workers_change_nothing(small: Small, worker: Worker, sampled: bool) -> None:
    pairs = sources(small)[sampled]
    batches = TokenBatches(small.store.lengths(), max_tokens=300, seed=5)
    plain = take(pairs, batches, Position(), 31, "none")
    early = take(pairs, batches, Position(), 31, worker)
    assert [place for place, _ in early] == [place for place, _ in plain]
    assert {place.epoch for place, _ in plain} >= {0, 1}
    assert all(same(a, b) for (_, a), (_, b) in zip(plain, early, strict=True))


@pytest.mark.parametrize("sampled", [False, True])
def test_going_on_is_never_having_stopped(small: Small, sampled: bool) -> None:
    pairs = sources(small)[sampled]
    batches = TokenBatches(small.store.lengths(), max_tokens=300, seed=5)
    whole = take(pairs, batches, Position(), 40, "none")
    for stop in (1, 13, 29):
        again = take(pairs, batches, whole[stop - 1][0].after(), 10, "thread")
        assert all(same(a, b) for (_, a), (_, b) in zip(whole[stop : stop + 10], again, strict=True))


def test_the_mapped_lengths_are_not_copied_to_a_worker(small: Small) -> None:
    batches = TokenBatches(small.store.lengths(), max_tokens=300, seed=5)
    sent = pickle.dumps(RowWork(small.store, batches, Position()))
    assert len(sent) < small.store.lengths().nbytes
    again = pickle.loads(sent)
    assert [n.tolist() for n in again.order.epoch(1)] == [n.tolist() for n in batches.epoch(1)]
    other = TokenBatches(small.store.lengths() + 1, max_tokens=300, seed=5)
    copied = pickle.loads(pickle.dumps(RowWork(small.store, other, Position())))
    assert [n.tolist() for n in copied.order.epoch(1)] == [n.tolist() for n in other.epoch(1)]


def test_a_batch_is_its_sentences(small: Small) -> None:
    batches = TokenBatches(small.store.lengths(), max_tokens=300, seed=5)
    place, batch = next(load_batches(small.store, batches, worker="none"))
    numbers = next(batches.epoch(0))
    assert place == Position(0, 0)
    assert batch.index_B.tolist() == numbers.tolist()
    assert same(batch, make_batch(small.store, numbers, 0))
    for row, number in enumerate(numbers):
        source, target = small.store[int(number)]
        assert batch.source_BS[row, : len(source)].tolist() == source.tolist()
        assert batch.target_out_BT[row, : len(target)].tolist() == target.tolist()


class Broken:
    """A source that fails at its third batch."""

    def __init__(self, small: Small) -> None:
        self.store = small.store
        self.calls = 0

    def __len__(self) -> int:
        return len(self.store)

    def lengths(self):
        return self.store.lengths()

    def pair(self, number: int, epoch: int) -> TokenPair:
        self.calls += 1
        if self.calls > 2:
            raise ValueError("broken here")
        return self.store.pair(number, epoch)


@pytest.mark.parametrize("worker", ["none", "thread"])
def test_failures_reach_the_trainer(small: Small, worker: Worker) -> None:
    batches = TokenBatches(small.store.lengths(), max_tokens=20, max_sentences=1, seed=5)
    loaded = load_batches(Broken(small), batches, worker=worker)
    next(loaded)
    next(loaded)
    with pytest.raises(ValueError, match="broken here"):
        next(loaded)


@pytest.mark.parametrize("worker", ["thread", "process"])
def test_workers_end_with_the_iterator(small: Small, worker: Worker) -> None:
    batches = TokenBatches(small.store.lengths(), max_tokens=300, seed=5)
    loaded = load_batches(small.store, batches, worker=worker, ahead=2)
    next(loaded)
    loaded.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "batches"]
    assert not [child for child in multiprocessing.active_children() if child.name == "batches"]
