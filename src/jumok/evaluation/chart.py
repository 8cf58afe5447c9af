"""Line charts of results: values in, an SVG out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jumok import figure
from jumok.errors import InputError
from jumok.evaluation.by_length import LengthBin
from jumok.metric import BLEU, Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = ("-", "--", ":")


@dataclass(frozen=True)
class Series:
    """One line of a chart; `low` and `high`, when given, are drawn as a band around it."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for values in (self.y, self.low, self.high):
            if values is not None and len(values) != len(self.x):
                raise InputError(f"the line {self.name!r} has {len(self.x)} x values, but {len(values)} others")


@dataclass(frozen=True)
class Chart:
    """Lines over a common axis, with what a reader needs to understand them."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str = ""
    tick_labels: tuple[str, ...] = ()
    """names of the positions 0, 1, 2, …, where x counts bins"""
    log_y: bool = False
    from_zero: bool = False


def length_chart(curves: Sequence[tuple[str, Sequence[LengthBin]]], metric: Metric = BLEU) -> Chart:
    """The bottleneck plot: one line per system over bins of source length."""
    bins = sorted({(part.low, part.high, part.label) for _, parts in curves for part in parts}, key=lambda b: b[0])
    place = {label: number for number, (_, _, label) in enumerate(bins)}
    series = tuple(
        Series(
            name,
            tuple(float(place[part.label]) for part in parts),
            tuple(float(getattr(part, metric.name)) for part in parts),
        )
        for name, parts in curves
    )
    return Chart(
        title=f"{metric.label} by source length",
        x_label="source length (words)",
        y_label=metric.label,
        series=series,
        tick_labels=tuple(label for _, _, label in bins),
        from_zero=True,
    )


def chart_figure(chart: Chart) -> "Figure":
    """The matplotlib figure of a chart; the legend is next to the lines, never on them."""
    names = [figure.shorten(figure.printable(series.name), 30) for series in chart.series]
    legend = max((figure.text_width(name, 9.0) for name in names), default=0.0) + 0.6
    width, height, bottom, top = 5.6 + legend, 3.3, 0.62, 0.42 if chart.title else 0.12
    with figure.drawing():
        page = figure.blank(width, height)
        axes = page.add_axes((0.2, 0.2, 0.6, 0.6))
        axes.grid(visible=True, axis="y")
        for number, (name, series) in enumerate(zip(names, chart.series, strict=True)):
            _draw_series(axes, series, name, number)
        _finish_axes(axes, chart)
        ticks = axes.yaxis.get_major_formatter().format_ticks(list(axes.get_yticks()))
        left = 0.5 + max((figure.text_width(tick, 10.0) for tick in ticks), default=0.0)
        across = (width - left - legend - 0.1) / width
        axes.set_position((left / width, bottom / height, across, (height - bottom - top) / height))
        if names:
            page.legend(loc="upper left", bbox_to_anchor=(1 - legend / width, 1 - top / height), fontsize=9.0)
        return page


def _draw_series(axes: "Axes", series: Series, name: str, number: int) -> None:
    # More lines than colours: the next round of them has other marks and is dashed, then dotted.
    turn = number // len(figure.PALETTE)
    colour, style = figure.PALETTE[number % len(figure.PALETTE)], STYLES[turn % len(STYLES)]
    marker = figure.MARKERS[(number + 3 * turn) % len(figure.MARKERS)] if len(series.x) <= 40 else None
    # A leading underscore would hide the line from the legend; the invisible joiner keeps the name as it is.
    label = f"\u200b{name}" if name.startswith("_") else name
    axes.plot(series.x, series.y, color=colour, marker=marker, linestyle=style, label=label or " ")
    if series.low is not None and series.high is not None:
        axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.15, linewidth=0.0)


def _finish_axes(axes: "Axes", chart: Chart) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    if chart.log_y:
        axes.set_yscale("log")
        # matplotlib writes powers of ten as mathematics, which our texts are not.
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif chart.from_zero:
        axes.set_ylim(bottom=0.0)
    if chart.tick_labels:
        labels = [figure.printable(label) for label in chart.tick_labels]
        axes.set_xticks(range(len(labels)), labels)
        axes.set_xlim(-0.3, len(labels) - 0.7)
    elif all(float(x).is_integer() for series in chart.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(figure.printable(chart.title), loc="left", fontsize=11.0, fontweight="bold", pad=10.0)
    axes.set_xlabel(figure.printable(chart.x_label))
    axes.set_ylabel(figure.printable(chart.y_label))


def draw_chart(chart: Chart, path: str | Path) -> list[str]:
    """Draws the chart to an SVG or PNG file; returns notes about missing glyphs."""
    return figure.save(chart_figure(chart), path)


def chart_svg(chart: Chart) -> str:
    """The chart as SVG text."""
    return figure.to_svg(chart_figure(chart))
