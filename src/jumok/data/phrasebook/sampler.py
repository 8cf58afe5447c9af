"""Meanings drawn at random: sensible subjects, objects, places and times for each verb."""

from jumok.data.phrasebook.clauses import ClauseSampler
from jumok.data.phrasebook.korean_words import GIVEN_NAMES
from jumok.data.phrasebook.lexicon import CLASSES, MADAM, SIR, WHAT, WHO, YOU, Noun, Verb
from jumok.data.phrasebook.meaning import Clause, NounPhrase, Segment, Sentence
from jumok.data.phrasebook.nouns import PLACES_OF

_KOREAN_NAMES = tuple(noun for noun in CLASSES["name"] if noun.key in GIVEN_NAMES)


class Sampler(ClauseSampler):
    """A stream of sentences; the same random numbers give the same sentences."""

    level = "polite"
    # what is asked about honoured people: 드시다 is both to eat and to drink, so that only one can be asked about
    told_apart = tuple(verb for verb in ClauseSampler.asked if verb.key != "drink")

    def sentence(self, least: int = 0, most: int = 0) -> Sentence:
        """The next sentence; a long one strings `least` to `most` clauses together."""
        self.restart()
        level, called = self._called()
        if called is not None and called.kind == "name":
            self.used.add(called.key)
        self.called, self.level = called.key if called else "", level
        kind = self.random()
        if least:
            segments = self._chain(least + int(self.random() * (most - least + 1)))
        elif kind < 0.15:
            segments = (Segment(self._question()),)
        elif kind < 0.20:
            segments = (Segment(self._order("bare" if level == "casual" else "please")),)
        else:
            segments = self._chain(2 if self.random() < 0.22 else 1)
        return Sentence(level, called, called is not None and called.feminine, segments)

    def _called(self) -> tuple[str, Noun | None]:
        draw = self.random()
        if draw < 0.07:
            return "formal", SIR
        if draw < 0.13:
            return "formal", MADAM
        if draw < 0.28:
            return "casual", self.choice(_KOREAN_NAMES)
        return "polite", None

    def _chain(self, count: int) -> tuple[Segment, ...]:
        segments: list[Segment] = []
        for number in range(count):
            self.used = {self.called, self.topic}
            self.pronouns = False
            join = "" if number == 0 else "and" if self.random() < 0.55 else "but"
            segments.append(self._segment(join))
            subject = segments[-1].main.subject
            self.topic = subject.noun.key if subject else ""
        return tuple(segments)

    def _segment(self, join: str) -> Segment:
        draw = self.random()
        if draw < 0.14:
            return self._because(join)
        if draw < 0.24:
            return self._when(join)
        if draw < 0.31:
            return self._if(join)
        if draw < 0.40:
            return self._before_after(join)
        if draw < 0.48:
            return self._two_verbs(join)
        self.pronouns = not join
        return Segment(self.clause(), join)

    def _because(self, join: str) -> Segment:
        subject = self.subject(known=True)
        main = self.verb_clause(subject, steady=True, event=True)
        tense = "past" if main.tense == "past" else "present"
        sub, same = self._reason(subject, tense)
        return Segment(main, join, sub=sub, sub_kind="because", same=same)

    def _reason(self, subject: NounPhrase, tense: str) -> tuple[Clause, bool]:
        """A clause that may explain or date another: how its subject feels, the weather, what somebody does."""
        draw = self.random()
        if (draw < 0.45 and subject.noun.kind != "pronoun") or draw < 0.3:
            return self.feeling(subject, tense), True
        if draw < 0.7:
            return self.weather(tense, embedded=True), False
        other = self.subject(known=True, plain=True)
        if other.noun == subject.noun:
            return self.weather(tense, embedded=True), False
        return self.bare_verb_clause(other, tense, verb=self.choice(self.reasons), shown=True), False

    def _when(self, join: str) -> Segment:
        subject = self.subject(known=True)
        tense = "past" if self.random() < 0.4 else "present"
        main = self.verb_clause(subject, tense=tense, steady=True, timeless=True, event=True)
        if self.random() < 0.4:
            sub = self.bare_verb_clause(subject, main.tense, shown=True)
            if sub.verb is not main.verb:
                return Segment(main, join, sub=sub, sub_kind="when", same=True)
        sub, same = self._reason(subject, main.tense)
        return Segment(main, join, sub=sub, sub_kind="when", same=same)

    def _if(self, join: str) -> Segment:
        subject = self.subject(known=True)
        verb = self.choice(self.planned)
        main = self.verb_clause(subject, tense="future", verb=verb, timeless=self.random() < 0.5, steady=True)
        main = main._replace(negative=self.random() < 0.15)
        sub, same = self._reason(subject, "present")
        return Segment(main._replace(time_first=False), join, sub=sub, sub_kind="if", same=same)

    def _before_after(self, join: str) -> Segment:
        subject = self.subject(known=True)
        main = self.verb_clause(subject, steady=True, event=True)
        sub = self.bare_verb_clause(subject, main.tense)
        if sub.verb is main.verb:
            return Segment(main, join)
        return Segment(main, join, sub=sub, sub_kind="before" if self.random() < 0.5 else "after", same=True)

    def _two_verbs(self, join: str) -> Segment:
        subject = self.subject()
        main = self.verb_clause(subject, steady=True, event=True)
        second = self.bare_verb_clause(main.subject, main.tense, shown=True)._replace(embedded=False)
        if second.verb is main.verb or main.negative or main.frequency or main.aim:
            return Segment(main, join)
        return Segment(main._replace(time_first=True), join, second=second)

    def _order(self, manner: str) -> Clause:
        verb = self.choice(self.ordered)
        whole = self.bare_verb_clause(None, "present", verb=verb)
        return whole._replace(order=manner)

    def _question(self) -> Clause:
        draw = self.random()
        if draw < 0.16:
            clause = self.verb_clause(
                NounPhrase(self.id(), WHO, "none"), verb=self.choice(self.questioned), steady=True
            )
            return clause._replace(ask="who", negative=False, time_first=False)
        subject = NounPhrase(self.id(), YOU, "none") if self.random() < 0.4 else self._third_person()
        if draw < 0.6:
            return self._yes_no(subject)
        clause = self._asked(subject, "what" if draw < 0.74 else "where" if draw < 0.88 else "when")
        return clause._replace(negative=False, time_first=False, frequency=None)

    def _third_person(self) -> NounPhrase:
        while True:
            self.pronouns = True
            subject = self.subject(known=True, plain=True)
            if subject.noun.key not in ("I", "we"):
                return subject

    def _yes_no(self, subject: NounPhrase) -> Clause:
        if self.random() < 0.2:
            asked = self.feeling(subject, self.choice(("past", "present")))._replace(ask="yes", embedded=False)
            free = asked.adjective is not None and asked.adjective.key == "free"
            return self.on_some_day(asked) if free or self.random() < 0.3 else asked
        clause = self.verb_clause(subject, verb=self.choice(self.questioned))
        return clause._replace(ask="yes", negative=False, time_first=False)

    def _is_honoured(self, subject: NounPhrase) -> bool:
        return subject.respected or (subject.noun is YOU and self.level != "casual")

    def _asked(self, subject: NounPhrase, ask: str) -> Clause:
        tense = self.choice(("past", "future"))
        if ask == "what":
            verb = self.choice(self.told_apart if self._is_honoured(subject) else self.asked)
            clause = self.verb_clause(subject, tense=tense, verb=verb, steady=True)
            assert clause.object is not None
            return clause._replace(ask="what", object=NounPhrase(clause.object.id, WHAT, "none"))
        if ask == "when":
            verb = self.choice(self.dated)
            return self.verb_clause(subject, tense=tense, verb=verb, steady=True, timeless=True)._replace(ask="when")
        verb: Verb = self.choice(self.placed)
        clause = self.verb_clause(subject, tense=tense, verb=verb, steady=True)._replace(ask="where", aim=None)
        if clause.goal is None and clause.place is None:
            place = NounPhrase(self.id(), self.choice(PLACES_OF[verb.key]), "the")
            clause = clause._replace(place=place)
        return clause
