"""Merging conserves mass, links follow their definitions, Pharaoh lines survive a round trip."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jumok import alignment
from jumok.errors import DataError, InputError, ShapeError

# A busy machine must not fail a law.
calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
link = st.tuples(st.integers(0, 60), st.integers(0, 60))


def distributions(seed: int, targets: int, sources: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(sources), size=targets)


@st.composite
def words_of_tokens(draw: st.DrawFn) -> list[int]:
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=7))
    return [word for word, length in enumerate(lengths) for _ in range(length)]


@calm
@given(st.integers(0, 1000), words_of_tokens(), words_of_tokens())
def test_merging_conserves_mass(seed: int, source: list[int], target: list[int]):
    words = alignment.merge_to_words(distributions(seed, len(target), len(source)), source, target)
    assert words.shape == (target[-1] + 1, source[-1] + 1)
    np.testing.assert_allclose(words.sum(axis=1), 1.0)


def test_source_columns_are_summed_and_target_rows_averaged():
    tokens = [[0.1, 0.2, 0.7], [0.5, 0.1, 0.4], [0.0, 0.0, 1.0]]
    words = alignment.merge_to_words(tokens, [0, 0, 1], [0, 0, 1])
    np.testing.assert_allclose(words, [[0.45, 0.55], [0.0, 1.0]])


def test_one_token_a_word_changes_nothing():
    matrix = distributions(1, 5, 7)
    np.testing.assert_allclose(alignment.merge_to_words(matrix, range(7), range(5)), matrix)


def test_tokens_of_no_word_are_left_out_and_empty_words_are_zero():
    matrix = distributions(2, 3, 4)
    words = alignment.merge_to_words(
        matrix, [0, 0, 1, alignment.NO_WORD], [0, 2, alignment.NO_WORD], source_count=3, target_count=5
    )
    assert words.shape == (5, 3)
    np.testing.assert_allclose(words[0], [matrix[0, :2].sum(), matrix[0, 2], 0.0])
    np.testing.assert_allclose(words[[1, 3, 4]], 0.0)
    np.testing.assert_allclose(words[[0, 2]].sum(axis=1), 1.0 - matrix[:2, 3])


def test_words_may_be_interleaved():
    np.testing.assert_allclose(alignment.merge_to_words([[0.2, 0.3, 0.5]], [0, 1, 0], [0]), [[0.7, 0.3]])


@pytest.mark.parametrize(
    ("matrix", "source", "target", "says"),
    [
        (np.ones((2, 3)), [0, 1], [0, 1], "3 source tokens"),
        (np.ones((2, 3)), [0, 1, 2], [0], "2 target tokens"),
        (np.ones((2, 3)), [0, -2, 1], [0, 0], "source word numbers"),
        (np.ones(3), [0, 1, 2], [0], r"\[target, source\]"),
        (np.full((1, 1), np.nan), [0], [0], "NaN"),
        (np.array([["a"]]), [0], [0], "real numbers"),
    ],
)
def test_merging_refuses_what_does_not_fit(matrix: np.ndarray, source: list[int], target: list[int], says: str):
    with pytest.raises(ShapeError, match=says):
        alignment.merge_to_words(matrix, source, target)


def test_argmax_links_one_source_word_for_each_target_word():
    assert alignment.argmax_links([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]) == [(0, 1), (1, 0), (1, 2)]


def test_argmax_leaves_words_alone_below_threshold_on_zero_rows_and_when_null_wins():
    matrix = [[0.4, 0.2], [0.0, 0.0], [0.1, 0.8]]
    assert alignment.argmax_links(matrix) == [(0, 0), (1, 2)]
    assert alignment.argmax_links(matrix, threshold=0.5) == [(1, 2)]
    assert alignment.argmax_links(matrix, null=[0.41, 1.0, 0.1]) == [(1, 2)]
    with pytest.raises(ShapeError, match="3 target words"):
        alignment.argmax_links(matrix, null=[0.1])


def test_ties_go_to_the_leftmost_or_to_all():
    matrix = [[0.2, 0.4, 0.4], [0.5, 0.0, 0.5]]
    assert alignment.argmax_links(matrix) == [(0, 1), (1, 0)]
    assert alignment.argmax_links(matrix, ties="all") == [(0, 1), (1, 0), (2, 0), (2, 1)]


def test_empty_sides_have_no_links():
    for shape in [(0, 3), (3, 0), (0, 0)]:
        assert alignment.argmax_links(np.zeros(shape)) == []
        assert alignment.threshold_links(np.zeros(shape), 0.5) == []


@calm
@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_threshold_links_are_exactly_the_heavy_cells(seed: int, threshold: float):
    matrix = distributions(seed, 5, 7)
    expected = [(i, j) for i in range(7) for j in range(5) if matrix[j, i] >= threshold]
    assert alignment.threshold_links(matrix, threshold) == expected


def test_a_threshold_above_half_agrees_with_argmax():
    matrix = distributions(3, 11, 3)
    assert alignment.threshold_links(matrix, 0.51) == alignment.argmax_links(matrix, threshold=0.51)


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("nan")])
def test_threshold_must_be_above_zero(threshold: float):
    with pytest.raises(InputError, match="above 0"):
        alignment.threshold_links([[0.5]], threshold)


@calm
@given(st.sets(link), st.sets(link))
def test_pharaoh_round_trip(sure: set[tuple[int, int]], possible: set[tuple[int, int]]):
    links = alignment.Links(frozenset(sure), frozenset(possible))
    assert alignment.parse_pharaoh(alignment.to_pharaoh(links)) == links
    assert alignment.parse_pharaoh(alignment.to_pharaoh(sure)) == alignment.Links(frozenset(sure))
    assert alignment.transpose(alignment.transpose(sure)) == sorted(sure)


def test_pharaoh_forms():
    links = alignment.parse_pharaoh(" 3-4\t0-0 1p2 5?6 1-2\n")
    assert links == alignment.Links(frozenset({(3, 4), (0, 0), (1, 2)}), frozenset({(5, 6)}))
    assert alignment.to_pharaoh(links) == "0-0 1-2 3-4 5p6"
    assert alignment.to_pharaoh([(2, 1), (0, 5), (2, 1)]) == "0-5 2-1"
    assert alignment.parse_pharaoh("") == alignment.Links()


@pytest.mark.parametrize("item", ["1", "1-", "-1-2", "1:2", "1-2-3", "a-b", "١-٢", "0-99999999999999999999", "<b>"])
def test_a_bad_link_is_named(item: str):
    with pytest.raises(DataError) as error:
        alignment.parse_pharaoh(f"0-0 {item}", where="gold, line 3")
    assert "gold, line 3" in str(error.value)
    assert item in str(error.value)


def test_reading_files_plain_and_gzipped(tmp_path):
    content = "0-0 1p1\n\n2-0\n"
    (tmp_path / "gold").write_text(content)
    (tmp_path / "gold.gz").write_bytes(gzip.compress(content.encode()))
    expected = [alignment.parse_pharaoh(line) for line in content.splitlines()]
    assert alignment.read_pharaoh(tmp_path / "gold") == expected
    assert alignment.read_pharaoh(tmp_path / "gold.gz") == expected
    (tmp_path / "empty").write_text("")
    assert alignment.read_pharaoh(tmp_path / "empty") == []


def test_reading_names_file_and_line(tmp_path):
    path = tmp_path / "gold"
    path.write_bytes(b"0-0\n\xff\n")
    with pytest.raises(DataError, match="gold, line 2 is not UTF-8"):
        alignment.read_pharaoh(path)
    path.write_text("0-0\n\n1_1\n")
    with pytest.raises(DataError, match="gold, line 3"):
        alignment.read_pharaoh(path)
    with pytest.raises(DataError, match="cannot read"):
        alignment.read_pharaoh(tmp_path / "none")
    (tmp_path / "bad.gz").write_bytes(b"plain")
    with pytest.raises(DataError, match="cannot read"):
        alignment.read_pharaoh(tmp_path / "bad.gz")


def test_links_outside_the_sentence_are_named():
    alignment.check_bounds(alignment.Links(frozenset({(2, 1)}), frozenset({(0, 0)})), 3, 2)
    with pytest.raises(DataError, match="line 7: the link 3-1"):
        alignment.check_bounds([(3, 1)], 3, 2, where="line 7")
