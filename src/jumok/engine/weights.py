"""The parts of a run folder that the engine needs, read without torch."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_arrays

from jumok.decoding.alignment_choice import choice_of
from jumok.decoding.opened import OpenedRun
from jumok.errors import RunError
from jumok.models.reach import Reach
from jumok.run.folder import describe
from jumok.run.integrity import check_listed, checked, not_finite, steady
from jumok.run.names import WEIGHTS
from jumok.text.tokenizer import Tokenizer

Arrays = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Parts(OpenedRun):
    """A run as it lies in its folder, the model as plain arrays."""

    weights: Arrays


def load_parts(path: str | Path) -> Parts:
    """The run of a folder without its model being built."""
    return steady(lambda: _load(Path(path)))


def _load(folder: Path) -> Parts:
    """The run, its files checked against their manifest."""
    about = describe(folder)
    source, target = about.source_tokenizer, about.target_tokenizer
    with checked(folder / WEIGHTS) as content:
        weights = _arrays(content.bytes, folder / WEIGHTS)
        _check_words(weights, source, target, folder / WEIGHTS)
        digest = content.sha256(about.config_bytes)
    check_listed(folder, but=WEIGHTS)
    return Parts(
        path=folder,
        config=about.config,
        weights=weights,
        source_tokenizer=source,
        target_tokenizer=target,
        choice=choice_of(folder, about.config),
        reach=_reach(weights),
        sha256=digest,
    )


def _reach(weights: Arrays) -> Reach:
    """How long sentences the model can take: tables of positions end, and no engine knows a score of locations."""
    tables = (weights.get(f"{side}.entrance.positions.weight") for side in ("encoder", "decoder"))
    return Reach(*(None if table is None else len(table) for table in tables))


def _arrays(content: bytes, path: Path) -> Arrays:
    try:
        found = {name: np.asarray(value, np.float32) for name, value in read_arrays(content).items()}
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    for name, value in found.items():
        with np.errstate(over="ignore", invalid="ignore"):
            whole = value.sum()
        # The sum is not finite when any number is not; sums that are too large decide nothing.
        if not np.isfinite(whole) and not np.isfinite(value).all():
            raise RunError(not_finite(path, name))
    return found


def _check_words(weights: Arrays, source: Tokenizer, target: Tokenizer, path: Path) -> None:
    """Raises where the tokenizers are not those the model was trained with."""
    own = "own_source_embedding.weight"
    for name, size in (("target_embedding.weight", target.size), (own, source.size)):
        if name == own and own not in weights:
            continue
        if name not in weights:
            raise RunError(f"{path} lacks the tensor '{name}' that config.json asks for; it belongs to another model.")
        if len(weights[name]) != size:
            raise RunError(
                f"{path}: '{name}' has {len(weights[name])} words, but the tokenizer has {size}; they are from "
                "different runs."
            )
