"""What each model learns of the phrasebook in a few minutes: BLEU and AER on unseen sentences, and on long ones.

    python benchmarks/phrasebook.py                    # every row, three minutes of training each
    python benchmarks/phrasebook.py --rows rnnsearch transformer --minutes 1

Each row is one `jumok train` and two `jumok evaluate` of their own, on this machine's cores. Rows that are finished are
kept in the output folder and not trained again. BLEU is sacreBLEU over white-space words (tokenize none).
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

GUIDED = "train.guided_alignment=0.5"
ROWS: dict[str, list[str]] = {
    "rnnsearch": ["model.preset=rnnsearch"],
    "luong-dot": ["model.preset=luong", "model.decoder.attention=luong-dot"],
    "luong-general": ["model.preset=luong"],
    "luong-concat": ["model.preset=luong", "model.decoder.attention=luong-concat"],
    "transformer": ["model.preset=transformer"],
    "luong-location": ["model.preset=luong", "model.decoder.attention=luong-location"],
    "luong-local-m": ["model.preset=luong", "model.decoder.attention=luong-local-m"],
    "luong-local-p": ["model.preset=luong", "model.decoder.attention=luong-local-p"],
    "rnnsearch guided": ["model.preset=rnnsearch", GUIDED],
    "luong-general guided": ["model.preset=luong", GUIDED],
    "seq2seq": ["model.preset=seq2seq"],
}
TARGET = 95.0
# (metric, set, at least or at most, bound)
BOUNDS: dict[str, list[tuple[str, str, float]]] = {
    "rnnsearch": [("bleu", "≥", 95.0), ("aer", "≤", 0.20)],
    "luong-dot": [("bleu", "≥", 95.0)],
    "luong-general": [("bleu", "≥", 95.0), ("aer", "≤", 0.20)],
    "luong-concat": [("bleu", "≥", 95.0)],
    "transformer": [("bleu", "≥", 90.0)],
    "rnnsearch guided": [("aer", "≤", 0.05)],
    "luong-general guided": [("aer", "≤", 0.05)],
}


def jumok(*arguments: str) -> str:
    """What a `jumok` command prints; its talk goes to our stderr."""
    command = [sys.executable, "-m", "jumok", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def test_sets(folder: Path, pair: str, size: int) -> dict[str, list[str]]:
    """Arguments of `jumok evaluate` for unseen sentences of trained lengths, and for long ones."""
    source, target = pair.split("-", 1)
    for split in ("test", "long"):
        jumok("data", "phrasebook", "--pair", pair, "--split", split, "--size", str(size), "--out", str(folder))

    def arguments(split: str) -> list[str]:
        names = [str(folder / f"{split}.{ending}") for ending in (source, target, "align")]
        return ["--source", names[0], "--reference", names[1], "--gold", names[2]]

    return {split: arguments(split) for split in ("test", "long")}


def measure(name: str, options: argparse.Namespace, sets: dict[str, list[str]]) -> dict[str, object]:
    """Trains a row and evaluates it on both sets."""
    run = options.out / "runs" / file_name(name)
    minutes: float = options.minutes
    limits = [f"train.max_minutes={minutes}", "train.max_steps=1000000", f"data.phrasebook={options.pair}"]
    started = time.monotonic()
    summary = json.loads(jumok("train", "--out", str(run), "--json", *ROWS[name], *limits, *options.set))
    scores = {}
    for split, arguments in sets.items():
        printed = json.loads(jumok("evaluate", str(run), *arguments, "--tokenize", "none", "--quick", "--json"))
        scores[split] = {key: printed.get(key) for key in ("bleu", "chrf", "aer", "signature")}
        scores[split]["by_length"] = printed.get("by_length")
    return {"name": name, "minutes": minutes, "seconds": time.monotonic() - started, "summary": summary,
            "minutes_to_target": minutes_to(run, TARGET), **scores}  # fmt: skip


def file_name(name: str) -> str:
    """The name of a row as part of a path."""
    return name.replace(" ", "-")


def minutes_to(run: Path, bleu: float) -> float | None:
    """Minutes of training until the greedy BLEU on validation sentences first reached the target."""
    lines = {name: map(json.loads, (run / name).read_text().splitlines()) for name in ("metrics.jsonl", "timing.jsonl")}
    good = [row["step"] for row in lines["metrics.jsonl"] if row.get("valid_bleu", 0.0) >= bleu]
    seconds = {row["step"]: row["training_seconds"] for row in lines["timing.jsonl"] if row["event"] == "validated"}
    return seconds[good[0]] / 60 if good else None


def verdict(row: dict, bounds: list[tuple[str, str, float]]) -> str:
    """Whether each bound of a row holds."""
    said = []
    for metric, sign, bound in bounds:
        value = row["test"][metric]
        holds = value >= bound if sign == "≥" else value <= bound
        said.append(f"{metric} {sign} {bound:g}: {'yes' if holds else 'NO'}")
    return ", ".join(said)


COLUMNS = ("model", "minutes", "to 95", "BLEU", "chrF", "AER", "BLEU long", "AER long", "goal")


def cells(row: dict) -> list[str]:
    """A row of the table."""
    test, long = row["test"], row["long"]
    return [
        row["name"],
        number(row["minutes"], 0),
        number(row["minutes_to_target"], 1),
        number(test["bleu"], 1),
        number(test["chrf"], 1),
        number(test["aer"], 3),
        number(long["bleu"], 1),
        number(long["aer"], 3),
        verdict(row, BOUNDS.get(row["name"], [])),
    ]


def number(value: float | None, digits: int) -> str:
    """The number, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def show(rows: list[dict]) -> None:
    """The table on the terminal."""
    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*cells(row))
    Console(stderr=True).print(table)


def markdown(rows: list[dict]) -> str:
    """The table, and BLEU by the length of the source, for a document."""
    lengths = {(bucket["low"], bucket["label"]) for row in rows for bucket in by_length(row)}
    labels = [label for _, label in sorted(lengths)]
    bleu = [{bucket["label"]: bucket["bleu"] for bucket in by_length(row)} for row in rows]
    scores = [
        [row["name"], *(number(found.get(label), 1) for label in labels)] for row, found in zip(rows, bleu, strict=True)
    ]
    return f"{grid(COLUMNS, map(cells, rows))}\n\n{grid(('source words', *labels), scores)}"


def by_length(row: dict) -> list[dict]:
    """The buckets of both sets; the trained lengths end where the long ones begin."""
    return [bucket for split in ("test", "long") for bucket in row[split]["by_length"]]


def grid(head: Iterable[str], rows: Iterable[list[str]]) -> str:
    """A table of Markdown."""
    head = list(head)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def main() -> None:
    """Measures the rows asked for and prints them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="*", default=list(ROWS), choices=list(ROWS), metavar="ROW")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--pair", default="en-ko")
    parser.add_argument("--size", type=int, default=1000, help="sentences of each test set")
    parser.add_argument("--set", nargs="*", default=[], metavar="key=value", help="overrides for every row")
    parser.add_argument("--out", type=Path, default=Path("out/phrasebook"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sets = test_sets(options.out / "data", options.pair, options.size)
    rows = []
    for name in options.rows:
        kept = options.out / f"{file_name(name)}.json"
        if not kept.exists():
            kept.write_text(json.dumps(measure(name, options, sets), ensure_ascii=False, indent=2))
        rows.append(json.loads(kept.read_text()))
        show(rows)
    if options.json:
        print(json.dumps({"rows": rows}, ensure_ascii=False))
    else:
        print(markdown(rows))


if __name__ == "__main__":
    main()
