"""A run folder read back: config, weights and tokenizers, with nothing executed and nothing unpickled."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from torch import Tensor

from jumok.config import Config
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.folder import (
    CONFIG,
    WEIGHTS,
    choice_of,
    config_bytes,
    read_bytes,
    read_config,
    tokenizers_of,
)
from jumok.errors import JumokError, RunError
from jumok.models.build import build_model
from jumok.models.reach import Reach
from jumok.models.seq2seq import Seq2Seq
from jumok.text.tokenizer import Tokenizer

__all__ = ["CONFIG", "WEIGHTS", "Run", "load_run", "read_config"]


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

    @cached_property
    def reach(self) -> Reach:
        """How long sentences the model can take."""
        return self.model.reach


def load_run(path: str | Path, device: str | torch.device = "cpu", *, weights: str | Path | None = None) -> Run:
    """The run of a folder; `weights` takes those of one of its snapshots or checkpoints instead of the best ones."""
    folder = Path(path)
    config_content, config = config_bytes(folder), read_config(folder)
    weights_path = folder / WEIGHTS if weights is None else Path(weights)
    weights_content = read_bytes(weights_path)
    source, target = tokenizers_of(folder)
    model = _model(config, source, target, weights_content, weights_path).to(_device(device)).eval()
    digest = sha256(weights_content + config_content).hexdigest()
    return Run(folder, config, model, source, target, choice_of(folder, config), digest)


def _device(device: str | torch.device) -> torch.device:
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RunError(f"The device '{device}' cannot be used: {reason}.") from None
    return found


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
