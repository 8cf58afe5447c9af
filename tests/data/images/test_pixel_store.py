"""What is written is read back, appears whole, is found again, and needs no memory of its own."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from jumok.data.images import open_store, write_store
from jumok.errors import DataError

SHAPE = (5, 3, 3)


def pictures(count: int):
    random = np.random.default_rng(0)
    return (random.integers(0, 256, SHAPE, dtype=np.uint8) for _ in range(count))


def test_pictures_come_back(tmp_path):
    store = write_store(tmp_path / "s", "a", SHAPE, pictures(11), notes={"from": "here"})
    expected = list(pictures(11))
    assert len(store) == 11
    assert all((store[n] == picture).all() for n, picture in enumerate(expected))
    assert (store.batch([7, 0, 7]) == np.stack([expected[7], expected[0], expected[7]])).all()
    assert (pickle.loads(pickle.dumps(store))[3] == expected[3]).all()
    assert store.notes == {"from": "here"}
    assert not store[0].flags.writeable


def test_blocks_of_pictures_and_other_types(tmp_path):
    rows = np.arange(42, dtype=np.float16).reshape(7, 3, 2)
    store = write_store(tmp_path / "s", "a", (3, 2), [rows[:4], rows[4], rows[5:]], dtype="<f2")
    assert (store.batch(range(7)) == rows).all()
    assert len(write_store(tmp_path / "none", "a", (3, 2), [])) == 0


def test_a_store_is_written_once_and_again_when_its_identity_changes(tmp_path):
    write_store(tmp_path / "s", "a", SHAPE, pictures(2))
    assert len(write_store(tmp_path / "s", "a", SHAPE, iter(()))) == 2
    assert open_store(tmp_path / "s", "b") is None
    assert len(write_store(tmp_path / "s", "b", SHAPE, pictures(3))) == 3


def test_nothing_is_left_of_a_store_that_failed(tmp_path):
    def broken():
        yield from pictures(2)
        raise DataError("picture 3 is broken")

    with pytest.raises(DataError, match="picture 3"):
        write_store(tmp_path / "s", "a", SHAPE, broken())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError, match="row 1 of"):
        write_store(tmp_path / "s", "a", SHAPE, [next(pictures(1)), np.zeros((5, 4, 3), np.uint8)])


def test_a_cut_store_is_not_taken_for_a_whole_one(tmp_path):
    write_store(tmp_path / "s", "a", SHAPE, pictures(2))
    with (tmp_path / "s" / "rows.bin").open("r+b") as file:
        file.truncate(50)
    assert open_store(tmp_path / "s", "a") is None


def resident() -> int:
    """Bytes of this process in memory, mapped files included."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_reading_a_large_store_keeps_memory_flat(tmp_path):
    row = np.zeros((1 << 20,), np.uint8)
    store = write_store(tmp_path / "s", "a", row.shape, (row for _ in range(600)))
    before = resident()
    for start in range(0, 600, 4):
        store.batch(range(start, start + 4))
    assert resident() - before < 300 << 20
