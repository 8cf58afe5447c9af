"""What lies in a run folder beside the weights: config and tokenizers, read and written without torch."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jumok import config as configuration
from jumok.config import FORMAT, HEAD, Config, SequenceConfig, TranslationConfig
from jumok.durable import write_file
from jumok.errors import ConfigError, RunError, TextError
from jumok.run import manifest
from jumok.run.integrity import read_bytes
from jumok.run.names import CONFIG
from jumok.text.tokenizer import Tokenizer, load_tokenizer
from jumok.version import __version__

# task -> the command that uses its runs
USES = {
    "translation": "translate",
    "summarisation": "summarise",
    "captioning": "caption",
    "few-shot": "classify",
    "bandits": "play",
    "image-gan": "generate",
}


@dataclass(frozen=True)
class Description:
    """A run without its weights: config.json, read once, and the tokenizers."""

    folder: Path
    config: SequenceConfig
    config_bytes: bytes
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer


def describe(folder: Path) -> Description:
    """Config and tokenizers of a run folder, which must belong together."""
    content = config_bytes(folder)
    config = parse_config(content, folder)
    if not isinstance(config, SequenceConfig):
        raise wrong_task(folder, config, "write text")
    source, target = _tokenizers(folder, _tree(content, folder / CONFIG))
    return Description(folder, config, content, source, target)


def read_config(folder: Path) -> Config:
    """The config of a run folder; a folder of a newer format is refused."""
    return parse_config(config_bytes(folder), folder)


def read_translation_config(folder: Path) -> TranslationConfig:
    """The config of a run that reads and writes text."""
    return for_text(read_config(folder), folder)


def for_text(config: Config, folder: Path) -> TranslationConfig:
    """The config, which must be of a run that reads and writes text."""
    if not isinstance(config, TranslationConfig):
        raise wrong_task(folder, config, "translate")
    return config


def wrong_task(folder: Path, config: Config, does: str) -> RunError:
    """The refusal of a run for what its task does not do, with the command that it is for."""
    command = USES.get(config.task)
    instead = f"; use `jumok {command} {folder}`" if command else ""
    return RunError(f"{folder} is a run of task={config.task}, which does not {does}{instead}.")


def parse_config(content: bytes, folder: Path) -> Config:
    """The config in the content of a folder's config.json."""
    path = folder / CONFIG
    tree = _tree(content, path)
    found = tree.get("format")
    if not isinstance(found, int):
        raise RunError(f"{path} has no format number; it was not written by `jumok train`.")
    if found > FORMAT:
        raise RunError(
            f"{folder} has format {found}, this version of Jumok reads up to {FORMAT}; update Jumok to use it."
        )
    try:
        current = configuration.upgraded(tree)
        return configuration.validate({key: value for key, value in current.items() if key not in HEAD})
    except ConfigError as error:
        raise RunError(f"{path} is damaged: {error}") from None


def config_bytes(folder: Path) -> bytes:
    """The content of config.json, which makes a folder a run folder."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file, not a run folder; name the folder of a trained model.")
    if not folder.is_dir():
        raise RunError(f"There is no run folder {folder}; train one with `jumok train --out {folder}`.")
    if not (folder / CONFIG).is_file():
        raise RunError(f"{folder} is not a run folder: it has no {CONFIG}.")
    return read_bytes(folder / CONFIG)


def vocabulary_of(source: Tokenizer, target: Tokenizer) -> dict[str, Any]:
    """What `config.json` says of the tokenizers, so that others are not taken for them."""
    return {
        "source": source.size,
        "target": target.size,
        "source_sha256": source.sha256,
        "target_sha256": target.sha256,
    }


def write_config(folder: Path, config: Config, vocabulary: Mapping[str, Any] | None = None) -> None:
    """`config.json`: the full config and what made it."""
    head: dict[str, Any] = {"format": FORMAT, "jumok_version": __version__}
    if vocabulary is not None:
        head["vocabulary"] = dict(vocabulary)
    tree = head | config.model_dump(mode="json")
    content = (json.dumps(tree, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    if manifest.read(folder) is None:  # a run in the making, or one of an earlier version
        write_file(folder / CONFIG, content)
    else:
        manifest.replace(folder, CONFIG, content)


def tokenizers_of(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target, which must be those the run was trained with."""
    return _tokenizers(folder, _tree(config_bytes(folder), folder / CONFIG))


def _tokenizers(folder: Path, tree: dict[str, Any]) -> tuple[Tokenizer, Tokenizer]:
    try:
        found = load_tokenizer(folder, "source"), load_tokenizer(folder, "target")
    except TextError as error:
        raise RunError(f"The run {folder} cannot be used: {error}") from None
    kept = tree.get("vocabulary")
    known = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
    for side, tokenizer in zip(("source", "target"), found, strict=True):
        wanted = known.get(f"{side}_sha256")  # runs of the first days have none
        if wanted is not None and wanted != tokenizer.sha256:
            raise RunError(
                f"The {side} tokenizer in {folder} does not belong to its model; copy the complete run folder."
            )
    return found


def _tree(content: bytes, path: Path) -> dict[str, Any]:
    try:
        tree = json.loads(content)
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    if not isinstance(tree, dict):
        raise RunError(f"{path} is damaged: it holds no keys.")
    return cast("dict[str, Any]", tree)
