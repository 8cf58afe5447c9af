"""The parts of a run folder that the engine needs, read without torch."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_arrays

from jumok.config import Config
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.folder import WEIGHTS, choice_of, config_bytes, read_bytes, read_config, tokenizers_of
from jumok.errors import RunError
from jumok.models.reach import Reach
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
    folder = Path(path)
    config_content, config = config_bytes(folder), read_config(folder)
    content = read_bytes(folder / WEIGHTS)
    try:
        weights = read_arrays(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{folder / WEIGHTS} is damaged: {error}.") from None
    source, target = tokenizers_of(folder)
    _check_words(weights, source, target, folder / WEIGHTS)
    digest = sha256(content + config_content).hexdigest()
    floats = {name: np.asarray(value, np.float32) for name, value in weights.items()}
    return Parts(folder, config, floats, source, target, choice_of(folder, config), digest)


def _check_words(weights: dict[str, NDArray[np.float32]], source: Tokenizer, target: Tokenizer, path: Path) -> None:
    """Raises where the tokenizers are not those the model was trained with."""
    own = "own_source_embedding.weight"
    for name, size in (("target_embedding.weight", target.size), (own, source.size)):
        if name == own and own not in weights:
            continue
        if name not in weights:
            raise RunError(f"{path} lacks the tensor '{name}' that config.json asks for; it is of another model.")
        if len(weights[name]) != size:
            raise RunError(
                f"{path}: '{name}' has {len(weights[name])} words, but the tokenizer has {size}; they are of "
                "different runs."
            )
