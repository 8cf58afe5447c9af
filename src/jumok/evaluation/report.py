"""One self-contained HTML page with everything an evaluation found: no scripts, nothing loaded from anywhere.

The page takes plain results and draws them; whatever text it is given is shown as text.
"""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jumok.alignment.aer import AlignmentScore
from jumok.alignment.alignment import Links
from jumok.alignment.plot import alignment_svg
from jumok.durable import replace_file
from jumok.errors import InputError
from jumok.evaluation.by_length import LengthBin
from jumok.evaluation.chart import Chart, chart_svg, length_chart
from jumok.evaluation.compare import MetricComparison
from jumok.evaluation.inline_svg import inline_svg
from jumok.evaluation.metrics import METRICS, CorpusScores
from jumok.evaluation.sharpness import AttentionShape
from jumok.figure import printable
from jumok.metric import BLEU, CHRF
from jumok.output import require_file_place


@dataclass(frozen=True)
class SystemResults:
    """What was measured of one system; what was not measured is left out of the page."""

    name: str
    scores: CorpusScores | None = None
    alignment: AlignmentScore | None = None
    by_length: tuple[LengthBin, ...] = ()
    attention: tuple[tuple[str, AttentionShape], ...] = ()
    """(which attention, its shape), such as ("cross, layer 2", …)"""


@dataclass(frozen=True)
class Example:
    """One sentence as a reader wants to see it; words and weights [target words, source words] give a
    picture.
    """

    source: str
    translation: str
    reference: str = ""
    system: str = ""
    source_words: tuple[str, ...] = ()
    target_words: tuple[str, ...] = ()
    weights: NDArray[np.floating] | None = None
    gold: Links | None = None


@dataclass(frozen=True)
class Table:
    """Any further table: a title, the names of the columns, and rows of text or numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that goes on the page, in the order of the page."""

    title: str
    summary: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    """(name, value) pairs at the head: run, test set, date, command"""
    systems: tuple[SystemResults, ...] = ()
    comparisons: tuple[MetricComparison, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    examples: tuple[Example, ...] = ()


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_report(report: Report, path: str | Path) -> None:
    """Writes a page.

    report   what is on it
    path     the file to write; it ends in .html
    """
    path = Path(path)
    require_report_place(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, render_html(report).encode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot write the report {path}: {error.strerror or error}") from None


def require_report_place(path: Path) -> None:
    """Raises unless a report can be written there: .html, and nothing but an earlier report is replaced."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is written as .html, not as {path.name!r}: give the path that ending")
    require_file_place(path, "a report of `jumok evaluate`", lambda head: _POLICY.encode() in head)


def render_html(report: Report) -> str:
    """The whole page as text; the same report gives the same page."""
    style = resources.files("jumok.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    sections = [
        _scores(report.systems),
        _signatures(report.systems),
        _comparisons(report.comparisons),
        _lengths(report.systems),
        _charts(report.charts),
        _alignment(report.systems),
        _attention(report.systems),
        "".join(_section(table.title, _table(table.columns, table.rows), table.caption) for table in report.tables),
        _examples(report.examples),
    ]
    facts = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in report.facts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{_plain(report.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_text(report.title)}</h1>\n"
        + (f"<p>{_text(report.summary)}</p>\n" if report.summary else "")
        + (f"<dl>{facts}</dl>\n" if facts else "")
        + "".join(sections)
        + "</main>\n</body>\n</html>\n"
    )


def _plain(text: str) -> str:
    return html.escape(printable(text), quote=True)


def _text(text: str) -> str:
    """Escaped text whose direction is its own: a right-to-left sentence does not turn the page round."""
    return f"<bdi>{_plain(text)}</bdi>"


def _section(title: str, body: str, caption: str = "") -> str:
    below = f"<p class='caption'>{_text(caption)}</p>" if caption else ""
    return f"<section>\n<h2>{_text(title)}</h2>\n{body}{below}\n</section>\n"


def _number(value: str | float | int) -> str:
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) >= 10 or value == 0 else f"{value:.3f}"
    return str(value)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str | float | int]], best: Sequence[str] = ()) -> str:
    """A table; `best` says of each column "high", "low" or "": its best numbers are set in bold."""
    rows = [tuple(row) for row in rows]
    winners = _winners(rows, best)
    head = "".join(f"<th scope='col'>{_text(column)}</th>" for column in columns)
    body: list[str] = []
    for r, row in enumerate(rows):
        cells = [f"<th scope='row'>{_text(_number(row[0]))}</th>"] if row else []
        for c, value in enumerate(row[1:], start=1):
            kind = "" if isinstance(value, str) else " class='number'"
            shown = _text(_number(value))
            cells.append(f"<td{kind}>{f'<strong>{shown}</strong>' if (r, c) in winners else shown}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody>\n</table>\n"
    return f"<div class='wide' tabindex='0'>{table}</div>"


def _winners(rows: Sequence[Sequence[str | float | int]], best: Sequence[str]) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for column, direction in enumerate(best):
        values = [(float(row[column]), r) for r, row in enumerate(rows) if isinstance(row[column], int | float)]
        if direction and len({value for value, _ in values}) > 1:
            top = (max if direction == "high" else min)(value for value, _ in values)
            found |= {(r, column) for value, r in values if value == top}
    return found


def _scores(systems: Sequence[SystemResults]) -> str:
    rows = [
        (system.name, s.bleu.value, s.chrf.value, s.ter.value, s.sentences)
        for system in systems
        if (s := system.scores) is not None
    ]
    if not rows:
        return ""
    table = _table(("system", "BLEU ↑", "chrF ↑", "TER ↓", "sentences"), rows, ("", "high", "high", "low", ""))
    return _section("Translation quality", table)


def _signatures(systems: Sequence[SystemResults]) -> str:
    every = {
        score.signature: METRICS[score.metric].label
        for system in systems
        if system.scores is not None
        for score in (system.scores.bleu, system.scores.chrf, system.scores.ter)
    }
    lines = "".join(f"<li>{_text(name)} <code>{_plain(signature)}</code></li>" for signature, name in every.items())
    return f"<details><summary>sacreBLEU signatures</summary><ul>{lines}</ul></details>\n" if lines else ""


def _comparisons(comparisons: Sequence[MetricComparison]) -> str:
    parts: list[str] = []
    for comparison in comparisons:
        metric, comma, condition = comparison.metric.partition(",")  # `bleu`, or `bleu, ignoring case`
        name = METRICS[metric].label + comma + condition
        systems = [(s.system, s.score, f"{s.mean:.2f} [{s.low:.2f}, {s.high:.2f}]") for s in comparison.systems]
        pairs = [
            (f"{p.system} − {p.baseline}", f"{p.difference:+.2f}", f"[{p.low:+.2f}, {p.high:+.2f}]",
             f"{p.p_value:.4f}{' *' if p.p_value < 0.05 else ''}", f"{100 * p.wins:.0f}%")
            for p in comparison.pairs
        ]  # fmt: skip
        parts.append(f"<h3>{_text(name)}</h3>" + _table(("system", name, "mean [95% interval]"), systems))
        if pairs:
            parts.append(_table(("difference", name, "95% interval", "p", "better in"), pairs))
        parts.append(f"<p class='caption'><code>{_plain(comparison.signature)}</code></p>")
    if not parts:
        return ""
    caption = f"Paired bootstrap with {comparisons[0].samples} samples of the test set; * marks p < 0.05."
    return _section("Are the differences real?", "".join(parts), caption)


def _lengths(systems: Sequence[SystemResults]) -> str:
    curves = [(system.name, system.by_length) for system in systems if system.by_length]
    if not curves:
        return ""
    pictures = "".join(
        _picture(chart_svg(length_chart(curves, metric)), f"length-{metric.name}", f"{metric.label} by source length")
        for metric in (BLEU, CHRF)
    )
    rows = [
        (name, part.label, part.sentences, part.bleu, part.chrf, part.ter) for name, parts in curves for part in parts
    ]
    table = _table(("system", "source words", "sentences", "BLEU ↑", "chrF ↑", "TER ↓"), rows)
    numbers = f"<details><summary>The numbers</summary>{table}</details>"
    return _section("Scores by source length", pictures + numbers)


def _picture(svg: str, prefix: str, label: str) -> str:
    return f"<figure>{inline_svg(svg, prefix, label)}</figure>\n"


def _charts(charts: Sequence[Chart]) -> str:
    return "".join(
        _section(
            chart.title,
            _picture(chart_svg(replace(chart, title="")), f"chart-{number}", printable(chart.title)),
            chart.caption,
        )
        for number, chart in enumerate(charts)
    )


def _alignment(systems: Sequence[SystemResults]) -> str:
    rows = [(s.name, a.aer, a.precision, a.recall) for s in systems if (a := s.alignment) is not None]
    if not rows:
        return ""
    table = _table(("system", "AER ↓", "precision ↑", "recall ↑"), rows, ("", "low", "high", "high"))
    return _section("Word alignment", table, "Against gold links, sure and possible (Och and Ney 2003).")


def _attention(systems: Sequence[SystemResults]) -> str:
    rows = [
        (system.name, which, s.entropy, s.relative_entropy, s.effective_positions, s.sharpness, s.rows)
        for system in systems
        for which, s in system.attention
    ]
    if not rows:
        return ""
    columns = (
        "system",
        "attention",
        "entropy (nats)",
        "relative",
        "effective positions",
        "sharpness",
        "rows",
    )
    caption = "Relative entropy is 0 for one position and 1 for uniform; sharpness is the mean largest weight."
    return _section("Shape of the attention", _table(columns, rows), caption)


def _examples(examples: Sequence[Example]) -> str:
    parts: list[str] = []
    for number, example in enumerate(examples):
        lines = [("source", example.source), (example.system or "translation", example.translation)]
        lines += [("reference", example.reference)] if example.reference else []
        shown = "".join(f"<dt>{_text(name)}</dt><dd>{_text(line)}</dd>" for name, line in lines)
        picture = ""
        if example.weights is not None:
            words = example.source_words, example.target_words
            svg = alignment_svg(example.weights, *words, gold=example.gold, rest=True)
            picture = _picture(svg, f"example-{number}", "attention between source and translation")
        parts.append(f"<article><dl>{shown}</dl>{picture}</article>\n")
    return _section("Examples", "".join(parts)) if parts else ""
