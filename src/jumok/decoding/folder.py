"""What lies in a run folder beside the weights: config, tokenizers and the choice of heads, read without torch.

config.json         the full config, and the format of the folder
model.safetensors   the weights
tokenizer.json, …   the tokenizers
alignment.json      which heads align best, if that was searched for
"""

import json
from pathlib import Path
from typing import Any, cast

from jumok import config as configuration
from jumok.config import FORMAT, HEAD, Config
from jumok.decoding.alignment_choice import AlignmentChoice, read_choice
from jumok.errors import ConfigError, RunError, TextError
from jumok.text.tokenizer import Tokenizer, load_tokenizer

CONFIG = "config.json"
WEIGHTS = "model.safetensors"


def read_config(folder: Path) -> Config:
    """The config of a run folder; a folder of a newer format is refused."""
    path = folder / CONFIG
    tree = _tree(config_bytes(folder), path)
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
    if not folder.is_dir():
        raise RunError(f"There is no run folder {folder}; train one with `jumok train --out {folder}`.")
    if not (folder / CONFIG).is_file():
        raise RunError(f"{folder} is not a run folder: it has no {CONFIG}.")
    return read_bytes(folder / CONFIG)


def read_bytes(path: Path) -> bytes:
    """The content of a file that every trained run has."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{path} is missing; the run has not been trained, or was copied without it.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}.") from None


def tokenizers_of(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target, which must be those the run was trained with."""
    try:
        found = load_tokenizer(folder, "source"), load_tokenizer(folder, "target")
    except TextError as error:
        raise RunError(f"The run {folder} cannot be used: {error}") from None
    kept = _tree(config_bytes(folder), folder / CONFIG).get("vocabulary")
    known = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
    for side, tokenizer in zip(("source", "target"), found, strict=True):
        wanted = known.get(f"{side}_sha256")  # runs of the first days have none
        if wanted is not None and wanted != tokenizer.sha256:
            raise RunError(
                f"The {side} tokenizer in {folder} does not belong to its model; copy the run folder as a whole."
            )
    return found


def choice_of(folder: Path, config: Config) -> AlignmentChoice:
    """Which attention stands for the alignment: what was searched for, or the usual; it must exist."""
    choice = read_choice(folder) or AlignmentChoice.usual(config)
    decoder = config.model.decoder
    layers, heads = decoder.cross_layers, decoder.most_heads
    if not -layers <= choice.layer < layers:
        raise RunError(f"{folder / 'alignment.json'} names layer {choice.layer}, but the decoder has {layers}.")
    if choice.heads is not None and not all(0 <= head < heads for head in choice.heads):
        raise RunError(f"{folder / 'alignment.json'} names heads {choice.heads}, but a layer has {heads}, from 0.")
    return choice


def _tree(content: bytes, path: Path) -> dict[str, Any]:
    try:
        tree = json.loads(content)
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    if not isinstance(tree, dict):
        raise RunError(f"{path} is damaged: it holds no keys.")
    return cast("dict[str, Any]", tree)
