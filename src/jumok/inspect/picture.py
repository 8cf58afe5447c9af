"""Pictures of explanations: curves of a kernel regression, bars or a matrix of weights, the effect of the scale."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jumok import figure
from jumok.errors import InputError
from jumok.inspect.kernel_regression import Curves, curves
from jumok.inspect.numbers import Array
from jumok.inspect.steps import Explanation
from jumok.inspect.texts import Texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_NUMBERS = 12
_MOST_TICKS = 16


def draw(explanation: Explanation, path: str | Path) -> list[str]:
    """Saves the picture of an explanation; returns notes on glyphs that no font has.

    explanation   what `jumok.explain` gave
    path          the file to write; it ends in .svg or .png
    """
    say = Texts(explanation.lang)
    with figure.drawing():
        return figure.save(picture(explanation, say), path)


def picture(explanation: Explanation, say: Texts) -> "Figure":
    """The picture that suits the explanation."""
    if explanation.name == "generalise":
        return scaling_figure(explanation.more["scaling"], say)
    one_number = explanation.keys.shape[1] == 1 and explanation.values.shape[1] == 1
    if explanation.parts["score"] == "kernel" and (one_number or explanation.name == "nadaraya-watson"):
        return regression_figure(curves(explanation), say)
    weights = np.stack([look.weights for look in explanation.looks])
    if weights.ndim == 3 and len(explanation.looks) > 1:
        raise InputError("The heads of several queries do not fit into one picture; give one query.")
    rows = weights[0] if weights.ndim == 3 else weights
    if len(rows) == 1:
        return bars_figure(rows[0], explanation.name, say)
    return matrix_figure(rows, explanation.name, say("plot.head" if weights.ndim == 3 else "plot.query"), say)


def regression_figure(found: Curves, say: Texts) -> "Figure":
    """Data and the three estimates; beside them the weights of the normalised one."""
    page = figure.blank(10.4, 4.4)
    left = page.add_axes((0.06, 0.24, 0.5, 0.64))
    left.axhline(float(found.mean[0]), color=figure.PALETTE[4], linestyle=(0, (5, 3)), label=say("plot.mean"))
    left.plot(
        found.grid,
        found.unnormalised,
        color=figure.PALETTE[1],
        linestyle=(0, (1.5, 1.5)),
        label=say("plot.unnormalised"),
    )
    left.plot(found.grid, found.normalised, color=figure.PALETTE[0], linewidth=2.4, label=say("plot.normalised"))
    left.plot(found.x, found.y, "o", color=figure.INK, markersize=4.5, alpha=0.75, label=say("plot.data"))
    left.set_title(say("plot.regression", profile=found.profile, h=f"{found.bandwidth:g}"), loc="left", fontsize=12)
    left.set_xlabel("x")
    left.set_ylabel("y", rotation=0, labelpad=10)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=2, columnspacing=1.6, handlelength=2.6)
    right = page.add_axes((0.64, 0.24, 0.27, 0.64))
    _heat(
        right,
        found.weights,
        (-0.5, len(found.x) - 0.5, float(found.grid[0]), float(found.grid[-1]) + 1e-9),
        page,
        say,
    )
    right.set_title(say("plot.weights"), loc="left", fontsize=12)
    right.set_xlabel(say("plot.datum"))
    right.set_ylabel(say("plot.at"))
    return page


def _heat(axes: "Axes", weights: Array, extent: tuple[float, float, float, float], page: "Figure", say: Texts) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("weights", [figure.PAPER, figure.HEAT])
    top = float(weights.max(initial=0.0)) or 1.0
    image = axes.imshow(
        weights,
        cmap=colours,
        vmin=0.0,
        vmax=top,
        aspect="auto",
        origin="lower",
        extent=extent,
        interpolation="nearest",
    )
    bar = page.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    bar.set_label(say("plot.weight"))


def bars_figure(weights: Array, title: str, say: Texts) -> "Figure":
    """One bar a source position, with its weight where there is room."""
    n = len(weights)
    width = min(12.0, max(4.6, 1.6 + 0.55 * n))
    page = figure.blank(width, 3.2)
    axes = page.add_axes((0.75 / width, 0.19, 1 - 0.95 / width, 0.64))
    places = np.arange(n)
    axes.bar(places, weights, color=figure.HEAT, width=0.72)
    axes.set_ylim(0.0, max(1.0, float(weights.max(initial=0.0))) * 1.1)
    axes.set_xticks(places if n <= _MOST_TICKS else _every(n))
    axes.set_xlabel(say("plot.position"))
    axes.set_ylabel(say("plot.weight"))
    axes.set_title(figure.printable(title), loc="left", fontsize=12)
    if n <= _MOST_NUMBERS:
        for place, weight in zip(places, weights, strict=True):
            if weight == 0:
                continue  # no bar, no number
            figure.write(axes, float(place), float(weight) + 0.03, f"{weight:.2f}", size=9, align="center")
    return page


def matrix_figure(rows: Array, title: str, row_name: str, say: Texts) -> "Figure":
    """Weights with one row per query or head."""
    T, S = rows.shape
    width, height = min(12.0, max(5.0, 2.4 + 0.5 * S)), min(9.0, 1.7 + 0.45 * T)
    page = figure.blank(width, height)
    axes = page.add_axes((0.8 / width, 0.75 / height, 1 - 1.2 / width, 1 - 1.25 / height))
    _heat(axes, rows[::-1], (-0.5, S - 0.5, T - 0.5, -0.5), page, say)
    axes.set_ylim(T - 0.5, -0.5)
    axes.set_xticks(np.arange(S) if S <= _MOST_TICKS else _every(S))
    axes.set_yticks(np.arange(T) if T <= _MOST_TICKS else _every(T))
    axes.set_xlabel(say("plot.position"))
    axes.set_ylabel(row_name)
    axes.set_title(figure.printable(title), loc="left", fontsize=12)
    return page


def scaling_figure(rows: list[dict[str, Any]], say: Texts) -> "Figure":
    """Largest weight and gradient over the size of the vectors, with and without the scale."""
    page = figure.blank(9.6, 3.9)
    sizes = [row["d"] for row in rows]
    for place, key in ((0, "peak"), (1, "gradient")):
        axes = page.add_axes((0.07 + 0.5 * place, 0.17, 0.41, 0.7))
        for number, (suffix, label) in enumerate((("", "plot.unscaled"), ("_scaled", "plot.scaled"))):
            values = [row[key + suffix] for row in rows]
            axes.plot(
                sizes,
                values,
                marker=figure.MARKERS[number],
                color=figure.PALETTE[1 - number],
                label=say(label),
            )
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel(say("plot.size"))
        axes.set_title(say(f"plot.{key}") + ("" if place == 0 else "  ‖∂a/∂e‖"), loc="left", fontsize=12)
        axes.legend(loc="best")
    return page


def _every(n: int) -> range:
    """Evenly spaced ticks, few enough to be read."""
    return range(0, n, -(-n // _MOST_TICKS))
