"""What is printed lines up, carries colour only when asked, and cannot take over the terminal."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok.alignment import Links, render_terminal
from jumok.errors import ShapeError
from jumok.figure import cells
from jumok.models.layout import Grid

SOURCE = ("나는", "도서관에서", "책을", "읽었다")
TARGET = ("I", "read", "books")
WEIGHTS = np.array([[0.9, 0.1, 0.0, 0.0], [0.0, 0.1, 0.1, 0.8], [0.0, 0.3, 0.6, 0.1]])
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def test_plain_text_has_no_escape_and_numbers_the_links():
    shown = render_terminal(WEIGHTS, SOURCE, TARGET, color=False)
    assert "\x1b" not in shown
    first, second = shown.splitlines()[:2]
    assert first == "나는[0] 도서관에서[1] 책을[2] 읽었다[3]"
    assert second == "I[0] read[3] books[2]"


def test_colour_joins_linked_words_and_only_adds_colour():
    shown = render_terminal(WEIGHTS, SOURCE, TARGET, color=True)
    colour = {word: re.search(f"\x1b\\[38;5;([0-9]+)m{word}", shown) for word in (*SOURCE[::3], *TARGET)}
    assert colour["I"] and colour["나는"] and colour["I"][1] == colour["나는"][1]  # noqa: PT018
    assert colour["read"] and colour["읽었다"] and colour["read"][1] == colour["읽었다"][1]  # noqa: PT018
    plain = render_terminal(WEIGHTS, SOURCE, TARGET, color=False)
    assert ESCAPE.sub("", shown).splitlines()[2:] == plain.splitlines()[2:]


def test_cells_stand_under_their_words():
    """Columns are counted in terminal cells, where Hangul takes two."""
    lines = render_terminal(WEIGHTS, SOURCE, TARGET, color=False).splitlines()
    column = {}
    for sign in "는서을다":
        line = next(line for line in reversed(lines) if sign in line)
        column[sign] = cells(line[: line.rindex(sign)])
    row = lines[-3:]
    assert row[0].index("██") == column["는"]
    assert row[1].index("██") == column["다"]
    assert row[2].index("▓▓") == column["을"]
    assert row[2].index("▒▒") == column["서"]


def test_links_may_be_given():
    shown = render_terminal(WEIGHTS, SOURCE, TARGET, color=False, links=Links(frozenset({(0, 2), (1, 2)})))
    assert shown.splitlines()[1] == "I read books[0,1]"


@pytest.mark.parametrize("width", [20, 30, 60])
def test_a_narrow_terminal_gets_blocks(width: int):
    words = [f"w{number}" for number in range(31)]
    shown = render_terminal(np.eye(3, 31), words, TARGET, color=False, width=width).splitlines()
    assert all(cells(line) <= width for line in shown[2:])
    assert sum(line.strip().startswith("books") for line in shown[2:]) > 1 or width == 60


def test_words_cannot_send_escape_sequences():
    shown = render_terminal([[1.0]], ["\x1b[2J\x07"], ["a\nb"], color=False)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "a↵b" in shown


def test_right_to_left_words_are_isolated():
    assert "\u2068שלום\u2069" in render_terminal([[1.0]], ["שלום"], ["hi"], color=False)


def test_empty_sides_and_wrong_sizes():
    assert render_terminal(np.zeros((0, 0)), [], [], color=False) == "\n"
    assert render_terminal(np.zeros((1, 0)), [], ["a"], color=False) == "\na"
    assert len(render_terminal(WEIGHTS, SOURCE, TARGET, show_matrix=False).splitlines()) == 2
    with pytest.raises(ShapeError):
        render_terminal(WEIGHTS, TARGET, SOURCE)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=7), st.booleans())
def test_any_words_can_be_shown(words: list[str], color: bool):
    lines = render_terminal(np.eye(len(words)), words, words, color=color).split("\n")
    assert len(lines) >= 3 + len(words)


def test_regions_of_a_picture_are_small_maps_side_by_side():
    looked = np.zeros((2, 6))
    looked[0, 2], looked[1, 3] = 1.0, 0.5
    lines = render_terminal(looked, Grid(2, 3), ["red", "ball"], color=False, width=40).splitlines()
    assert lines == ["red     ball", " · ·██   · · ·", " · · ·  ██ · ·"]
    narrow = render_terminal(looked, Grid(2, 3), ["red", "ball"], color=False, width=9).splitlines()
    assert narrow == ["red", " · ·██", " · · ·", "", "ball", " · · ·", "██ · ·"]
    assert "\x1b[38;5;" in render_terminal(looked, Grid(2, 3), ["red", "ball"])
