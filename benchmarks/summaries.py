"""What summarisation reaches: names copied on the newsbook, ROUGE beside baselines and OpenNMT-py on real text.

    python benchmarks/summaries.py newsbook --minutes 5               # pointer or none, words and subwords
    python benchmarks/summaries.py run RUN --language en              # the same measures of a run you have
    python benchmarks/summaries.py real --data FOLDER --minutes 20    # six corpora, ours
    python benchmarks/summaries.py real --data FOLDER --minutes 20 --peer        # and OpenNMT-py on the same pieces
    python benchmarks/summaries.py repetition --data FOLDER --minutes 20         # msdocs with and without coverage
    python benchmarks/summaries.py memory                             # of one training step on long texts

Ours and OpenNMT-py beside each other, each on a core of its own for 20 minutes of processor time, then both measured:

    taskset -c 0 python benchmarks/summaries.py real --data FOLDER --minutes 20 --threads 1 --train jumok
    taskset -c 1 python benchmarks/summaries.py real --data FOLDER --minutes 20 --threads 1 --train opennmt
    python benchmarks/summaries.py real --data FOLDER --minutes 20 --threads 1 --peer --split test

FOLDER holds a folder for each corpus with train, dev and test as SPLIT.src.gz and SPLIT.tgt.gz, line by line. Recipes
were tuned on dev; --split test is for the numbers that are reported. Without --threads 1, run it on a machine that
does nothing else.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from budget import Budget
from jumok.alignment import Links
from jumok.alignment.aer import score_alignments
from jumok.data.newsbook import Report, generate
from jumok.decoding.options import Options
from jumok.tasks import load
from jumok.tasks.summarisation.model import SummarisationModel
from summaries_real import CORPORA, DEV, real, repetition, train

HERE = Path(__file__).resolve().parent.parent
NEWSBOOK = {
    "words, pointer": [],
    "words, no pointer": ["model.head.kind=linear"],
    "subwords, pointer": ["text.kind=bpe"],
    "subwords, no pointer": ["text.kind=bpe", "model.head.kind=linear"],
}


# ---------------------------------------------------------------- newsbook


def copied_right(found: str, report: Report) -> int:
    """How many names and numbers of the headline are where they should be."""
    words, wanted = found.split(), report.headline.split()
    return sum(j < len(words) and words[j] == wanted[j] for j in report.copied)


def alignment_error(model: SummarisationModel, reports: list[Report], gold: list[Links]) -> float:
    """AER of the attention for the reference headlines, over words that come from the report."""
    aligned = model.align([(report.text, report.headline) for report in reports])
    linked = [{j for _, j in one.sure | one.possible} for one in gold]
    guesses = [{(i, j) for i, j in one.links if j in words} for one, words in zip(aligned, linked, strict=True)]
    return score_alignments(guesses, gold).aer


def measure_newsbook(run: Path, language: str, size: int) -> dict[str, float]:
    """What a run copies of unseen reports, and whether its attention finds it."""
    model = load(run)
    reports = list(generate(language, "test", size))
    found = model.summarise_all([report.text for report in reports], options=Options(beam=1, unknown="keep"))
    right = sum(copied_right(one.text, report) for one, report in zip(found, reports, strict=True))
    whole = sum(one.text == report.headline for one, report in zip(found, reports, strict=True))
    return {
        "names and numbers copied right, %": 100 * right / sum(len(report.copied) for report in reports),
        "headlines without a fault, %": 100 * whole / size,
        "AER, paraphrases possible links": alignment_error(model, reports, [report.gold for report in reports]),
        "AER, every link sure": alignment_error(model, reports, [Links(frozenset(one.links)) for one in reports]),
    }


def newsbook(options: argparse.Namespace) -> dict[str, Any]:
    """Each way to write names, trained and measured."""
    rows: dict[str, Any] = {}
    for language in options.languages:
        for name, keys in NEWSBOOK.items():
            run = options.out / f"newsbook-{language}-{name.replace(', ', '-').replace(' ', '-')}"
            train(run, [f"data.newsbook={language}", *keys], Budget(options.minutes, options.threads), options.set)
            rows[f"{language}: {name}"] = measure_newsbook(run, language, options.size)
            print(f"{language}: {name}", json.dumps(rows[f"{language}: {name}"]), flush=True)
    return rows


# ---------------------------------------------------------------- memory

MODELS = {
    "rnnsearch": ["model.preset=rnnsearch"],
    "luong": ["model.preset=luong"],
    "luong, local window of 2 · 10 + 1": ["model.preset=luong", "model.decoder.attention=luong-local-p"],
    "transformer": ["model.preset=transformer"],
    "transformer, encoder window of 32": [
        "model.preset=transformer", "model.encoder.attention=window", "model.encoder.attention_options.w=32",
    ],
}  # fmt: skip


def peak(keys: list[str], source: int, batch: int, target: int = 20) -> float:
    """MB that one training step adds at most: B texts of S tokens, summaries of T tokens, a vocabulary of 8,000."""
    import resource

    import torch

    from jumok.config import resolve
    from jumok.data.batch import Batch
    from jumok.models.build import build_model
    from jumok.training.sequence_objective import SequenceObjective
    from jumok.training.teacher_forcing import parse

    config = resolve({"task": "summarisation"}, [*keys, f"data.max_length={source}"])
    model = build_model(config.model, 8000, 8000)  # pyright: ignore[reportAttributeAccessIssue]
    pairs = Batch.of([[5 + n % 7000 for n in range(source)]] * batch, [list(range(5, 5 + target))] * batch, [0] * batch)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    SequenceObjective(0.1, parse("always"))(model, pairs, 1, torch.Generator(), {}).total.backward()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def memory(options: argparse.Namespace) -> dict[str, Any]:
    """The peak of a step for each model and length, each in a process of its own."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    rows: dict[str, Any] = {}
    for name, keys in MODELS.items():
        for source in options.tokens:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as aside:
                rows[f"{name}, {source} tokens"] = aside.submit(peak, keys, source, options.batch).result()
            print(f"{name}, {source} tokens: {rows[f'{name}, {source} tokens']:.0f} MB", flush=True)
    return rows


# ---------------------------------------------------------------- all


def main() -> None:
    """Measures what is asked for, prints it and keeps it as JSON."""
    options = arguments()
    if options.what == "run":
        for name, value in measure_newsbook(options.run, options.languages[0], options.size).items():
            print(f"{name:36} {value:.3f}")
        return
    options.out.mkdir(parents=True, exist_ok=True)
    rows = {"newsbook": newsbook, "real": real, "repetition": repetition, "memory": memory}[options.what](options)
    if not rows:  # only trained
        return
    path = options.out / f"{options.what}.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"\n{path}")


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["newsbook", "run", "real", "repetition", "memory"])
    parser.add_argument("run", nargs="?", type=Path, help="a run to measure (run)")
    parser.add_argument("--languages", "--language", nargs="*", default=["en", "ko"], choices=["en", "ko"])
    parser.add_argument("--size", type=int, default=500, help="texts that are measured on")
    parser.add_argument("--data", type=Path, help="folder with the corpora (real, repetition)")
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--split", default="dev", choices=["dev", "test"])
    parser.add_argument("--minutes", type=float, default=0.0, help="of training; 0: the steps of the recipe")
    parser.add_argument("--threads", type=int, default=0, help="0: all; 1: one, and minutes are of the processor")
    parser.add_argument("--train", nargs="*", choices=["jumok", "opennmt"], help="only train these (real)")
    parser.add_argument("--dev", type=int, default=DEV, help="dev texts that weights and searches are chosen by (real)")
    parser.add_argument("--every", type=int, help="steps between weights that are kept and scored (real)")
    parser.add_argument("--set", nargs="*", default=[], metavar="key=value", help="overrides of our recipes")
    parser.add_argument("--tokens", nargs="*", type=int, default=[400, 1000], help="of a text (memory)")
    parser.add_argument("--batch", type=int, default=16, help="texts in a batch (memory)")
    parser.add_argument("--peer", action="store_true", help="OpenNMT-py too (real)")
    parser.add_argument("--opennmt", type=Path, help="OpenNMT-py's environment; installed if not named")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "summaries")
    options = parser.parse_args()
    if options.what in ("real", "repetition") and options.data is None:
        parser.error(f"{options.what} needs --data, the folder with the corpora.")
    if options.what == "run" and options.run is None:
        parser.error("run needs the folder of a run.")
    return options


if __name__ == "__main__":
    main()
