"""From corpora to checked text: every check before training, duplicates out, a part held out for
validation."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from jumok.data.bucketing import Segment
from jumok.data.checks import CorpusReport, Rules, clean_pairs
from jumok.data.corpus import ParallelCorpus, Weighted
from jumok.data.folders import cached, new_folder
from jumok.data.text_store import TextStore, TextWriter, blocks, rows_of
from jumok.errors import DataError

FORMAT = 1
_SORTED_AT_ONCE = 1 << 20
_SLICES = 8
_SMALLEST_HELD_OUT_SHARE = 20  # a held-out part is at most one pair in so many
_TOO_MANY_FLAWS = 0.5


@dataclass(frozen=True)
class CheckedText:
    """The text that training may use, the text it is validated on, and the reports."""

    train: TextStore
    dev: TextStore
    reports: list[CorpusReport]

    def __str__(self) -> str:
        return "\n".join(map(str, self.reports))


def prepare_text(
    train: Sequence[Weighted],
    cache: str | Path,
    *,
    dev: ParallelCorpus | None = None,
    test: ParallelCorpus | None = None,
    rules: Rules | None = None,
    held_out: int = 1000,
) -> CheckedText:
    """Check the corpora and store what passes in a folder of `cache`, or find it there from an earlier time.

    Without a `dev` corpus at most `held_out` training pairs (and at most one in twenty) are held out. Which
    ones depends on a hash of the source sentence alone, so pairs with the same source always stay together.
    Raises `DataError` when the sides of a corpus do not match or nothing is left; nothing half-written
    remains.
    """
    rules = rules or Rules()
    if not train:
        raise DataError("there is no training corpus; name data.source and data.target.")
    identity = _identity(train, dev, test, rules, held_out)
    folder = Path(cache) / f"text-{identity[:16]}"
    meta = cached(folder, identity, FORMAT)
    if meta is None:
        meta = {"format": FORMAT, "identity": identity}
        with new_folder(folder, meta) as temporary:
            _build(temporary, meta, train, dev, test, rules, held_out)
    reports = [CorpusReport.from_json(values) for values in meta["reports"]]
    return CheckedText(TextStore(folder, "train", meta), TextStore(folder, "dev", meta), reports)


def check(
    train: Sequence[Weighted],
    *,
    dev: ParallelCorpus | None = None,
    test: ParallelCorpus | None = None,
    rules: Rules | None = None,
    held_out: int = 1000,
) -> list[CorpusReport]:
    """Only the reports of `prepare_text`: what would be dropped from each corpus, and why; nothing is kept."""
    with tempfile.TemporaryDirectory() as folder:
        return prepare_text(train, folder, dev=dev, test=test, rules=rules, held_out=held_out).reports


def _identity(
    train: Sequence[Weighted],
    dev: ParallelCorpus | None,
    test: ParallelCorpus | None,
    rules: Rules,
    held_out: int,
) -> str:
    facts = {
        "train": [(part.corpus.fingerprint(), part.corpus.name, part.weight) for part in train],
        "dev": dev and dev.fingerprint(),
        "test": test and test.fingerprint(),
        "rules": asdict(rules),
        "held_out": None if dev else held_out,
        "format": FORMAT,
    }
    return sha256(json.dumps(facts, sort_keys=True).encode("utf-8")).hexdigest()


def _build(
    folder: Path,
    meta: dict[str, Any],
    train: Sequence[Weighted],
    dev: ParallelCorpus | None,
    test: ParallelCorpus | None,
    rules: Rules,
    held_out: int,
) -> None:
    reports: list[CorpusReport] = []
    known: set[int] = set()
    names = [part.corpus.name for part in train]
    with (
        (folder / "text.bin").open("wb") as text,
        (folder / "dev.rows").open("wb") as dev_rows,
        (folder / "train.rows").open("wb") as train_rows,
    ):
        dev_aligned = False
        if dev is not None:
            dev_aligned = _add_corpus(TextWriter(text, dev_rows), dev, 0, None, reports, set(), known)
        if test is not None:
            _add_corpus(None, test, 0, None, reports, set(), known)
        writer = TextWriter(text, train_rows)
        seen = known if rules.drop_overlap else set[int]()
        aligned = [
            _add_corpus(writer, part.corpus, number, rules, reports, seen, None) for number, part in enumerate(train)
        ]
    _finish(folder, rules, dev is None, held_out, reports[-len(train) :])
    _require_something(folder, reports)
    dev_names = names if dev is None else [dev.name]
    meta["names"] = {"train": names, "dev": dev_names}
    meta["aligned"] = {"train": any(aligned), "dev": any(aligned) if dev is None else dev_aligned}
    meta["segments"] = {
        "train": _segments(folder / "train.index", names, [part.weight for part in train]),
        "dev": _segments(folder / "dev.index", dev_names, [1.0] * len(dev_names)),
    }
    meta["reports"] = [report.to_json() for report in reports]


def _add_corpus(
    writer: TextWriter | None,
    corpus: ParallelCorpus,
    number: int,
    rules: Rules | None,
    reports: list[CorpusReport],
    seen: set[int],
    sources: set[int] | None,
) -> bool:
    """Append what passes, and remember its sources if asked; whether there were links."""
    report = CorpusReport(corpus.name)
    reports.append(report)
    aligned = False
    for pair in clean_pairs(corpus, rules, report, seen):
        aligned = aligned or pair.alignment is not None
        if sources is not None:
            sources.add(pair.source_key)
        if writer is not None:
            writer.add(pair, number)
    if writer is not None:
        writer.flush()
    unreadable = sum(report.dropped.get(reason, 0) for reason in ("bad UTF-8", "bad JSON", "missing column"))
    if report.read and unreadable > _TOO_MANY_FLAWS * report.read:
        reason = max(report.dropped, key=lambda name: report.dropped[name])
        raise DataError(
            f"{unreadable} of {report.read} lines of {corpus.name} cannot be read: {reason}, first at "
            f"{report.examples[reason][0]}."
        )
    return aligned


def _finish(folder: Path, rules: Rules, hold_out: bool, held_out: int, reports: Sequence[CorpusReport]) -> None:
    """Write `train.index` and `dev.index` from the rows: duplicates out, held-out pairs over to
    validation."""
    rows = rows_of(folder / "train.rows")
    drop = _duplicates(rows) if rules.drop_duplicates else np.zeros(len(rows), dtype=bool)
    limit = _held_out_limit(rows, drop, held_out) if hold_out else None
    with (folder / "train.index").open("wb") as train, (folder / "dev.index").open("wb") as dev:
        if not hold_out:
            dev.write((folder / "dev.rows").read_bytes())
        for start, block in blocks(rows):
            gone = drop[start : start + len(block)]
            held = np.zeros(len(block), dtype=bool) if limit is None else (block["source_key"] <= limit) & ~gone
            train.write(block[~gone & ~held].tobytes())
            if limit is not None:
                dev.write(block[held].tobytes())
            _count(block, gone, held, reports)
    del rows
    (folder / "train.rows").unlink()
    (folder / "dev.rows").unlink()


def _count(block: np.ndarray, gone: np.ndarray, held: np.ndarray, reports: Sequence[CorpusReport]) -> None:
    for number, report in enumerate(reports):
        here = block["corpus"] == number
        duplicates, moved = int((gone & here).sum()), int((held & here).sum())
        if duplicates:
            line = int(block["line"][gone & here][0])
            report.drop("duplicate", f"{report.name}:{line}", count=duplicates)
        report.held_out += moved
        report.kept -= duplicates + moved


def _duplicates(rows: np.ndarray) -> np.ndarray:
    """True where an equal pair stands earlier.

    Many rows are sorted a slice of the hash space at a time, which takes about 5 bytes a pair at the most.
    """
    drop = np.zeros(len(rows), dtype=bool)
    slices = 1 if len(rows) <= _SORTED_AT_ONCE else _SLICES
    width = 2**64 // slices
    for number in range(slices):
        low, high = np.uint64(number * width), np.uint64((number + 1) * width - 1)
        keys: list[np.ndarray] = []
        places: list[np.ndarray] = []
        for start, block in blocks(rows):
            key = block["pair_key"]
            here = np.flatnonzero((key >= low) & (key <= high))
            keys.append(key[here])
            places.append((here + start).astype(np.uint32))
        if not keys:
            continue
        key, place = np.concatenate(keys), np.concatenate(places)
        order = np.argsort(key, kind="stable")
        again = key[order][1:] == key[order][:-1]
        drop[place[order][1:][again]] = True
    return drop


def _held_out_limit(rows: np.ndarray, drop: np.ndarray, held_out: int) -> np.uint64 | None:
    """Pairs whose source hash is at most this are held out: the smallest hashes, as many as wanted."""
    left = len(rows) - int(drop.sum())
    wanted = min(held_out, max(1, left // _SMALLEST_HELD_OUT_SHARE))
    if left < 2:
        return None
    smallest = np.zeros(0, dtype=np.uint64)
    for start, block in blocks(rows):
        keys = block["source_key"][~drop[start : start + len(block)]]
        # One more than wanted, to see whether the last group of equal sources would be cut.
        smallest = np.sort(np.concatenate([smallest, keys]))[: wanted + 1]
    if len(smallest) > wanted and smallest[wanted] == smallest[wanted - 1]:
        whole = smallest[smallest < smallest[wanted]]
        return whole[-1] if whole.size else None
    return smallest[wanted - 1]


def _segments(index: Path, names: Sequence[str], weights: Sequence[float]) -> list[dict[str, Any]]:
    """Where each corpus begins and ends among the rows; they stand in order."""
    counts = np.zeros(len(names), dtype=np.int64)
    for _, block in blocks(rows_of(index)):
        counts += np.bincount(block["corpus"], minlength=len(names))
    stops = np.cumsum(counts)
    return [
        asdict(Segment(int(stop - count), int(stop), weight, name))
        for count, stop, weight, name in zip(counts, stops, weights, names, strict=True)
    ]


def _require_something(folder: Path, reports: Sequence[CorpusReport]) -> None:
    for part, what, advice in (
        ("train", "to train on", "check the corpus"),
        ("dev", "to validate on", "name validation text with data.dev_source and data.dev_target"),
    ):
        if (folder / f"{part}.index").stat().st_size == 0:
            summary = "; ".join(report.summary() for report in reports)
            raise DataError(f"no pair is left {what} ({summary}); {advice}.")
