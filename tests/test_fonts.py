"""Hangul is drawn with real glyphs where no font for it is installed: in PNG, in SVG, and on the studio's page."""

import re
import unicodedata
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from fontTools.ttLib import TTFont

from jumok import figure, fonts
from jumok.inspect import Request, draw, explain

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where only matplotlib's own fonts are installed."""
    monkeypatch.setattr(figure, "_installed_fonts", list)


def drawn(text: str) -> np.ndarray:
    page = figure.blank(2.0, 0.6)
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    figure.write(axes, 0.1, 0.5, text, size=24)
    content, _ = figure.to_png(page)
    return matplotlib.image.imread(BytesIO(content))


@pytest.mark.usefixtures("no_fonts")
def test_a_korean_label_is_drawn_with_real_glyphs():
    missing = drawn("\U0001343f")  # a character that no font here has: the box
    one, other = drawn("가"), drawn("홍")
    assert not np.array_equal(one, missing)
    assert not np.array_equal(one, other)
    assert (one < 0.5).any()


@pytest.mark.usefixtures("no_fonts")
def test_a_korean_picture_needs_no_note(tmp_path: Path):
    explanation = explain(Request("bahdanau"), "ko")
    assert draw(explanation, tmp_path / "a.png") == []


def test_every_modern_syllable_and_letter_has_a_glyph_that_is_not_the_box():
    font = TTFont(fonts.FILE)
    names, shapes = font.getBestCmap(), font["glyf"]
    wanted = [chr(code) for code in (*range(0xAC00, 0xD7A4), *range(0x3131, 0x3164))]
    assert len(wanted) == 11172 + 51
    assert [c for c in wanted if ord(c) not in names or shapes[names[ord(c)]] == shapes[".notdef"]] == []


def test_an_svg_carries_the_glyphs_of_its_own_hangul():
    page = figure.blank(2.0, 0.6)
    figure.write(page.add_axes((0.0, 0.0, 1.0, 1.0)), 0.1, 0.5, "어텐션 weight")
    svg = figure.to_svg(page)
    assert svg == figure.to_svg(page)
    packed = re.search(r"data:font/ttf;base64,([^)]+)\)", svg)
    assert packed
    content = b64decode(packed[1])
    assert {chr(code) for code in TTFont(BytesIO(content)).getBestCmap()} == set("어텐션")
    assert len(content) < 20_000
    assert fonts.FAMILY in svg.partition("</style>")[2]


def test_an_svg_without_hangul_carries_no_font():
    page = figure.blank(2.0, 0.6)
    figure.write(page.add_axes((0.0, 0.0, 1.0, 1.0)), 0.1, 0.5, "weight")
    assert "@font-face" not in figure.to_svg(page)


def test_the_font_keeps_to_its_licence():
    """The OFL asks for its text beside the font, and for another name than the reserved one."""
    licence = (fonts.FILE.parent / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in licence
    assert "Reserved Font Name Nanum" in licence
    names = {record.nameID: str(record) for record in TTFont(fonts.FILE)["name"].names}
    assert all("nanum" not in names[number].lower() for number in (1, 3, 4, 6))
    assert "SIL Open Font License" in names[13]
    for readme in ("README.md", "README.ko.md"):
        assert "OFL" in (ROOT / readme).read_text(encoding="utf-8")


def test_the_font_is_small_enough_to_come_along():
    assert fonts.FILE.stat().st_size < 1_400_000


def test_what_counts_as_hangul():
    assert all(fonts.is_hangul(character) for character in "가힣ㄱㅎㅏ")
    assert not any(fonts.is_hangul(character) for character in "aé日 ")
    assert all("HANGUL" in unicodedata.name(character) for character in "가힣ㄱ")
