"""What an adaptation gains and forgets: a ko→en run on software manuals, adapted to other text with 2,000 pairs.

    python benchmarks/adapt.py --data FOLDER --out RUNS                        # the base run, an hour; resumable
    python benchmarks/adapt.py --data FOLDER --out RUNS --to tatoeba           # another text, from the same base
    python benchmarks/adapt.py --data FOLDER --out RUNS --minutes 2 --steps 200   # a short look

FOLDER holds manuals/ (train.*.tsv.xz, dev.tsv.gz, test.tsv.gz: English, Korean, source, …) and a folder for each text
to adapt to (train.ko.gz, train.en.gz, test.ko.gz, test.en.gz). The base run is trained once (--minutes, at most 60) and
taken up again if it was interrupted; an adaptation takes at most 5 minutes. Both are measured on the whole test sets,
before and after, with beam 5. The goal: +5 BLEU on the new text, at most −1 on the old. Exit code 1 where it is missed.
"""

import argparse
import gzip
import hashlib
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

import jumok
from jumok.evaluation.metrics import score_metric
from jumok.run.status import status_of
from jumok.tasks.translation.adaptation.recipe import Request, start_adapting

GAIN, LOSS = 5.0, -1.0
PAIRS = 2000
LONGEST = 200
"""Characters of either side; longer pairs of the manuals are left out of training."""
RECIPE = {
    "model.preset": "transformer",
    **{
        f"model.{side}.{key}": value
        for side, layers in (("encoder", 4), ("decoder", 2))
        for key, value in {"size": 256, "ff": 1024, "layers": layers, "positions": "rotary"}.items()
    },
    "model.tie_source": True,
    "text.joint": True,
    "text.size": 12_000,
    "data.source_language": "ko",
    "data.target_language": "en",
    "train.batch_tokens": 2048,
    "train.learning_rate": 0.002,
    "train.schedule": "cosine",
    "train.warmup": 300,
    "train.validate_every": 500,
    "train.save_every": 500,
    "train.validate_size": 200,
}


def rows(path: Path) -> Iterator[tuple[str, str]]:
    """Korean and English of a file of manuals."""
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            english, korean, *_ = (*line.rstrip("\n").split("\t"), "")
            if english.strip() and korean.strip():
                yield korean, english


def shuffled(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """In an order that depends on the pairs alone: rows of one document stand together in the files."""
    return sorted({*pairs}, key=lambda pair: hashlib.sha256("\t".join(pair).encode()).digest())


def write(path: Path, pairs: list[tuple[str, str]]) -> None:
    path.write_text(
        "".join(json.dumps({"source": s, "target": t}, ensure_ascii=False) + "\n" for s, t in pairs), "utf-8"
    )


def prepare(data: Path, out: Path) -> None:
    """The manuals as JSON lines, once."""
    if (out / "test.jsonl").is_file():
        return
    out.mkdir(parents=True, exist_ok=True)
    train = [pair for path in sorted((data / "manuals").glob("train.*.tsv.xz")) for pair in rows(path)]
    write(out / "train.jsonl", shuffled([pair for pair in train if max(map(len, pair)) <= LONGEST]))
    for part in ("dev", "test"):
        write(out / f"{part}.jsonl", list(rows(data / "manuals" / f"{part}.tsv.gz")))


def base(out: Path, minutes: float, steps: int | None) -> Path:
    """The run on the manuals: trained, taken up again, or there already."""
    run = out / "base"
    files = {f"data.{name}": str(out / f"{part}.jsonl") for name, part in
             (("source", "train"), ("dev_source", "dev"), ("test_source", "test"))}  # fmt: skip
    limits = {"train.max_minutes": minutes, "train.max_steps": steps or 100_000}
    if not (run / "config.json").is_file():
        jumok.train(RECIPE | files | limits, out=run)
    elif status_of(run) != "finished":
        jumok.train(limits, resume=run)
    if status_of(run) != "finished":
        raise SystemExit(f"The base run was interrupted; the same command takes it up again ({run}).")
    return run


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def bleu(run: Path, pairs: list[tuple[str, str]]) -> float:
    """BLEU of a run on a test set, beam 5."""
    found = jumok.load(run).translate([source for source, _ in pairs])
    return score_metric("bleu", [one.text for one in found], [target for _, target in pairs]).value


def adapted(run: Path, data: Path, out: Path, name: str, minutes: float) -> Path:
    """The base run adapted to the first pairs of a text."""
    place = out / f"adapted-{name}"
    if (place / "adapted.json").is_file():
        return place
    own = out / f"{name}.jsonl"
    pairs = list(zip(*(lines(data / name / f"train.{code}.gz") for code in ("ko", "en")), strict=True))
    write(own, shuffled(pairs)[:PAIRS])
    for _ in start_adapting(Request(run, own, out=place, minutes=minutes), lambda text: print(text, file=sys.stderr)):
        pass
    return place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--to", default="tldr", help="the text to adapt to: a folder of --data")
    parser.add_argument("--minutes", type=float, default=60, help="of the base run")
    parser.add_argument("--steps", type=int, help="of the base run, for a short look")
    parser.add_argument("--adapt-minutes", type=float, default=5)
    parser.add_argument("--sentences", type=int, default=2000, help="of each test set")
    args = parser.parse_args()
    prepare(args.data, args.out)
    run = base(args.out, args.minutes, args.steps)
    new = adapted(run, args.data, args.out, args.to, args.adapt_minutes)
    own = list(zip(*(lines(args.data / args.to / f"test.{code}.gz") for code in ("ko", "en")), strict=True))
    old = list(rows(args.data / "manuals" / "test.tsv.gz"))
    found = {}
    for title, pairs in ((args.to, own), ("manuals", old)):
        before, after = (bleu(one, pairs[: args.sentences]) for one in (run, new))
        found[title] = {"before": before, "after": after, "change": after - before}
        print(f"{title}: BLEU {before:.1f} → {after:.1f} ({after - before:+.1f})")
    (args.out / f"adapt-{args.to}.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return int(found[args.to]["change"] < GAIN or found["manuals"]["change"] < LOSS)


if __name__ == "__main__":
    raise SystemExit(main())
