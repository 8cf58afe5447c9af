"""The teacher-forcing shift and the padding."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from jumok.data.batch import Batch
from jumok.errors import ShapeError
from jumok.shapes import BOS, EOS, PAD


def test_by_hand() -> None:
    links = [np.array([[0, 1]]), np.zeros((0, 2))]
    batch = Batch.of([[7, 8, 9], [5]], [[6, 7], [8, 9, 4]], [11, 3], links)
    assert batch.source_BS.tolist() == [[7, 8, 9, EOS], [5, EOS, PAD, PAD]]
    assert batch.target_in_BT.tolist() == [[BOS, 6, 7, PAD], [BOS, 8, 9, 4]]
    assert batch.target_out_BT.tolist() == [[6, 7, EOS, PAD], [8, 9, 4, EOS]]
    assert batch.source_mask_BS.tolist() == [[True] * 4, [True, True, False, False]]
    assert batch.target_mask_BT.tolist() == [[True, True, True, False], [True] * 4]
    assert batch.index_B.tolist() == [11, 3]
    assert (batch.source_tokens, batch.target_tokens, len(batch)) == (6, 7, 2)
    assert batch.alignment is not None
    assert [pairs.tolist() for pairs in batch.alignment] == [[[0, 1]], []]


rows = st.lists(st.lists(st.integers(4, 60_000), max_size=9), min_size=1, max_size=7)


@given(rows, st.sampled_from(["list", "uint16"]))
def test_the_sentences_can_be_read_back(sentences: list[list[int]], form: str) -> None:
    given_rows = sentences if form == "list" else [np.array(row, dtype=np.uint16) for row in sentences]
    batch = Batch.of(given_rows, given_rows[::-1], range(len(sentences)))
    assert batch.source_BS.dtype == torch.int64
    assert batch.source_mask_BS.dtype == torch.bool
    assert torch.equal(batch.source_mask_BS, batch.source_BS != PAD)
    assert torch.equal(batch.target_mask_BT, batch.target_out_BT != PAD)
    for number, row in enumerate(sentences):
        assert batch.source_BS[number][batch.source_mask_BS[number]].tolist() == [*row, EOS]
        target = sentences[::-1][number]
        assert batch.target_out_BT[number][batch.target_mask_BT[number]].tolist() == [*target, EOS]
        assert batch.target_in_BT[number][batch.target_mask_BT[number]].tolist() == [BOS, *target]
    # Padded to the longest only.
    assert batch.source_BS.shape[1] == max(map(len, sentences)) + 1
    assert batch.source_tokens == int(batch.source_mask_BS.sum())
    assert batch.target_tokens == int(batch.target_mask_BT.sum())


def test_no_sentences_are_an_empty_batch() -> None:
    batch = Batch.of([], [], [])
    assert batch.source_BS.shape == batch.target_out_BT.shape == (0, 1)
    assert (batch.source_tokens, batch.target_tokens) == (0, 0)


def test_sides_of_different_count_are_refused() -> None:
    with pytest.raises(ShapeError, match="not 1, 2 and 1"):
        Batch.of([[4]], [[4], [5]], [0])


def test_moving() -> None:
    batch = Batch.of([[7]], [[8]], [0], [np.array([[0, 0]])])
    assert batch.to("cpu") is batch
    moved = batch.to("meta")
    assert moved.source_BS.device.type == "meta"
    assert moved.alignment is not None
    assert moved.target_tokens == 2
