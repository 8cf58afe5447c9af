"""How a tokenizer is built and loaded by name; what every tokenizer can do is said in `base`."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from jumok.errors import TextError, did_you_mean
from jumok.text.base import Tokenizer
from jumok.text.characters import CharacterTokenizer
from jumok.text.files import load_side
from jumok.text.options import TokenizerOptions
from jumok.text.pieces import PiecesTokenizer
from jumok.text.sentencepiece import SentencePieceTokenizer
from jumok.text.words import WordTokenizer

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
