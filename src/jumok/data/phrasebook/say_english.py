"""A meaning as an English sentence, with its phrase structure."""

from jumok.data.phrasebook import english, parts
from jumok.data.phrasebook.lexicon import Expression, Phrase
from jumok.data.phrasebook.meaning import Clause, NounPhrase, Segment, Sentence

# A word with the numbers it links through; a bracket of the tree has None.
Item = tuple[str, tuple[int, ...] | None]
CLOSE: Item = (")", None)
CUPS = {"coffee": "cups", "tea": "cups"}
_OBJECTS = {"I": "me", "we": "us", "you": "you", "who": "who", "what": "what"}


def say(sentence: Sentence) -> list[Item]:
    """The words and brackets of the sentence, capitalised and with its full stop or question mark."""
    out: list[Item] = []
    main = sentence.segments[0].main
    label = "(SBARQ" if main.ask not in ("", "yes") else "(SQ" if main.ask else "(S"
    out.append((label, None))
    if sentence.called:
        out += [("(VOC", None), (sentence.called.english[0] + ",", (1,)), CLOSE]
    for segment in sentence.segments:
        if segment.join:
            out.append((segment.join, (segment.main.id + parts.CONJ,)))
        _segment(out, segment, bracket=len(sentence.segments) > 1)
    out.append(CLOSE)
    return _written(out, "?" if main.ask else ".")


def _written(out: list[Item], mark: str) -> list[Item]:
    first = next(k for k, (_, ids) in enumerate(out) if ids is not None)
    word, ids = out[first]
    out[first] = (word[0].upper() + word[1:], ids)
    last = next(k for k in range(len(out) - 1, -1, -1) if out[k][1] is not None)
    out[last] = (out[last][0] + mark, out[last][1])
    return out


def _segment(out: list[Item], segment: Segment, bracket: bool) -> None:
    main, sub = segment.main, segment.sub
    if bracket:
        out.append(("(S", None))
    front = sub is not None and segment.sub_kind in ("when", "if")
    if sub is not None and front:
        out += [("(SBAR", None), (segment.sub_kind, (sub.id + parts.CONJ,))]
        _clause(out, sub)
        last = max(k for k, item in enumerate(out) if item[1] is not None)
        out[last] = (out[last][0] + ",", out[last][1])
        out.append(CLOSE)
    _clause_parts(out, main, pronoun=(sub.id + parts.SUBJECT) if sub and front and segment.same else -1)
    if segment.second:
        out.pop()  # both verb phrases stand in one
        start = _verb_phrase_start(out)
        out.insert(start, ("(VP", None))
        out += [CLOSE, ("and", (segment.second.id + parts.CONJ,))]
        _verb_phrase(out, segment.second, main.subject)
        out.append(CLOSE)
    if sub is not None and not front:
        _trailing(out, segment, sub)
    if bracket:
        out.append(CLOSE)


def _verb_phrase_start(out: list[Item]) -> int:
    """Where the last verb phrase at the open level begins."""
    depth = 0
    for k in range(len(out) - 1, -1, -1):
        text, ids = out[k]
        if ids is None:
            depth += 1 if text == ")" else -1
            if depth == -1 and text == "(VP":
                return k
    raise AssertionError("no verb phrase is open")


def _trailing(out: list[Item], segment: Segment, sub: Clause) -> None:
    out += [("(SBAR", None), (segment.sub_kind, (sub.id + parts.CONJ,))]
    if segment.sub_kind == "because":
        _clause(out, sub, pronoun=sub.id + parts.SUBJECT if segment.same else -1)
    else:
        _verb_phrase(out, sub, segment.main.subject, form="gerund")
    out.append(CLOSE)


def _clause(out: list[Item], clause: Clause, pronoun: int = -1) -> None:
    out.append(("(S", None))
    _clause_parts(out, clause, pronoun)
    out.append(CLOSE)


def _clause_parts(out: list[Item], clause: Clause, pronoun: int = -1) -> None:
    if clause.order:
        if clause.order == "please":
            out.append(("please", (clause.id + parts.PLEASE,)))
        _verb_phrase(out, clause, None, form="base")
        return
    if clause.time and clause.time_first:
        _time(out, clause.time, clause.id)
    if clause.ask:
        _question(out, clause)
        return
    if clause.kind == "weather":
        out += [("(NP", None), ("it", (clause.id + parts.THERE,)), CLOSE]
    elif clause.kind == "there":
        out += [("(NP", None), ("there", (clause.id + parts.THERE,)), CLOSE]
    elif pronoun >= 0 and clause.subject:
        out += [("(NP", None), (_pronoun(clause.subject), (pronoun,)), CLOSE]
    elif clause.subject:
        _noun_phrase(out, clause.subject, subject=True)
    _verb_phrase(out, clause, clause.subject)


def _question(out: list[Item], clause: Clause) -> None:
    i = clause.id
    if clause.ask in ("where", "when"):
        number = clause.place or clause.goal
        out.append((clause.ask, (number.id if number and clause.ask == "where" else i + parts.TIME,)))
    if clause.ask == "what" and clause.object:
        out.append(("what", (clause.object.id,)))
    if clause.ask == "who" and clause.subject:
        out.append(("who", (clause.subject.id,)))
        _verb_phrase(out, clause, clause.subject)
        return
    aux, _ = _group(clause, person(clause.subject))
    out += aux
    if clause.subject:
        _noun_phrase(out, clause.subject, subject=True)
    _verb_phrase(out, clause, clause.subject, form="inverted")


def person(subject: NounPhrase | None) -> int:
    """The person a verb agrees with, numbered as in French."""
    if subject is None:
        return 2
    special = {"I": 0, "you": 1, "we": 3}.get(subject.noun.key)
    if special is not None and subject.partner is None:
        return special
    return 5 if subject.plural else 2


def _pronoun(phrase: NounPhrase) -> str:
    if phrase.noun.kind == "pronoun":
        return phrase.noun.key
    if phrase.plural:
        return "they"
    if phrase.noun.kind in ("worker", "kin", "name"):
        return "she" if phrase.noun.feminine else "he"
    return "it"


def _group(clause: Clause, who: int) -> tuple[list[Item], list[Item]]:
    """(the auxiliary that questions put first, the other words) of the verb."""
    i = clause.id
    negation: list[Item] = [("not", (i + parts.NOT,))] if clause.negative else []
    often: list[Item] = _words(clause.frequency.english, i + parts.FREQUENCY) if clause.frequency else []
    if clause.kind in ("adjective", "noun", "located", "there") or clause.weather in ("cold", "hot"):
        if clause.tense == "future":
            return [("will", (i + parts.AUX,))], [*negation, ("be", ())]
        number = 5 if clause.kind == "there" and clause.object and clause.object.plural else who
        rest = [] if clause.kind == "there" else negation
        return [(english.be(number, clause.tense), (i + parts.AUX,))], [*rest, *often]
    if clause.modal == "progressive" and clause.verb:
        return [(english.be(who, clause.tense), (i + parts.AUX,))], [*negation, *_verb(clause, clause.verb.gerund)]
    if clause.modal == "can":
        aux = ("cannot", (i + parts.MODAL, i + parts.NOT)) if clause.negative else ("can", (i + parts.MODAL,))
        return [aux], [*often, *_verb(clause, _base(clause))]
    if clause.modal == "must":
        return [("must", (i + parts.MODAL,))], [*often, *_verb(clause, _base(clause))]
    if clause.tense == "future":
        return [("will", (i + parts.AUX,))], [*negation, *often, *_wanted(clause, "base", who)]
    if clause.negative or clause.ask not in ("", "who"):
        does = "did" if clause.tense == "past" else "does" if who == 2 else "do"
        return [(does, (i + parts.ASK,))], [*negation, *often, *_wanted(clause, "base", who)]
    return [], [*often, *_wanted(clause, clause.tense, who)]


def _wanted(clause: Clause, form: str, who: int) -> list[Item]:
    if clause.modal != "want":
        return _verb(clause, _form(clause, form, who))
    word = "wanted" if form == "past" else "wants" if form == "present" and who == 2 else "want"
    return [(word, (clause.id + parts.MODAL,)), ("to", ()), *_verb(clause, _base(clause))]


def _base(clause: Clause) -> str:
    return clause.verb.english if clause.verb else {"have": "have", "weather": clause.weather}[clause.kind]


def _form(clause: Clause, form: str, who: int) -> str:
    base = _base(clause)
    if form == "past":
        return clause.verb.past if clause.verb else english.past(base)
    if form == "gerund":
        return clause.verb.gerund if clause.verb else english.gerund(base)
    if form == "present" and who == 2:
        return clause.verb.third_person if clause.verb else english.third_person(base)
    return base


def _verb(clause: Clause, word: str) -> list[Item]:
    i, verb = clause.id, clause.verb
    if clause.kind == "weather":
        return [(word, (i + parts.VERB, i + parts.WEATHER))]
    if verb is None:
        return [(word, (i + parts.VERB,))]
    if not verb.before:
        return [
            (word, (i + parts.VERB,)),
            *((part, () if part == "a" else (i + parts.VERB,)) for part in verb.english_rest),
        ]
    if not verb.english_rest:
        return [(word, (i + parts.VERB, i + parts.VERB_NOUN))]
    return [(word, (i + parts.VERB,)), *((part, (i + parts.VERB_NOUN,)) for part in verb.english_rest)]


def _verb_phrase(out: list[Item], clause: Clause, subject: NounPhrase | None, form: str = "") -> None:
    out.append(("(VP", None))
    if form in ("gerund", "base"):
        out += _verb(clause, _form(clause, form, 2))
    else:
        aux, rest = _group(clause, person(subject))
        out += rest if form == "inverted" else aux + rest
    _complements(out, clause)
    _adjuncts(out, clause)
    out.append(CLOSE)


def _complements(out: list[Item], clause: Clause) -> None:
    i = clause.id
    if clause.adjective:
        out.append(("(ADJP", None))
        if clause.very:
            out.append(("very", (i + parts.DEGREE,)))
        if clause.than:
            *more, last = clause.adjective.comparative
            out += [(word, (i + parts.MORE,)) for word in more]
            out.append((last, (i + parts.VERB,) if more else (i + parts.VERB, i + parts.MORE)))
            out += [("(PP", None), ("than", (i + parts.THAN,))]
            _noun_phrase(out, clause.than)
            out.append(CLOSE)
        else:
            out.append((clause.adjective.key, (i + parts.VERB,)))
        out.append(CLOSE)
    if clause.weather in ("cold", "hot"):
        out += [("(ADJP", None), (clause.weather, (i + parts.VERB,)), CLOSE]
    if clause.kind == "there" and clause.negative and clause.object:
        out += [("(NP", None), ("no", (i + parts.NOT,)), (clause.object.noun.english[0], (clause.object.id,)), CLOSE]
    elif clause.object and clause.ask != "what":
        _noun_phrase(out, clause.object)
    if clause.receiver:
        _prepositional(out, "to", i + parts.TO, clause.receiver)
    if clause.goal and clause.ask != "where":
        _place(out, clause, clause.goal)


def _adjuncts(out: list[Item], clause: Clause) -> None:
    i = clause.id
    if clause.vehicle:
        out += [("(PP", None), ("by", (i + parts.BY,)), (clause.vehicle.english[0], (i + parts.VEHICLE,)), CLOSE]
    if clause.companion:
        _prepositional(out, "with", i + parts.WITH, clause.companion)
    if clause.manner:
        out += [("(ADVP", None), *_words(clause.manner.english, i + parts.MANNER), CLOSE]
    if clause.place and clause.ask != "where":
        _place(out, clause, clause.place)
    if clause.time and not clause.time_first:
        _time(out, clause.time, i)
    if clause.aim:
        out += [("(S", None), ("to", (clause.aim.id + parts.CONJ,))]
        _verb_phrase(out, clause.aim, clause.subject, form="base")
        out.append(CLOSE)


def _words(phrase: Phrase, base: int) -> list[Item]:
    return [(word, tuple(base + slot for slot in slots)) for word, slots in phrase]


def _time(out: list[Item], time: Expression, i: int) -> None:
    out += [("(ADVP", None), *_words(time.english, i + parts.TIME), CLOSE]


def _prepositional(out: list[Item], word: str, number: int, phrase: NounPhrase) -> None:
    out += [("(PP", None), (word, (number,))]
    _noun_phrase(out, phrase)
    out.append(CLOSE)


def _place(out: list[Item], clause: Clause, place: NounPhrase) -> None:
    i = clause.id
    if clause.location:
        words = english.LOCATIONS.get(clause.location, clause.location).split("_")
        head = words[1] if len(words) == 3 else words[0]  # front in "in front of", next in "next to"
        out += [("(PP", None), *((word, (i + (parts.PREP if word == head else parts.PREP_REST),)) for word in words)]
        _noun_phrase(out, place)
        out.append(CLOSE)
        return
    if place.noun.key == "home" and clause.goal and clause.verb and clause.verb.key != "arrive":
        out += [("(ADVP", None), ("home", (place.id,)), CLOSE]
        return
    at, to = english.PLACES.get(place.noun.key, ("at the", "to the"))
    if place.noun.kind == "city":
        at, to = "in", "to"
    arriving = clause.verb is not None and clause.verb.key == "arrive"
    said = at if arriving or not clause.goal else to
    preposition, *the = said.split()
    out += [
        ("(PP", None),
        (preposition, (i + parts.PREP,)),
        ("(NP", None),
        *((word, (place.id + parts.DET,)) for word in the),
    ]
    out += [(place.noun.english[0], (place.id,)), CLOSE, CLOSE]


def _noun_phrase(out: list[Item], phrase: NounPhrase, subject: bool = False) -> None:
    noun, i = phrase.noun, phrase.id
    if phrase.partner:
        out.append(("(NP", None))
        _noun_phrase(out, phrase._replace(partner=None), subject)
        out.append(("and", (i + parts.AND,)))
        _noun_phrase(out, phrase.partner, subject)
        out.append(CLOSE)
        return
    out.append(("(NP", None))
    if noun.kind == "pronoun":
        out.append((noun.key if subject else _OBJECTS[noun.key], (i,)))
        out.append(CLOSE)
        return
    if phrase.relative:
        out.append(("(NP", None))
    _determined(out, phrase)
    if phrase.relative:
        out.append(CLOSE)
        _relative(out, phrase, phrase.relative)
    out.append(CLOSE)


def _determined(out: list[Item], phrase: NounPhrase) -> None:
    noun, i = phrase.noun, phrase.id
    words = noun.english_plural if phrase.amount > 1 else noun.english
    if noun.kind == "drink" and phrase.det == "number":
        cups = CUPS.get(noun.key, "glasses")
        out += [
            (english.number(phrase.amount), (i + parts.NUM,)),
            (cups, (i + parts.CUP,)),
            ("of", (i + parts.OF,)),
            (noun.english[0], (i,)),
        ]
        return
    if phrase.owner and phrase.det == "owner":
        out += [("(NP", None), (phrase.owner.noun.english[-1] + "'s", (phrase.owner.id, i + parts.OF)), CLOSE]
    following = phrase.adjective.key if phrase.adjective else words[0]
    determiner = _determiner(phrase, following)
    if determiner:
        out.append((determiner, (i + parts.NUM if phrase.det == "number" else i + parts.DET,)))
    if phrase.adjective:
        out.append((phrase.adjective.key, (i + parts.ADJ,)))
    out += [(word, (i + parts.HEAD,)) for word in words]


def _determiner(phrase: NounPhrase, following: str) -> str:
    det = phrase.det
    if det == "number":
        return english.number(phrase.amount)
    if det == "a":
        return english.article(following)
    if det == "own" and phrase.owner:
        return "her" if phrase.owner.feminine else "his"
    if det == "this" and phrase.amount > 1:
        return "these"
    return {"the": "the", "plural": "the", "this": "this", "that": "that", "my": "my", "our": "our"}.get(det, "")


def _relative(out: list[Item], phrase: NounPhrase, clause: Clause) -> None:
    people = phrase.noun.kind in ("worker", "kin", "name")
    word = "who" if people and phrase.gap == "subject" else "that"
    out += [("(SBAR", None), (word, (phrase.id + parts.RELATIVE,)), ("(S", None)]
    if phrase.gap == "subject":
        _verb_phrase(out, clause, phrase._replace(relative=None))
    else:
        if clause.subject:
            _noun_phrase(out, clause.subject, subject=True)
        _verb_phrase(out, clause, clause.subject)
    out += [CLOSE, CLOSE]
