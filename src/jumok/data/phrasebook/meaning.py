"""What a sentence says, before any language says it: the derivation that all languages share.

Every noun phrase and clause has an `id`, a multiple of `SPAN`; a word that says part of it carries `id` + a slot of
`parts`. Two words of different languages are linked when they carry a number in common: alignments are gold by
construction.
"""

from typing import NamedTuple

from jumok.data.phrasebook.lexicon import Adjective, Expression, Noun, Verb

SPAN = 64


class NounPhrase(NamedTuple):
    """A noun with its determiner: the a some all this that my our own none number plural pro."""

    id: int
    noun: Noun
    det: str
    amount: int = 1
    adjective: Adjective | None = None
    owner: "NounPhrase | None" = None
    relative: "Clause | None" = None
    gap: str = ""  # "subject" or "object": what the head is in the relative clause
    partner: "NounPhrase | None" = None

    @property
    def plural(self) -> bool:
        """Whether it takes plural agreement."""
        return self.amount > 1 or self.partner is not None or self.noun.key == "we"

    @property
    def feminine(self) -> bool:
        """Its gender in agreement; a couple is feminine only if both are."""
        return self.noun.feminine and (self.partner is None or self.partner.noun.feminine)

    def known(self) -> "NounPhrase":
        """The same of somebody known: the student for a student, the students for two students."""
        known = {"a": "the", "number": "plural"}.get(self.det)
        return self._replace(det=known, amount=min(self.amount, 2)) if known else self

    @property
    def respected(self) -> bool:
        """Whether Korean honours it."""
        return self.noun.respected and (self.partner is None or self.partner.noun.respected)


class Clause(NamedTuple):
    """One predication. `kind`: verb, adjective, noun, there, located, have or weather."""

    id: int
    kind: str
    tense: str
    subject: NounPhrase | None = None
    verb: Verb | None = None
    negative: bool = False
    modal: str = ""  # can must want progressive
    object: NounPhrase | None = None  # direct object, thing that is there or had, noun predicate
    receiver: NounPhrase | None = None
    goal: NounPhrase | None = None
    place: NounPhrase | None = None
    location: str = ""  # on, under …, of `place`
    companion: NounPhrase | None = None
    vehicle: Noun | None = None
    time: Expression | None = None
    time_first: bool = False
    frequency: Expression | None = None
    manner: Expression | None = None
    adjective: Adjective | None = None
    very: bool = False
    than: NounPhrase | None = None
    weather: str = ""
    aim: "Clause | None" = None  # goes to the library to read
    ask: str = ""  # yes who what where when
    order: str = ""  # please, or bare: an imperative
    embedded: bool = False  # in a relative or subordinate clause


class Segment(NamedTuple):
    """A main clause with what hangs on it."""

    main: Clause
    join: str = ""  # and, but: how it follows the segment before
    second: Clause | None = None  # a second verb phrase of the same subject
    sub: Clause | None = None
    sub_kind: str = ""  # because when if before after
    same: bool = False  # the subordinate clause has the same subject


class Sentence(NamedTuple):
    """What is said, to whom: `level` is formal, polite or casual, which the one called shows."""

    level: str
    called: Noun | None
    lady: bool
    segments: tuple[Segment, ...]
