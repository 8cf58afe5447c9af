"""The phrasebook: natural sentences in English, Korean and French, with gold word alignments, out of one grammar.

One derivation (`meaning`) is drawn by `sampler` and said by `say_english`, `say_korean` and `say_french`; `en-tree` is the
English sentence with its phrase structure. Words are white-space words: punctuation is attached as people write it
(`The teacher reads a book.`; French without the space before `?`), and elided French words are one word (`l'ami`, with
two links).

Any two languages are translations of each other in exactly one way. What one language must know and another leaves
unsaid is marked: `Sir,` and `Madam,` ask for formal Korean and vous, a friend's name for casual Korean and tu, nothing for
polite Korean and vous. People have one gender each (the nurse is a woman), and the speaker is a man in French.

A link means that two words say the same thing. What a language says with an ending alone (an article or case in Korean)
has no word, and its counterpart stays without a link; conjunctions link to the Korean verb whose ending says them.
"""

from jumok.data.phrasebook.generation import (
    DEFAULT_PAIR,
    DEFAULT_SEED,
    SPLITS,
    Example,
    generate,
    languages,
    pair_languages,
    pairs,
    write,
)

__all__ = [
    "DEFAULT_PAIR",
    "DEFAULT_SEED",
    "SPLITS",
    "Example",
    "generate",
    "languages",
    "pair_languages",
    "pairs",
    "write",
]
