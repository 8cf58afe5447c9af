"""The glyphbook: pixels follow from the numbers alone, drawings of a class resemble each other, classes differ."""

import numpy as np

from jumok.data.glyphbook import DEFAULT_SIZE, LETTERS, draw, name_of


def draw_many(seed: int, classes, drawings, size: int = DEFAULT_SIZE) -> np.ndarray:
    """The drawings of each class: uint8 [classes, drawings, size, size]."""
    return np.stack([np.stack([draw(seed, one, drawing, size) for drawing in drawings]) for one in classes])


def test_the_same_numbers_give_the_same_pixels_in_any_order():
    many = draw_many(5, [3, 11], [0, 2], size=19)
    assert many.shape == (2, 2, 19, 19)
    assert many.dtype == np.uint8
    assert np.array_equal(many[1, 1], draw(5, 11, 2, 19))
    assert np.array_equal(many[0, 0], draw(5, 3, 0, 19))


def test_seeds_classes_and_drawings_all_matter():
    first = draw(1, 7, 0)
    for other in (draw(2, 7, 0), draw(1, 8, 0), draw(1, 7, 1)):
        assert not np.array_equal(first, other)


def test_ink_is_anti_aliased_and_stays_a_part_of_the_picture():
    many = draw_many(1, range(40), range(3))
    share = (many > 127).mean((2, 3))
    assert share.min() > 0.03
    assert share.max() < 0.5
    assert ((many > 0) & (many < 255)).mean() > 0.02
    assert many.max((2, 3)).min() > 250  # every drawing has ink, at its fullest somewhere


def test_a_larger_picture_is_the_same_drawing():
    small, large = draw(1, 4, 2, 28).astype(float), draw(1, 4, 2, 112).astype(float)
    assert np.abs(large.reshape(28, 4, 28, 4).mean((1, 3)) - small).mean() < 6


def test_drawings_of_a_class_are_nearer_than_those_of_others():
    """Nearest neighbour in pixels finds the class far above chance and far below certainty."""
    many = draw_many(3, range(200, 240), range(2)).reshape(40, 2, -1).astype(float)
    support, query = many[:, 0], many[:, 1]
    nearest = ((query[:, None] - support[None]) ** 2).sum(-1).argmin(1)
    assert 0.2 < (nearest == np.arange(40)).mean() < 0.98


def test_letters_of_an_alphabet_share_its_name():
    assert name_of(1, 0).split()[0] == name_of(1, LETTERS - 1).split()[0] != name_of(1, LETTERS).split()[0]
