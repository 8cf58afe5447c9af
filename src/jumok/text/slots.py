"""Ids for unknown words of a source: a word vocabulary that ends in *slots* can have them copied.

The k-th different unknown word of a source is written as the k-th slot, on both sides; beyond the last slot it is UNK.
So an unknown word has an id for the length of one pair, and a text from ids needs the source that they belong to.
"""

from collections.abc import Sequence

from jumok.text.tokenizer import Tokenizer
from jumok.text.words import WordTokenizer


def encode_beside(tokenizer: Tokenizer, line: str, source: str) -> list[int]:
    """The ids of a target line; unknown words that the source has too get the source's slots."""
    if isinstance(tokenizer, WordTokenizer) and tokenizer.options.slots:
        return tokenizer.encode_with(line, tokenizer.unknown(source))
    return tokenizer.encode(line)


def name_beside(tokenizer: Tokenizer, token: int, source: str) -> str:
    """How a token is shown; a slot as the word of the source that it names."""
    if isinstance(tokenizer, WordTokenizer) and tokenizer.options.slots:
        unknown, first = tokenizer.unknown(source), tokenizer.size - tokenizer.options.slots
        if first <= token < first + len(unknown):
            return unknown[token - first]
    return tokenizer.token(token)


def decode_beside(tokenizer: Tokenizer, ids: Sequence[int], source: str) -> str:
    """The text of ids; a slot writes the word of the source that it names."""
    if not isinstance(tokenizer, WordTokenizer) or not tokenizer.options.slots:
        return tokenizer.decode(ids)
    unknown, first = tokenizer.unknown(source), tokenizer.size - tokenizer.options.slots
    words = tokenizer.decode(ids).split()
    for token, word in zip(ids, tokenizer.word_of_token(ids), strict=True):
        if first <= token < first + len(unknown):
            words[word] = unknown[token - first]
    return " ".join(words)
