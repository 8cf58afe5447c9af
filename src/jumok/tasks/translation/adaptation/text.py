"""The text of an adaptation: the user's, split by source sentence, and a sample of what the old run learned from."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from jumok.config import TranslationConfig
from jumok.data.checks import CorpusReport, clean_pairs
from jumok.data.corpus import ParallelCorpus, pairs_of
from jumok.durable import write_file
from jumok.errors import ConfigError, DataError, RunError
from jumok.tasks.translation.prepare import Corpora, open_corpora, open_run, rules_of
from jumok.tasks.translation.test_sets import own_test_set

TextPair = tuple[str, str]
MOST_PAIRS = 200_000
"""Pairs of the user's that are kept in memory; who has more trains a run of their own with train.init_from."""
FEWEST_PAIRS = 20
HELD_OUT = 500
"""Largest number of pairs in each of the two held-out parts."""
OLD_TEST = 500
"""Sentences of the old test set that forgetting is measured on."""
OLD_PAIRS = 20_000
"""Pairs of the old training text that are kept to draw from."""


@dataclass(frozen=True)
class OwnText:
    """The user's pairs: to learn from, to stop by, and to measure on."""

    train: list[TextPair]
    dev: list[TextPair]
    test: list[TextPair]
    report: CorpusReport


@dataclass(frozen=True)
class OldText:
    """What is left of the text that a run was trained on; empty lists where nothing is."""

    train: list[TextPair]
    dev: list[TextPair]
    test: list[TextPair]
    test_name: str


def own_text(corpus: ParallelCorpus, config: TranslationConfig) -> OwnText:
    """The user's pairs, checked and split by a hash of the source, so that equal sources stay together."""
    report = CorpusReport(corpus.name)
    found = {
        pair.pair_key: pair
        for pair in islice(clean_pairs(corpus, rules_of(config.data), report, set()), MOST_PAIRS + 1)
    }
    if len(found) > MOST_PAIRS:
        raise DataError(
            f"{corpus.name} has more than {MOST_PAIRS:,} pairs, which is a corpus to train on; use jumok train with "
            "train.init_from and text.of_run."
        )
    rows = sorted(found.values(), key=lambda pair: pair.source_key)
    keys = sorted({pair.source_key for pair in rows})
    if len(keys) < FEWEST_PAIRS:
        raise DataError(f"{report.summary()}: an adaptation needs pairs of at least {FEWEST_PAIRS} different sources.")
    held = min(HELD_OUT, len(keys) // 20 + 1)
    test_below, dev_below = keys[held], keys[2 * held]
    parts: tuple[list[TextPair], ...] = ([], [], [])
    for pair in rows:
        place = 2 if pair.source_key < test_below else 1 if pair.source_key < dev_below else 0
        parts[place].append((pair.source, pair.target))
    return OwnText(*parts, report)


def old_text(run: Path, config: TranslationConfig, seed: int) -> OldText:
    """A sample of the run's training text, its validation text and a test set, as far as they can be found."""
    train, dev = _stored(run, config, seed) or _named(config, seed) or ([], [])
    test, name = _old_test(config)
    return OldText(train, dev, test or dev[:OLD_TEST], name if test else "the old validation text")


def _stored(run: Path, config: TranslationConfig, seed: int) -> tuple[list[TextPair], list[TextPair]] | None:
    """From the text that is kept in the run folder, or in its cache."""
    try:
        opened = open_run(run, config)
    except RunError:
        return None
    rows = _sample(range(len(opened.train_text)), OLD_PAIRS, seed)
    train = [(pair.source, pair.target) for pair in (opened.train_text[row] for row in sorted(rows))]
    return train, [(pair.source, pair.target) for pair in islice(opened.dev_text, OLD_TEST)]


def _named(config: TranslationConfig, seed: int) -> tuple[list[TextPair], list[TextPair]] | None:
    """From the files that the run's config names, where they still exist; the phrasebook always does."""
    try:
        corpora = open_corpora(config.data)
        train = _sample(list(_pairs(corpora)), OLD_PAIRS, seed)
        dev = [] if corpora.dev is None else [(pair.source, pair.target) for pair in pairs_of(corpora.dev)]
    except (DataError, ConfigError):
        return None
    held = [] if dev else train[: min(OLD_TEST, len(train) // 20)]
    return train[len(held) :], (dev or held)[:OLD_TEST]


def _pairs(corpora: Corpora) -> Iterable[TextPair]:
    for part in corpora.train:
        yield from ((pair.source, pair.target) for pair in pairs_of(part.corpus))


def _old_test(config: TranslationConfig) -> tuple[list[TextPair], str]:
    """The test set that the run's config names, or the phrasebook's."""
    if config.data.is_phrasebook and config.data.phrasebook:
        test = own_test_set(config, OLD_TEST // 2)
        return list(zip(test.sources, test.references[0], strict=True)), test.name
    try:
        corpus = open_corpora(config.data).test
        found = [] if corpus is None else [(pair.source, pair.target) for pair in islice(pairs_of(corpus), OLD_TEST)]
    except (DataError, ConfigError):
        return [], ""
    return found, "" if corpus is None else corpus.name


def _sample(rows: Sequence, count: int, seed: int) -> list:
    return random.Random(seed).sample(rows, min(count, len(rows)))


def write_pairs(path: Path, pairs: Iterable[TextPair]) -> None:
    """Pairs as JSON lines, which `data.corpora` reads."""
    rows = (json.dumps({"source": source, "target": target}, ensure_ascii=False) for source, target in pairs)
    write_file(path, "".join(f"{row}\n" for row in rows).encode("utf-8"))


def read_pairs(path: Path) -> list[TextPair]:
    """What `write_pairs` wrote."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [(row["source"], row["target"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is missing or damaged ({error}); adapt the run again.") from None
