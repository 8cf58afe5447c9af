"""`curves.svg`: how losses, scores and the learning rate went, drawn from `metrics.jsonl`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jumok import figure
from jumok.metric import Metric

Line = dict[str, Any]
Panel = tuple[str, list[tuple[str, str]]]


def read_metrics(path: Path) -> list[Line]:
    """The lines of a metrics file; a half-written last one is left out."""
    lines: list[Line] = []
    for text in path.read_bytes().splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            break
    return lines


def curves_svg(lines: Sequence[Line], metrics: Sequence[Metric] = ()) -> str:
    """Losses, validation scores (where there are such) and learning rates over steps, as SVG."""
    panels = _panels({key for line in lines for key in line}, metrics)
    with figure.drawing():
        page = figure.blank(4.2 * len(panels), 3.1)
        grid = page.subplots(1, len(panels), squeeze=False)
        for axes, (title, curves) in zip(grid[0], panels, strict=True):
            _draw(axes, lines, title, curves)
        page.tight_layout()
        return figure.to_svg(page)


def _panels(keys: set[str], metrics: Sequence[Metric]) -> list[Panel]:
    """The title and the curves, each a key and its label, of every panel."""
    losses = [
        curve
        for metric in metrics
        if metric.training_loss
        for curve in ((metric.training_loss, "training"), (f"valid_{metric.name}", "validation"))
    ]
    scores = [(f"valid_{metric.name}", metric.label) for metric in metrics if not metric.training_loss]
    scores = [(key, label) for key, label in scores if key in keys]
    panels: list[Panel] = [("loss of a token" if losses else "loss", losses or _of_players("loss", keys))]
    if scores:
        panels.append(("validation score", scores))
    return [*panels, ("learning rate", _of_players("learning_rate", keys) or [("learning_rate", "")])]


def _of_players(name: str, keys: set[str]) -> list[tuple[str, str]]:
    """The curves of this name, labelled with their players where there are several."""
    return [(key, key.rpartition(".")[0]) for key in sorted(keys) if key.rpartition(".")[2] == name]


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
