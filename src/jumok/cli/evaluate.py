"""`jumok evaluate` and `jumok card`: the quality of a run, measured, compared and written down."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jumok.arguments import MOST_BEAM, MOST_LINES
from jumok.cli.opening import load_translator, prepare_torch
from jumok.cli.options import Device, Plugins, Threads
from jumok.errors import InputError

TOKENIZE = "BLEU's tokenizer (13a, intl, char, zh, …), or ROUGE's: stemmed, words, characters, morphemes."
SAMPLES = 1000

if TYPE_CHECKING:
    from jumok.evaluation.compare import MetricComparison
    from jumok.evaluation.evaluate import Evaluation
    from jumok.tasks.measuring import Measured


def evaluate(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN …", help="One run, or several to compare.")],
    source: Annotated[Path | None, typer.Option(help="Source side of the test set; the phrasebook's if none.")] = None,
    reference: Annotated[list[Path] | None, typer.Option(help="Reference translations; may be repeated.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Gold word links of source and reference (Pharaoh).")] = None,
    size: Annotated[int, typer.Option(min=1, max=MOST_LINES, help="Sentences of the phrasebook's test set.")] = 500,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size of the translations.")] = 5,
    tokenize: Annotated[str | None, typer.Option(help=TOKENIZE)] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    samples: Annotated[int, typer.Option(min=1, max=1_000_000, help="Bootstrap samples for comparing runs.")] = SAMPLES,
    quick: Annotated[bool, typer.Option("--quick", help="Scores only: no exposure bias, no gradients.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write one page with all numbers and plots.")] = None,
    card: Annotated[bool, typer.Option("--card", help="Store the scores in the run and its model card.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Measure BLEU, chrF, TER, word alignment and more; several runs are compared with paired bootstrap."""
    from jumok.decoding.options import Options
    from jumok.evaluation import evaluate as evaluation
    from jumok.evaluation.metrics import MetricOptions, score_metric
    from jumok.evaluation.report import require_report_place, write_report
    from jumok.run.folder import for_text
    from jumok.tasks import measure_of
    from jumok.tasks.measuring import Asked
    from jumok.tasks.translation.card import keep_scores, require_card_place
    from jumok.tasks.translation.test_sets import read_test_set

    if html is not None:
        require_report_place(html)
    names = names_of(runs)
    task = common_task(runs)
    if (measure := measure_of(task)) is not None:
        refuse_translation_only({"--gold": gold, "--lowercase": lowercase, "--card": card, "--quick": quick})
        refuse_samples(task, samples)
        prepare_torch(runs[0], threads, plugin)
        asked = Asked(tuple(names), source, reference or [], size, beam, samples, tokenize, device)
        show_measured(measure(runs, asked), " and ".join(names), as_json, html)
        return
    metric_options = MetricOptions(lowercase=lowercase, tokenize=tokenize or "13a")
    score_metric("bleu", ["a"], [["a"]], metric_options)  # a tokenizer that is missing is told before the work
    for run in runs if card else ():
        require_card_place(run)
    translators = [load_translator(run, device, threads, plugin) for run in runs]
    test = read_test_set(for_text(translators[0].run.config, runs[0]), source, reference or [], gold, size)
    costly = {"losses": 0, "gradients": 0} if quick else {}
    found: list[Evaluation] = []
    for translator, name in zip(translators, names, strict=True):
        print(f"{name}: {len(test.sources)} sentences of {test.name} …", file=sys.stderr)
        options = Options(beam=beam)
        found.append(
            evaluation.evaluate(translator, test, options=options, metric_options=metric_options, name=name, **costly)
        )
    found = evaluation.comparable(found, test, metric_options)
    for one in found:
        warn_of_cuts(one)
        warn_of_case(one)
    comparisons = evaluation.compare(found, test, metric_options, samples)
    if html is not None:
        write_report(evaluation.report(found, test, comparisons), html)
    if card:
        for run, one in zip(runs, found, strict=True):
            keep_scores(run, one, test.name)
    if as_json:
        print(json.dumps(as_tree(found, comparisons), ensure_ascii=False))
    else:
        show(found, comparisons)


def common_task(runs: list[Path]) -> str:
    """The task of the runs, which must be the same for all of them."""
    from jumok.run.folder import read_config

    tasks = sorted({read_config(run).task for run in runs})
    if len(tasks) > 1:
        raise InputError(f"runs of {' and '.join(tasks)} have no scores in common; evaluate them one after the other.")
    return tasks[0]


def refuse_translation_only(options: dict[str, object]) -> None:
    """Raises where an option is given that only translations can be measured by."""
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{given[0]} belongs to runs that translate; leave it out.")


def refuse_samples(task: str, samples: int) -> None:
    """Raises where bootstrap samples are asked for that nothing draws."""
    if task == "captioning" and samples != SAMPLES:
        raise InputError("--samples is for text; no intervals are drawn of captions, so leave it out.")


def show_measured(found: "Measured", title: str, as_json: bool, html: Path | None) -> None:
    """Prints what a task measured of its runs, and writes the page."""
    from rich.console import Console
    from rich.table import Table

    from jumok.evaluation.report import Report, write_report

    if html is not None:
        write_report(Report(title, tables=tuple(found.tables())), html)
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False))
        return
    console = Console(highlight=False)
    for one in found.tables():
        table = Table(title=one.title, title_justify="left")
        for column in one.columns:
            table.add_column(column, overflow="fold")  # an ellipsis would hide which run, or which score
        for row in one.rows:
            table.add_row(*map(str, row))
        console.print(table)
        if one.caption:
            console.print(one.caption, style="dim", markup=False)


def warn_of_cuts(one: "Evaluation") -> None:
    """Says that lines were longer than the model was trained for."""
    cut = [number for number, found in enumerate(one.translations, start=1) if found.source_cut]
    if cut:
        print(
            f"warning: {one.name}: {len(cut)} lines are longer than the model was trained for, the first of them line "
            f"{cut[0]}; only their beginnings were translated.",
            file=sys.stderr,
        )


def warn_of_case(one: "Evaluation") -> None:
    """Says that capitals count as errors because only one side has them."""
    uncased = one.ignoring_case
    if uncased is None or uncased.lowercased is None:
        return
    sides = ("its translations are lower-cased", "the references have capitals")
    if uncased.lowercased == "references":
        sides = ("the references are lower-cased", "its translations have capitals")
    print(
        f"warning: {one.name}: {sides[0]} but {sides[1]}, so BLEU {one.scores.bleu.value:.1f} counts each capital as "
        f"an error; ignoring case it is {uncased.scores.bleu.value:.1f} (--lowercase ignores it everywhere).",
        file=sys.stderr,
    )


def names_of(runs: list[Path]) -> list[str]:
    """The folders' names, with the path where two have the same."""
    if len({run.resolve() for run in runs}) < len(runs):
        raise InputError("the same run is named twice; name each run once.")
    names = [run.resolve().name for run in runs]
    return names if len(set(names)) == len(names) else [str(run) for run in runs]


def as_tree(found: "list[Evaluation]", comparisons: "list[MetricComparison]") -> dict[str, Any]:
    """One run's numbers at the top; several under `runs`, with `comparisons`."""
    if len(found) == 1:
        return found[0].as_dict()
    compared = [
        {
            "metric": one.metric,
            "signature": one.signature,
            "systems": [vars(system) for system in one.systems],
            "pairs": [vars(pair) for pair in one.pairs],
        }
        for one in comparisons
    ]
    return {"runs": [one.as_dict() for one in found], "comparisons": compared}


def show(found: "list[Evaluation]", comparisons: "list[MetricComparison]") -> None:
    """Tables for the terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_scores(found))
    console.print(_lengths(found))
    for comparison in comparisons:
        for pair in comparison.pairs:
            mark = " *" if pair.p_value < 0.05 else ""
            console.print(
                f"{comparison.metric}: {pair.system} − {pair.baseline} = {pair.difference:+.2f} "
                f"[{pair.low:+.2f}, {pair.high:+.2f}], p = {pair.p_value:.4f}{mark}",
                markup=False,
            )
    for one in found:
        for which, shape in one.attention:
            console.print(
                f"{one.name}: {which} attention: entropy {shape.entropy:.2f} nats, on {shape.effective_positions:.1f} "
                f"positions, largest weight {shape.sharpness:.2f}",
                markup=False,
            )
    for one in found:
        for line in flow_lines(one):
            console.print(line, markup=False)
    every = [found[0].scores] + ([found[0].ignoring_case.scores] if found[0].ignoring_case else [])
    for score in (score for scores in every for score in (scores.bleu, scores.chrf, scores.ter)):
        console.print(f"{score.metric}: {score.signature}", style="dim", markup=False)


def flow_lines(one: "Evaluation") -> list[str]:
    """The gradient at source words over distance, near and far, and its two lanes."""
    if not one.gradient_flow:
        return []
    near, far = one.gradient_flow[0], one.gradient_flow[-1]
    lines = [
        f"{one.name}: gradient at source words {near.words:.2e} at distance {near.low}–{near.high}, "
        f"{far.words:.2e} at {far.low}–{far.high}"
    ]
    if near.weights is not None and near.values is not None:
        total = [sum(getattr(part, lane) * part.count for part in one.gradient_flow) for lane in ("weights", "values")]
        share = 100 * total[0] / max(1e-30, sum(total))
        lines.append(f"{one.name}: of the direct gradient through attention {share:.0f}% comes through the weights")
    return lines


def _scores(found: "list[Evaluation]") -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table("run", "BLEU", "chrF", "TER", "AER", "forced loss", "free loss", "gap")
    for one in found:
        scores, exposed = one.scores, one.exposure
        losses = ["–"] * 3 if exposed is None else [f"{n:.3f}" for n in (exposed.forced, exposed.free, exposed.gap)]
        table.add_row(
            Text(one.name),
            f"{scores.bleu.value:.1f}",
            f"{scores.chrf.value:.1f}",
            f"{scores.ter.value:.1f}",
            "–" if one.alignment is None else f"{one.alignment.aer:.3f}",
            *losses,
        )
        if one.ignoring_case is not None:
            uncased = one.ignoring_case.scores
            values = (f"{score.value:.1f}" for score in (uncased.bleu, uncased.chrf, uncased.ter))
            table.add_row(Text(f"{one.name}, ignoring case"), *values, *["–"] * 4)
    return table


def _lengths(found: "list[Evaluation]") -> Any:
    from rich.table import Table
    from rich.text import Text

    labels = list(dict.fromkeys(part.label for one in found for part in one.by_length))
    table = Table("BLEU by source words", *labels)
    for one in found:
        values = {part.label: f"{part.bleu:.1f}" for part in one.by_length}
        table.add_row(Text(one.name), *(values.get(label, "–") for label in labels))
    return table


def card(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder.")],
    to_stdout: Annotated[bool, typer.Option("--print", help="Print the card instead of writing it.")] = False,
) -> None:
    """Write the model card (README.md) of a run, with the scores that were measured."""
    from jumok.tasks.translation.card import make_card, write_card

    if to_stdout:
        print(make_card(run), end="")
    else:
        print(write_card(run))
