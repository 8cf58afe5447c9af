"""The parts of a run folder that the engine needs, read without torch."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_arrays

from jumok.config import Config
from jumok.decoding.alignment_choice import AlignmentChoice, choice_of
from jumok.errors import RunError
from jumok.models.reach import Reach
from jumok.run.folder import describe
from jumok.run.integrity import check_listed, checked, steady
from jumok.run.names import WEIGHTS
from jumok.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Parts:
    """A run as it lies in its folder, the model as plain arrays."""

    path: Path
    config: Config
    weights: dict[str, NDArray[np.float32]]
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
        """How long sentences the model can take: tables of positions end, and no engine knows a score of locations."""
        tables = (self.weights.get(f"{side}.entrance.positions.weight") for side in ("encoder", "decoder"))
        return Reach(*(None if table is None else len(table) for table in tables))


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
    return Parts(folder, about.config, weights, source, target, choice_of(folder, about.config), digest)


def _arrays(content: bytes, path: Path) -> dict[str, NDArray[np.float32]]:
    try:
        return {name: np.asarray(value, np.float32) for name, value in read_arrays(content).items()}
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}.") from None


def _check_words(weights: dict[str, NDArray[np.float32]], source: Tokenizer, target: Tokenizer, path: Path) -> None:
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
