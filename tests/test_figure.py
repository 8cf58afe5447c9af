"""Pictures are well-formed, deterministic, and treat text as data; a missing font is said, never fatal."""

import unicodedata
import warnings
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jumok import figure
from jumok.errors import InputError

HOSTILE = [
    '<script>alert("1")</script>',
    "--><b>",
    "$x^2$ $",
    "a & b &amp;",
    "\x00\x1b[31m\n\t",
    "]]>",
    "\\frac{",
    "\ud800",
]


def written(*texts: str):
    with figure.drawing():
        page, axes = figure.sheet(4.0, 1.0 + len(texts))
        for number, text in enumerate(texts):
            figure.write(axes, 0.5, 0.5 + number, text, rotation=30.0 * number)
    return page


def texts_of(svg: str) -> list[str]:
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


def test_svg_holds_hangul_as_text_and_names_korean_fonts():
    svg = figure.to_svg(written("나는 집에 간다"))
    assert texts_of(svg) == ["나는 집에 간다"]
    for font in ("Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic", "NanumGothic", "sans-serif"):
        assert font in svg


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_not_obeyed(text: str):
    svg = figure.to_svg(written(text))
    assert texts_of(svg) == [figure.printable(text)]
    assert "<script" not in svg
    figure.to_png(written(text))


@settings(max_examples=15, deadline=None)
@given(st.text(min_size=1, max_size=12))
def test_any_text_makes_well_formed_svg(text: str):
    assert "".join(texts_of(figure.to_svg(written(text)))).split() == figure.printable(text).split()


@given(st.text(max_size=20))
def test_printable_has_no_controls_and_settles(text: str):
    shown = figure.printable(text)
    assert figure.printable(shown) == shown
    assert all(unicodedata.category(character) not in ("Cc", "Cs") for character in shown)


def test_right_to_left_and_combining_marks_stay_whole():
    assert texts_of(figure.to_svg(written("שלום", "مرحبا", "e\u0301", "हिन्दी"))) == [
        "שלום",
        "مرحبا",
        "é",
        "हिन्दी",
    ]
    assert figure.clusters("q\u0301\u0323a👩\u200d👧b") == ["q\u0301\u0323", "a", "👩\u200d👧", "b"]
    assert figure.printable("\u202eabc") == "\ufffdabc"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("한글", 4),
        (unicodedata.normalize("NFD", "한글"), 4),
        ("e\u0301", 1),
        ("日本", 4),
        ("", 0),
        ("a\u200bb", 2),
    ],
)
def test_cells(text: str, columns: int):
    assert figure.cells(text) == columns


@given(st.text(max_size=30), st.integers(1, 20))
def test_shortened_text_fits(text: str, most: int):
    assert figure.cells(figure.shorten(text, most)) <= most


def test_shorten_never_cuts_through_a_character():
    assert figure.shorten("가나다라마", 6) == "가나…"
    assert figure.shorten("aq\u0301bc", 3) == "aq\u0301…"


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_same_figure_is_the_same_bytes(tmp_path, suffix: str):
    for name in ("a", "b"):
        figure.save(written("the same", "twice"), tmp_path / (name + suffix))
    first = (tmp_path / f"a{suffix}").read_bytes()
    assert first == (tmp_path / f"b{suffix}").read_bytes()
    assert b"matplotlib" not in first.lower() or suffix == ".svg"
    assert b"dc:date" not in first


def test_a_figure_may_be_saved_in_one_form_after_the_other(tmp_path):
    page = written("hello")
    first = figure.to_svg(page)
    assert figure.to_png(page)[0].startswith(b"\x89PNG")
    assert figure.to_svg(page) == first


def test_png_without_a_font_says_what_is_missing(tmp_path, monkeypatch):
    """Only the fonts of matplotlib and the package are let through, as on a machine without others."""
    monkeypatch.setattr(figure, "_installed_fonts", list)
    with pytest.warns(figure.MissingGlyphs, match="fonts-noto-cjk"):
        notes = figure.save(written("나, ᄒ and 日"), tmp_path / "a.png")
    assert len(notes) == 1
    assert all(part in notes[0] for part in ("2 characters", "ᄒ", "日", "fonts-nanum", "fonts-noto-cjk", ".svg"))
    assert "나" not in notes[0]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_png_of_latin_needs_nothing_and_warns_of_nothing(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert figure.save(written("Grüße, été ↵"), tmp_path / "a.png") == []
        assert figure.save(written("한글 ไทย"), tmp_path / "a.svg") == []


def test_chosen_fonts_cover_what_they_claim():
    choice = figure.choose_fonts("plain text")
    assert choice.families == ("DejaVu Sans",)
    assert choice.note() is None
    impossible = figure.choose_fonts("\U0001343f")
    assert impossible.missing <= {"\U0001343f"}


def test_other_endings_and_unwritable_paths_are_named(tmp_path):
    with pytest.raises(InputError, match=r"\.svg or \.png, not as 'a\.pdf'"):
        figure.save(written("a"), tmp_path / "a.pdf")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(InputError, match=r"file is a file; name another folder for a\.svg"):
        figure.save(written("a"), tmp_path / "file" / "a.svg")
    figure.save(written("a"), tmp_path / "new" / "folder" / "a.svg")
    assert (tmp_path / "new" / "folder" / "a.svg").is_file()


def test_settings_of_other_drawings_are_left_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    figure.to_svg(written("a"))
    figure.to_png(written("a"))
    assert dict(matplotlib.rcParams) == before


def test_no_two_lines_of_a_chart_look_alike():
    from jumok.evaluation.chart import Chart, Series, chart_figure

    series = tuple(Series(f"line {number}", (1.0, 2.0), (0.0, float(number))) for number in range(15))
    lines = chart_figure(Chart("many", "x", "y", series)).axes[0].get_lines()
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}
    assert len(lines) == len(looks) == 15
