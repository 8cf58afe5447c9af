"""What every tokenizer can do, and how one is built and loaded by name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from jumok.errors import TextError, did_you_mean
from jumok.text.characters import CharacterTokenizer
from jumok.text.files import load_side
from jumok.text.options import TokenizerOptions
from jumok.text.pieces import PiecesTokenizer
from jumok.text.sentencepiece import SentencePieceTokenizer
from jumok.text.vocabulary import Vocabulary
from jumok.text.words import WordTokenizer


class Tokenizer(Protocol):
    """Lines to ids and back. `decode(encode(line)) == normalise(line)` wherever byte fallback is on."""

    @property
    def kind(self) -> str:
        """`bpe`, `unigram`, `words`, `characters` or `pieces`."""
        ...

    @property
    def size(self) -> int:
        """How many ids there are."""
        ...

    @property
    def sha256(self) -> str:
        """The hash of all that decides how a line is segmented."""
        ...

    @property
    def options(self) -> TokenizerOptions:
        """What the tokenizer was told."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of all ids and what each of them writes."""
        ...

    def encode(self, line: str, *, sample_seed: int | None = None) -> list[int]:
        """The ids of the line without BOS and EOS; a seed draws another segmentation where `sampling` is
        on."""
        ...

    def tokens(self, line: str) -> list[str]:
        """The names of the line's tokens, such as `▁the`."""
        ...

    def token(self, token_id: int) -> str:
        """The name of one token."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; PAD, BOS and EOS are dropped, UNK is written as `<unk>`."""
        ...

    def word_of_token(self, ids: Sequence[int]) -> list[int]:
        """For each id the number of its white-space word, -1 for PAD, BOS and EOS."""
        ...

    def save(self, folder: str | Path, side: str) -> None:
        """Write the tokenizer as the `source`, `target` or `joint` one of the folder."""
        ...


_Build = Callable[[Iterable[str], int | None, TokenizerOptions], Tokenizer]
_Load = Callable[[bytes, TokenizerOptions], Tokenizer]


def _sentencepiece(kind: str) -> tuple[_Build, _Load]:
    return (
        lambda lines, size, options: SentencePieceTokenizer.build(kind, lines, size, options),
        lambda model, options: SentencePieceTokenizer(kind, model, options),
    )


def _not_learned(lines: Iterable[str], size: int | None, options: TokenizerOptions) -> Tokenizer:
    raise TextError("a tokenizer of kind 'pieces' comes with an imported model; learn one of kind unigram or bpe.")


_KINDS: dict[str, tuple[_Build, _Load]] = {
    "bpe": _sentencepiece("bpe"),
    "unigram": _sentencepiece("unigram"),
    "words": (WordTokenizer.build, WordTokenizer.from_model),
    "characters": (CharacterTokenizer.build, CharacterTokenizer.from_model),
    "pieces": (_not_learned, PiecesTokenizer.from_model),
}
KINDS = tuple(_KINDS)


def build_tokenizer(
    kind: str, lines: Iterable[str], *, size: int | None = None, options: TokenizerOptions | None = None
) -> Tokenizer:
    """A tokenizer learned from the lines; `size` counts every id, and None lets the text decide.

    For a joint vocabulary give the lines of both sides. A size that the text cannot support is an error that
    names the largest one.
    """
    build, _ = _find(kind)
    return build(lines, size, options or TokenizerOptions())


def load_tokenizer(folder: str | Path, side: str, *, sampling: float | None = None) -> Tokenizer:
    """The folder's tokenizer of that side, or its joint one; `sampling` may be another than it was learned with."""
    saved = load_side(Path(folder), side)
    _, load = _find(saved.kind)
    options = saved.options if sampling is None else replace(saved.options, sampling=sampling)
    return load(saved.model, options)


def standalone(tokenizer: Tokenizer) -> bytes:
    """The SentencePiece model of a tokenizer, for other programs."""
    if isinstance(tokenizer, PiecesTokenizer):
        return tokenizer.sentencepiece
    if isinstance(tokenizer, SentencePieceTokenizer):
        return tokenizer.standalone()
    raise TextError(f"the run has a vocabulary of {tokenizer.kind}; other programs need text.kind=unigram or bpe.")


def _find(kind: str) -> tuple[_Build, _Load]:
    if kind not in _KINDS:
        raise TextError(f"there is no tokenizer {kind!r}{did_you_mean(kind, KINDS)}; use one of {', '.join(KINDS)}.")
    return _KINDS[kind]
