"""The store holds what the tokenizers say, in little room, and samples are a pure function of their place."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from jumok.data import store as store_module
from jumok.data.corpus import GeneratedCorpus, Pair, Weighted
from jumok.data.prepare import prepare_text
from jumok.data.store import PairStore, SampledPairs, build_store, token_links
from jumok.errors import DataError
from jumok.text import build_tokenizer
from tests.data.conftest import Small


def test_stored_ids_are_the_tokenizers_ids(small: Small) -> None:
    assert len(small.store) == len(small.text.train) > 200
    for number, pair in enumerate(small.text.train):
        source, target = small.store[number]
        assert source.tolist() == small.source.encode(pair.source)
        assert target.tolist() == small.target.encode(pair.target)
        assert small.store.lengths()[number].tolist() == [len(source), len(target)]
    assert small.store[-1][0].tolist() == small.store[len(small.store) - 1][0].tolist()
    with pytest.raises(IndexError):
        small.store[len(small.store)]


def test_blocks_leave_no_seams(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_BLOCK", 7)
    again = build_store(small.text.train, small.source, small.target, tmp_path)
    for number in range(len(again)):
        one, other = again.pair(number), small.store.pair(number)
        assert one.links is not None
        assert other.links is not None
        assert np.array_equal(one.source, other.source)
        assert np.array_equal(one.target, other.target)
        assert np.array_equal(one.links, other.links)


def test_ids_take_two_bytes_where_they_can(small: Small) -> None:
    assert small.store[0][0].dtype == np.uint16
    assert store_module._id_dtype(65_535) == "<u2"
    assert store_module._id_dtype(65_536) == "<i4"


def test_links_join_the_tokens_of_linked_words(small: Small) -> None:
    for number in range(0, len(small.store), 13):
        pair = small.text.train[number]
        source, target = small.store[number]
        links = small.store.links(number)
        assert links is not None
        source_words = small.source.word_of_token(source)
        target_words = small.target.word_of_token(target)
        last = len(pair.source.split()) - 1
        expected = {(s, t) for s, i in enumerate(source_words) for t, j in enumerate(target_words) if j == last - i}
        assert {(int(s), int(t)) for s, t in links} == expected


def test_only_sure_links_guide() -> None:
    words = build_tokenizer("words", ["a b c"])
    links = token_links("0-0 1p1 2-1", words.encode("a b c"), words.encode("a b"), words, words)
    assert links.tolist() == [[0, 0], [2, 1]]
    assert token_links("", [4], [4], words, words).shape == (0, 2)


def test_without_links_there_are_none(tmp_path: Path) -> None:
    rows = [Pair(f"a{i}", f"b{i}", i) for i in range(40)]
    text = prepare_text([Weighted(GeneratedCorpus("g", "1", lambda: rows))], tmp_path)
    words = build_tokenizer("words", [*text.train.sources(), *text.train.targets()])
    store = build_store(text.train, words, words, tmp_path)
    assert not store.aligned
    assert store.pair(3).links is None


def test_a_store_is_found_again(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_write", lambda *_: pytest.fail("built again"))
    again = build_store(small.text.train, small.source, small.target, small.cache)
    assert again.folder == small.store.folder
    monkeypatch.undo()
    other = build_tokenizer("words", small.text.train.sources())
    assert build_store(small.text.train, other, small.target, small.cache).folder != small.store.folder
    assert build_store(small.text.dev, small.source, small.target, small.cache).folder != small.store.folder


def test_damage_is_noticed(small: Small, tmp_path: Path) -> None:
    store = build_store(small.text.dev, small.source, small.target, tmp_path)
    expected = store[0][0].tolist()
    ids = store.folder / "source.ids"
    folder = store.folder
    del store
    ids.write_bytes(ids.read_bytes()[:-2])
    with pytest.raises(DataError, match="damaged"):
        PairStore(folder)
    assert build_store(small.text.dev, small.source, small.target, tmp_path)[0][0].tolist() == expected
    with pytest.raises(DataError, match="not a store"):
        PairStore(tmp_path / "nothing")


def test_long_pairs_are_counted(small: Small) -> None:
    lengths = small.store.lengths()
    assert small.store.longer_than(11) == int((lengths.max(axis=1) > 11).sum()) > 0
    assert small.store.longer_than(10_000) == 0


def test_samples_depend_on_seed_epoch_and_number_alone(small: Small) -> None:
    def rows(pairs: SampledPairs, epoch: int, order: range) -> dict[int, tuple[list[int], list[int]]]:
        found = ((number, pairs.pair(number, epoch)) for number in order)
        return {number: (list(pair.source), list(pair.target)) for number, pair in found}

    args = (small.store, small.text.train, small.source, small.target)
    pairs = SampledPairs(*args, seed=5)
    count = len(pairs)
    first = rows(pairs, 1, range(count))
    assert rows(pairs, 1, range(count - 1, -1, -1)) == first
    assert rows(pickle.loads(pickle.dumps(pairs)), 1, range(count)) == first
    assert rows(pairs, 2, range(count)) != first
    assert rows(SampledPairs(*args, seed=6), 1, range(count)) != first
    for number, (source, target) in first.items():
        assert small.source.decode(source) == small.text.train[number].source
        assert small.target.decode(target) == small.text.train[number].target


def test_links_follow_the_samples(small: Small) -> None:
    pairs = SampledPairs(small.store, small.text.train, small.source, small.target, seed=5)
    for number in range(0, len(pairs), 17):
        pair = pairs.pair(number, 3)
        assert pair.links is not None
        last = len(small.text.train[number].source.split()) - 1
        for s, t in pair.links:
            i, j = small.source.word_of_token(pair.source)[s], small.target.word_of_token(pair.target)[t]
            assert j == last - i


def test_a_store_of_other_text_is_refused(small: Small) -> None:
    with pytest.raises(DataError, match="does not belong"):
        SampledPairs(small.store, small.text.dev, small.source, small.target, seed=1)


def test_stores_can_be_sent_to_another_process(small: Small) -> None:
    copy = pickle.loads(pickle.dumps(small.store))
    assert copy[5][1].tolist() == small.store[5][1].tolist()
    text = pickle.loads(pickle.dumps(small.text.train))
    assert text[5] == small.text.train[5]
