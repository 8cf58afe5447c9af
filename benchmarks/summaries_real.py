"""Summaries of real text: ours, every baseline, and OpenNMT-py trained on the same pieces for the same minutes.

Called by `summaries.py real` and `summaries.py repetition`. The tokenizer of a corpus is learned apart, so that ours
and OpenNMT-py can be trained at the same time. Both leave weights behind while they train; these are scored afterwards,
greedy, on 500 dev texts, so that nobody's validation counts as training, and the best ones write the summaries.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budget import Budget
from jumok.decoding.options import Options
from jumok.decoding.run import load_run
from jumok.decoding.scoring import Scoring
from jumok.decoding.torch_engine import TorchEngine
from jumok.evaluation.rouge import Tokenisation, rouge
from jumok.evaluation.summaries import SummaryEvaluation, evaluate_summaries
from jumok.run.names import SNAPSHOTS, WEIGHTS, steps_in
from jumok.tasks.summarisation.model import SummarisationModel

DEV = 500


@dataclass(frozen=True)
class Corpus:
    """A corpus of texts with summaries: how ROUGE counts in it, how long texts are read, steps between weights kept."""

    tokenisation: Tokenisation
    longest: int
    every: int
    peer_every: int
    keys: tuple[str, ...] = ()


# English is counted in words without stemming, Korean in characters: so are the baselines that are compared with.
# Dropout grows with the epochs of 20 minutes on one core: 4 of acl, 6 of debian_en and msdocs, 15 of sae4k, 70 of
# debian_ko.
CORPORA = {
    "acl_titles_en": Corpus("words", 250, 250, 250),
    "debian_en": Corpus("words", 200, 250, 250),
    "sae4k_ko": Corpus("characters", 80, 500, 500, ("model.dropout=0.3",)),
    "debian_ko": Corpus("characters", 200, 250, 250, ("model.dropout=0.4",)),
    "msdocs_en": Corpus("words", 400, 150, 150, ("model.dropout=0.2",)),
    "msdocs_ko": Corpus("characters", 400, 150, 150, ("model.dropout=0.2",)),
}
PIECES = ("text.kind=bpe", "text.size=8000")
# On one core 16 texts a step are learned as fast, text for text, as 64 (90 and 85 abstracts per second): so batches are
# small, for many steps. States of 256 read 97 with more parameters than 384 for the encoder and 192 for the decoder
# (84); GRUs and additive attention are slower. The learning rate falls to 0 with the minutes; the moving average makes
# weights good before that.
RECIPE = (
    "model.preset=luong", "model.embedding=256", "model.encoder.size=256", "model.decoder.size=256",
    "train.batch_tokens=320", "train.learning_rate=0.002", "train.warmup=300", "train.schedule=cosine",
    "train.ema=0.998", "train.max_steps=1000000",
)  # fmt: skip
# Weights are scored after training; the run itself only measures its loss, once, at its end.
SCORED_LATER = (
    "train.validate_every=1000000", "train.validate_size=0", "train.save_every=1000000", "train.pictures=0",
    "train.log_every=10",
)  # fmt: skip
DECODINGS = {
    f"beam {beam}, length penalty {alpha}, {'no trigram twice' if blocked else 'no blocking'}": Options(
        beam=beam, scoring=Scoring(alpha=alpha), no_repeat=3 if blocked else 0
    )
    for beam in (4, 8)
    for alpha in (0.3, 0.9, 1.5)
    for blocked in (True, False)
}


def lines_of(data: Path, corpus: str, split: str, side: str, most: int | None = None) -> list[str]:
    """A side of a corpus."""
    with gzip.open(data / corpus / f"{split}.{side}.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file][:most]


# ---------------------------------------------------------------- training


def train(run: Path, keys: list[str], budget: Budget, more: list[str]) -> None:
    """Trains a run for so many minutes (0: the steps of its recipe), unless it is there."""
    if (run / "model.safetensors").exists():
        return
    limits = [f"train.max_minutes={budget.minutes:g}"] if budget.minutes else []
    limits += [f"runtime.threads={budget.threads}"] if budget.threads else []
    limits += ["train.clock=processor"] if budget.processor else []
    command = [sys.executable, "-m", "jumok", "train", "task=summarisation", *keys, *limits, *more, "--out", str(run)]
    subprocess.run(command, check=True)


def files_of(name: str, data: Path) -> list[str]:
    """The keys that name the files of a corpus and say how much of a text is read."""
    folder = data.resolve() / name
    files = {"source": "train.src", "target": "train.tgt", "dev_source": "dev.src", "dev_target": "dev.tgt"}
    return [
        *(f"data.{key}={folder / f'{file}.gz'}" for key, file in files.items()),
        f"data.max_length={CORPORA[name].longest}",
    ]


def tokenizer_of(name: str, options: argparse.Namespace) -> Path:
    """A run of one step, for its tokenizer, which ours and OpenNMT-py share."""
    run = options.out / f"pieces-{name}"
    small = ["model.embedding=8", "model.encoder.size=8", "model.decoder.size=8", "train.max_steps=1"]
    train(run, [*files_of(name, options.data), *PIECES, *small, *SCORED_LATER], Budget(0, options.threads), [])
    return run


def train_ours(name: str, options: argparse.Namespace, run: Path, extra: list[str]) -> None:
    """Trains ours on a corpus."""
    corpus, pieces = CORPORA[name], tokenizer_of(name, options).resolve()
    kept = [f"train.snapshots={options.every or corpus.every}", f"text.of_run={pieces}"]
    keys = [*files_of(name, options.data), *PIECES, *RECIPE, *SCORED_LATER, *kept, *corpus.keys, *extra]
    train(run, keys, Budget(options.minutes, options.threads), options.set)


def train_one(which: str, name: str, options: argparse.Namespace) -> None:
    """Trains ours or OpenNMT-py on a corpus, unless that was done."""
    if which == "jumok":
        train_ours(name, options, options.out / f"real-{name}", [])
        return
    from summaries_opennmt import train as train_peer

    folder = (options.out / f"opennmt-{name}").resolve()
    train_peer(name, tokenizer_of(name, options), folder, options)


# ---------------------------------------------------------------- scoring


def summaries(run: Path, weights: Path, texts: list[str], options: Options) -> list[str]:
    """What a run writes with some of its weights."""
    model = SummarisationModel([TorchEngine([load_run(run, weights=weights)])])
    return [one.text for one in model.summarise_all(texts, options=options)]


def score(found: list[str], wanted: list[str], name: str) -> float:
    """ROUGE-L."""
    return rouge(found, wanted, CORPORA[name].tokenisation, ["rougeL"]).mean("rougeL")


def seconds_of(run: Path, processor: bool) -> dict[int, float]:
    """Seconds of training steps until each step that was logged."""
    rows = [json.loads(line) for line in (run / "timing.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["step"]: row["processor_seconds" if processor else "training_seconds"] for row in rows}


def curve(name: str, run: Path, data: Path, processor: bool, dev: int = DEV) -> list[dict[str, Any]]:
    """Step, minutes of training and greedy ROUGE-L on dev of all weights that a run has kept; computed once."""
    kept = run / "curve.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    texts, wanted = (lines_of(data, name, "dev", side, dev) for side in ("src", "tgt"))
    seconds = seconds_of(run, processor)
    every = {int(folder.name): folder / WEIGHTS for folder in steps_in(run / SNAPSHOTS)} | {max(seconds): run / WEIGHTS}
    points = [
        {
            "step": step,
            "minutes": seconds[step] / 60,
            "rougeL": score(summaries(run, weights, texts, Options(beam=1)), wanted, name),
            "weights": str(weights.relative_to(run)),
        }
        for step, weights in sorted(every.items())
    ]
    kept.write_text(json.dumps(points, indent=1) + "\n", encoding="utf-8")
    return points


def first_reached(points: list[dict[str, Any]], level: float) -> float | None:
    """Minutes after which a curve first reached a level."""
    return next((point["minutes"] for point in points if point["rougeL"] >= level), None)


def chosen_decoding(name: str, run: Path, weights: Path, data: Path, dev: int = DEV) -> dict[str, Any]:
    """The search that is best on dev, with the scores of all; computed once."""
    kept = run / "decoding.json"
    if not kept.exists():
        texts, wanted = (lines_of(data, name, "dev", side, dev) for side in ("src", "tgt"))
        scores = {title: score(summaries(run, weights, texts, one), wanted, name) for title, one in DECODINGS.items()}
        found = {"best": max(scores, key=lambda title: scores[title]), "dev": scores}
        kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def measure_ours(name: str, run: Path, texts: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Our curve on dev, the best score, the search chosen on dev, our size and our summaries."""
    points = curve(name, run, options.data, Budget(0, options.threads).processor, options.dev)
    best = max(points, key=lambda point: point["rougeL"])
    weights = run / best["weights"]
    decoding = chosen_decoding(name, run, weights, options.data, options.dev)
    return {
        "curve": points,
        "best": best["rougeL"],
        "minutes": best["minutes"],
        "parameters": sum(one.numel() for one in load_run(run).model.parameters()),
        "options": [*PIECES, *RECIPE, *CORPORA[name].keys, *options.set],
        "decoding": decoding,
        "summaries": summaries(run, weights, texts, DECODINGS[decoding["best"]]),
    }


def real(options: argparse.Namespace) -> dict[str, Any]:
    """ROUGE of ours, of every baseline and, where asked, of OpenNMT-py on each corpus."""
    rows: dict[str, Any] = {}
    for name in options.corpora:
        for which in options.train or ("jumok", *(["opennmt"] if options.peer else [])):
            train_one(which, name, options)
        if not options.train:
            rows[name] = measure(name, options)
    return rows


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One corpus, from runs that are there."""
    texts, wanted = (lines_of(options.data, name, options.split, side, options.size) for side in ("src", "tgt"))
    ours = measure_ours(name, options.out / f"real-{name}", texts, options)
    systems: dict[str, Sequence[str]] = {"jumok": ours.pop("summaries")}
    row: dict[str, Any] = {"budget": str(Budget(options.minutes, options.threads)), "jumok": ours}
    if options.peer:
        from summaries_opennmt import measure as measure_peer

        folder = (options.out / f"opennmt-{name}").resolve()
        peer = measure_peer(name, tokenizer_of(name, options), folder, texts, options)
        systems["OpenNMT-py 3.5.1"] = peer.pop("summaries")
        row |= {"opennmt": peer, "minutes to its best": first_reached(ours["curve"], peer["best"])}
    scores = evaluate_summaries(systems, texts, wanted, tokenisation=CORPORA[name].tokenisation, name=name)
    print(f"\n{name}, {options.split}, each trained for {row['budget']}")
    for system in ("jumok", "opennmt"):
        if system in row:
            found = row[system]
            said = f"{found['parameters']:,} parameters, best greedy ROUGE-L on dev {found['best']:.2f}"
            print(f"{system}: {said} after {found['minutes']:.2f} minutes")
    if options.peer:
        print(f"jumok reached that of OpenNMT-py after {row['minutes to its best']} minutes")
    show(scores)
    return row | scores.as_dict() | {"above lead-1": is_above(scores)}


def is_above(scores: SummaryEvaluation) -> bool:
    """Whether the first system's interval of ROUGE-L lies above that of lead-1."""
    lead = next(one for one in scores.baselines if one.name == "lead-1")
    return scores.systems[0].rouge["rougeL"].low > lead.rouge["rougeL"].high


def show(scores: SummaryEvaluation) -> None:
    """Prints the tables of an evaluation."""
    for table in scores.tables():
        print(f"\n{table.title}\n" + "\t".join(table.columns))
        for row in table.rows:
            print("\t".join(map(str, row)))
        print(table.caption, flush=True)


def repetition(options: argparse.Namespace) -> dict[str, Any]:
    """Repeated trigrams with the coverage score and loss, without them, and in the references; nothing is blocked."""
    rows: dict[str, Any] = {}
    covered = ["model.decoder.attention=coverage", "train.coverage_loss=1.0"]
    for name in [one for one in options.corpora if one.startswith("msdocs")]:
        texts, wanted = (lines_of(options.data, name, options.split, side, options.size) for side in ("src", "tgt"))
        systems: dict[str, Sequence[str]] = {"reference": wanted}
        for title, extra in (("without coverage", []), ("with coverage", covered)):
            run = options.out / f"repetition-{name}-{title.replace(' ', '-')}"
            train_ours(name, options, run, extra)
            systems[title] = summaries(run, run / WEIGHTS, texts, Options(beam=4))
        scores = evaluate_summaries(systems, texts, wanted, tokenisation=CORPORA[name].tokenisation, name=name)
        show(scores)
        rows[name] = scores.as_dict()
    return rows
