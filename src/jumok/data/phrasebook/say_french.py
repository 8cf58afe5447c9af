"""A meaning as a French sentence: agreement, clitics, negation around the verb, then the joints between words."""

from jumok.data.phrasebook import french, french_words, parts
from jumok.data.phrasebook.concepts import STATES
from jumok.data.phrasebook.french import Token
from jumok.data.phrasebook.lexicon import Phrase
from jumok.data.phrasebook.meaning import Clause, NounPhrase, Segment, Sentence

CALLED = {"Sir": "Monsieur,", "Madam": "Madame,"}
_MODALS = {"can": "pouvoir", "must": "devoir", "want": "vouloir"}
_SUBJECTS = {"I": "je", "we": "nous", "he": "il", "she": "elle", "who": "qui"}
_CONJUNCTIONS = {"because": ("parce", "que"), "when": ("quand",), "if": ("si",), "and": ("et",), "but": ("mais",)}
_WEATHER = {"rain": ("pleuvoir", ""), "snow": ("neiger", ""), "cold": ("faire", "froid"), "hot": ("faire", "chaud")}


class Speaker:
    """Says one sentence; knows to whom, for tu or vous and the agreement of `you`."""

    def __init__(self, sentence: Sentence) -> None:
        self.you = 1 if sentence.level == "casual" else 4
        self.lady = sentence.lady
        self.out: list[Token] = []

    # -- sentences and clauses

    def segment(self, segment: Segment) -> None:
        """One main clause with what hangs on it."""
        main, sub = segment.main, segment.sub
        if segment.join:
            self.conjunction(segment.join, main.id + parts.CONJ)
        front = sub is not None and segment.sub_kind in ("when", "if")
        if sub is not None and front:
            self.conjunction(segment.sub_kind, sub.id + parts.CONJ)
            self.clause(sub)
            word, ids = self.out[-1]
            self.out[-1] = (word + ",", ids)
        self.clause(main, pronoun=sub.id + parts.SUBJECT if sub and front and segment.same else -1)
        if segment.second:
            self.conjunction("and", segment.second.id + parts.CONJ)
            self.verb_phrase(segment.second, main.subject)
        if sub is not None and not front:
            self.trailing(segment, sub)

    def trailing(self, segment: Segment, sub: Clause) -> None:
        """because …, before …, after … at the end."""
        if segment.sub_kind == "because":
            self.conjunction("because", sub.id + parts.CONJ)
            self.clause(sub, pronoun=sub.id + parts.SUBJECT if segment.same else -1)
            return
        number = (sub.id + parts.CONJ,)
        words = ("avant", "de") if segment.sub_kind == "before" else ("après",)
        self.out += [(word, number) for word in words]
        self.infinitive(sub, segment.main.subject, perfect=segment.sub_kind == "after")
        self.complements(sub)
        self.adjuncts(sub)

    def conjunction(self, key: str, number: int) -> None:
        """A conjunction's words."""
        self.out += [(word, (number,)) for word in _CONJUNCTIONS[key]]

    def clause(self, clause: Clause, pronoun: int = -1) -> None:
        """A whole clause with its subject."""
        i = clause.id
        if clause.time and clause.time_first:
            self.words(clause.time.french, i + parts.TIME)
        if clause.order:
            self.order(clause)
            return
        if clause.ask:
            self.question(clause)
        if clause.kind in ("weather", "there"):
            self.out.append(("il", (i + parts.THERE,)))
        elif pronoun >= 0 and clause.subject:
            self.out.append((self.pronoun(clause.subject), (pronoun,)))
        elif clause.subject:
            self.noun_phrase(clause.subject)
        self.verb_phrase(clause, clause.subject)

    def question(self, clause: Clause) -> None:
        """The words a question begins with."""
        i = clause.id
        asks: list[Token] = [("est-ce", (i + parts.ASK,)), ("que", (i + parts.ASK,))]
        if clause.ask == "yes":
            self.out += asks
        elif clause.ask == "what" and clause.object:
            self.out += [("qu'est-ce", (clause.object.id, i + parts.ASK)), asks[1]]
        elif clause.ask == "where":
            place = clause.place or clause.goal
            self.out += [("où", (place.id,) if place else ()), *asks]
        elif clause.ask == "when":
            self.out += [("quand", (i + parts.TIME,)), *asks]

    def order(self, clause: Clause) -> None:
        """An imperative, with s'il vous plaît where `please` is said."""
        verb = clause.verb
        assert verb is not None
        i = clause.id
        self.out.append((french.conjugate(verb.french, self.you, "imperative"), (i + parts.VERB, i + parts.VERB_NOUN)))
        self.complements(clause)
        self.adjuncts(clause)
        if clause.order == "please":
            self.out += [(word, (i + parts.PLEASE,)) for word in ("s'il", "vous", "plaît")]

    # -- verbs

    def person(self, subject: NounPhrase | None) -> int:
        """The person a verb agrees with."""
        if subject is None:
            return 2
        special = {"I": 0, "you": self.you, "we": 3}.get(subject.noun.key)
        if special is not None:
            return special
        return 5 if subject.plural else 2

    def pronoun(self, phrase: NounPhrase) -> str:
        """The subject pronoun that stands for a phrase."""
        if phrase.noun.kind == "pronoun":
            return _SUBJECTS[phrase.noun.key]
        return ("elle" if phrase.feminine else "il") + ("s" if phrase.plural else "")

    def agreement(self, subject: NounPhrase | None) -> tuple[bool, bool]:
        """(feminine, plural) of what is said of the subject."""
        if subject is None:
            return False, False
        if subject.noun.key == "you":
            return self.lady, False
        return subject.feminine, subject.plural

    def clitics(self, clause: Clause, who: int) -> list[Token]:
        """Pronouns that stand before the verb: me, nous, se."""
        found: list[Token] = []
        if clause.verb and clause.verb.reflexive:
            found.append((french.reflexive(who), (clause.id + parts.VERB,)))
        for phrase, indirect in ((clause.object, False), (clause.receiver, True)):
            if phrase is not None and phrase.noun.key in ("I", "we"):
                word = "me" if phrase.noun.key == "I" else "nous"
                found.append((word, (phrase.id, clause.id + parts.TO) if indirect else (phrase.id,)))
        return found

    def verb_phrase(self, clause: Clause, subject: NounPhrase | None, head: NounPhrase | None = None) -> None:
        """The verb with its negation, then what follows. `head` is the object a relative clause takes away."""
        self.group(clause, subject, head)
        self.complements(clause)
        self.adjuncts(clause)

    def group(self, clause: Clause, subject: NounPhrase | None, head: NounPhrase | None) -> None:
        """ne · clitics · finite verb · pas · adverb · participle or infinitive."""
        i, who = clause.id, self.person(subject)
        clitics = self.clitics(clause, who)
        finite, rest = self.finite(clause, subject, who, head)
        late = clause.modal in _MODALS or clause.modal == "progressive"
        if clause.negative:
            self.out.append(("ne", (i + parts.NOT,)))
        if clause.kind == "there":
            self.out.append(("y", (i + parts.THERE,)))
        if not late:
            self.out += clitics
        self.out.append(finite)
        if clause.negative:
            self.out.append(("pas", (i + parts.NOT,)))
        if clause.frequency:
            self.words(clause.frequency.french, i + parts.FREQUENCY)
        if late:
            self.out += rest[:-1] + clitics + rest[-1:]
        else:
            self.out += rest

    def finite(
        self, clause: Clause, subject: NounPhrase | None, who: int, head: NounPhrase | None
    ) -> tuple[Token, list[Token]]:
        """(the finite verb, the words after pas)."""
        i, tense = clause.id, clause.tense
        if clause.modal == "progressive" and clause.verb:
            aux = (i + parts.AUX,)
            rest: list[Token] = [("en", aux), ("train", aux), ("de", aux), (clause.verb.french, self.verb_ids(clause))]
            return (french.conjugate("être", who, "present"), aux), rest
        if clause.modal and clause.verb:
            said = "imparfait" if tense == "past" else tense
            word = french.conjugate(_MODALS[clause.modal], who, said)
            return (word, (i + parts.MODAL,)), [(clause.verb.french, self.verb_ids(clause))]
        verb, ids = self.lexical(clause)
        if tense != "past":
            return (
                french.conjugate(verb, who, tense),
                ids if tense == "present" or i + parts.AUX in ids else (*ids, i + parts.AUX),
            ), []
        state = clause.verb is None and not (clause.kind == "weather" and not clause.embedded)
        if state or (clause.verb and clause.verb.key in STATES):
            return (french.conjugate(verb, who, "imparfait"), ids), []
        return self.perfect(clause, verb, ids, subject, who, head)

    def perfect(
        self,
        clause: Clause,
        verb: str,
        ids: tuple[int, ...],
        subject: NounPhrase | None,
        who: int,
        head: NounPhrase | None,
    ) -> tuple[Token, list[Token]]:
        """(auxiliary, [participle]) of the passé composé; the participle agrees with the subject of être, and with
        an object that stands before avoir."""
        if clause.verb and clause.verb.with_etre:
            return (french.conjugate("être", who, "present"), ids), [
                (french.participle(verb, *self.agreement(subject)), ids)
            ]
        said = french.participle(verb)
        if head is not None:
            said = french.participle(verb, head.feminine, head.plural)
        elif clause.object and clause.object.noun.key == "we":
            said = french.participle(verb, plural=True)
        return (french.conjugate("avoir", who, "present"), ids), [(said, ids)]

    def lexical(self, clause: Clause) -> tuple[str, tuple[int, ...]]:
        """(infinitive of the clause's own verb, its numbers)."""
        i = clause.id
        if clause.verb:
            return clause.verb.french, self.verb_ids(clause)
        if clause.kind == "weather":
            cold = clause.weather in ("cold", "hot")
            return _WEATHER[clause.weather][0], (i + parts.AUX,) if cold else (i + parts.VERB, i + parts.WEATHER)
        if clause.kind == "there":
            return "avoir", (i + parts.THERE, i + parts.AUX)
        if clause.kind == "have":
            return "avoir", (i + parts.VERB,)
        return "être", (i + parts.AUX,)

    def verb_ids(self, clause: Clause) -> tuple[int, ...]:
        """The numbers of a verb; one French word may say what others say in two (déjeuner, danser)."""
        if clause.verb and clause.verb.before:
            return clause.id + parts.VERB, clause.id + parts.VERB_NOUN
        return (clause.id + parts.VERB,)

    def infinitive(self, clause: Clause, subject: NounPhrase | None, perfect: bool) -> None:
        """The infinitive, or the past one (avoir lu, s'être reposée), with its clitics."""
        verb = clause.verb
        assert verb is not None
        self.out += self.clitics(clause, self.person(subject))
        ids = self.verb_ids(clause)
        if not perfect:
            self.out.append((verb.french, ids))
        elif verb.with_etre:
            self.out += [("être", ids), (french.participle(verb.french, *self.agreement(subject)), ids)]
        else:
            plural = clause.object is not None and clause.object.noun.key == "we"
            self.out += [("avoir", ids), (french.participle(verb.french, plural=plural), ids)]

    # -- what follows the verb

    def complements(self, clause: Clause) -> None:
        """Adjective, object, receiver and goal."""
        i = clause.id
        if clause.adjective:
            self.predicate_adjective(clause)
        if clause.weather in ("cold", "hot"):
            self.out.append((_WEATHER[clause.weather][1], (i + parts.VERB,)))
        if clause.object and clause.object.noun.kind != "pronoun":
            if clause.verb and clause.verb.preposition:
                self.out.append((clause.verb.preposition, ()))
            self.noun_phrase(
                clause.object, denied=clause.negative and clause.kind != "noun", bare=clause.kind == "noun"
            )
        if clause.receiver and clause.receiver.noun.kind != "pronoun":
            self.out.append(("à", (i + parts.TO,)))
            self.noun_phrase(clause.receiver)
        if clause.goal and clause.ask != "where":
            self.out.append(("à", (i + parts.PREP,)))
            self.noun_phrase(clause.goal)

    def predicate_adjective(self, clause: Clause) -> None:
        """The adjective, agreeing, with très or plus … que."""
        i, adjective = clause.id, clause.adjective
        assert adjective is not None
        if clause.very:
            self.out.append(("très", (i + parts.DEGREE,)))
        if clause.than:
            self.out.append(("plus", (i + parts.MORE,)))
        self.out.append((french.agree(adjective.french, *self.agreement(clause.subject)), (i + parts.VERB,)))
        if clause.than:
            self.out.append(("que", (i + parts.THAN,)))
            self.noun_phrase(clause.than)

    def adjuncts(self, clause: Clause) -> None:
        """Vehicle, company, manner, place, time and aim, in this order."""
        i = clause.id
        if clause.vehicle:
            self.out += [("en", (i + parts.BY,)), (clause.vehicle.french[0], (i + parts.VEHICLE,))]
        if clause.companion:
            self.out.append(("avec", (i + parts.WITH,)))
            self.noun_phrase(clause.companion)
        if clause.manner:
            self.words(clause.manner.french, i + parts.MANNER)
        if clause.place and clause.ask != "where":
            self.place(clause, clause.place)
        if clause.time and not clause.time_first:
            self.words(clause.time.french, i + parts.TIME)
        if clause.aim:
            self.out.append(("pour", (clause.aim.id + parts.CONJ,)))
            self.infinitive(clause.aim, clause.subject, perfect=False)
            self.complements(clause.aim)
            self.adjuncts(clause.aim)

    def place(self, clause: Clause, place: NounPhrase) -> None:
        """Where something is or happens."""
        if clause.location:
            words = french_words.LOCATIONS[clause.location].split()
        else:
            key = place.noun.key
            words = ["dans"] if key in french_words.INSIDE else ["à"]
        self.out += [(word, (clause.id + parts.PREP, clause.id + parts.PREP_REST)) for word in words]
        self.noun_phrase(place)

    def words(self, phrase: Phrase, base: int) -> None:
        """A fixed expression."""
        self.out += [(word, tuple(base + slot for slot in slots)) for word, slots in phrase]

    # -- noun phrases

    def noun_phrase(self, phrase: NounPhrase, denied: bool = False, bare: bool = False) -> None:
        """Determiner, adjective and noun in their order. `denied`: pas de livre; `bare`: il est médecin."""
        noun, i = phrase.noun, phrase.id
        if phrase.partner:
            self.noun_phrase(phrase._replace(partner=None))
            self.out.append(("et", (i + parts.AND,)))
            self.noun_phrase(phrase.partner)
            return
        if noun.kind == "pronoun":
            self.out.append(({"you": "tu" if self.you == 1 else "vous"}.get(noun.key) or _SUBJECTS[noun.key], (i,)))
            return
        many = phrase.amount > 1
        if phrase.det == "number" and noun.kind == "drink":
            cups = "tasses" if noun.key in ("coffee", "tea") else "verres"
            self.out += [
                (french_words.NUMBERS[phrase.amount], (i + parts.NUM,)),
                (cups, (i + parts.CUP,)),
                ("de", (i + parts.OF,)),
            ]
            self.out.append((noun.french[0], (i,)))
            return
        if not bare:
            self.determiner(phrase, denied)
        self.described(phrase, noun.french_plural if many else noun.french, many)
        if phrase.det == "owner" and phrase.owner:
            self.out.append(("de", (i + parts.OF,)))
            self.noun_phrase(phrase.owner)
        if phrase.relative:
            self.relative(phrase, phrase.relative)

    def described(self, phrase: NounPhrase, words: tuple[str, ...], many: bool) -> None:
        """The noun with its adjective before or after it."""
        i, adjective = phrase.id, phrase.adjective
        form = french.agree(adjective.french, phrase.noun.feminine, many) if adjective else ""
        if adjective and adjective.before_noun:
            self.out.append((form + ("+" if not many and not phrase.noun.feminine else ""), (i + parts.ADJ,)))
        self.out += [(word, (i + parts.HEAD,)) for word in words]
        if phrase.det == "that":
            word, ids = self.out[-1]
            self.out[-1] = (word + "-là", (*ids, i + parts.DET))
        if adjective and not adjective.before_noun:
            self.out.append((form, (i + parts.ADJ,)))

    def determiner(self, phrase: NounPhrase, denied: bool) -> None:
        """The article or what stands in its place."""
        det, number = phrase.det, (phrase.id + parts.DET,)
        gender = 2 if phrase.amount > 1 else 1 if phrase.noun.feminine else 0
        if det in ("a", "some") and denied:
            self.out.append(("de", number))
        elif det == "some":
            self.out += [("de", number), (("le", "la", "les")[gender], number)]
        elif det == "number":
            self.out.append((french_words.NUMBERS[phrase.amount], (phrase.id + parts.NUM,)))
        elif det in _DETERMINERS:
            self.out.append((_DETERMINERS[det][gender], number))

    def relative(self, phrase: NounPhrase, clause: Clause) -> None:
        """qui … or que …"""
        head = phrase._replace(relative=None)
        if phrase.gap == "subject":
            self.out.append(("qui", (phrase.id + parts.RELATIVE,)))
            self.verb_phrase(clause, head)
        else:
            self.out.append(("que", (phrase.id + parts.RELATIVE,)))
            if clause.subject:
                self.noun_phrase(clause.subject)
            self.verb_phrase(clause, clause.subject, head)


_DETERMINERS: dict[str, tuple[str, str, str]] = {
    "the": ("le", "la", "les"), "plural": ("le", "la", "les"), "all": ("le", "la", "les"), "owner": ("le", "la", "les"),
    "a": ("un", "une", "des"), "this": ("ce", "cette", "ces"), "that": ("ce", "cette", "ces"),
    "my": ("mon", "ma", "mes"), "our": ("notre", "notre", "nos"), "own": ("son", "sa", "ses"),
}  # fmt: skip


def say(sentence: Sentence) -> list[Token]:
    """The words of the sentence, capitalised and with its full stop or question mark."""
    speaker = Speaker(sentence)
    for segment in sentence.segments:
        speaker.segment(segment)
    out = french.joints(speaker.out)
    if sentence.called:
        out.insert(0, (CALLED.get(sentence.called.key) or sentence.called.french[0] + ",", (1,)))
    word, ids = out[0]
    out[0] = (word[0].upper() + word[1:], ids)
    word, ids = out[-1]
    out[-1] = (word + ("?" if sentence.segments[0].main.ask else "."), ids)
    return out
