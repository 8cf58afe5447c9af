"""Pictures show every word and every cell, as text and shapes, whatever the words are."""

from xml.etree import ElementTree

import numpy as np
import pytest

from jumok.alignment import Links, alignment_svg, draw_alignment, draw_grid
from jumok.alignment.regions import region_maps
from jumok.errors import DataError, InputError, ShapeError
from jumok.models.layout import Episode, Grid, Words

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = ("나는", "집에", "간다")
TARGET = ("I", "go", "home", ".")


def weights(targets: int, sources: int) -> np.ndarray:
    return np.random.default_rng(5).dirichlet(np.ones(sources), size=targets)


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def shapes(svg: str, colour: str) -> int:
    return sum(colour in element.get("style", "") for element in ElementTree.fromstring(svg).iter())


def test_words_of_both_sides_are_text():
    shown = texts(alignment_svg(weights(4, 3), SOURCE, TARGET, title="제목"))
    assert shown[:8] == ["제목", *SOURCE, *TARGET]


def test_each_weight_is_one_cell_and_zero_is_paper():
    matrix = np.zeros((4, 3))
    empty = shapes(alignment_svg(matrix, SOURCE, TARGET), "#0072b2")
    matrix[1, 2] = matrix[3, 0] = 0.5
    assert shapes(alignment_svg(matrix, SOURCE, TARGET), "#0072b2") == empty + 2


def test_gold_links_are_outlined_and_possible_ones_dashed():
    svg = alignment_svg(weights(4, 3), SOURCE, TARGET, gold=Links(frozenset({(0, 0)}), frozenset({(2, 3)})))
    # Two links and the two samples of the key.
    assert shapes(svg, "stroke: #d55e00") == 4
    assert shapes(svg, "stroke-dasharray") == 2
    assert {"sure", "possible"} <= set(texts(svg))
    assert alignment_svg(weights(4, 3), SOURCE, TARGET, gold=[(0, 0)]).count("#d55e00") >= 1
    with pytest.raises(DataError, match="3-0 points outside"):
        alignment_svg(weights(4, 3), SOURCE, TARGET, gold=[(3, 0)])


def test_hostile_words_are_data():
    words = ("<script>x</script>", "$a$", "a&b", "\x00\x1b[0m")
    svg = alignment_svg(weights(4, 3), SOURCE, words, title="<b>")
    assert {"<script>x</script>", "$a$", "a&b", "<b>"} <= set(texts(svg))
    assert "<script" not in svg


def test_a_long_word_is_cut_and_a_long_sentence_keeps_its_words():
    svg = alignment_svg(np.ones((1, 1)), ["x" * 500], ["y"])
    assert any(text.endswith("…") and len(text) < 40 for text in texts(svg))
    many = [f"w{number}" for number in range(127)]
    assert set(many) <= set(texts(alignment_svg(np.zeros((2, 127)), many, ["a", "b"])))


@pytest.mark.parametrize(("targets", "sources"), [(0, 0), (0, 3), (4, 0), (1, 1)])
def test_small_and_empty_sides(tmp_path, targets: int, sources: int):
    """Latin words, so that PNG needs no font beyond the one that comes with matplotlib."""
    words = ("we", "go", "home")[:sources]
    for name in ("a.svg", "a.png"):
        notes = draw_alignment(np.ones((targets, sources)), words, TARGET[:targets], tmp_path / name, title="t")
        assert notes == []
        assert (tmp_path / name).stat().st_size > 500


def test_scale_is_said_and_may_follow_the_matrix():
    assert "1" in texts(alignment_svg(np.full((1, 1), 0.02), ["a"], ["b"]))
    assert "0.02" in texts(alignment_svg(np.full((1, 1), 0.02), ["a"], ["b"], vmax=None))


def test_wrong_shapes_and_scores_are_refused(tmp_path):
    with pytest.raises(ShapeError, match="4 target positions, but 3 target words"):
        alignment_svg(weights(4, 3), SOURCE, TARGET[:3])
    with pytest.raises(ShapeError, match="not the scores"):
        alignment_svg([[-1.0]], ["a"], ["b"])
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        draw_alignment([[1.0]], ["a"], ["b"], tmp_path / "a.jpg")


def test_grid_of_layers_and_heads(tmp_path):
    maps = [np.stack([weights(4, 3)] * 2), np.stack([weights(4, 3)] * 5)]
    draw_grid(maps, tmp_path / "g.svg", source_words=SOURCE, target_words=TARGET, title="grid")
    svg = (tmp_path / "g.svg").read_text("utf-8")
    assert sum(1 for _ in ElementTree.fromstring(svg).iter(f"{SVG}image")) == 7
    assert {"layer 1", "layer 2", "head 5", "grid", *SOURCE, *TARGET} <= set(texts(svg))
    draw_grid([np.ones((1, 71, 53)) / 53], tmp_path / "g.png")
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


def test_grid_refuses_what_does_not_fit(tmp_path):
    with pytest.raises(ShapeError, match="layers is empty"):
        draw_grid([], tmp_path / "g.svg")
    with pytest.raises(ShapeError, match=r"layer 1 .* \(4, 3\)"):
        draw_grid([weights(4, 3)], tmp_path / "g.svg")
    with pytest.raises(ShapeError, match="same number"):
        draw_grid([weights(4, 3)[None], weights(4, 2)[None]], tmp_path / "g.svg")
    with pytest.raises(ShapeError, match="3 source positions, but 2"):
        draw_grid([weights(4, 3)[None]], tmp_path / "g.svg", source_words=SOURCE[:2])


def test_regions_of_a_picture_are_one_map_for_each_word():
    grid, words = Grid(3, 5), ("a", "red", "ball")
    svg = alignment_svg(weights(3, 15), grid, words, title="제목")
    assert texts(svg) == ["제목", *words]
    assert svg.count("<image") == 3
    pictures = np.zeros((11, 13, 3)), np.ones((11, 13))
    dark, light = (alignment_svg(weights(3, 15), grid, words, picture=picture) for picture in pictures)
    assert dark.count("<image") == light.count("<image") == 3
    assert len({svg, dark, light}) == 3


def test_a_row_of_positions_is_drawn_as_words_are():
    layout = Words(pieces=SOURCE, words=SOURCE, word_of_piece=(0, 1, 2))
    assert alignment_svg(weights(4, 3), layout, TARGET) == alignment_svg(weights(4, 3), SOURCE, TARGET)
    examples = Episode(("cat", "dog", "cat"))
    assert examples.label(1) in texts(alignment_svg(weights(4, 3), examples, TARGET))


def test_what_cannot_be_drawn_over_a_picture_is_said():
    with pytest.raises(ShapeError, match="gold links are of words"):
        alignment_svg(weights(4, 6), Grid(2, 3), TARGET, gold=[(0, 0)])
    with pytest.raises(ShapeError, match="positions are in a row"):
        alignment_svg(weights(4, 3), SOURCE, TARGET, picture=np.ones((4, 4)))
    with pytest.raises(ShapeError, match="between 0 and 1"):
        alignment_svg(weights(4, 6), Grid(2, 3), TARGET, picture=np.full((4, 4), 255.0))
    with pytest.raises(ShapeError, match=r"\[height, width, 3\]"):
        alignment_svg(weights(4, 6), Grid(2, 3), TARGET, picture=np.ones((4, 4, 4)))
    with pytest.raises(ShapeError, match="7 source positions, but 6"):
        alignment_svg(weights(4, 7), Grid(2, 3), TARGET)
    with pytest.raises(ShapeError, match="not the scores"):
        alignment_svg(-weights(4, 6), Grid(2, 3), TARGET)


def test_maps_of_regions_are_scaled_word_by_word():
    maps = region_maps([[0.1, 0.2, 0.4, 0.1, 0.1, 0.1], [0.0] * 6], Grid(2, 3), 2)
    assert maps.shape == (2, 2, 3)
    np.testing.assert_allclose(maps[0], [[0.25, 0.5, 1.0], [0.25, 0.25, 0.25]])
    assert not maps[1].any()


def test_what_is_on_no_word_has_a_column_of_its_own():
    matrix = np.array([[0.6, 0.3, 0.1], [0.0, 0.0, 0.05]])
    plain, whole = (alignment_svg(matrix, SOURCE, TARGET[:2], rest=rest) for rest in (False, True))
    assert "rest" not in texts(plain)
    assert texts(whole)[:4] == [*SOURCE, "rest"]
    assert "rest: </s>, or nothing" in texts(whole)
    assert shapes(whole, "#0072b2") == shapes(plain, "#0072b2") + 1  # the first row lacks nothing
    assert "opacity: 0.95" in whole  # as dark as 1 − 0.05
    gold = alignment_svg(matrix, SOURCE, TARGET[:2], gold=[(0, 0)], rest=True)
    assert {"sure", "possible", "rest"} <= set(texts(gold))
    with pytest.raises(DataError, match="3-0 points outside"):
        alignment_svg(matrix, SOURCE, TARGET[:2], gold=[(3, 0)], rest=True)  # no word can be linked to it
