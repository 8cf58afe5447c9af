"""A run folder read back: config, weights and tokenizers, with nothing executed and nothing unpickled.

config.json         the full config, and the format of the folder
model.safetensors   the weights
tokenizer.json, …   the tokenizers
alignment.json      which heads align best, if that was searched for
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from torch import Tensor

from jumok import config as configuration
from jumok.config import FORMAT, HEAD, Config
from jumok.decoding.alignment_choice import AlignmentChoice, read_choice
from jumok.errors import ConfigError, JumokError, RunError, TextError
from jumok.models.build import build_model
from jumok.models.seq2seq import Seq2Seq
from jumok.text.tokenizer import Tokenizer, load_tokenizer

CONFIG = "config.json"
WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Run:
    """A trained model with everything it needs, as it lies in its folder."""

    path: Path
    config: Config
    model: Seq2Seq
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    choice: AlignmentChoice
    sha256: str
    """Of weights and config together."""

    @property
    def hash(self) -> str:
        """The short form that names the model in exports and reports."""
        return self.sha256[:12]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name


def load_run(path: str | Path, device: str | torch.device = "cpu", *, weights: str | Path | None = None) -> Run:
    """The run of a folder; `weights` takes those of one of its snapshots or checkpoints instead of the best ones."""
    folder = Path(path)
    config_bytes = _read_config_bytes(folder)
    config = read_config(folder)
    weights_path = folder / WEIGHTS if weights is None else Path(weights)
    weights_bytes = _read(weights_path)
    source, target = _tokenizers(folder)
    model = _model(config, source, target, weights_bytes, weights_path).to(_device(device)).eval()
    choice = read_choice(folder) or AlignmentChoice.usual(config)
    _check_choice(choice, config, folder)
    digest = sha256(weights_bytes + config_bytes).hexdigest()
    return Run(folder, config, model, source, target, choice, digest)


def read_config(folder: Path) -> Config:
    """The config of a run folder; a folder of a newer format is refused."""
    path = folder / CONFIG
    tree = _tree(_read_config_bytes(folder), path)
    found = tree.get("format")
    if not isinstance(found, int):
        raise RunError(f"{path} has no format number; it was not written by `jumok train`.")
    if found > FORMAT:
        raise RunError(
            f"{folder} has format {found}, this version of Jumok reads up to {FORMAT}; update Jumok to use it."
        )
    for key in configuration.HEAD:
        tree.pop(key, None)
    try:
        return configuration.validate({key: value for key, value in tree.items() if key not in HEAD})
    except ConfigError as error:
        raise RunError(f"{path} is damaged: {error}") from None


def _read_config_bytes(folder: Path) -> bytes:
    if not folder.is_dir():
        raise RunError(f"There is no run folder {folder}; train one with `jumok train --out {folder}`.")
    if not (folder / CONFIG).is_file():
        raise RunError(f"{folder} is not a run folder: it has no {CONFIG}.")
    return _read(folder / CONFIG)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{path} is missing; the run has not been trained, or was copied without it.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}.") from None


def _tree(content: bytes, path: Path) -> dict[str, Any]:
    try:
        tree = json.loads(content)
    except ValueError as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    if not isinstance(tree, dict):
        raise RunError(f"{path} is damaged: it holds no keys.")
    return cast("dict[str, Any]", tree)


def _device(device: str | torch.device) -> torch.device:
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RunError(f"The device '{device}' cannot be used: {reason}.") from None
    return found


def _tokenizers(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    try:
        return load_tokenizer(folder, "source"), load_tokenizer(folder, "target")
    except TextError as error:
        raise RunError(f"The run {folder} cannot be used: {error}") from None


def _model(config: Config, source: Tokenizer, target: Tokenizer, content: bytes, path: Path) -> Seq2Seq:
    """The model with its weights; anything that does not fit names the file."""
    try:
        tensors = read_tensors(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    try:
        model = build_model(config.model, source.size, target.size)
    except JumokError as error:
        where = f"; load the plugins that define it: {', '.join(config.plugins)}." if config.plugins else "."
        raise RunError(f"The model of {path.parent} cannot be built: {str(error).rstrip('.')}{where}") from None
    _check_fit(model.state_dict(), tensors, path)
    model.load_state_dict(tensors, strict=True, assign=True)
    return model


def _check_fit(expected: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Raises unless names and shapes are those of the model."""
    for name in sorted({*expected, *found}):
        if name not in found:
            raise RunError(f"{path} lacks the tensor '{name}' that config.json asks for; it is of another model.")
        if name not in expected:
            raise RunError(f"{path} holds a tensor '{name}' that config.json does not know; it is of another model.")
        want, have = tuple(expected[name].shape), tuple(found[name].shape)
        if want != have:
            vocabulary = " (the tokenizer has another size than the model's vocabulary)" if len(want) == 2 else ""
            raise RunError(f"{path}: '{name}' has shape {have}, but config and tokenizers need {want}{vocabulary}.")


def _check_choice(choice: AlignmentChoice, config: Config, folder: Path) -> None:
    """Raises where alignment.json names a layer that the model does not have."""
    layers = config.model.decoder.layers if config.model.decoder.kind == "transformer" else 1
    if not -layers <= choice.layer < layers:
        raise RunError(f"{folder / 'alignment.json'} names layer {choice.layer}, but the decoder has {layers}.")
