"""A meaning as a Korean sentence: the verb last, particles and endings inside the words they belong to.

A main clause's known subject is its topic (은/는); a new one (`a cat`, `two students`) and an inner clause's subject
take 이/가. What Korean says with a particle or an ending alone (articles, `to`, `in`, `by`, `and`, `if`) has no word of
its own and no link.
"""

from functools import cache

from jumok.data.phrasebook import korean, korean_words
from jumok.data.phrasebook.korean import Stem
from jumok.data.phrasebook.lexicon import Phrase
from jumok.data.phrasebook.meaning import (
    ADJ,
    AUX,
    CONJ,
    CUP,
    DEGREE,
    DET,
    FREQUENCY,
    HEAD,
    MANNER,
    MODAL,
    MORE,
    NOT,
    NUM,
    PLEASE,
    PREP,
    THERE,
    TIME,
    VEHICLE,
    VERB,
    VERB_NOUN,
    WEATHER,
    WITH,
    Clause,
    NounPhrase,
    Segment,
    Sentence,
)

Item = tuple[str, tuple[int, ...]]
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
_HAVE, _LACK, _STAY = Stem("있", "", False, True), Stem("없", "", False, True), Stem("계시", "시", True)
_NOT, _CANNOT, _WISH, _DO = Stem("않"), Stem("못하", "하"), Stem("싶", "", False), Stem("하", "하")
_NOT_SO = Stem("않", "", False)
_IS_NOT = Stem("아니", "", False)
_WEATHER = {
    "rain": ("비가", Stem("오")),
    "snow": ("눈이", Stem("오")),
    "cold": ("날씨가", Stem("춥", "ㅂ", False)),
    "hot": ("날씨가", Stem("덥", "ㅂ", False)),
}


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
    if main.time and main.time_first:
        out += _words(main.time.korean, main.id + TIME)
    if sub is not None and not segment.same:
        _subject(out, sub, level)
        _body(out, sub, level)
        out += _predicate(sub, level, "reason" if segment.sub_kind == "because" else segment.sub_kind, sub.id + CONJ)
    _subject(out, main, level)
    late = segment.sub_kind in ("because", "if")  # these stand before the time, other inner clauses after it
    if main.time and not main.time_first and not late:
        out += _words(main.time.korean, main.id + TIME)
    if sub is not None and segment.same:
        _body(out, sub, level)
        out += _predicate(_unhonoured(sub), level, segment.sub_kind, sub.id + CONJ)
    if main.time and not main.time_first and late:
        out += _words(main.time.korean, main.id + TIME)
    last = main
    if segment.second:
        last = segment.second
        _body(out, main, level)
        out += _predicate(_unhonoured(main), level, "go")
    _body(out, last, level)
    if after is None:
        out += _predicate(last, level, "final")
    else:
        out += _predicate(last, level, after.join)


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
        out.append(("언제", (i + TIME,)))
    if clause.frequency:
        out += _words(clause.frequency.korean, i + FREQUENCY)
    if clause.companion:
        _noun_phrase(out, clause.companion, "and", level)
        out.append(("함께", (i + WITH,)))
    if clause.vehicle:
        out.append((korean.particle(clause.vehicle.korean, "by"), (i + VEHICLE,)))
    if clause.place:
        _place(out, clause, clause.place, level)
    if clause.aim:
        _body(out, clause.aim, level)
        out += _predicate(_unhonoured(clause.aim), level, "aim")
    if clause.receiver:
        _noun_phrase(out, clause.receiver, "to", level)
    if clause.goal:
        word = "어디에" if clause.ask == "where" else korean.particle(clause.goal.noun.korean, "at")
        out.append((word, (clause.goal.id,)))
    if clause.object and clause.kind != "noun":
        case = "subject" if clause.kind in ("there", "have") else "object"
        _noun_phrase(out, clause.object, case, level)
    if clause.than:
        _noun_phrase(out, clause.than, "than", level)
        out.append(("더", (i + MORE,)))
    if clause.very:
        out.append(("아주", (i + DEGREE,)))
    if clause.manner:
        out += _words(clause.manner.korean, i + MANNER)


def _place(out: list[Item], clause: Clause, place: NounPhrase, level: str) -> None:
    if clause.location:
        _noun_phrase(out, place, "none", level)
        out.append((korean_words.LOCATIONS[clause.location], (clause.id + PREP,)))
        return
    at = (
        "at"
        if clause.kind in ("there", "located", "weather") or (clause.verb and clause.verb.frame == "home")
        else "in"
    )
    if clause.ask == "where":
        out.append(("어디에서" if at == "in" else "어디에", (place.id,)))
    else:
        out.append((korean.particle(place.noun.korean, at), (place.id,)))


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
        out.append((phrase.adjective.korean, (i + ADJ,)))
    if phrase.det == "number":
        out.append((noun.korean, (i + HEAD,)))
        out.append((korean_words.NUMBERS[phrase.amount], (i + NUM,)))
        out.append((_cased(noun.counter, case, phrase.respected), (i + (CUP if noun.kind == "drink" else HEAD),)))
        return
    many = phrase.amount > 1 and phrase.det != "all"
    out.append((_cased(noun.korean + ("들" if many else ""), case, phrase.respected), (i + HEAD,)))


def _pronoun(key: str, case: str, level: str) -> str:
    if key == "we":
        return korean.particle("우리", case)
    if key == "what":
        return "무엇을"
    return _PRONOUNS[key, "casual" if level == "casual" else "polite"][case]


@cache
def _cased(word: str, case: str, respected: bool) -> str:
    if respected and case in ("topic", "subject", "to"):
        return word + {"topic": "께서는", "subject": "께서", "to": "께"}[case]
    return korean.particle(word, case)


def _determiner(out: list[Item], phrase: NounPhrase, level: str) -> None:
    det, number = phrase.det, phrase.id + DET
    if det == "my":
        mine = "우리" if phrase.noun.key in korean_words.OURS else "내" if level == "casual" else "제"
        out.append((mine, (number,)))
    elif det in ("our", "own", "this", "that"):
        out.append(({"our": "우리", "own": "자기", "this": "이", "that": "그"}[det], (number,)))
    elif det == "owner" and phrase.owner:
        out.append((korean.particle(phrase.owner.noun.korean, "of"), (phrase.owner.id,)))


def _relative(out: list[Item], phrase: NounPhrase, clause: Clause, level: str) -> None:
    if phrase.gap == "object":
        _subject(out, clause, level)
        whole = clause
    else:
        whole = clause._replace(subject=phrase._replace(relative=None))
    _body(out, clause, level)
    out += _predicate(whole, level, "modifier")


def _unhonoured(clause: Clause) -> Clause:
    """The clause as said before another of the same respected subject: only the last verb carries 시."""
    return clause._replace(subject=None)


def _honoured(clause: Clause, level: str) -> bool:
    subject = clause.subject
    if subject is None:
        return False
    if subject.noun.key == "you":
        return level != "casual"
    return subject.respected


def _predicate(clause: Clause, level: str, end: str, joint: int = -1) -> list[Item]:
    """The verb's words with the ending `end` asks for; `joint` is the number of a conjunction with its own word."""
    if clause.kind == "noun" and clause.object:
        return _noun_predicate(clause, clause.object, level, end)
    words, stem, ids = _chain(clause, level)
    if clause.order:
        said = korean.infinitive(stem)
        if clause.order == "bare":
            return [*words, (said, ids)]
        please = "주십시오" if level == "formal" else "주세요"
        return [*words, (said, ids), (please, (clause.id + PLEASE,))]
    forms = _endings(stem, clause.tense, level, end, bool(clause.ask))
    if len(forms) == 1:
        return [*words, (forms[0], ids)]
    return [*words, (forms[0], ids), (forms[1], (joint if joint >= 0 else clause.id + AUX,))]


@cache
def _endings(stem: Stem, tense: str, level: str, end: str, question: bool) -> tuple[str, ...]:
    if end == "final":
        return korean.finish(stem, tense, level, question)
    if end == "modifier":
        return (korean.modifier(stem, tense),)
    if end in ("and", "but"):
        tail = "고" if end == "and" else "지만"
        if tense == "future":
            return korean.will(stem), "것이" + tail
        return ((korean.past(stem) if tense == "past" else stem.text) + tail,)
    if end == "go":
        return (stem.text + "고",)
    if end == "because":
        return (korean.infinitive(stem) + "서",)
    if end == "reason":
        return (korean.past(stem) if tense == "past" else stem.text) + "기", "때문에"
    if end == "when":
        return (korean.past(stem) + "을" if tense == "past" else korean.will(stem)), "때"
    if end == "if":
        return (korean.if_form(stem),)
    if end == "before":
        return stem.text + "기", "전에"
    if end == "after":
        return korean.modifier(stem, "past"), "후에"
    return (korean.purpose(stem),)


def _noun_predicate(clause: Clause, noun: NounPhrase, level: str, end: str) -> list[Item]:
    word, respected, asked = noun.noun.korean, _honoured(clause, level), bool(clause.ask)
    if end in ("and", "but"):
        return _noun_joined(clause, noun, "고" if end == "and" else "지만")
    if not clause.negative:
        return [(korean.finish_noun(word, clause.tense, level, respected, asked), (noun.id,))]
    stem = korean.honorific(_IS_NOT) if respected else _IS_NOT
    said = korean.finish(stem, clause.tense, level, asked)[0]
    if clause.tense == "present" and not respected and level != "formal":
        said = "아니에요" if level == "polite" else "아니야"
    elif clause.tense == "past" and not respected:
        said = said.replace("아녔", "아니었")
    return [(korean.particle(word, "subject"), (noun.id,)), (said, (clause.id + NOT,))]


def _noun_joined(clause: Clause, noun: NounPhrase, tail: str) -> list[Item]:
    """의사고, 학생이고, 의사였지만, 의사가 아니고."""
    word, was = noun.noun.korean, clause.tense == "past"
    if clause.negative:
        return [
            (korean.particle(word, "subject"), (noun.id,)),
            ("아니" + ("었" if was else "") + tail, (clause.id + NOT,)),
        ]
    closed = korean.final(word) != " "
    copula = ("이었" if closed else "였") if was else ("이" if closed else "")
    return [(word + copula + tail, (noun.id,))]


def _chain(clause: Clause, level: str) -> tuple[list[Item], Stem, tuple[int, ...]]:
    """(words before the last, the last word's stem, its numbers)."""
    honoured = _honoured(clause, level)
    i = clause.id
    if clause.kind == "weather":
        noun, stem = _WEATHER[clause.weather]
        words: list[Item] = [(noun, (i + (THERE if clause.weather in ("cold", "hot") else WEATHER),))]
        return _negated(clause, words, stem, (i + VERB,), False)
    if clause.kind == "adjective" and clause.adjective and clause.adjective.stem:
        return _negated(clause, [], clause.adjective.stem, (i + VERB,), honoured)
    if clause.kind in ("there", "located", "have"):
        return _existence(clause, honoured)
    if clause.modal and clause.modal != "progressive":
        return _with_modal(clause, honoured)
    verb = clause.verb
    assert verb is not None
    if clause.modal == "progressive":
        words, stem, ids = _plain(clause)
        return [*words, (stem.text + "고", ids)], (_STAY if honoured else _HAVE), (i + AUX,)
    words, stem, ids = _plain(clause)
    if honoured and not (clause.negative and verb.light):
        special = verb.key in korean_words.RESPECTFUL_VERBS
        stem = verb.respectful if special else korean.honorific(stem)
    return _negated(clause, words, stem, ids, honoured)


def _plain(clause: Clause) -> tuple[list[Item], Stem, tuple[int, ...]]:
    verb = clause.verb
    assert verb is not None
    words: list[Item] = [(verb.before, (clause.id + VERB_NOUN,))] if verb.before else []
    stem = verb.humble if verb.humble and clause.receiver and clause.receiver.respected else verb.stem
    return words, stem, (clause.id + VERB,)


def _negated(
    clause: Clause, words: list[Item], stem: Stem, ids: tuple[int, ...], honoured: bool
) -> tuple[list[Item], Stem, tuple[int, ...]]:
    """안 before a plain verb; -지 않다 with 하다 verbs and adjectives."""
    number = (clause.id + NOT,)
    if clause.negative and (not stem.action or (clause.verb is not None and clause.verb.light)):
        refusal = _NOT if stem.action else _NOT_SO
        return [*words, (stem.text + "지", ids)], (korean.honorific(refusal) if honoured else refusal), number
    if clause.negative:
        return [*words, ("안", number)], stem, ids
    if honoured and stem.kind != "시":
        stem = korean.honorific(stem)
    return words, stem, ids


def _existence(clause: Clause, honoured: bool) -> tuple[list[Item], Stem, tuple[int, ...]]:
    i = clause.id
    there = (i + THERE,) if clause.kind == "there" else (i + VERB,) if clause.kind == "have" else (i + AUX,)
    if clause.kind == "located" and honoured:
        return ([("안", (i + NOT,))] if clause.negative else []), _STAY, there
    stem = _LACK if clause.negative else _HAVE
    ids = (*there, i + NOT) if clause.negative else there
    return [], (korean.honorific(stem) if honoured else stem), ids


def _with_modal(clause: Clause, honoured: bool) -> tuple[list[Item], Stem, tuple[int, ...]]:
    words, stem, ids = _plain(clause)
    i, verb = clause.id, clause.verb
    assert verb is not None
    number = (i + MODAL,)
    if clause.modal == "can" and clause.negative:
        number = (i + NOT,)
        if verb.light:
            return [*words, (stem.text + "지", ids)], (korean.honorific(_CANNOT) if honoured else _CANNOT), number
        _, stem, ids = _chain(clause._replace(modal="", negative=False), "casual" if not honoured else "polite")
        return [*words, ("못", number)], stem, ids
    if clause.modal == "can":
        words = [*words, (korean.will(stem), ids), ("수", number)]
        return words, (korean.honorific(_HAVE) if honoured else _HAVE), number
    if clause.modal == "must":
        words = [*words, (korean.infinitive(stem) + "야", ids)]
        return words, (korean.honorific(_DO) if honoured else _DO), number
    words = [*words, (stem.text + "고", ids)]
    if clause.subject and clause.subject.noun.key not in ("I", "we", "you"):
        words, last = [*words, ("싶어", number)], _DO
    else:
        last = _WISH
    if clause.negative:
        words, last, number = [*words, (last.text + "지", number)], (_NOT if last is _DO else _NOT_SO), (i + NOT,)
    return words, (korean.honorific(last) if honoured else last), number
