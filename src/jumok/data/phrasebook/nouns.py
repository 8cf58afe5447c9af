"""Noun phrases drawn at random."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from jumok.data.phrasebook import concepts, lexicon
from jumok.data.phrasebook.lexicon import ATTRIBUTES, CLASSES, HE, SHE, VERBS, WE, I, Noun, Verb
from jumok.data.phrasebook.meaning import SPAN, Clause, NounPhrase

Choice = TypeVar("Choice")

PLACES_OF: dict[str, tuple[Noun, ...]] = {key: lexicon.expand(names) for key, names in concepts.PLACES.items()}
_DONE = [VERBS[key] for key in concepts.DONE_WITH]
DONE_WITH: dict[str, tuple[Verb, ...]] = {
    key: tuple(verb for verb in _DONE if noun in verb.objects and (verb.key != "draw" or noun.kind == "art"))
    for key, noun in lexicon.NOUNS.items()
}
KNOWN_FOR = tuple(VERBS[key] for key in concepts.KNOWN_FOR)
_COUNTED = concepts.words("animal food text thing machine show song building art tree")
_OWNED = concepts.words("animal food text thing machine")
_TRIES = 6
_PEOPLE = concepts.words("worker kin name")


class NounSampler:
    """Draws noun phrases; `used` holds the names already in the sentence."""

    def __init__(self, rng: Random) -> None:
        self.random = rng.random
        self.restart()

    def restart(self) -> None:
        """Begins a new sentence."""
        self.number = 0
        self.used: set[str] = set()
        self.called = ""
        self.topic = ""  # the subject of the clause before
        self.pronouns = False  # whether the next subject may be he or she: nobody is there yet whom it could mean

    def id(self) -> int:
        """A fresh number for a noun phrase or clause."""
        self.number += SPAN
        return self.number

    def choice(self, options: Sequence[Choice]) -> Choice:
        """One of them, each as likely."""
        return options[int(self.random() * len(options))]

    def name(self) -> Noun:
        """A name the sentence has not used yet."""
        return self.unused("name")

    def unused(self, kind: str) -> Noun:
        """A noun of a class that the sentence has not used yet."""
        noun = self.fresh(CLASSES[kind])
        self.used.add(noun.key)
        return noun

    def fresh(self, nouns: Sequence[Noun]) -> Noun:
        """One of the nouns, not one the sentence has used unless nearly all are."""
        for _ in range(_TRIES):
            noun = self.choice(nouns)
            if noun.key not in self.used:
                return noun
        return self.choice([noun for noun in nouns if noun.key not in self.used] or nouns)

    # -- subjects

    def subject(self, known: bool = False, plain: bool = False) -> NounPhrase:
        """A person. `known`: not a new one (a student, two students); `plain`: no relative clause, no couple."""
        draw = self.random()
        pronouns, self.pronouns = self.pronouns, False
        if draw < 0.22 and self.topic not in ("I", "we"):
            return NounPhrase(self.id(), I if draw < 0.16 else WE, "none")
        if pronouns and draw < 0.30:
            return NounPhrase(self.id(), SHE if draw < 0.26 else HE, "none")
        if draw < 0.44:
            first = NounPhrase(self.id(), self.name(), "none")
            if plain or self.random() > 0.2:
                return first
            return first._replace(partner=NounPhrase(self.id(), self.name(), "none"))
        if draw < 0.62:
            return self.relative_of_somebody()
        if draw < 0.74 and not known:
            count = 1 if self.random() < 0.6 else 2 + int(self.random() * 5)
            return NounPhrase(self.id(), self.unused("worker"), "a" if count == 1 else "number", count)
        return self.worker(plain)

    def relative_of_somebody(self) -> NounPhrase:
        """My mother, Minsu's friend."""
        noun = self.unused("kin")
        if self.random() < 0.25:
            owner = NounPhrase(self.id(), self.name(), "none")
            return NounPhrase(self.id(), noun, "owner", owner=owner)
        return NounPhrase(self.id(), noun, "my")

    def worker(self, plain: bool) -> NounPhrase:
        """The doctor, the young doctor, the students, the student who …"""
        noun = self.unused("worker")
        draw = self.random()
        if draw < 0.16:
            return NounPhrase(self.id(), noun, "plural", 2)
        adjectives = ATTRIBUTES[noun.key]
        if draw < 0.32 and adjectives:
            return NounPhrase(self.id(), noun, "the", adjective=self.choice(adjectives))
        if draw < 0.46 and not plain and not noun.respected:
            return NounPhrase(self.id(), noun, "the", relative=self.known_for(), gap="subject")
        return NounPhrase(self.id(), noun, "the")

    def known_for(self) -> Clause:
        """What a person does, to tell which person is meant."""
        verb = self.choice(KNOWN_FOR)
        tense = "present" if verb.key in concepts.STATES or self.random() < 0.4 else "past"
        number = self.id()
        if verb.frame == "home":
            place = NounPhrase(self.id(), self.choice(CLASSES["city"]), "none")
            return Clause(number, "verb", tense, verb=verb, place=place, embedded=True)
        found = self.plain_object(verb) if verb.objects else None
        return Clause(number, "verb", tense, verb=verb, object=found, embedded=True)

    # -- objects

    def person(self, noun: Noun, subject: NounPhrase | None) -> NounPhrase:
        """A person who is not the subject."""
        if noun.kind == "pronoun":
            return NounPhrase(self.id(), noun, "none")
        if noun.kind == "name":
            return NounPhrase(self.id(), self.name(), "none")
        if noun.kind == "kin":
            owned = subject is not None and self.may_own(subject) and self.random() < 0.4
            return NounPhrase(self.id(), noun, "own" if owned else "my", owner=subject if owned else None)
        return NounPhrase(self.id(), noun, "the")

    def plain_object(self, verb: Verb) -> NounPhrase:
        """An object with the article it takes by itself."""
        noun = self.fresh(verb.others)
        if noun.kind in _PEOPLE:
            return self.person(noun, None)
        return self.by_itself(verb, noun)

    def by_itself(self, verb: Verb, noun: Noun) -> NounPhrase:
        """A thing with its own article; what one likes or hates is meant in general."""
        if verb.key in ("like", "hate"):
            many = noun.article == "a"
            return NounPhrase(self.id(), noun, "all", 2 if many else 1)
        return NounPhrase(self.id(), noun, noun.article)

    def may_own(self, subject: NounPhrase) -> bool:
        """Whether `his` or `her` can stand for the subject."""
        return (subject.noun.kind in _PEOPLE or subject.noun in (HE, SHE)) and not subject.plural

    def object(self, verb: Verb, subject: NounPhrase | None, negative: bool, plain: bool) -> NounPhrase:
        """What the verb acts on."""
        speaker = subject is None or subject.noun.kind == "pronoun"
        noun = self.fresh(verb.others if speaker else verb.objects)
        if noun.kind in _PEOPLE or noun.kind == "pronoun":
            return self.person(noun, subject)
        self.used.add(noun.key)
        if noun.article in ("all", "none") or noun.kind == "instrument":
            return NounPhrase(self.id(), noun, noun.article)
        if verb.key == "drink" and not negative and self.random() < 0.25:
            return NounPhrase(self.id(), noun, "number", 2 + int(self.random() * 5))
        return self.thing(verb, noun, subject, negative, plain)

    def thing(self, verb: Verb, noun: Noun, subject: NounPhrase | None, negative: bool, plain: bool) -> NounPhrase:
        """A thing with some determiner, perhaps an adjective or a relative clause."""
        draw = self.random()
        if verb.key in concepts.CREATED:
            draw = 0.26 + draw  # three in four are plain, the others counted
        if draw < 0.09:
            return self.described(NounPhrase(self.id(), noun, "this"))
        if draw < 0.13:
            return NounPhrase(self.id(), noun, "that")
        if draw < 0.16 and noun.kind in ("text", "food"):
            return NounPhrase(self.id(), noun, "this", 2)
        if draw < 0.26 and noun.kind in _OWNED:
            return self.owned(noun, subject)
        counted = noun.kind in _COUNTED and verb.key not in concepts.STATES and not negative
        if draw < 0.38 and counted:
            return self.described(NounPhrase(self.id(), noun, "number", 2 + int(self.random() * 5)))
        if draw < 0.46 and not plain and verb.key not in concepts.CREATED:
            verbs = [other for other in DONE_WITH[noun.key] if other is not verb]
            if verbs:
                return NounPhrase(self.id(), noun, "the", relative=self.done_with(self.choice(verbs)), gap="object")
        return self.described(self.by_itself(verb, noun))

    def described(self, phrase: NounPhrase) -> NounPhrase:
        """The phrase, now and then with an adjective that fits."""
        adjectives = ATTRIBUTES[phrase.noun.key]
        if adjectives and self.random() < 0.3 and phrase.det != "all":
            return phrase._replace(adjective=self.choice(adjectives))
        return phrase

    def owned(self, noun: Noun, subject: NounPhrase | None) -> NounPhrase:
        """My book, his book (the subject's), Minsu's book, our book."""
        draw = self.random()
        if subject is not None and self.may_own(subject) and draw < 0.5:
            return NounPhrase(self.id(), noun, "own", owner=subject)
        if draw < 0.7:
            return NounPhrase(self.id(), noun, "our" if subject is not None and subject.noun.key == "we" else "my")
        return NounPhrase(self.id(), noun, "owner", owner=NounPhrase(self.id(), self.name(), "none"))

    def done_with(self, verb: Verb) -> Clause:
        """What somebody did with a thing, to tell which one is meant."""
        subject = self.subject(known=True, plain=True)
        while subject.respected:
            subject = self.subject(known=True, plain=True)
        tense = "present" if verb.key in concepts.STATES else "past"
        return Clause(self.id(), "verb", tense, subject, verb, embedded=True)
