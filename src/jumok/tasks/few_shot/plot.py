"""Answers as a picture: the query, the examples in a row, and below each how much every attention block looked."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jumok import figure
from jumok.errors import InputError
from jumok.tasks.few_shot.model import Answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIDE, _GAP, _LABEL, _BAR, _FONT = 0.62, 0.12, 0.22, 0.34, 8.0
_LEFT = 1.05
_LONGEST_LABEL = 10
MOST_EXAMPLES, MOST_ANSWERS = 100, 20


def draw_answers(answers: Sequence[Answer], queries_QHW: Sequence[np.ndarray], path: str | Path) -> list[str]:
    """Draws the answers to an SVG or PNG file; returns notes about glyphs that are missing."""
    return figure.save(answers_figure(answers, queries_QHW), path)


def answers_figure(answers: Sequence[Answer], queries_QHW: Sequence[np.ndarray]) -> "Figure":
    """A band for each answer: the query, the examples, and a row of bars for each attention block."""
    if not answers or len(answers) > MOST_ANSWERS or len(answers[0].examples) > MOST_EXAMPLES:
        raise InputError(
            f"A picture shows 1 to {MOST_ANSWERS} answers over at most {MOST_EXAMPLES} examples; give fewer."
        )
    examples, blocks = len(answers[0].examples), len(answers[0].weights)
    band = _LABEL + _SIDE + blocks * (_BAR + _GAP) + 2 * _GAP
    with figure.drawing():
        page, sheet = figure.sheet(_LEFT + (examples + 1) * (_SIDE + _GAP) + _GAP, len(answers) * band + _GAP)
        for number, (answer, query_HW) in enumerate(zip(answers, queries_QHW, strict=True)):
            _draw_band(page, sheet, answer, query_HW, _GAP + number * band)
        return page


def _draw_band(page: "Figure", sheet: "Axes", answer: Answer, query_HW: np.ndarray, top: float) -> None:
    name = f"? → {answer.label}"
    _draw_picture(page, sheet, query_HW, name, _GAP, top, figure.GOLD)
    figure.write(sheet, _GAP + _SIDE / 2, top + _LABEL + _SIDE + 0.1, f"{answer.probabilities[answer.label]:.0%}",
                 size=_FONT, align="center")  # fmt: skip
    for place, example in enumerate(answer.examples):
        _draw_picture(page, sheet, example.pixels_HW, example.label, _at(place), top, figure.GRID)
    _draw_picture(page, sheet, query_HW, "itself", _at(len(answer.examples)), top, figure.GOLD)
    for block, weights in enumerate(answer.weights):
        _draw_block(page, sheet, weights, block, top + _LABEL + _SIDE + block * (_BAR + _GAP) + _GAP)


def _at(place: int) -> float:
    """Inches from the left to the example of a place."""
    return _LEFT + place * (_SIDE + _GAP)


def _draw_picture(
    page: "Figure", sheet: "Axes", pixels_HW: np.ndarray, name: str, left: float, top: float, frame: str
) -> None:
    shown = figure.shorten(figure.printable(name), _LONGEST_LABEL)
    figure.write(sheet, left + _SIDE / 2, top + _LABEL / 2, shown, size=_FONT, align="center")
    panel = figure.add_panel(page, (left, top + _LABEL, _SIDE, _SIDE))
    panel.imshow(255 - pixels_HW, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    panel.spines[:].set(color=frame, linewidth=1.6)


def _draw_block(page: "Figure", sheet: "Axes", weights: np.ndarray, block: int, top: float) -> None:
    """A bar for each example, and last for the query itself."""
    middle = top + _BAR / 2
    figure.write(sheet, _LEFT - _GAP, middle, f"block {block + 1}", size=_FONT, align="right", color=figure.MUTED)
    for place, weight in enumerate(weights):
        panel = figure.add_panel(page, (_at(place), top, _SIDE, _BAR))
        panel.set_xlim(0, 1)
        panel.set_ylim(0, 1)
        panel.bar(0.5, float(weight), width=1.0, color=figure.HEAT)
        figure.write(panel, 0.5, 0.5, f"{weight:.2f}", size=_FONT, align="center",
                     color=figure.PAPER if weight > 0.55 else figure.INK)  # fmt: skip
