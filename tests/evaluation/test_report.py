"""The page stands alone: valid, escaped, without scripts or anything loaded from elsewhere."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from jumok.alignment import Links, parse_pharaoh, score_alignment
from jumok.errors import InputError
from jumok.evaluation.by_length import score_by_length, source_lengths
from jumok.evaluation.chart import Chart, Series, chart_svg, draw_chart, length_chart
from jumok.evaluation.compare import compare_systems
from jumok.evaluation.metrics import score_corpus
from jumok.evaluation.report import Example, Report, SystemResults, Table, render_html, write_report
from jumok.evaluation.sharpness import attention_shape
from jumok.metric import TER

from .corpus import references, spoiled

HOSTILE = '<script>alert(\'x\')</script>" onload="x" --> ]]> $a$ \x00'
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Collects tags, ids and text, and checks that what is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src", "xlink:href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def report() -> Report:
    gold = references()
    systems = {"without": spoiled(gold, 0.5, seed=1), HOSTILE: spoiled(gold, 0.2, seed=2)}
    lengths = source_lengths(gold)
    results = tuple(
        SystemResults(
            name,
            score_corpus(lines, gold),
            score_alignment([(0, 0)], parse_pharaoh("0-0 1p1")),
            tuple(score_by_length(lengths, lines, gold, bounds=(7, 13))),
            (("cross", attention_shape(np.eye(3))),),
        )
        for name, lines in systems.items()
    )
    return Report(
        title=f"평가 {HOSTILE}",
        summary=HOSTILE,
        facts=(("run", HOSTILE),),
        systems=results,
        comparisons=tuple(compare_systems(systems, gold, samples=41)),
        charts=(Chart(HOSTILE, HOSTILE, HOSTILE, (Series(HOSTILE, (0, 1), (1, 2)),), HOSTILE),),
        tables=(Table(HOSTILE, (HOSTILE, "n"), ((HOSTILE, 1.5), ("나", 2)), HOSTILE),),
        examples=(
            Example("나는 간다", "I go", "I am going", HOSTILE, ("나는", "간다"), ("I", HOSTILE), np.eye(2),
                    Links(frozenset({(0, 0)}))),
            Example("שלום", HOSTILE),
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(report: Report) -> Page:
    return Page(render_html(report))


def test_the_page_is_well_formed_with_ids_of_its_own(page: Page):
    assert page.open == []
    assert len(page.ids) == len(set(page.ids)) > 10


def test_there_is_nothing_to_run_and_nothing_to_load(page: Page, report: Report):
    assert not {"script", "link", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    assert page.handlers == []
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert not re.findall(r"url\((?!#)|@import", render_html(report))
    assert "Content-Security-Policy" in render_html(report)


def test_hostile_text_is_shown_as_text(page: Page):
    assert page.text.count("<script>alert('x')</script>") > 15


def test_everything_measured_is_on_the_page(page: Page, report: Report):
    for system in report.systems:
        assert f"{system.scores.bleu.value:.2f}" in page.text
        assert system.scores.chrf.signature in page.text
    for part in ("AER", "p", "95% interval", "Shape of the attention", "14+", "나는 간다", "שלום", "≤7"):
        assert part in page.text
    assert page.tags.count("svg") == 4


def test_colours_follow_the_page_in_light_and_dark(report: Report):
    page = render_html(report)
    assert "prefers-color-scheme: dark" in page
    assert "var(--ink, #1f2933)" in page
    assert "var(--heat, #0072b2)" in page


def test_colour_names_in_text_stay_as_they_are(report: Report):
    named = replace(report, charts=(Chart("c", "x", "y", (Series('style="#1f2933"', (0,), (1,)),)),))
    assert 'style="#1f2933"' in Page(render_html(named)).text


def test_the_same_report_is_the_same_page(report: Report):
    assert render_html(report) == render_html(report)


def test_an_empty_report_is_a_page_too(tmp_path):
    write_report(Report("Nothing yet"), tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    assert page.open == []
    assert "section" not in page.tags


def test_files(tmp_path):
    with pytest.raises(InputError, match=r"\.html"):
        write_report(Report("a"), tmp_path / "a.pdf")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(InputError, match=r"file is a file; name another folder for a\.html"):
        write_report(Report("a"), tmp_path / "file" / "a.html")
    write_report(Report("a"), tmp_path / "new" / "a.html")
    assert (tmp_path / "new" / "a.html").is_file()


def test_charts_by_length_put_systems_on_common_bins(tmp_path, report: Report):
    curves = [(system.name, system.by_length) for system in report.systems]
    chart = length_chart([curves[0], ("short", curves[1][1][1:])], TER)
    assert chart.tick_labels == ("≤7", "8–13", "14+")
    assert chart.series[1].x == (1.0, 2.0)
    assert draw_chart(chart, tmp_path / "c.svg") == []
    assert (chart.title, chart.y_label) == ("TER by source length", "TER")


def test_charts_with_bands_logs_and_nothing():
    x = tuple(float(n) for n in range(50))
    band = Series("_name", x, tuple(2.0**-n for n in range(50)), x, x)
    svg = chart_svg(Chart("t", "x", "y", (band,), log_y=True))
    assert "_name" in svg
    assert "mathdefault" not in svg
    assert chart_svg(Chart("t", "x", "y", ())).startswith("<?xml")
    with pytest.raises(InputError, match="2 x values, but 1"):
        Series("a", (1, 2), (1,))
