"""How positions are shown: words, regions of a picture, examples of an episode; all of them merge the same way."""

import json

import numpy as np
import pytest

from jumok.alignment import merge_to_words
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.errors import ShapeError
from jumok.models.contract import Memory
from jumok.models.layout import Episode, Grid, Layout, Words
from jumok.shapes import EOS
from jumok.text.options import TokenizerOptions
from jumok.text.tokenizer import build_tokenizer

WORDS = Words(("▁un", "believ", "able", "▁!", "</s>"), ("unbelievable", "!"), (0, 0, 0, 1, -1))
GRID = Grid(3, 5)
EPISODE = Episode(("cat", "dog", "cat", "owl", "dog"))


@pytest.mark.parametrize("layout", [WORDS, GRID, EPISODE], ids=lambda one: type(one).__name__)
def test_every_position_has_a_label_a_unit_and_a_place(layout: Layout):
    assert layout.count == np.prod(layout.shape) == len(layout.labels) == len(layout.unit_of_position)
    assert set(layout.unit_of_position) - {-1} == set(range(len(layout.units)))
    told = json.loads(json.dumps(layout.as_json()))
    assert told["shape"] == list(layout.shape)
    assert told["labels"] == list(layout.labels)


def test_words_are_shown_by_their_pieces_and_merged_to_words():
    tokenizer = build_tokenizer("words", ["the cat sleeps"] * 3, options=TokenizerOptions(min_count=1))
    layout = Words.of(tokenizer, tokenizer.encode("the cat"), ["the", "cat"], end=EOS)
    assert layout.labels == ("the", "cat", "</s>")
    assert layout.unit_of_position == (0, 1, -1)
    assert WORDS.as_json()["word_of_position"] == [0, 0, 0, 1, -1]


def test_a_region_of_a_picture_is_a_row_and_a_column():
    assert GRID.label(7) == "row 2, column 3"
    assert GRID.place(7) == (1, 2)
    boxes = np.array([GRID.box(position) for position in range(GRID.count)])
    assert (boxes[:, 2] * boxes[:, 3]).sum() == pytest.approx(1)  # together they are the picture
    np.testing.assert_allclose((boxes[:, :2] + boxes[:, 2:]).max(0), 1)
    with pytest.raises(ShapeError, match="no region 15: a grid of 3 × 5 has 15"):
        GRID.place(15)
    with pytest.raises(ShapeError, match="at least one row"):
        Grid(0, 4)


def test_examples_are_shown_with_their_class_and_merged_to_classes():
    assert EPISODE.label(2) == "example 3: cat"
    assert EPISODE.units == ("cat", "dog", "owl")
    weights = np.array([[0.1, 0.2, 0.3, 0.15, 0.25]])
    merged = merge_to_words(weights, EPISODE.unit_of_position, [0], source_count=len(EPISODE.units))
    np.testing.assert_allclose(merged, [[0.4, 0.45, 0.15]])


@pytest.mark.parametrize("source", [WORDS, GRID, EPISODE], ids=lambda one: type(one).__name__)
def test_attention_is_merged_over_any_layout(source: Layout):
    target = Words(("a", "b", "c"), ("ab", "c"), (0, 0, 1))
    cross_TS = np.random.default_rng(3).dirichlet(np.ones(source.count), size=4)
    merged = AlignmentChoice().words(cross_TS, source, target)
    assert merged.shape == (2, len(source.units))
    lost = cross_TS[:3, [n for n, unit in enumerate(source.unit_of_position) if unit < 0]].sum(-1)
    np.testing.assert_allclose(merged[1].sum(), 1 - lost[2])
    np.testing.assert_allclose(merged[0].sum(), 1 - lost[:2].mean())


def test_the_memory_keeps_the_layout_and_one_that_needs_no_text_stays():
    assert GRID.named(["a"], ["a"], [0]) is GRID
    assert EPISODE.named(["a"], ["a"], [0]) is EPISODE
    assert Words().named(["a", "b"], ["ab"], [0, 0]).labels == ("a", "b")
    assert Memory.__dataclass_fields__["layout"].default == Words()
