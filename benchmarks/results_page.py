"""docs/results.md and its pictures, from what benchmarks/results.py measured."""

import json
from pathlib import Path
from typing import Any

from results_rows import BEAM, CASED, GREEDY, LOWER, ROWS, TOKENISED, WITHIN, Row

INTRODUCTION = """\
# Results on real text

Multi30k (29,000 image captions), trained from scratch on a CPU, measured on `test_2016_flickr`. Settings were chosen on
`val`; the test set is translated once, when a row is finished. `make results DATA=folder` trains and measures every row
that is not in [docs/results](results); see the [README](../README.md#results-on-real-text) for the corpus.

Scores are BLEU, greedy / beam 5: *lower-cased* and *cased* are detokenised text under sacreBLEU's 13a; *tokenised* is
normalised, lower-cased and tokenised by sacremoses and scored with `tokenize=none`. The bold number is measured in the
same way as the mark (the published result); the goals refer to that number too. A model that was trained on lower-cased
text writes no capitals, so its cased score means little. (OpenNMT-py's 34.6 is 34.9 lower-cased.)
"""


def write(folder: Path, runs: Path) -> None:
    """Pictures and page from the JSON files of a folder."""
    results = {row.name: json.loads(path.read_text()) for row in ROWS if (path := folder / f"{row.name}.json").exists()}
    draw(results, folder)
    write_page(results, folder, folder.parent / f"{folder.name}.md", runs)


def draw(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """The curves of training on val, and BLEU by length on the test set."""
    from jumok.evaluation.chart import Chart, Series, draw_chart

    for direction in ("de-en", "en-de"):
        of_rows = {name: one for name, one in results.items() if name.startswith(direction)}
        if not of_rows:
            continue
        arrow = direction.replace("-", "→")
        lines = [
            Series(name, *(tuple(float(p[key]) for p in one["curve"]) for key in ("step", "bleu")))
            for name, one in of_rows.items()
        ]
        chart = Chart(f"{arrow}: BLEU on val while training", "step", "BLEU (greedy)", tuple(lines), from_zero=True)
        draw_chart(chart, folder / f"{direction}-training.svg")
        labels = tuple(part["label"] for part in next(iter(of_rows.values()))["by_length"])
        lines = [
            Series(name, tuple(map(float, range(len(one["by_length"])))), tuple(p["bleu"] for p in one["by_length"]))
            for name, one in of_rows.items()
        ]
        chart = Chart(
            f"{arrow}: BLEU by source length", "source length (words)", "BLEU", tuple(lines), "", labels, False, True
        )
        draw_chart(chart, folder / f"{direction}-length.svg")


def line_of(row: Row, result: dict[str, Any] | None, run: Path) -> str:
    """One line of the table."""
    mark = f"{row.mark:.1f} ({row.whose}, {row.metric}, {row.search}, {row.most:g} M)" if row.mark else ""
    goal = f"{row.goal:g}" if row.goal else ""
    if result is None:
        return f"| {row.source}→{row.target} | {row.title} | {progress_of(run)} | | | | {mark} | {goal} |"
    got = {search: {name: one["value"] for name, one in result["scores"][search].items()} for search in (GREEDY, BEAM)}
    compared = got[row.search][row.metric]
    cells = [
        f"{row.source}→{row.target}",
        f"[{row.title}](../configs/{row.config.name})",
        f"**{compared:.1f}**",
        *(f"{got[GREEDY][way]:.1f} / {got[BEAM][way]:.1f}" for way in (LOWER, CASED, TOKENISED)),
        mark,
        goal,
    ]
    return f"| {' | '.join(cells)} |"


def progress_of(run: Path) -> str:
    """How far an unfinished row has come."""
    if not (run / "metrics.jsonl").exists():
        return "not finished: not started"
    points = curve(run)
    if not points:
        return "not finished: no validation yet"
    best = max(points, key=lambda point: point["bleu"])
    return f"not finished: step {points[-1]['step']}, BLEU on val {best['bleu']:.1f}"


def facts_of(row: Row, result: dict[str, Any]) -> str:
    """A line of facts about a finished row."""
    best = result["validation"]
    at = f" at {best['step']:,}" if best["step"] else ""
    return (
        f"| {row.name} | {result['parameters'] / 1e6:.2f} M | {result['vocabulary']:,} | {result['seed']} | "
        f"{result['steps']:,} ({result['stopped']}) | {best['score']:.1f}{at} | {result['alpha']:g} | "
        f"{result['minutes_at_median_pace']:.0f} ({result['minutes']:.0f} elapsed), {result['threads']} |"
    )


def write_page(results: dict[str, dict[str, Any]], folder: Path, page: Path, runs: Path) -> None:
    """docs/results.md: every row, finished or not."""
    known = [row for row in ROWS if row.name in results]
    text = [
        INTRODUCTION,
        "| | model | measured as the mark | lower-cased | cased | tokenised | mark | our goal |",
        "|---|---|---|---|---|---|---|---|",
        *[line_of(row, results.get(row.name), runs / row.name) for row in ROWS],
        "",
    ]  # fmt: skip
    if known:
        text += [
            "| row | parameters | vocabulary | seed | steps | best on val | α | minutes of training, threads |",
            "|---|---|---|---|---|---|---|---|",
            *[facts_of(row, results[row.name]) for row in known],
            "",
            "Minutes are steps × the median time of a step; in brackets the elapsed time, pauses included. "
            "Runs with one thread had another program on the other core. α is the length penalty of the beam (Wu et "
            "al. 2016), chosen on `val` among those that the row's JSON names: the smallest within "
            f"{WITHIN} of the best (the best itself in rows measured before `en-de-transformer-wide-again`). The "
            "best on `val` is greedy.",
            "",
            *[f"![]({folder.name}/{path.name})" for path in sorted(folder.glob("*.svg"))],
            "",
            *signatures(results[known[0].name]),
        ]
    text += time_to_quality(folder / "time-to-quality.json")
    page.write_text("\n".join(text), encoding="utf-8")


def time_to_quality(path: Path) -> list[str]:
    """When BLEU on val passed each level, ours and OpenNMT-py; see benchmarks/time_to_quality.py."""
    if not path.exists():
        return ["## Time to quality", "", "Not finished: `benchmarks/time_to_quality.py` has not been run yet.", ""]
    found = json.loads(path.read_text(encoding="utf-8"))
    levels = list(next(iter(found.values()))["minutes"])
    rows = [
        f"| {name} | "
        + " | ".join("–" if one["minutes"][level] is None else f"{one['minutes'][level]:.1f}" for level in levels)
        + f" | {max(point['minutes'] for point in one['curve']):.0f} |"
        for name, one in found.items()
        if one["curve"]
    ]
    head = [
        "## Time to quality",
        "",
        "    python benchmarks/time_to_quality.py --data FOLDER --minutes 9.5 \\",
        "        --systems jumok opennmt-documented opennmt-tiny",
        "",
    ]
    titles = " | ".join(f"BLEU {level}" for level in levels)
    return [
        *head,
        "Minutes of training on two cores until greedy BLEU on `val` passes a level, de→en; – is not within the "
        "minutes trained. OpenNMT-py 3.5.1 with the Transformer of its documentation (6+6 layers of 512, four batches "
        "per step, a warm-up of 8,000 steps), and with the tiny one (4+4 layers of 128, the same optimiser with a "
        "warm-up of 1,000 steps, as many parameters as ours).",
        "",
        f"| | {titles} | trained for |",
        "|---|" + "---|" * (len(levels) + 1),
        *rows,
        "",
    ]


def signatures(result: dict[str, Any]) -> list[str]:
    """The signature of each score."""
    named = result["scores"][BEAM]
    return ["Signatures:", "", *[f"- {name}: `{one['signature']}`" for name, one in named.items()], ""]


def curve(run: Path) -> list[dict[str, float]]:
    """BLEU and loss on val over the steps."""
    from jumok.training.curves import read_metrics

    lines = [line for line in read_metrics(run / "metrics.jsonl") if "valid_bleu" in line]
    return [{"step": line["step"], "bleu": line["valid_bleu"], "loss": line["valid_loss"]} for line in lines]
