"""Sentences that texts about attention take as their examples, as meanings of the grammar.

A training corpus begins with them, whatever its seed, so that a model trained on it can be asked about them.
"""

from jumok.data.phrasebook.lexicon import ADJECTIVES, NOUNS, SHE, TIMES, VERBS, YOU, I
from jumok.data.phrasebook.meaning import SPAN, Clause, NounPhrase, Segment, Sentence

_CLAUSE, _SUBJECT, _OBJECT = SPAN, 2 * SPAN, 3 * SPAN

_FREE = Clause(
    _CLAUSE, "adjective", "present", NounPhrase(_SUBJECT, YOU, "none"),
    adjective=ADJECTIVES["free"], time=TIMES["tomorrow"], ask="yes",
)  # fmt: skip
_HOME = Clause(
    _CLAUSE, "verb", "present", NounPhrase(_SUBJECT, I, "none"), VERBS["go"],
    goal=NounPhrase(_OBJECT, NOUNS["home"], "the"),
)  # fmt: skip
_APPLE = Clause(
    _CLAUSE, "verb", "present", NounPhrase(_SUBJECT, SHE, "none"), VERBS["eat"], modal="progressive",
    object=NounPhrase(_OBJECT, NOUNS["apple"], "a", adjective=ADJECTIVES["green"]),
)  # fmt: skip

WELL_KNOWN = tuple(Sentence("polite", None, False, (Segment(clause),)) for clause in (_FREE, _HOME, _APPLE))
"""Are you free tomorrow? · I go home. · She is eating a green apple."""
