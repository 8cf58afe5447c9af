"""From a config to a run folder that is ready to train: checks, corpora, vocabularies, token ids.

Everything that can be refused is refused before the run folder appears; the folder is made aside and renamed.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jumok.config import DataConfig, TranslationConfig
from jumok.data.checks import Rules
from jumok.data.corpus import GeneratedCorpus, Pair, ParallelCorpus, Weighted, open_corpus
from jumok.data.cutting import CutPairs
from jumok.data.prepare import CheckedText, prepare_text
from jumok.data.store import PairSource, PairStore, build_store
from jumok.data.text_store import TextStore
from jumok.durable import write_file
from jumok.errors import ConfigError, RunError
from jumok.run import manifest
from jumok.run.folder import vocabulary_of, write_config
from jumok.run.names import DATA, STORED
from jumok.tasks.staging import staged
from jumok.tasks.task import Say
from jumok.tasks.translation.vocabularies import make_tokenizers
from jumok.text.tokenizer import Tokenizer, load_tokenizer
from jumok.version import __version__


@dataclass(frozen=True)
class Corpora:
    """The texts a config names."""

    train: list[Weighted]
    dev: ParallelCorpus | None
    test: ParallelCorpus | None


@dataclass(frozen=True)
class Prepared:
    """A run folder opened for training."""

    folder: Path
    config: TranslationConfig
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    train_text: TextStore
    dev_text: TextStore
    train_ids: PairStore
    dev_ids: PairStore


Embedded = Callable[[Any], "Corpora"]
"""The corpora that the package itself has, by the `data` section of a task."""


def open_corpora(data: DataConfig, embedded: "Embedded | None" = None) -> Corpora:
    """The corpora of a config; missing files are refused."""
    if data.corpora and (data.source or data.target):
        raise ConfigError("Set data.source and data.target or data.corpora, not both.")
    if data.target and not data.source:
        raise ConfigError("data.target is set but data.source is not; name both files.")
    if data.is_phrasebook:
        for key in ("folder", "dev_source", "dev_target", "test_source", "test_target", "alignment"):
            if getattr(data, key):
                raise ConfigError(
                    f"data.{key} is set but no training text is; name it with data.source and data.target."
                )
    if data.is_phrasebook:
        return (embedded or phrasebook_corpora)(data)
    here = Path(data.folder) if data.folder else Path()

    def opened(source: str, target: str | None, alignment: str | None) -> ParallelCorpus:
        return open_corpus(
            here / source,
            here / target if target else None,
            alignment=here / alignment if alignment else None,
            source_language=data.source_language,
            target_language=data.target_language,
        )

    if data.corpora:
        train = [Weighted(opened(one.source, one.target, one.alignment), one.weight) for one in data.corpora]
    else:
        assert data.source is not None
        train = [Weighted(opened(data.source, data.target, data.alignment))]
    dev = opened(data.dev_source, data.dev_target, data.dev_alignment) if data.dev_source else None
    test = opened(data.test_source, data.test_target, None) if data.test_source else None
    return Corpora(train, dev, test)


def phrasebook_corpora(data: DataConfig) -> Corpora:
    """The embedded phrasebook."""
    from jumok.data.phrasebook import generate

    def corpus(split: str, size: int) -> GeneratedCorpus:
        def pairs() -> Iterator[Pair]:
            for line, example in enumerate(generate(data.phrasebook, split, size), 1):
                links = " ".join(f"{i}-{j}" for i, j in example.links)
                yield Pair(example.source, example.target, line, links)

        return GeneratedCorpus(f"phrasebook {data.phrasebook} {split}", f"{split} {size} {__version__}", pairs)

    train = corpus("train", data.phrasebook_size)
    return Corpora([Weighted(train)], corpus("dev", min(1000, data.held_out)), None)


def rules_of(data: DataConfig) -> Rules:
    """The rules by which pairs are dropped."""
    rules = Rules(max_ratio=data.max_ratio, drop_duplicates=data.drop_duplicates, drop_overlap=data.drop_overlap)
    return replace(rules, max_words=None, max_characters=None) if data.cut_source else rules


def prepare_run(
    config: TranslationConfig,
    folder: Path,
    say: Say,
    choose: Callable[[TranslationConfig, PairStore, Say], TranslationConfig],
    embedded: Embedded | None = None,
    text: "Callable[[Path], Corpora] | None" = None,
) -> None:
    """Makes the run folder: text checked, vocabularies learned, ids stored, config written; or nothing at all.

    `choose` may set keys that the user left open, now that the data is known. `text` writes corpora of its own into the
    new folder instead of those that the config names.
    """
    if text is None:
        open_corpora(config.data, embedded)  # what is missing is refused before anything is made
    with staged(folder) as staging:
        corpora = text(staging) if text else open_corpora(config.data, embedded)
        cache = Path(config.data.cache) if config.data.cache else staging / STORED
        checked = prepare_text(
            corpora.train,
            cache,
            dev=corpora.dev,
            test=corpora.test,
            rules=rules_of(config.data),
            held_out=config.data.held_out,
        )
        say(str(checked))
        source, target = make_tokenizers(config, checked.train)
        say(_vocabulary_note(source, target))
        train, dev = (build_store(part, source, target, cache) for part in (checked.train, checked.dev))
        _report_lengths(config.data, train, say)
        _save_tokenizers(staging, source, target)
        config = choose(config, train, say)
        write_config(staging, config, vocabulary_of(source, target))
        _write_data(staging, config, checked, train, dev)
        manifest.write(staging)


def cut_pairs(config: TranslationConfig, pairs: PairSource, vocabulary: int) -> PairSource:
    """The pairs as they are learned from: with sources cut, where the config says so."""
    if not config.data.cut_source:
        return pairs
    return CutPairs(pairs, config.data.max_length, vocabulary - config.text.slots if config.text.slots else None)


def _report_lengths(data: DataConfig, train: PairStore, say: Say) -> None:
    """Says how many pairs are too long in tokens, which is known only now; refuses where none is left."""
    most = data.max_length
    long = train.longer_than(most)
    if data.cut_source:
        cut, long = (int((train.lengths()[:, side] > most).sum()) for side in (0, 1))
        if cut:
            say(f"{cut:,} of {len(train):,} training texts have more than data.max_length={most} tokens and are cut.")
    if long == len(train):
        raise ConfigError(f"Every training pair has more than data.max_length={most} tokens; raise data.max_length.")
    if long:
        say(f"{long:,} of {len(train):,} training pairs have more than data.max_length={most} tokens and are left out.")


def _vocabulary_note(source: Tokenizer, target: Tokenizer) -> str:
    if source is target:
        return f"Vocabulary: {source.size:,} {source.kind} for both sides."
    return f"Vocabulary: {source.size:,} source and {target.size:,} target {source.kind}."


def _save_tokenizers(folder: Path, source: Tokenizer, target: Tokenizer) -> None:
    if source is target:
        source.save(folder, "joint")
    else:
        source.save(folder, "source")
        target.save(folder, "target")


def _write_data(folder: Path, config: TranslationConfig, text: CheckedText, train: PairStore, dev: PairStore) -> None:
    """`data.json`: where the run's text and ids are, and what was dropped."""
    facts = {
        "cache": str(Path(config.data.cache).absolute()) if config.data.cache else None,
        "text": text.train.folder.name,
        "train": train.folder.name,
        "dev": dev.folder.name,
        "reports": [report.to_json() for report in text.reports],
    }
    write_file(folder / DATA, (json.dumps(facts, ensure_ascii=False, indent=2) + "\n").encode("utf-8"))


def open_run(folder: Path, config: TranslationConfig) -> Prepared:
    """The run folder's texts, ids and tokenizers; needs none of the files it was made from."""
    try:
        facts = json.loads((folder / DATA).read_text(encoding="utf-8"))
        cache = Path(facts["cache"]) if facts["cache"] else folder / STORED
        meta: dict[str, Any] = json.loads((cache / facts["text"] / "meta.json").read_text(encoding="utf-8"))
        texts = [TextStore(cache / facts["text"], part, meta) for part in ("train", "dev")]
        ids = [PairStore(cache / facts[part]) for part in ("train", "dev")]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"The prepared text of {folder} is missing or damaged ({error}); train again.") from None
    source, target = (load_tokenizer(folder, side) for side in ("source", "target"))
    return Prepared(folder, config, source, target, texts[0], texts[1], ids[0], ids[1])
