"""`curves.svg`: how losses, scores and the learning rate went, drawn from `metrics.jsonl`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jumok import figure

Line = dict[str, Any]


def read_metrics(path: Path) -> list[Line]:
    """The lines of a metrics file; a half-written last one is left out."""
    lines: list[Line] = []
    for text in path.read_bytes().splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            break
    return lines


def curves_svg(lines: Sequence[Line]) -> str:
    """Loss, validation scores (if sentences were decoded) and learning rate over steps, as SVG."""
    scores = [name for name in ("valid_bleu", "valid_chrf") if any(name in line for line in lines)]
    panels: list[tuple[str, list[tuple[str, str]]]] = [
        ("loss of a token", [("nll", "training"), ("valid_loss", "validation")])
    ]
    if scores:
        names = {"valid_bleu": "BLEU", "valid_chrf": "chrF"}
        panels.append(("validation score", [(name, names[name]) for name in scores]))
    panels.append(("learning rate", [("learning_rate", "")]))
    with figure.drawing():
        page = figure.blank(4.2 * len(panels), 3.1)
        grid = page.subplots(1, len(panels), squeeze=False)
        for axes, (title, curves) in zip(grid[0], panels, strict=True):
            _draw(axes, lines, title, curves)
        page.tight_layout()
        return figure.to_svg(page)


def _draw(axes: Any, lines: Sequence[Line], title: str, curves: Sequence[tuple[str, str]]) -> None:
    for number, (key, label) in enumerate(curves):
        points = [(line["step"], line[key]) for line in lines if key in line]
        if points:
            marker = "o" if key.startswith("valid_") or len(points) == 1 else None
            steps, values = zip(*points, strict=True)
            color = figure.PALETTE[number]
            axes.plot(steps, values, color=color, marker=marker, markersize=3, linewidth=1.4, label=label)
    axes.set_title(title, fontsize=10, color=figure.INK)
    axes.set_xlabel("step", fontsize=9, color=figure.MUTED)
    axes.grid(True, color=figure.GRID, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8, colors=figure.MUTED)
    if any(label for _, label in curves):
        axes.legend(frameon=False, fontsize=8)
