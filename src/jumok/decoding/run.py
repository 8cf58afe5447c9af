"""A run folder read back: config, weights and tokenizers, with nothing executed and nothing unpickled."""

from dataclasses import dataclass
from pathlib import Path

import torch

from jumok.config import SequenceConfig
from jumok.decoding.alignment_choice import choice_of
from jumok.decoding.opened import OpenedRun
from jumok.models.build import build_model
from jumok.models.seq2seq import Seq2Seq
from jumok.models.stored import building, fill, tensors_of, usable_device
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
    folder, place = Path(path), usable_device(device)
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


def _model(config: SequenceConfig, source: Tokenizer, target: Tokenizer, content: bytes, path: Path) -> Seq2Seq:
    """The model with its weights; anything that does not fit names the file."""
    tensors = tensors_of(content, path)
    with building(path.parent, config.plugins):
        model = build_model(config.model, source.size, target.size, config.slots)
    fill(model, tensors, path)
    return model
