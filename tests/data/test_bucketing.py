"""Batches: every sentence once an epoch, never too large, the same order again, from any place, for any
world."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.data.bucketing import Position, Segment, TokenBatches, _uniform
from jumok.errors import DataError

small_lengths = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=200)


def lengths_of(count: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 40, size=(count, 2)).astype(np.int32)


def lists(batches: TokenBatches, epoch: int, start: int = 0) -> list[list[int]]:
    return [batch.tolist() for batch in batches.epoch(epoch, start)]


@settings(deadline=None)
@given(small_lengths, st.integers(1, 300), st.integers(0, 9), st.integers(1, 17), st.booleans())
def test_every_sentence_stands_once_in_an_epoch(
    rows: list[tuple[int, int]], max_tokens: int, epoch: int, chunk: int, shuffle: bool
) -> None:
    lengths = np.array(rows, dtype=np.int32)
    batches = TokenBatches(lengths, max_tokens=max_tokens, seed=1, shuffle=shuffle, chunk=chunk, pool=3 * chunk)
    found = lists(batches, epoch)
    assert sorted(number for batch in found for number in batch) == list(range(len(rows)))
    for batch in found:
        source, target = lengths[batch, 0] + 1, lengths[batch, 1] + 1
        assert len(batch) == 1 or len(batch) * target.max() <= max_tokens
        assert len(batch) == 1 or len(batch) * source.max() <= 2 * max_tokens
        assert source.tolist() == sorted(source, reverse=True)


def test_the_order_is_a_function_of_seed_and_epoch() -> None:
    lengths = lengths_of(997)
    make = lambda seed: TokenBatches(lengths, max_tokens=200, seed=seed, chunk=31, pool=97)  # noqa: E731
    one, other = make(1), make(1)
    later = lists(other, 4)
    assert lists(one, 0) == lists(other, 0)
    assert lists(one, 4) == later
    assert lists(one, 0) != later
    assert lists(make(2), 0) != lists(one, 0)


def test_long_and_short_batches_are_mixed() -> None:
    """Batches of one length do not follow each other: the loss would swing with the length."""
    batches = TokenBatches(lengths_of(3001), max_tokens=300, seed=1)
    longest = [int(batches.lengths[batch, 1].max()) for batch in batches.epoch(0)]
    assert abs(np.corrcoef(longest[1:], longest[:-1])[0, 1]) < 0.3


def test_little_is_padding() -> None:
    lengths = lengths_of(20_011)
    batches = TokenBatches(lengths, max_tokens=2048, seed=1)
    real = padded = count = 0
    for batch in batches.epoch(0):
        count += 1
        target = lengths[batch, 1] + 1
        real, padded = real + int(target.sum()), padded + len(batch) * int(target.max())
    assert real / padded > 0.97
    assert padded / (count * 2048) > 0.8


@pytest.mark.parametrize("start", [0, 1, 5, 13])
def test_going_on_from_anywhere_is_never_having_stopped(start: int) -> None:
    batches = TokenBatches(lengths_of(499), max_tokens=300, seed=7, chunk=17, pool=50)
    count = len(lists(batches, 0))
    whole = [(place, batch.tolist()) for place, batch in islice(batches.from_position(), 3 * count)]
    for skip in (start, count - 1, count, count + start):
        place = whole[skip][0]
        again = [(p, batch.tolist()) for p, batch in islice(batches.from_position(place), count)]
        assert again == whole[skip : skip + count]
    # The place after the last batch of an epoch is the beginning of the next.
    assert whole[count - 1][0].after() == Position(0, count)
    end = next(batches.from_position(Position(0, count)))
    assert (end[0], end[1].tolist()) == whole[count]


@settings(max_examples=40, deadline=None)
@given(small_lengths, st.integers(1, 5), st.integers(20, 200))
def test_the_ranks_together_are_the_single_process(rows: list[tuple[int, int]], world: int, tokens: int) -> None:
    lengths = np.array(rows, dtype=np.int32)
    single = lists(TokenBatches(lengths, max_tokens=tokens, seed=1), 2)
    ranks = [lists(TokenBatches(lengths, max_tokens=tokens, seed=1, rank=r, world=world), 2) for r in range(world)]
    assert all(len(rank) == len(single) for rank in ranks)
    for batch, *shares in zip(single, *ranks, strict=True):
        assert sorted(number for share in shares for number in share) == sorted(batch)
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_weights_say_how_often_a_sentence_is_drawn() -> None:
    segments = [Segment(0, 300, 2.0), Segment(300, 1300, 0.5), Segment(1300, 1501, 1.25)]
    batches = TokenBatches(lengths_of(1501), max_tokens=400, seed=3, segments=segments, chunk=64, pool=256)
    draws = [Counter(number for batch in batches.epoch(epoch) for number in batch.tolist()) for epoch in range(20)]
    for counts in draws:
        assert all(counts[number] == 2 for number in range(300))
        assert all(counts[number] <= 1 for number in range(300, 1300))
        assert all(1 <= counts[number] <= 2 for number in range(1300, 1501))
    half = [sum(counts[number] for counts in draws) / 20 for number in range(300, 1300)]
    assert np.mean(half) == pytest.approx(0.5, abs=0.03)
    assert min(half) > 0
    assert lists(batches, 7) == lists(batches, 7)
    plain = TokenBatches(lengths_of(1501), max_tokens=400, seed=3, segments=[Segment(0, 1501, 1.0)])
    assert lists(plain, 1) == lists(TokenBatches(lengths_of(1501), max_tokens=400, seed=3), 1)


def test_long_sentences_are_left_out() -> None:
    lengths = lengths_of(500)
    batches = TokenBatches(lengths, max_tokens=200, seed=1, max_length=25, max_sentences=3)
    found = [number for batch in batches.epoch(0) for number in batch.tolist()]
    assert sorted(found) == np.flatnonzero((lengths <= 25).all(axis=1)).tolist()
    assert batches.usable() == len(found)
    assert max(len(batch) for batch in batches.epoch(0)) == 3


def test_nothing_to_batch_is_an_error() -> None:
    with pytest.raises(DataError, match="no sentence of at most 5 tokens"):
        TokenBatches(np.full((7, 2), 9, np.int32), max_tokens=10, seed=1, max_length=5)
    with pytest.raises(DataError, match="no sentence"):
        TokenBatches(np.zeros((0, 2), np.int32), max_tokens=10, seed=1)
    with pytest.raises(DataError, match="rank 2 is not one of 2 processes"):
        TokenBatches(lengths_of(3), max_tokens=10, seed=1, rank=2, world=2)
    with pytest.raises(DataError, match="at least one token"):
        TokenBatches(lengths_of(3), max_tokens=0, seed=1)


def test_the_hash_is_uniform() -> None:
    values = _uniform(np.arange(100_003), 12345)
    assert values.min() >= 0
    assert values.max() < 1
    assert np.histogram(values, bins=10, range=(0, 1))[0] == pytest.approx(10_000, rel=0.05)
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 0.02
