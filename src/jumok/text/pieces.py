"""Pieces of an imported model: SentencePiece segments a line, and a list of the model's own gives each piece its id.

Marian models keep the two apart: one vocabulary may serve two SentencePiece models, and a piece that the list lacks is
unknown. A code such as `>>fra<<` before the text names the language to translate into and is one piece.

    source.pieces   {"pieces": [names in the order of the ids, without the special ones], "sentencepiece": base64}
"""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from jumok.errors import TextError
from jumok.shapes import SPECIAL_TOKENS, UNK
from jumok.text.base import Tokenizer
from jumok.text.files import save_side
from jumok.text.normal import normalise
from jumok.text.options import TokenizerOptions
from jumok.text.sentencepiece import open_model
from jumok.text.vocabulary import SPACE_MARK, Vocabulary, byte_name

_CODE = re.compile(r"(>>[^<>\s]+<<)\s*")
_BYTES = [byte_name(byte) for byte in range(256)]


class PiecesTokenizer(Tokenizer):
    """The pieces that a SentencePiece model finds, under the ids of a list."""

    kind = "pieces"

    def __init__(self, pieces: Sequence[str], model: bytes, options: TokenizerOptions) -> None:
        fallback = list(pieces[:256]) == _BYTES
        self.options = replace(options, byte_fallback=fallback)
        self._pieces, self._model = list(pieces), model
        self._processor = open_model(model)
        own = self._pieces[256:] if fallback else self._pieces
        self.vocabulary = Vocabulary(
            ((piece, _surface(piece)) for piece in own), byte_fallback=fallback, unknown_surface=" <unk>"
        )
        first = len(SPECIAL_TOKENS)
        self._ids = {piece: first + number for number, piece in enumerate(self._pieces)}

    def __reduce__(self) -> tuple[type, tuple[list[str], bytes, TokenizerOptions]]:
        return type(self), (self._pieces, self._model, self.options)

    @classmethod
    def from_model(cls, model: bytes, options: TokenizerOptions) -> "PiecesTokenizer":
        """The tokenizer of a saved list."""
        try:
            tree: Any = json.loads(model)
            pieces, inner = [str(piece) for piece in tree["pieces"]], base64.b64decode(tree["sentencepiece"])
        except (ValueError, KeyError, TypeError) as error:
            raise TextError(f"a tokenizer file is damaged ({error}); restore the saved one.") from error
        return cls(pieces, inner, options)

    @property
    def pieces(self) -> list[str]:
        """The names in the order of the ids, without the special ones."""
        return list(self._pieces)

    @property
    def sentencepiece(self) -> bytes:
        """The SentencePiece model."""
        return self._model

    @property
    def sha256(self) -> str:
        """The hash of all that decides how a line is segmented."""
        return sha256(self._file()).hexdigest()

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line's pieces; there is nothing to sample."""
        line = normalise(line.lower() if self.options.lowercase else line)
        code = _CODE.match(line)
        found = [] if code is None else [code.group(1)]
        found += self._processor.encode(line if code is None else line[code.end() :], out_type=str)
        return [self._ids.get(piece, UNK) for piece in found]

    def word_of_read(self, ids: Sequence[int], words: Sequence[str]) -> list[int]:
        """For each id the number of its word; of ids that are no encoding of the words none is beyond the last.

        An unknown piece may be a whole word or a sign inside one, and some words have no piece: then words are encoded
        one by one.
        """
        numbers = self.word_of_token(ids)
        if UNK not in ids and max(numbers, default=-1) + 1 == len(words):
            return numbers
        read = [(token, number) for number, word in enumerate(words) for token in self.encode(word)][: len(ids)]
        if [token for token, _ in read] == [*ids]:
            return [number for _, number in read]
        return [min(number, len(words) - 1) for number in numbers]

    def save(self, folder: str | Path, side: str) -> None:
        """Write `<side>.pieces` and its entry in `tokenizer.json`."""
        save_side(Path(folder), side, self.kind, self.size, self.options, f"{side}.pieces", self._file())

    def _file(self) -> bytes:
        tree = {"pieces": self._pieces, "sentencepiece": base64.b64encode(self._model).decode("ascii")}
        return (json.dumps(tree, ensure_ascii=False, indent=0) + "\n").encode("utf-8")


def _surface(piece: str) -> str:
    """What a piece writes; the code of a language is a word of its own."""
    return f" {piece}" if _CODE.fullmatch(piece) else piece.replace(SPACE_MARK, " ")
