"""Soft alignments come back exactly as they were written, in both forms."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jumok.alignment import SoftAlignment, read_soft, write_soft
from jumok.errors import DataError, InputError, ShapeError

# A busy machine must not fail a law.
calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
word = st.text(st.characters(codec="utf-8"), max_size=5)


@st.composite
def soft(draw: st.DrawFn) -> SoftAlignment:
    source, target = draw(st.lists(word, max_size=5)), draw(st.lists(word, max_size=5))
    cells = draw(st.lists(st.floats(0, 1, width=32), min_size=25, max_size=25))
    weights = np.array(cells[: len(source) * len(target)], dtype=np.float32)
    return SoftAlignment(tuple(source), tuple(target), weights.reshape(len(target), len(source)))


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@calm
@given(alignments=st.lists(soft(), max_size=3))
def test_round_trip(suffix, alignments, tmp_path_factory):
    path = tmp_path_factory.mktemp("soft") / f"soft{suffix}"
    write_soft(path, alignments)
    back = read_soft(path)
    assert [(a.source, a.target) for a in back] == [(a.source, a.target) for a in alignments]
    for ours, theirs in zip(back, alignments, strict=True):
        assert ours.weights.dtype == np.float32
        np.testing.assert_array_equal(ours.weights, theirs.weights)


def example() -> SoftAlignment:
    return SoftAlignment(("나는", "집에", "간다"), ("I", "go"), np.array([[0.9, 0.1, 0.0], [0.0, 0.25, 0.75]]))


def test_json_is_readable_and_npz_needs_no_pickle(tmp_path):
    write_soft(tmp_path / "a.json", [example()])
    text = (tmp_path / "a.json").read_text("utf-8")
    assert "나는" in text
    assert json.loads(text)["alignments"][0]["weights"][1] == [0.0, 0.25, 0.75]
    write_soft(tmp_path / "a.npz", [example()])
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive["0"].shape == (2, 3)


def test_npz_is_the_same_bytes_twice(tmp_path):
    for name in ("a.npz", "b.npz"):
        write_soft(tmp_path / name, [example()])
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": 2, "alignments": []}', '{"format": 1, "alignments": [{}]}',
     '{"format": 1, "alignments": [{"source": ["a"], "target": ["b"], "weights": [[1, 2]]}]}',
     '{"format": 1, "alignments": [{"source": ["a"], "target": ["b"], "weights": [[NaN]]}]}'],
)  # fmt: skip
def test_damaged_files_are_named(tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(DataError, match=r"a\.json"):
        read_soft(tmp_path / "a.json")


def test_other_files(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 not really")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    for path in (tmp_path / "a.npz", tmp_path / "other.npz", tmp_path / "missing.json"):
        with pytest.raises(DataError, match=path.name):
            read_soft(path)
    with pytest.raises(InputError, match=r"\.json or \.npz"):
        write_soft(tmp_path / "a.csv", [])
    with pytest.raises(InputError, match=r"a\.npz is a file; name another folder for a\.json"):
        write_soft(tmp_path / "a.npz" / "a.json", [])
    write_soft(tmp_path / "new" / "a.json", [])
    assert read_soft(tmp_path / "new" / "a.json") == []


def test_words_must_fit_the_matrix():
    with pytest.raises(ShapeError, match="3 source positions, but 2 source words"):
        SoftAlignment(("a", "b"), ("c",), np.ones((1, 3)))
