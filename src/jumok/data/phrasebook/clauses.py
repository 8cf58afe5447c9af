"""Clauses drawn at random."""

from jumok.data.phrasebook import concepts, lexicon
from jumok.data.phrasebook.lexicon import ADVERBS, CLASSES, NOUNS, PREDICATES, TIMES, VERBS, Expression, I, Noun, Verb
from jumok.data.phrasebook.meaning import Clause, NounPhrase
from jumok.data.phrasebook.nouns import PLACES_OF, NounSampler

_TIMES: dict[str, tuple[Expression, ...]] = {
    tense: tuple(TIMES[key] for key, marks in concepts.TIMES.items() if mark in marks)
    for tense, mark in (("past", "p"), ("present", "n"), ("future", "f"), ("progressive", "g"))
}
_FREQUENCIES = tuple(ADVERBS[key] for key in concepts.FREQUENCIES)
_MANNERS: dict[str, tuple[Expression, ...]] = {
    verb: tuple(ADVERBS[key] for key, verbs in concepts.MANNERS_OF.items() if verb in verbs.split()) for verb in VERBS
}
_ALL = tuple(VERBS.values())
_EVENTS = tuple(verb for verb in _ALL if verb.key not in concepts.STATES)
_HONOURED_EVENTS = tuple(verb for verb in _EVENTS if verb.key in concepts.HONOURED)
_BESIDES = tuple(VERBS[key] for key in concepts.BESIDES)
_HONOURED_BESIDES = tuple(verb for verb in _BESIDES if verb.key in concepts.HONOURED)
_AIMS: dict[str, tuple[Verb, ...]] = {
    place.key: tuple(VERBS[key] for key, places in PLACES_OF.items() if place in places and key in concepts.WANTED)
    for place in CLASSES["place"]
}
_LOCATIONS: dict[str, tuple[Noun, ...]] = {key: lexicon.expand(names) for key, names in concepts.LOCATIONS.items()}
_LOCATED, _OWNED = lexicon.expand(concepts.LOCATED), lexicon.expand(concepts.OWNED)
_VEHICLES: dict[str, tuple[Noun, ...]] = {key: lexicon.expand(names) for key, names in concepts.VEHICLES.items()}
_PROFESSIONS = lexicon.expand(concepts.PROFESSIONS)
_COMPARED: dict[str, tuple[Noun, ...]] = {key: lexicon.expand(names) for key, names in concepts.COMPARED.items()}
_THINGS = tuple(noun for noun in NOUNS.values() if noun.article == "a" and PREDICATES[noun.key])
_FEELINGS = tuple(lexicon.ADJECTIVES[key] for key in concepts.FEELINGS)
_PLANS = tuple(TIMES[key] for key, marks in concepts.TIMES.items() if "f" in marks and not key.endswith("year"))
_SAME_PAST = frozenset(verb.key for verb in _ALL if verb.past == verb.english)


class ClauseSampler(NounSampler):
    """Draws clauses of every kind."""

    planned = tuple(verb for verb in _EVENTS if verb.key in concepts.HONOURED)
    reasons = tuple(VERBS[key] for key in concepts.REASONS)

    ordered = tuple(VERBS[key] for key in concepts.ORDERED)
    questioned = tuple(VERBS[key] for key in concepts.QUESTIONED)
    asked = tuple(VERBS[key] for key in concepts.WHAT_ASKED)
    dated = tuple(verb for verb in questioned if verb.key not in concepts.STATES)
    placed = tuple(verb for verb in dated if verb.frame == "goal" or verb.key in PLACES_OF)

    def clause(self) -> Clause:
        """A main clause of any kind."""
        draw = self.random()
        if draw < 0.62:
            return self.verb_clause(self.subject())
        if draw < 0.76:
            return self.description()
        if draw < 0.81:
            return self.there()
        if draw < 0.87:
            return self.located()
        if draw < 0.91:
            return self.have()
        if draw < 0.95:
            return self.profession()
        return self.weather_report()

    # -- verbs

    def verb_clause(
        self,
        subject: NounPhrase,
        *,
        tense: str = "",
        verb: Verb | None = None,
        steady: bool = False,
        timeless: bool = False,
        event: bool = False,
    ) -> Clause:
        """A clause with a verb. `steady`: no modal and not negated; `timeless`: no time; `event`: not a state.

        What is so in general is said of somebody known (은/는): only what happens has a new subject.
        """
        if verb is None:
            verbs = _EVENTS if event else _ALL
            verb = self.choice(_HONOURED_EVENTS if subject.respected else verbs)
        tense = tense or self._tense()
        modal = ""
        if not steady:
            modal, tense = self._modal(verb, tense)
        tense = self._suited(verb, tense, subject) if not modal else tense
        negative = not steady and modal in ("", "can", "want") and self.random() < 0.16
        clause = self._core(
            Clause(self.id(), "verb", tense, subject, verb, negative, modal), verb, subject, plain=False
        )
        clause = self._adorned(clause, verb, timeless)
        return clause._replace(subject=subject.known()) if self._is_general(clause, verb) else clause

    def _is_general(self, clause: Clause, verb: Verb) -> bool:
        """A habit or state: no single event in the past or future, and nothing that is going on now."""
        habit = clause.tense == "present" and clause.modal != "progressive"
        return habit or clause.frequency is not None or verb.key in concepts.STATES

    def bare_verb_clause(
        self,
        subject: NounPhrase | None,
        tense: str,
        *,
        verb: Verb | None = None,
        shown: bool = False,
    ) -> Clause:
        """A short inner clause: verb, object, perhaps a place, and no time. `shown`: English shows its tense."""
        verbs = _HONOURED_BESIDES if subject is not None and subject.respected else _BESIDES
        verb = verb or self.choice(verbs)
        if subject is not None and shown:
            while self._suited(verb, tense, subject) != tense:
                verb = self.choice(verbs)
        clause = Clause(self.id(), "verb", tense, subject, verb, embedded=True)
        clause = self._core(clause, verb, subject, plain=True)
        if verb.key in PLACES_OF and self.random() < 0.2:
            clause = clause._replace(place=NounPhrase(self.id(), self.choice(PLACES_OF[verb.key]), "the"))
        return clause

    def _tense(self) -> str:
        draw = self.random()
        return "past" if draw < 0.42 else "present" if draw < 0.74 else "future"

    def _modal(self, verb: Verb, tense: str) -> tuple[str, str]:
        draw = self.random()
        if draw < 0.10 and verb.key not in concepts.UNDERWAY_NEVER:
            return "progressive", "present"
        if draw < 0.24 and verb.key in concepts.WANTED:
            modal = self.choice(("can", "must", "want"))
            return modal, "past" if modal == "want" and tense == "past" else "present"
        return "", tense

    def _suited(self, verb: Verb, tense: str, subject: NounPhrase) -> str:
        """A tense that suits the verb; the past where present and past look alike: `I read` is always the past."""
        if verb.key in concepts.MISHAPS or (tense == "present" and verb.key in concepts.ONCE):
            return "past"
        if verb.key in concepts.LASTING or (tense == "future" and verb.key in ("like", "hate")):
            return "present"
        third = subject.noun.key in ("he", "she") or subject.noun.kind != "pronoun"
        alike = verb.key in _SAME_PAST and (subject.plural or not third)
        return "past" if alike and tense == "present" else tense

    def _core(self, clause: Clause, verb: Verb, subject: NounPhrase | None, plain: bool) -> Clause:
        """The clause with what its verb needs."""
        if verb.frame in ("object", "give"):
            clause = clause._replace(object=self.object(verb, subject, clause.negative, plain))
        if verb.frame == "give":
            clause = clause._replace(receiver=self._receiver(subject))
        if verb.frame == "goal":
            kind = "city" if self.random() < 0.2 else "place"
            goal = self.choice(CLASSES[kind])
            if verb.key == "arrive" and goal.key == "home":
                goal = NOUNS["station"]
            clause = clause._replace(goal=NounPhrase(self.id(), goal, "the" if kind == "place" else "none"))
        if verb.frame == "home":
            clause = clause._replace(place=NounPhrase(self.id(), self.choice(CLASSES["city"]), "none"))
        return clause

    def _receiver(self, subject: NounPhrase | None) -> NounPhrase:
        draw = self.random()
        if draw < 0.15 and subject is not None and subject.noun.kind != "pronoun":
            return NounPhrase(self.id(), I, "none")
        if draw < 0.5:
            return NounPhrase(self.id(), self.name(), "none")
        if draw < 0.7:
            return self.person(self.unused("kin"), subject)
        return NounPhrase(self.id(), self.unused("worker"), "the")

    def _adorned(self, clause: Clause, verb: Verb, timeless: bool) -> Clause:
        """The clause with place, company, manner and time, each now and then."""
        random = self.random
        if verb.key in PLACES_OF and random() < 0.35:
            clause = clause._replace(place=NounPhrase(self.id(), self.choice(PLACES_OF[verb.key]), "the"))
        if verb.key in concepts.TOGETHER and random() < 0.12:
            clause = clause._replace(companion=self._companion(clause.subject))
        elif _MANNERS[verb.key] and random() < 0.2:
            clause = clause._replace(manner=self.choice(_MANNERS[verb.key]))
        if verb.frame == "goal":
            clause = self._journey(clause, verb)
        if not timeless and random() < 0.45:
            clause = self._dated(clause)
        elif self._repeats(clause, verb) and random() < 0.18:
            clause = clause._replace(frequency=self.choice(_FREQUENCIES))
        return clause

    def _repeats(self, clause: Clause, verb: Verb) -> bool:
        """Whether it can be said that this happens always, often or sometimes."""
        once = verb.key in concepts.ONCE or verb.key in concepts.STATES
        return not once and not clause.modal and not clause.negative and clause.tense != "future"

    def _companion(self, subject: NounPhrase | None) -> NounPhrase:
        if self.random() < 0.5:
            return NounPhrase(self.id(), self.name(), "none")
        return self.person(self.unused("kin"), subject)

    def _journey(self, clause: Clause, verb: Verb) -> Clause:
        assert clause.goal is not None
        goal = clause.goal.noun
        if self.random() < 0.25 and goal.key not in concepts.NEAR:
            clause = clause._replace(vehicle=self.choice(_VEHICLES[goal.kind]))
        aims = _AIMS.get(goal.key, ())
        if aims and verb.key in ("go", "come") and self.random() < 0.3:
            aim = self.choice(aims)
            inner = Clause(self.id(), "verb", clause.tense, clause.subject, aim, embedded=True)
            clause = clause._replace(aim=self._core(inner, aim, clause.subject, plain=True))
        return clause

    def _dated(self, clause: Clause) -> Clause:
        if clause.modal in ("can", "must", "want"):
            settled = clause.verb is not None and clause.verb.frame == "home"
            if settled or clause.tense == "past" or self.random() > 0.4:
                return clause
            return clause._replace(time=TIMES["today"])
        times = _TIMES["progressive" if clause.modal else clause.tense]
        if clause.verb is not None and clause.verb.frame == "home":
            times = (TIMES["now"],) if clause.tense == "present" else (TIMES["last_year"],)
            if clause.tense == "future":
                times = (TIMES["next_year"],)
        if clause.verb is not None and clause.verb.key in ("like", "hate", "know"):
            return clause
        if clause.verb is not None and clause.verb.key in ("have_lunch", "have_dinner"):
            times = tuple(time for time in times if not time.key.endswith(("morning", "evening", "night")))
        return clause._replace(time=self.choice(times), time_first=self.random() < 0.3)

    # -- other kinds

    def feeling(self, subject: NounPhrase, tense: str) -> Clause:
        """How somebody feels."""
        return Clause(self.id(), "adjective", tense, subject, adjective=self.choice(_FEELINGS), embedded=True)

    def description(self) -> Clause:
        """What a person or thing is like, perhaps compared with another."""
        tense = self.choice(("past", "present", "present", "future"))
        if self.random() < 0.5:
            person = self.subject(known=True, plain=True)
            adjective = self.choice(_FEELINGS)
            dated = self.random() < 0.3
            if person.noun.kind != "pronoun" and tense != "future" and not dated:
                adjective = self.choice([a for a in PREDICATES[person.noun.key] if a != person.adjective])
            clause = Clause(self.id(), "adjective", tense, person, adjective=adjective, negative=self.random() < 0.15)
            if dated:
                return self.on_some_day(clause)._replace(time_first=self.random() < 0.3)
            graded = not clause.negative and adjective.key not in concepts.UNGRADED
            return clause._replace(very=graded and self.random() < 0.4)
        return self._thing_described()

    def on_some_day(self, clause: Clause) -> Clause:
        """The description with its day; who is free tomorrow is so in the present."""
        assert clause.adjective is not None
        times = _TIMES[clause.tense]
        if clause.tense == "present":
            times = _PLANS if clause.adjective.key == "free" else (TIMES["today"],)
        return clause._replace(time=self.choice(times))

    def _thing_described(self) -> Clause:
        if self.random() < 0.35:
            adjective = lexicon.ADJECTIVES[self.choice(tuple(_COMPARED))]
            nouns = _COMPARED[adjective.key]
            first = self.choice(nouns)
            second = self.choice([noun for noun in nouns if noun.kind == first.kind])
            subject, other = self._pointed(first, bare=False), self._pointed(second, bare=False)
            if (subject.noun, subject.det) != (other.noun, other.det):
                return Clause(self.id(), "adjective", "present", subject, adjective=adjective, than=other)
        noun = self.choice(_THINGS)
        adjective = self.choice(PREDICATES[noun.key])
        negative = self.random() < 0.2
        return Clause(
            self.id(), "adjective", "present", self._pointed(noun), adjective=adjective, negative=negative,
            very=not negative and self.random() < 0.4,
        )  # fmt: skip

    def _pointed(self, noun: Noun, bare: bool = True) -> NounPhrase:
        """This book, that book, my book, Minsu's book; if it may be `bare` also the book, the book that …"""
        draw = self.random() * (1.0 if bare else 0.8)
        if draw < 0.3:
            return NounPhrase(self.id(), noun, "this")
        if draw < 0.45:
            return NounPhrase(self.id(), noun, "that")
        if draw < 0.65:
            return NounPhrase(self.id(), noun, "my")
        if draw < 0.8:
            return NounPhrase(self.id(), noun, "owner", owner=NounPhrase(self.id(), self.name(), "none"))
        if draw < 0.92:
            phrase = self.thing(VERBS["see"], noun, None, False, False)
            if phrase.relative:
                return phrase
        return NounPhrase(self.id(), noun, "the")

    def _spot(self, noun: Noun) -> tuple[str, NounPhrase]:
        while True:
            location = self.choice(tuple(_LOCATIONS))
            place = self.choice(_LOCATIONS[location])
            if place is not noun and not (location == "inside" and noun.key in ("box", "lamp", "umbrella")):
                return location, NounPhrase(self.id(), place, "the")

    def there(self) -> Clause:
        """There is a cat under the table."""
        noun = self.choice(_LOCATED)
        negative = self.random() < 0.15
        count = 1 if negative or self.random() < 0.55 else 2 + int(self.random() * 5)
        found = NounPhrase(self.id(), noun, "a" if count == 1 else "number", count)
        if not negative:
            found = self.described(found)
        location, place = self._spot(noun)
        tense = "past" if self.random() < 0.3 else "present"
        return Clause(self.id(), "there", tense, object=found, place=place, location=location, negative=negative)

    def located(self) -> Clause:
        """The cat is under the table; my mother is at the market."""
        tense = "past" if self.random() < 0.4 else "present"
        negative = self.random() < 0.15
        if self.random() < 0.5:
            person = self.subject(known=True, plain=True)
            place = NounPhrase(self.id(), self.choice(CLASSES["place"]), "the")
            clause = Clause(self.id(), "located", tense, person, negative=negative, place=place)
            if self.random() < 0.4:
                clause = clause._replace(time=self.choice(_TIMES["past"]) if tense == "past" else TIMES["now"])
            return clause
        noun = self.choice(_LOCATED)
        location, place = self._spot(noun)
        return Clause(
            self.id(), "located", tense, self._pointed(noun), negative=negative, place=place, location=location
        )

    def have(self) -> Clause:
        """I have two cats."""
        tense = "past" if self.random() < 0.25 else "present"
        negative = self.random() < 0.2
        noun = self.choice(_OWNED)
        count = 1 if negative or noun.article != "a" or self.random() < 0.5 else 2 + int(self.random() * 3)
        one = "some" if noun.article == "some" else "a"
        owned = NounPhrase(self.id(), noun, one if count == 1 else "number", count)
        if not negative:
            owned = self.described(owned)
        return Clause(self.id(), "have", tense, self.subject(known=True), negative=negative, object=owned)

    def profession(self) -> Clause:
        """My father is a doctor."""
        subject = self.relative_of_somebody()
        while subject.noun.key == "friend" and subject.owner is None and self.random() < 0.5:
            subject = self.relative_of_somebody()
        noun = self.choice([p for p in _PROFESSIONS if p.feminine == subject.noun.feminine])
        tense = "past" if self.random() < 0.3 and not subject.respected else "present"
        predicate = NounPhrase(self.id(), noun, "a")
        return Clause(self.id(), "noun", tense, subject, negative=self.random() < 0.15, object=predicate)

    def weather(self, tense: str, embedded: bool) -> Clause:
        """It rains, it is cold."""
        return Clause(self.id(), "weather", tense, weather=self.choice(concepts.WEATHER), embedded=embedded)

    def weather_report(self) -> Clause:
        """It rained in Seoul yesterday."""
        tense = "past" if self.random() < 0.6 else "future"
        clause = self.weather(tense, embedded=False)
        clause = clause._replace(time=self.choice([t for t in _TIMES[tense] if not t.key.endswith("year")]))
        if clause.weather in ("rain", "snow") and self.random() < 0.6:
            clause = clause._replace(place=NounPhrase(self.id(), self.choice(CLASSES["city"]), "none"))
        return clause
