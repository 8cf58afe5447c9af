"""The phrasebook: natural sentences in English, Korean and French, with gold word alignments, out of one grammar.

One derivation (`meaning`) is drawn by `sampler` and said by `say_english`, `say_korean` and `say_french`; `en-tree` is
the English sentence with its phrase structure, as tokens such as `(NP`, words and `)`. Words are white-space words:
punctuation is attached as people write it (`The teacher reads a book.`; French without the space before `?`), and an
elided French word is one word with the next (`l'ami`, with two links).

Every sentence has one translation, in every direction. What one language must know and another leaves unsaid is marked:
`Sir,` and `Madam,` ask for formal Korean and vous, a friend's name for casual Korean and tu, nothing for polite Korean
and vous. Known and new subjects (`the`, `a`) are 은/는 and 이/가, and habits are told of known ones only; a plain
object's article follows from its noun. Respected people are honoured in every clause that is said of them.
People have one gender each (the nurse is a woman), and the speaker is a man in French.

A link means that two words say the same thing. What a language says with an ending or a particle alone (articles,
cases and `and`, `but`, `if` in Korean) or not at all (`do`) has no word, and its counterpart stays without a link.
Brackets of a tree belong to the first (`(NP`) or last (`)`) word inside.
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
