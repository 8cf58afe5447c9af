"""A meaning as a Korean sentence: the verb last, particles and endings inside the words they belong to.

A main clause's known subject is its topic (은/는); a new one (`a cat`, `two students`) and an inner clause's subject
take 이/가. What Korean says with a particle or an ending alone (articles, `to`, `in`, `by`, `and`, `if`) has no word of
its own and no link.
"""

from functools import cache

from jumok.data.phrasebook import korean, korean_words, parts
from jumok.data.phrasebook.korean_predicates import Item, predicate
from jumok.data.phrasebook.lexicon import Noun, Phrase
from jumok.data.phrasebook.meaning import Clause, NounPhrase, Segment, Sentence

CALLED = {"Sir": "선생님,", "Madam": "여사님,"}
_PRONOUNS = {
    ("I", "polite"): {
        "topic": "저는",
        "subject": "제가",
        "object": "저를",
        "to": "저에게",
        "and": "저와",
        "than": "저보다",
    },
    ("I", "casual"): {
        "topic": "나는",
        "subject": "내가",
        "object": "나를",
        "to": "나에게",
        "and": "나와",
        "than": "나보다",
    },
    ("you", "casual"): {"topic": "너는", "subject": "네가", "object": "너를", "to": "너에게", "and": "너와"},
}
_OTHERS = {"we": "우리", "he": "그", "she": "그녀"}


def say(sentence: Sentence) -> list[Item]:
    """The words of the sentence with its full stop or question mark."""
    out: list[Item] = []
    if sentence.called:
        name = sentence.called
        said = CALLED.get(name.key) or korean.particle(name.korean, "calling") + ","
        out.append((said, (1,)))
    level = sentence.level
    segments = sentence.segments
    for number, segment in enumerate(segments):
        after = segments[number + 1] if number + 1 < len(segments) else None
        _segment(out, segment, level, after)
    word, ids = out[-1]
    out[-1] = (word + ("?" if segments[0].main.ask else "."), ids)
    return out


def _segment(out: list[Item], segment: Segment, level: str, after: Segment | None) -> None:
    main, sub = segment.main, segment.sub
    other = sub if not segment.same else None
    if other is not None:
        _subject(out, other, level)
        _body(out, other, level)
        kind = "reason" if segment.sub_kind == "because" else segment.sub_kind
        out += predicate(other, level, kind, other.id + parts.CONJ)
    if main.time_first:
        _time(out, main)  # after the inner clause, which it would date otherwise
    _subject(out, main, level)
    late = segment.sub_kind in ("because", "if")  # these stand before the time, other inner clauses after it
    if not main.time_first and not late:
        _time(out, main)
    if sub is not None and segment.same:
        _body(out, sub, level)
        out += predicate(sub, level, segment.sub_kind, sub.id + parts.CONJ)
    if not main.time_first and late:
        _time(out, main)
    _verb_phrases(out, segment, level, after.join if after else "final")


def _verb_phrases(out: list[Item], segment: Segment, level: str, end: str) -> None:
    """The main clause from its adverbs on, with the second verb phrase of the same subject."""
    last = segment.main
    if segment.second:
        last = segment.second
        _body(out, segment.main, level)
        out += predicate(segment.main, level, "go")
    _body(out, last, level)
    out += predicate(last, level, end)


def _time(out: list[Item], clause: Clause) -> None:
    if clause.time:
        out += _words(clause.time.korean, clause.id + parts.TIME)


def _words(phrase: Phrase, base: int) -> list[Item]:
    return [(word, tuple(base + slot for slot in slots)) for word, slots in phrase]


def _subject(out: list[Item], clause: Clause, level: str) -> None:
    subject = clause.subject
    if subject is None or clause.order:
        return
    if subject.noun.key == "you" and level != "casual":
        return  # politeness leaves "you" out and honours it in the verb
    if subject.noun.key == "who":
        out.append(("누가", (subject.id,)))
        return
    new = subject.det in ("a", "number")
    _noun_phrase(out, subject, "subject" if clause.embedded or new else "topic", level)


def _body(out: list[Item], clause: Clause, level: str) -> None:
    """Everything between the subject (and time) and the verb."""
    i = clause.id
    if clause.ask == "when":
        out.append(("언제", (i + parts.TIME,)))
    if clause.frequency:
        out += _words(clause.frequency.korean, i + parts.FREQUENCY)
    if clause.companion:
        _noun_phrase(out, clause.companion, "and", level)
        out.append(("함께", (i + parts.WITH,)))
    if clause.vehicle:
        out += [(korean.particle(clause.vehicle.korean, "object"), (i + parts.VEHICLE,)), ("타고", (i + parts.BY,))]
    if clause.place:
        _place(out, clause, clause.place, level)
    if clause.aim:
        _body(out, clause.aim, level)
        out += predicate(clause.aim, level, "aim")
    if clause.receiver:
        _noun_phrase(out, clause.receiver, "to", level)
    if clause.goal:
        where = "어디" if clause.ask == "where" else clause.goal.noun.korean
        back = clause.verb is not None and clause.verb.key in korean_words.TOWARDS
        out.append((korean.particle(where, "by" if back else "at"), (clause.goal.id,)))
    if clause.object and clause.kind != "noun":
        case = "subject" if clause.kind in ("there", "have") else "object"
        _noun_phrase(out, clause.object, case, level)
    if clause.than:
        _noun_phrase(out, clause.than, "than", level)
        out.append(("더", (i + parts.MORE,)))
    if clause.very:
        assert clause.adjective is not None
        out.append((korean_words.DEGREES.get(clause.adjective.key, "아주"), (i + parts.DEGREE,)))
    if clause.manner:
        out += _words(clause.manner.korean, i + parts.MANNER)


def _place(out: list[Item], clause: Clause, place: NounPhrase, level: str) -> None:
    if clause.location:
        _noun_phrase(out, place, "none", level)
        out.append((korean_words.LOCATIONS[clause.location], (clause.id + parts.PREP,)))
        return
    where = "어디" if clause.ask == "where" else place.noun.korean
    out.append((korean.particle(where, "in" if _is_action(clause) else "at"), (place.id,)))


def _is_action(clause: Clause) -> bool:
    """Whether its place is where something is done (에서), not where somebody or something is or stays (에)."""
    verb = clause.verb
    return verb is not None and verb.frame != "home" and verb.key not in korean_words.INTO


def _noun_phrase(out: list[Item], phrase: NounPhrase, case: str, level: str) -> None:
    if phrase.partner:
        first = phrase._replace(partner=None)
        _noun_phrase(out, first, "and", level)
        _noun_phrase(out, phrase.partner, case, level)
        return
    noun, i = phrase.noun, phrase.id
    if noun.kind == "pronoun":
        out.append((_pronoun(noun.key, case, level), (i,)))
        return
    if phrase.relative:
        _relative(out, phrase, phrase.relative, level)
    _determiner(out, phrase, level)
    if phrase.adjective:
        out.append((phrase.adjective.korean, (i + parts.ADJ,)))
    if phrase.det == "number":
        out.append((noun.korean, (i + parts.HEAD,)))
        out.append((korean_words.NUMBERS[phrase.amount], (i + parts.NUM,)))
        out.append(
            (_cased(noun.counter, case, phrase.respected), (i + (parts.CUP if noun.kind == "drink" else parts.HEAD),))
        )
        return
    many = phrase.amount > 1 and phrase.det != "all"
    out.append((_cased(_named(noun) + ("들" if many else ""), case, phrase.respected), (i + parts.HEAD,)))


def _named(noun: Noun) -> str:
    """The noun as particles follow it: a Korean given name that ends in a consonant has 이 first (서연이는)."""
    given = noun.key in korean_words.GIVEN_NAMES and korean.final(noun.korean) != " "
    return noun.korean + "이" if given else noun.korean


def _pronoun(key: str, case: str, level: str) -> str:
    if key in _OTHERS:
        return korean.particle(_OTHERS[key], case)
    if key == "what":
        return "무엇을"
    return _PRONOUNS[key, "casual" if level == "casual" else "polite"][case]


@cache
def _cased(word: str, case: str, respected: bool) -> str:
    if respected and case in ("topic", "subject", "to"):
        return word + {"topic": "께서는", "subject": "께서", "to": "께"}[case]
    return korean.particle(word, case)


def _determiner(out: list[Item], phrase: NounPhrase, level: str) -> None:
    det, number = phrase.det, phrase.id + parts.DET
    if det == "my":
        mine = "우리" if phrase.noun.key in korean_words.OURS else "내" if level == "casual" else "제"
        out.append((mine, (number,)))
    elif det == "own" and phrase.owner:
        out.append(("자신의" if phrase.owner.respected else "자기", (number,)))
    elif det in ("our", "this", "that"):
        out.append(({"our": "우리", "this": "이", "that": "그"}[det], (number,)))
    elif det == "owner" and phrase.owner:
        out.append((korean.particle(_named(phrase.owner.noun), "of"), (phrase.owner.id,)))


def _relative(out: list[Item], phrase: NounPhrase, clause: Clause, level: str) -> None:
    head = phrase._replace(relative=None)
    if phrase.gap == "object":
        _subject(out, clause, level)
        whole = clause._replace(object=head)
    else:
        whole = clause._replace(subject=head)
    _body(out, clause, level)
    out += predicate(whole, level, "modifier")
