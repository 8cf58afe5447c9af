"""The pictures and tables of benchmarks/scaling.py."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROWTH: dict[str, dict[str, tuple[int, ...]]] = {
    "train": {
        "size": (64, 128, 256, 512),
        "length": (5, 10, 20, 40, 80),
        "tokens": (256, 512, 1024, 2048, 4096, 8192),
        "words": (1000, 4000, 16000, 64000),
    },
    "translate": {
        "size": (64, 128, 256, 512),
        "length": (5, 10, 20, 40, 80),
        "batch": (1, 4, 16, 64, 256),
        "beam": (1, 2, 5, 10, 20),
        "words": (1000, 4000, 16000, 64000),
    },
}
LABELS = {
    "size": "units of a layer",
    "length": "words in a sentence",
    "tokens": "target tokens in a batch",
    "batch": "sentences at once",
    "beam": "beam",
    "words": "words of the vocabulary",
}
MODELS = ("rnnsearch", "transformer")
ROWS = (("tokens_per_second", "tokens a second"), ("peak_mb", "peak memory, MB"), ("start_seconds", "seconds to start"))
STARTS = {
    "train": "seconds until the first step is done",
    "translate": "seconds of `jumok translate` for one line (over sentences at once: for all of them)",
}
WIDE, HIGH, LEFT, BELOW = 2.4, 2.1, 0.95, 0.55  # inches: of a panel with its gaps, and around them


@dataclass(frozen=True)
class Point:
    """One measurement."""

    kind: str
    model: str
    over: str
    value: int
    measured: dict[str, float]


def draw_all(found: Sequence[Point], folder: Path) -> None:
    """A picture of each kind into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in GROWTH:
        if any(p.kind == kind for p in found):
            draw(kind, found, folder / f"scaling-{kind}.svg")


def draw(kind: str, found: Sequence[Point], path: Path) -> None:
    """Speed, memory and start of one kind over each thing that grows; panels of a row share their scale."""
    from jumok import figure

    found = [p for p in found if p.kind == kind]
    columns = [over for over in GROWTH[kind] if any(p.over == over for p in found)]
    width, height = LEFT + WIDE * len(columns), HIGH * len(ROWS) + BELOW
    with figure.drawing():
        page = figure.blank(width, height)
        for row, (key, label) in enumerate(ROWS):
            reach = [p.measured[key] for p in found]
            for column, over in enumerate(columns):
                low = BELOW + HIGH * (len(ROWS) - 1 - row)
                box = ((LEFT + WIDE * column) / width, low / height, (WIDE - 0.25) / width, (HIGH - 0.45) / height)
                axes = page.add_axes(box)
                for model, color, marker in zip(MODELS, figure.PALETTE, figure.MARKERS, strict=False):
                    line = [p for p in found if (p.over, p.model) == (over, model)]
                    heights = [p.measured[key] for p in line]
                    axes.plot([p.value for p in line], heights, color=color, marker=marker, label=model)
                scale(axes, sorted({p.value for p in found if p.over == over}), reach, key)
                if row == len(ROWS) - 1:
                    axes.set_xlabel(LABELS[over])
                if column == 0:
                    axes.set_ylabel(label)
                    axes.yaxis.set_label_coords(-0.75 / (WIDE - 0.25), 0.5)
                else:
                    axes.tick_params(labelleft=False)
        page.text(0.1 / width, 1 - 0.08 / height, kind, weight="bold", va="top")
        handles, names = page.axes[0].get_legend_handles_labels()
        page.legend(handles, names, loc="upper center", ncols=len(MODELS), fontsize=9, borderaxespad=0.2)
    figure.save(page, path)


def scale(axes: "Axes", values: Sequence[int], reach: Sequence[float], key: str) -> None:
    """Logarithmic axes with a tick at every measured value; seconds to start count from zero."""
    axes.set_xscale("log")
    axes.set_xticks(values, [short(value) for value in values], fontsize=9)
    if key == "start_seconds":
        axes.set_ylim(0, 1.1 * max(reach))
    else:
        least, most = min(reach) / 1.15, max(reach) * 1.15
        axes.set(yscale="log", ylim=(least, most))
        ticks = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
        ticks = [tick for tick in ticks if least <= tick <= most]
        axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(True, axis="y")


def short(value: int) -> str:
    """A number in few characters: 16k for 16,000."""
    return f"{round(value / 1000)}k" if value >= 1000 else str(value)


def markdown(result: dict[str, Any], found: Sequence[Point]) -> str:
    """What was measured as tables for a document: a cell is speed, memory and start of one point."""
    lines = []
    for kind in GROWTH:
        if any(p.kind == kind for p in found):
            lines += [f"{kind}: target tokens a second · peak memory · {STARTS[kind]}", ""]
        for over in GROWTH[kind]:
            by = {(p.model, p.value): p.measured for p in found if (p.kind, p.over) == (kind, over)}
            values = sorted({value for _, value in by})
            if not values:
                continue
            lines += ["| " + " | ".join([LABELS[over], *(f"{value:,}" for value in values)]) + " |"]
            lines += ["|---" * (len(values) + 1) + "|"]
            for model in MODELS:
                cells = [cell(by.get((model, value))) for value in values]
                lines += ["| " + " | ".join([model, *cells]) + " |"]
            lines += [""]
    if "processes" in result:
        lines += process_table(result["processes"])
    return "\n".join(lines)


def cell(measured: dict[str, float] | None) -> str:
    """One point in a table."""
    if measured is None:
        return "–"
    speed, memory, start = (measured[key] for key, _ in ROWS)
    return f"{speed:,.0f} · {memory:,.0f} MB · {start:.1f} s"


def process_table(found: dict[str, Any]) -> list[str]:
    """The rounds of one and two processes, and what is asked for."""
    lines = ["| tokens/s of one process | of two | gain | a second thread gives to matrix products | share |"]
    lines += ["|---|---|---|---|---|"]
    for row in found["rounds"]:
        numbers = [f"{row[key]:.2f}" for key in ("gained", "machine", "share")]
        lines += ["| " + " | ".join([f"{row['one']:,.0f}", f"{row['two']:,.0f}", *numbers]) + " |"]
    word = "reached" if found["passed"] else "NOT reached"
    lines += ["", f"The median share is {found['share']:.2f}; at least {found['least']} is asked for: {word}."]
    return lines
