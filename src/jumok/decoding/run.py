"""A run folder read back: config, weights and tokenizers, with nothing executed and nothing unpickled."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from torch import Tensor

from jumok.config import SequenceConfig
from jumok.decoding.alignment_choice import choice_of
from jumok.decoding.opened import OpenedRun
from jumok.errors import JumokError, RunError
from jumok.models.build import build_model
from jumok.models.seq2seq import Seq2Seq
from jumok.run.folder import describe
from jumok.run.integrity import check_listed, checked, steady
from jumok.run.names import WEIGHTS
from jumok.text.tokenizer import Tokenizer


@dataclass(frozen=True, kw_only=True)
class Run(OpenedRun):
    """A trained model with everything it needs, as it lies in its folder."""

    model: Seq2Seq


def load_run(path: str | Path, device: str | torch.device = "cpu", *, weights: str | Path | None = None) -> Run:
    """The run of a folder; `weights` takes those of one of its snapshots or checkpoints instead of the best ones."""
    folder, place = Path(path), _device(device)
    return steady(lambda: _load(folder, place, folder / WEIGHTS if weights is None else Path(weights)))


def _load(folder: Path, device: torch.device, weights: Path) -> Run:
    """The run, its files checked against their manifest."""
    about = describe(folder)
    source, target = about.source_tokenizer, about.target_tokenizer
    with checked(weights) as content:
        model = _model(about.config, source, target, content.bytes, weights).to(device).eval()
        digest = content.sha256(about.config_bytes)
    check_listed(folder, but=WEIGHTS)
    return Run(
        path=folder,
        config=about.config,
        model=model,
        source_tokenizer=source,
        target_tokenizer=target,
        choice=choice_of(folder, about.config),
        reach=model.reach,
        sha256=digest,
    )


def _device(device: str | torch.device) -> torch.device:
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RunError(f"The device '{device}' cannot be used: {reason}.") from None
    return found


def _model(config: SequenceConfig, source: Tokenizer, target: Tokenizer, content: bytes, path: Path) -> Seq2Seq:
    """The model with its weights; anything that does not fit names the file."""
    try:
        tensors = read_tensors(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    try:
        model = build_model(config.model, source.size, target.size, config.slots)
    except JumokError as error:
        where = f"; load the plugins that define it: {', '.join(config.plugins)}." if config.plugins else "."
        raise RunError(f"The model of {path.parent} cannot be built: {str(error).rstrip('.')}{where}") from None
    _check_fit(model.state_dict(), tensors, path)
    model.load_state_dict({name: _widened(value) for name, value in tensors.items()}, strict=True, assign=True)
    return model


def _widened(tensor: Tensor) -> Tensor:
    """Weights stored in half precision as the float32 that the model computes in."""
    return tensor.float() if tensor.dtype == torch.float16 else tensor


def _check_fit(expected: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Raises unless names and shapes are those of the model."""
    for name in sorted({*expected, *found}):
        if name not in found:
            raise RunError(f"{path} lacks the tensor '{name}' that config.json asks for; it belongs to another model.")
        if name not in expected:
            raise RunError(f"{path} has a tensor '{name}' that config.json does not know; it belongs to another model.")
        want, have = tuple(expected[name].shape), tuple(found[name].shape)
        if want != have:
            vocabulary = " (the tokenizer has another size than the model's vocabulary)" if len(want) == 2 else ""
            raise RunError(f"{path}: '{name}' has shape {have}, but config and tokenizers need {want}{vocabulary}.")
