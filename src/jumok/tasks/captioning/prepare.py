"""From a config to a run folder that is ready to train: pictures stored, vocabulary learned, captions as ids."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jumok.config import CaptioningConfig, ImageFrontendConfig, PretrainedFrontendConfig
from jumok.data.caption_ids import CaptionIds, write_ids
from jumok.data.images import PixelStore, open_store
from jumok.data.images.prepare import some_of
from jumok.durable import digest, write_file
from jumok.errors import DataError, RunError
from jumok.run import manifest
from jumok.run.folder import vocabulary_of, write_config
from jumok.run.names import DATA, STORED
from jumok.tasks.captioning.features import store_features
from jumok.tasks.captioning.pictures import Split, make_splits, read_texts, write_texts
from jumok.tasks.captioning.shown import Shown
from jumok.tasks.staging import staged
from jumok.tasks.task import Opened, Say
from jumok.text.options import TokenizerOptions
from jumok.text.tokenizer import Tokenizer, build_tokenizer, load_tokenizer

SPLITS = ("train", "dev")
MIRRORED = "mirrored"
"""The name of the features of mirrored training pictures."""


@dataclass(frozen=True)
class WithCaptions(Opened[CaptioningConfig]):
    """A run folder with its pictures, its captions and their vocabulary."""

    tokenizer: Tokenizer
    shown: dict[str, Shown]
    ids: dict[str, CaptionIds]
    dev_texts: Sequence[Sequence[str]]
    """The references of each validation picture."""


def side_of(config: CaptioningConfig) -> int:
    """The side that pictures are fitted to."""
    frontend = config.model.frontend
    assert isinstance(frontend, ImageFrontendConfig)
    return frontend.side


def shared_cache(config: CaptioningConfig) -> Path | None:
    """A folder below `data.cache` for runs of the same pictures; None where the run keeps its own.

    Runs of other pictures get another folder: what one run was prepared with is never replaced by another.
    """
    if not config.data.cache:
        return None
    kept = config.data.model_dump_json(exclude={"cache", "flip", "crop", "colour", "max_length"})
    return Path(config.data.cache) / digest(f"{kept} {side_of(config)}".encode())[:16]


def make_features(config: CaptioningConfig, splits: dict[str, Split], cache: Path, say: Say) -> dict[str, PixelStore]:
    """What a frozen backbone makes of the pictures; nothing for other frontends."""
    section = config.model.frontend
    if not isinstance(section, PretrainedFrontendConfig) or not section.frozen:
        return {}
    found = {name: store_features(section, one.pixels, cache, name, say) for name, one in splits.items()}
    if config.data.flip:
        found[MIRRORED] = store_features(section, splits["train"].pixels, cache, MIRRORED, say, mirrored=True)
    return found


def prepare_run(config: CaptioningConfig, folder: Path, say: Say) -> None:
    """Makes the run folder, or leaves nothing behind."""
    with staged(folder) as staging:
        cache = shared_cache(config) or staging / STORED
        splits = make_splits(config.data, side_of(config), cache, say)
        features = make_features(config, splits, cache, say)
        tokenizer = learn_vocabulary(config, splits["train"])
        say(f"Vocabulary: {tokenizer.size:,} {tokenizer.kind}.")
        tokenizer.save(staging, "joint")  # there is no source text; one vocabulary is all that the run has
        for name, split in splits.items():
            store_captions(config, staging / STORED / f"captions-{name}", split, tokenizer, say)
        write_texts(staging / STORED / "dev.jsonl", splits["dev"].captions)
        write_config(staging, config, vocabulary_of(tokenizer, tokenizer))
        _write_data(staging, config, splits, features)
        manifest.write(staging)


def learn_vocabulary(config: CaptioningConfig, train: Split) -> Tokenizer:
    """The vocabulary of the training captions."""
    kind = config.text.kind
    if kind == "auto":
        kind = "words" if config.data.is_picturebook else "unigram"
    options = TokenizerOptions(
        byte_fallback=config.text.byte_fallback, lowercase=config.text.lowercase, min_count=config.text.min_count
    )
    lines = (caption for known in train.captions for caption in known)
    return build_tokenizer(kind, lines, size=config.text.size, options=options)


def store_captions(config: CaptioningConfig, folder: Path, split: Split, tokenizer: Tokenizer, say: Say) -> CaptionIds:
    """The captions of a split as ids; those that are too long are left out, with the names of their pictures said."""
    most, long = config.data.max_length, list[str]()

    def rows() -> Iterator[tuple[int, list[int]]]:
        for number, known in enumerate(split.captions):
            for ids in map(tokenizer.encode, known):
                if len(ids) <= most:
                    yield number, ids
                else:
                    long.append(split.files[number] if split.files else f"scene {number}")

    found = write_ids(folder, rows())
    if not len(found):
        raise DataError(f"every caption has more than data.max_length={most} tokens; raise data.max_length.")
    if long:
        say(f"{folder.name}: dropped {len(long)}: longer than data.max_length={most} tokens: {some_of(long)}")
    return found


def _write_data(
    folder: Path, config: CaptioningConfig, splits: dict[str, Split], features: dict[str, PixelStore]
) -> None:
    """`data.json`: where the pictures of the run are."""
    cache = shared_cache(config)
    facts: dict[str, Any] = {"cache": None if cache is None else str(cache.absolute())}
    facts |= {name: [split.pixels.folder.name, split.pixels.identity] for name, split in splits.items()}
    facts["features"] = {name: [store.folder.name, store.identity] for name, store in features.items()}
    write_file(folder / DATA, (json.dumps(facts, ensure_ascii=False, indent=2) + "\n").encode("utf-8"))


def open_run(folder: Path, config: CaptioningConfig) -> WithCaptions:
    """The run folder's pictures, captions and vocabulary."""
    try:
        facts = json.loads((folder / DATA).read_text(encoding="utf-8"))
        cache = Path(facts["cache"]) if facts["cache"] else folder / STORED
        features = {name: _opened(cache / place, identity) for name, (place, identity) in facts["features"].items()}
        shown = {name: Shown(_opened(cache / facts[name][0], facts[name][1]), features.get(name)) for name in SPLITS}
        shown["train"] = replace(shown["train"], mirrored=features.get(MIRRORED))
        ids = {name: CaptionIds(folder / STORED / f"captions-{name}") for name in SPLITS}
        texts = read_texts(folder / STORED / "dev.jsonl")
    except (OSError, ValueError, KeyError, TypeError, DataError) as error:
        raise RunError(f"The prepared pictures of {folder} are missing or damaged ({error}); train again.") from None
    return WithCaptions(folder, config, load_tokenizer(folder, "target"), shown, ids, texts)


def _opened(folder: Path, identity: str) -> PixelStore:
    store = open_store(folder, identity)
    if store is None:
        raise DataError(f"{folder} is not the store that the run was prepared with")
    return store
