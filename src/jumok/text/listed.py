"""Tokenizers whose whole model is a list of entries."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Self

from jumok.text.base import Tokenizer
from jumok.text.files import listed, save_side, unlisted
from jumok.text.options import TokenizerOptions


class ListedTokenizer(Tokenizer):
    """Entries in the order of their ids: words, or characters."""

    entries: list[str]

    def __init__(self, entries: Sequence[str], options: TokenizerOptions) -> None:
        self.entries, self.options = list(entries), options

    @property
    def sha256(self) -> str:
        return sha256(self._model()).hexdigest()

    def save(self, folder: str | Path, side: str) -> None:
        """Write `<side>.vocab` and its entry in `tokenizer.json`."""
        save_side(Path(folder), side, self.kind, self.size, self.options, f"{side}.vocab", self._model())

    def _model(self) -> bytes:
        return listed(self.kind, self.options, self.entries)

    @classmethod
    def from_model(cls, model: bytes, options: TokenizerOptions) -> Self:
        """The tokenizer of a saved list."""
        return cls(unlisted(model), options)
