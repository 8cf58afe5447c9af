"""Text: lines to token ids and back. No torch here."""

from jumok.text.normal import normalise, words_of
from jumok.text.options import TokenizerOptions
from jumok.text.seeds import stable_seed
from jumok.text.tokenizer import KINDS, Tokenizer, build_tokenizer, load_tokenizer

__all__ = [
    "KINDS",
    "Tokenizer",
    "TokenizerOptions",
    "build_tokenizer",
    "load_tokenizer",
    "normalise",
    "stable_seed",
    "words_of",
]
