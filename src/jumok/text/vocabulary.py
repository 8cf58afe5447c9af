"""Ids, their names, and the way back to text, shared by every kind of tokenizer.

The layout is the same for all: the four special ids, then (with byte fallback) the 256 bytes, then the
entries of the kind. Each id has a *name* that people read (`▁the`, `<0xE2>`) and a *surface*, the characters
that it writes; a space inside a surface begins a new word.
"""

import codecs
from collections.abc import Iterable, Sequence
from copy import copy

from jumok.errors import TextError
from jumok.shapes import SPECIAL_TOKENS, UNK
from jumok.text.normal import normalise

FIRST_BYTE = len(SPECIAL_TOKENS)
SPACE_MARK = "▁"
UNKNOWN = SPECIAL_TOKENS[UNK]


def byte_name(byte: int) -> str:
    """`<0xE2>`: how a byte is shown."""
    return f"<0x{byte:02X}>"


class Vocabulary:
    """Names and surfaces of all ids, and text from ids."""

    def __init__(
        self, entries: Iterable[tuple[str, str]], *, byte_fallback: bool, unknown_surface: str = UNKNOWN
    ) -> None:
        self.byte_fallback = byte_fallback
        self.first_entry = FIRST_BYTE + (256 if byte_fallback else 0)
        bytes_ = range(256) if byte_fallback else range(0)
        self.names = [*SPECIAL_TOKENS, *(byte_name(byte) for byte in bytes_)]
        self.surfaces = [""] * len(self.names)
        self.surfaces[UNK] = unknown_surface
        for name, surface in entries:
            self.names.append(name)
            self.surfaces.append(surface)

    def __len__(self) -> int:
        return len(self.names)

    def ending_in(self, entries: Sequence[tuple[str, str]]) -> "Vocabulary":
        """The same with these names and surfaces for its last ids."""
        kept, found = len(self.names) - len(entries), copy(self)
        found.names = [*self.names[:kept], *(name for name, _ in entries)]
        found.surfaces = [*self.surfaces[:kept], *(surface for _, surface in entries)]
        return found

    def name(self, token_id: int) -> str:
        """How the token is shown."""
        if not 0 <= token_id < len(self.names):
            raise TextError(f"token id {token_id} is outside the vocabulary of {len(self.names)} tokens.")
        return self.names[token_id]

    def names_of(self, ids: Sequence[int]) -> tuple[str, ...]:
        """How the tokens are shown."""
        if self._are_known(ids, 0):
            return tuple(map(self.names.__getitem__, ids))
        return tuple(map(self.name, ids))  # tells which one is unknown

    def _are_known(self, ids: Sequence[int], first: int) -> bool:
        """Whether all ids are of the vocabulary, from `first` on."""
        return not ids or (min(ids) >= first and max(ids) < len(self.names))

    def spell(self, text: str) -> list[int]:
        """The ids of the text's UTF-8 bytes, or one UNK without byte fallback."""
        if not self.byte_fallback:
            return [UNK]
        return [FIRST_BYTE + byte for byte in text.encode("utf-8")]

    def decode(self, ids: Iterable[int]) -> str:
        """The text that the ids write, normalised; PAD, BOS and EOS write nothing, UNK writes `<unk>`."""
        return normalise("".join(self._texts(ids)))

    def word_of_token(self, ids: Sequence[int]) -> list[int]:
        """For each id the number of the word of `decode(ids)` that it helps to write; -1 for PAD, BOS and
        EOS.

        A token that writes no visible character of its own (a lone space mark, the first bytes of a
        character) belongs to the word that follows, as `▁` in `▁the` does; at the end, to the last word.
        """
        texts = self._texts(ids)
        word_at, words = _word_numbers("".join(texts))
        numbers: list[int] = []
        position = 0
        for token_id, text in zip(ids, texts, strict=True):
            writes = token_id == UNK or token_id >= FIRST_BYTE
            numbers.append(min(word_at[position], words - 1) if writes else -1)
            position += len(text)
        return numbers

    def _texts(self, ids: Iterable[int]) -> list[str]:
        """What each id writes; a character spelled in bytes is written by the last of them."""
        ids = ids if isinstance(ids, Sequence) else [*ids]
        if self._are_known(ids, self.first_entry):  # nothing is spelled in bytes
            return [*map(self.surfaces.__getitem__, ids)]
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        texts: list[str] = []
        last_byte = -1
        for token_id in ids:
            if FIRST_BYTE <= token_id < self.first_entry:
                last_byte = len(texts)
                texts.append(decoder.decode(bytes((int(token_id) - FIRST_BYTE,))))
                continue
            if not 0 <= token_id < len(self.surfaces):
                raise TextError(f"token id {token_id} is outside the vocabulary of {len(self.names)} tokens.")
            surface = self.surfaces[token_id]
            if surface and last_byte >= 0:
                # Bytes that no character came of: the replacement character stands for them.
                texts[last_byte] += decoder.decode(b"", final=True)
                last_byte = -1
            texts.append(surface)
        if last_byte >= 0:
            texts[last_byte] += decoder.decode(b"", final=True)
        return texts


def _word_numbers(raw: str) -> tuple[list[int], int]:
    """For each position (and the end) the number of the first word that ends after it, and the count of
    words."""
    number = len(raw.split())
    words = number
    at = [number] * (len(raw) + 1)
    inside = False
    for position in range(len(raw) - 1, -1, -1):
        visible = not raw[position].isspace()
        if visible and not inside:
            number -= 1
        inside = visible
        at[position] = number
    return at, words
