"""Results on real text: trains every recipe of configs/multi30k-*.yaml, measures it once, and writes it down.

    python benchmarks/results.py --data FOLDER                    # every row that is not in docs/results yet
    python benchmarks/results.py --data FOLDER --rows de-en-lstm
    python benchmarks/results.py --page-only                      # docs/results.md again, from what is there

FOLDER holds Multi30k as published: train, val and test_2016_flickr with .en.gz and .de.gz. A row is one `jumok train`;
killed, it is resumed by the next call; one that fails does not keep the others from being trained. A row whose JSON is
in docs/results is skipped. Settings are chosen on val, the length penalty of the beam too; a finished row is translated
once from test_2016_flickr, greedily and with a beam of 5.
"""

import argparse
import gzip
import json
import statistics
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from results_page import curve, write
from results_rows import ALPHAS, BEAM, CASED, GREEDY, HERE, LOWER, ROWS, TEST, TOKENISED, WITHIN, Row

# ---------------------------------------------------------------- training


def train(row: Row, run: Path, data: Path, overrides: list[str]) -> dict[str, Any]:
    """Trains a row, or resumes it; what `jumok train --json` says at the end."""
    if not row.seeds:
        return train_once(row, run, data, overrides)
    members = members_of(row, run)
    summaries = [
        train_once(row, member, data, [*overrides, f"seed={seed}"])
        for seed, member in zip(row.seeds, members, strict=True)
    ]
    for summary in summaries:
        stop_unless_finished(row, summary)
    if not run.exists():
        subprocess.run([sys.executable, "-m", "jumok", "average", *map(str, members), "--out", str(run)], check=True)
    steps = [summary["step"] for summary in summaries]
    best = {"score": greedy_on_val(row, run, data), "step": None}  # each member brings the weights of its own best step
    return {"reason": "averaged", "step": sum(steps), "best": best}


def members_of(row: Row, run: Path) -> list[Path]:
    """The runs whose training made a row: itself, or one of each seed."""
    return [run.with_name(f"{run.name}-seed-{seed}") for seed in row.seeds] or [run]


def greedy_on_val(row: Row, run: Path, data: Path) -> float:
    """BLEU on val as training measures it."""
    import jumok
    from jumok.decoding.options import Options
    from jumok.evaluation.metrics import MetricOptions, score_metric

    translator = jumok.load(run)
    found = translator.translate_stream(read(data, "val", row.source), Options(beam=1, alignment=False))
    lowercase = translator.run.config.text.lowercase
    wanted = [line.lower() if lowercase else line for line in read(data, "val", row.target)]
    return score_metric("bleu", [one.text for one in found], wanted, MetricOptions()).value


def train_once(row: Row, run: Path, data: Path, overrides: list[str]) -> dict[str, Any]:
    """One training of a row's recipe, or what is left of it."""
    command = [sys.executable, "-m", "jumok", "train", "--json"]
    if (run / "config.json").exists():
        check_recipe(row, run, overrides)
        command += ["--resume", str(run), *[item for item in overrides if item.startswith(("train.", "runtime."))]]
    else:
        command += [str(row.config), "--out", str(run), f"data.folder={data}", *overrides]
        command += lessons(row, run, data) if row.teachers else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{row.name}: training ended with code {done.returncode}; run the same command to resume it.")
    return json.loads(done.stdout)


def lessons(row: Row, run: Path, data: Path) -> list[str]:
    """What a student needs beside its recipe: the teacher's text, made if it is not there, and where to begin."""
    from distil import distil

    begin, text = run.parent / row.begins_with, run.parent / f"{row.name}-text"
    if not (text / f"train.{row.target}.gz").exists():
        teachers, back = ([run.parent / name for name in names] for names in (row.teachers, row.back))
        distil(teachers, data, text, source=row.source, target=row.target, back=back)
    return [f"data.folder={text}", *([f"text.of_run={begin}", f"train.init_from={begin}"] if row.begins_with else [])]


def train_before(row: Row, runs: Path, data: Path, overrides: list[str]) -> None:
    """Trains the rows that a student learns from where their runs are not here, measured or not."""
    from jumok.run.status import status_of

    known = {other.name: other for other in ROWS}
    for name in filter(None, (*row.teachers, *row.back, row.begins_with)):
        members = members_of(known[name], runs / name)
        if (runs / name).exists() and all(status_of(member) == "finished" for member in members):
            continue
        train_before(known[name], runs, data, overrides)
        stop_unless_finished(known[name], train(known[name], runs / name, data, overrides))


def check_recipe(row: Row, run: Path, overrides: list[str]) -> None:
    """Refuses to resume a run of another recipe than that of the row."""
    from jumok import config as configuration

    asked = configuration.resolve(configuration.load(row.config), overrides).model_dump(mode="json")
    begun = json.loads((run / "config.json").read_text(encoding="utf-8"))
    changed = {item.partition("=")[0] for item in overrides if item.startswith("train.")}
    changed |= {"text.of_run", "train.init_from"} if row.teachers else set()
    for part in ("text", "model", "train"):
        for key, value in asked[part].items():
            if begun[part].get(key, value) != value and f"{part}.{key}" not in changed:
                raise SystemExit(
                    f"{run} was begun with {part}.{key}={begun[part][key]}, and {row.config.name} says {value}: "
                    "move the folder away to train it again."
                )


def stop_unless_finished(row: Row, summary: dict[str, Any]) -> None:
    """Ends the row whose training came to a signal's end, and not to its own."""
    if summary["reason"] not in ("steps", "patience", "time", "averaged"):
        raise SystemExit(f"{row.name} was stopped ({summary['reason']}).")


# ---------------------------------------------------------------- measuring


def read(data: Path, part: str, language: str) -> list[str]:
    """The lines of one side of a part of the corpus, plain or gzipped."""
    for path, opened in ((data / f"{part}.{language}.gz", gzip.open), (data / f"{part}.{language}", open)):
        if path.exists():
            with opened(path, "rt", encoding="utf-8") as file:
                return [line.rstrip("\n") for line in file]
    raise SystemExit(f"There is no {part}.{language}.gz in {data}; README.md says where Multi30k is.")


def moses(lines: list[str], language: str) -> list[str]:
    """Lines normalised, lower-cased and tokenised as the published en→de scores are."""
    try:
        from sacremoses import MosesPunctNormalizer, MosesTokenizer
    except ImportError:
        raise SystemExit("The tokenised scores need sacremoses: pip install sacremoses.") from None
    normaliser, tokenizer = MosesPunctNormalizer(language), MosesTokenizer(language)
    return [
        str(tokenizer.tokenize(normaliser.normalize(line).lower(), return_str=True, escape=False)) for line in lines
    ]


def scores(found: list[str], wanted: list[str], language: str) -> dict[str, dict[str, Any]]:
    """BLEU in each of the fixed ways, chrF, and the signature of each."""
    from jumok.evaluation.metrics import MetricOptions, score_metric

    found_tokens, wanted_tokens = moses(found, language), moses(wanted, language)
    ways = {
        CASED: score_metric("bleu", found, wanted, MetricOptions()),
        LOWER: score_metric("bleu", found, wanted, MetricOptions(lowercase=True)),
        TOKENISED: score_metric("bleu", found_tokens, wanted_tokens, MetricOptions(tokenize="none")),
        "chrF": score_metric("chrf", found, wanted, MetricOptions()),
        "chrF lower-cased": score_metric("chrf", found, wanted, MetricOptions(lowercase=True)),
    }
    return {name: {"value": one.value, "signature": one.signature} for name, one in ways.items()}


def by_length(sources: list[str], found: list[str], wanted: list[str]) -> list[dict[str, Any]]:
    """Lower-cased BLEU of the test sentences by the words of their source."""
    from jumok.evaluation.by_length import score_by_length, source_lengths
    from jumok.evaluation.metrics import MetricOptions

    parts = score_by_length(
        source_lengths(sources), found, wanted, bounds=(8, 10, 12, 15, 20), options=MetricOptions(lowercase=True)
    )
    return [{"label": part.label, "sentences": part.sentences, "bleu": part.bleu} for part in parts]


def measure(row: Row, run: Path, data: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Everything that is published of a finished row."""
    import jumok
    from jumok.decoding.options import Options
    from jumok.decoding.scoring import Scoring

    translator = jumok.load(run)
    sources, wanted = read(data, TEST, row.source), read(data, TEST, row.target)
    alpha, on_val = best_alpha(row, translator, data)
    result: dict[str, Any] = {"row": row.name, "test": TEST, "alpha": alpha, "beam_on_val": on_val, "scores": {}}
    for search, beam in ((GREEDY, 1), (BEAM, 5)):
        options = Options(beam=beam, scoring=Scoring(alpha=alpha), alignment=False)
        found = [one.text for one in translator.translate_stream(sources, options)]
        result["scores"][search] = scores(found, wanted, row.target)
        if search == row.search:
            result["by_length"] = by_length(sources, found, wanted)
    config = translator.run.config
    result |= {
        "parameters": sum(parameter.numel() for parameter in translator.model.parameters()),
        "vocabulary": translator.run.target_tokenizer.size,
        "seed": ", ".join(map(str, row.seeds)) or config.seed,
        "lowercase": config.text.lowercase,
        "stopped": summary["reason"],
        "steps": summary["step"],
        "validation": summary["best"],
        **all_timings([timing(member) for member in members_of(row, run)]),
        "curve": curve(members_of(row, run)[0]),
    }
    return result


def best_alpha(row: Row, translator: Any, data: Path) -> tuple[float, dict[str, float]]:
    """The length penalty for a beam of 5, and the scores on val that it was chosen by."""
    from jumok.decoding.options import Options
    from jumok.decoding.scoring import Scoring

    sources, wanted = read(data, "val", row.source), read(data, "val", row.target)
    found: dict[float, float] = {}
    for alpha in ALPHAS:
        options = Options(beam=5, scoring=Scoring(alpha=alpha), alignment=False)
        texts = [one.text for one in translator.translate_stream(sources, options)]
        found[alpha] = scores(texts, wanted, row.target)[row.metric]["value"]
    return chosen_alpha(found), {f"{alpha:g}": value for alpha, value in found.items()}


def chosen_alpha(found: dict[float, float]) -> float:
    """The smallest that is as good as the best within the noise of val; more length than needed does not carry over."""
    return min(alpha for alpha, score in found.items() if score >= max(found.values()) - WITHIN)


def timing(run: Path) -> dict[str, float | int]:
    """Minutes of training as they passed, and at the median pace, which a pause of the machine does not change."""
    from jumok.run.names import steps_in

    newest = steps_in(run / "checkpoints")[-1]
    environment = json.loads((newest / "environment.json").read_text())
    lines = [json.loads(line) for line in (run / "timing.jsonl").read_text().splitlines()]
    paces: list[float] = []
    for before, after in pairwise(lines):
        steps = after["step"] - before["step"]
        if after["event"] == "logged" and steps > 0:
            paces.append((after["time"] - before["time"]) / steps)
    pace = statistics.median(paces) if paces else 0.0
    return {
        "minutes": environment["seconds"] / 60,
        "minutes_at_median_pace": pace * int(newest.name) / 60,
        "threads": environment.get("threads", 0),
    }


def all_timings(found: list[dict[str, float | int]]) -> dict[str, float | int]:
    """The time of several trainings, one after the other."""
    return {key: sum(one[key] for one in found) if key != "threads" else found[0][key] for key in found[0]}


# ---------------------------------------------------------------- the program


def main() -> None:
    """Trains and measures what is missing, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with Multi30k")
    parser.add_argument("--rows", nargs="*", default=[row.name for row in ROWS], metavar="ROW")
    parser.add_argument("--runs", type=Path, default=HERE / "runs" / "results", help="where runs are kept")
    parser.add_argument("--out", type=Path, default=HERE / "docs" / "results", help="folder for one JSON a row")
    parser.add_argument("--set", nargs="*", default=[], metavar="key=value", help="overrides for every row")
    parser.add_argument("--page-only", action="store_true", help="train nothing, write the page again")
    options = parser.parse_args()
    data: Path = options.data
    known = {row.name: row for row in ROWS}
    wrong = [name for name in options.rows if name not in known]
    if wrong:
        raise SystemExit(f"There is no row {wrong[0]}; rows are {', '.join(known)}.")
    if data is None and not options.page_only:
        raise SystemExit("Name the folder with Multi30k: --data FOLDER.")
    options.out.mkdir(parents=True, exist_ok=True)
    missing = (
        [] if options.page_only else [name for name in options.rows if not (options.out / f"{name}.json").exists()]
    )
    missing.sort(key=lambda name: bool(known[name].teachers))  # teachers are measured before their students begin
    for name in missing:  # what would stop a row after an hour of training is looked at before
        for part in ("train", "val", TEST):
            read(data, part, known[name].source)
            read(data, part, known[name].target)
        moses(["a"], known[name].target)
    failed = []
    for name in missing:
        try:
            finish(known[name], options.runs / name, options.out / f"{name}.json", data, options.set)
        except SystemExit as error:
            print(error, file=sys.stderr)
            failed.append(name)
        write(options.out, options.runs)
    write(options.out, options.runs)
    if failed:
        raise SystemExit(f"Not finished: {', '.join(failed)}; run the same command to resume them.")


def finish(row: Row, run: Path, kept: Path, data: Path, overrides: list[str]) -> None:
    """One row from where it is to its JSON."""
    train_before(row, run.parent, data, overrides)
    summary = train(row, run, data, overrides)
    stop_unless_finished(row, summary)
    result = measure(row, run, data, summary)
    kept.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
