"""The end of a Korean clause: its verb, adjective or noun with negation, modal, respect and ending.

A respected subject is honoured in every clause that is said of it, not only in the last: 주시고 … 읽으셨어요,
드시기 전에. Verbs that have another word for respect keep it everywhere (주무시고 계세요, 드셔야 해요, 드시러); the
others carry 시 where it is usual: not before -고 있다, -고 싶다 and -러. A verb is humble when it acts on somebody
respected (뵙다, 도와드리다, 가르쳐 드리다), and a few depend on their object (수프를 끓이다, 편지를 뜯다).
"""

from functools import cache

from jumok.data.phrasebook import korean, korean_words, parts
from jumok.data.phrasebook.korean import Stem
from jumok.data.phrasebook.meaning import Clause, NounPhrase

Item = tuple[str, tuple[int, ...]]
Chain = tuple[list[Item], Stem, tuple[int, ...]]  # (words before the last, the last word's stem, its numbers)

_HAVE, _LACK, _STAY = Stem("있", "", False, True), Stem("없", "", False, True), Stem("계시", "시", True)
_NOT, _CANNOT, _WISH, _DO = Stem("않"), Stem("못하", "하"), Stem("싶", "", False), Stem("하", "하")
_NOT_SO = Stem("않", "", False)
_IS_NOT = Stem("아니", "", False)
_OPPOSITES = {"알": Stem("모르", "르"), "있": _LACK}  # what is not negated but said with another word
_WEATHER = {
    "rain": ("비가", Stem("오")),
    "snow": ("눈이", Stem("오")),
    "cold": ("날씨가", Stem("춥", "ㅂ", False)),
    "hot": ("날씨가", Stem("덥", "ㅂ", False)),
}


def predicate(clause: Clause, level: str, end: str, joint: int = -1) -> list[Item]:
    """The predicate's words with the ending `end` asks for; `joint` is the number of a conjunction with its own word.

    `end`: final, modifier, and, but, go (two verbs of one subject), because, reason, when, if, before, after or aim.
    """
    return [(part, ids) for word, ids in _joined(clause, level, end, joint) for part in word.split()]


def _joined(clause: Clause, level: str, end: str, joint: int) -> list[Item]:
    """The words, a verb with its auxiliary still as one (보여 줘요)."""
    if clause.kind == "noun" and clause.object:
        return _noun_predicate(clause, clause.object, level, end)
    words, stem, ids = _chain(clause, level, end)
    if clause.order:
        said = korean.infinitive(stem)
        if clause.order == "bare":
            return [*words, (said, ids)]
        please = "주십시오" if level == "formal" else "주세요"
        return [*words, (said, ids), (please, (clause.id + parts.PLEASE,))]
    if end == "go" and clause.verb and clause.verb.frame == "goal":
        return [*words, (korean.infinitive(stem) + "서", ids)]  # what follows happens where one went: 가서
    forms = _endings(stem, _tense(clause), level, end, bool(clause.ask))
    if len(forms) == 1:
        return [*words, (forms[0], ids)]
    return [*words, (forms[0], ids), (forms[1], (joint if joint >= 0 else clause.id + parts.AUX,))]


def _tense(clause: Clause) -> str:
    """The tense of the form: what has become so is said in the past (낡았어요, is old)."""
    became = clause.adjective is not None and clause.adjective.key in korean_words.BECOME
    return "past" if became and clause.tense == "present" else clause.tense


@cache
def _endings(stem: Stem, tense: str, level: str, end: str, question: bool) -> tuple[str, ...]:
    if end == "final":
        return korean.finish(stem, tense, level, question)
    if end == "modifier":
        return (korean.modifier(stem, tense),)
    if end in ("and", "but"):
        tail = "고" if end == "and" else "지만"
        if tense == "future":
            return korean.will(stem), ("것이" if level == "formal" else "거") + tail
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


# -- nouns


def _noun_predicate(clause: Clause, noun: NounPhrase, level: str, end: str) -> list[Item]:
    word, respected, asked = noun.noun.korean, _honoured(clause, level), bool(clause.ask)
    if end in ("and", "but"):
        return _noun_joined(clause, noun, respected, "고" if end == "and" else "지만")
    if not clause.negative:
        return [(korean.finish_noun(word, clause.tense, level, respected, asked), (noun.id,))]
    stem = korean.honorific(_IS_NOT) if respected else _IS_NOT
    said = korean.finish(stem, clause.tense, level, asked)[0]
    if clause.tense == "present" and not respected and level != "formal":
        said = "아니에요" if level == "polite" else "아니야"
    elif clause.tense == "past" and not respected:
        said = said.replace("아녔", "아니었")
    return [(korean.particle(word, "subject"), (noun.id,)), (said, (clause.id + parts.NOT,))]


def _noun_joined(clause: Clause, noun: NounPhrase, respected: bool, tail: str) -> list[Item]:
    """의사고, 학생이고, 의사였지만, 의사시고, 의사가 아니고."""
    word, was = noun.noun.korean, clause.tense == "past"
    if clause.negative:
        middle = ("셨" if was else "시") if respected else "었" if was else ""
        return [(korean.particle(word, "subject"), (noun.id,)), ("아니" + middle + tail, (clause.id + parts.NOT,))]
    closed = korean.final(word) != " "
    copula = ("이었" if closed else "였") if was else ("이" if closed else "")
    if respected:
        copula = ("이" if closed else "") + ("셨" if was else "시")
    return [(word + copula + tail, (noun.id,))]


# -- verbs and adjectives


def _honoured(clause: Clause, level: str) -> bool:
    subject = clause.subject
    if subject is None:
        return False
    if subject.noun.key == "you":
        return level != "casual"
    return subject.respected


def _chain(clause: Clause, level: str, end: str) -> Chain:
    honoured = _honoured(clause, level)
    i = clause.id
    if clause.kind == "weather":
        noun, stem = _WEATHER[clause.weather]
        words: list[Item] = [(noun, (i + (parts.THERE if clause.weather in ("cold", "hot") else parts.WEATHER),))]
        return _negated(clause, words, stem, (i + parts.VERB,), False)
    if clause.kind == "adjective":
        return _adjective(clause, honoured)
    if clause.kind in ("there", "located", "have"):
        return _existence(clause, honoured)
    words, stem, ids = _verb(clause, honoured)
    if clause.modal == "progressive":
        return [*words, (stem.text + "고", ids)], (_STAY if honoured else _HAVE), (i + parts.AUX,)
    if clause.modal:
        return _with_modal(clause, words, stem, ids, honoured)
    return _negated(clause, words, stem, ids, honoured and end != "aim")


def _verb(clause: Clause, honoured: bool) -> Chain:
    """The verb without negation and modal; of the forms of respect, only those that are other words."""
    verb = clause.verb
    assert verb is not None
    words: list[Item] = [(verb.before, (clause.id + parts.VERB_NOUN,))] if verb.before else []
    return words, _lexical(clause, honoured), (clause.id + parts.VERB,)


def _lexical(clause: Clause, honoured: bool) -> Stem:
    verb, thing = clause.verb, clause.object
    assert verb is not None
    if honoured and verb.respectful:
        return verb.respectful
    if verb.humble and clause.receiver and clause.receiver.respected:
        return verb.humble
    if verb.humble and thing and thing.respected and not honoured:
        return verb.humble
    return verb.by_object.get(thing.noun.key, verb.stem) if thing else verb.stem


def _honorific(stem: Stem) -> Stem:
    return stem if stem.kind == "시" else korean.honorific(stem)


def _negated(clause: Clause, words: list[Item], stem: Stem, ids: tuple[int, ...], honoured: bool) -> Chain:
    """안 before a plain verb, -지 않다 with 하다 verbs and adjectives, another word for 알다 and 있다."""
    number = (clause.id + parts.NOT,)
    if clause.negative and stem.text in _OPPOSITES:
        stem, ids = _OPPOSITES[stem.text], ids + number
    elif clause.negative and stem.kind == "시" and not stem.action:
        return [*words, (stem.text + "지", ids)], _NOT_SO, number
    elif clause.negative and (not stem.action or stem.kind == "하"):
        refusal = _NOT if stem.action else _NOT_SO
        return [*words, (stem.text + "지", ids)], (korean.honorific(refusal) if honoured else refusal), number
    elif clause.negative:
        words = [*words, ("안", number)]
    return words, (_honorific(stem) if honoured else stem), ids


def _adjective(clause: Clause, honoured: bool) -> Chain:
    adjective, ids = clause.adjective, (clause.id + parts.VERB,)
    assert adjective is not None
    assert adjective.stem is not None
    words: list[Item] = [(adjective.before, ids)] if adjective.before else []
    respectful = korean_words.RESPECTFUL_ADJECTIVES.get(adjective.key)
    stem = Stem(respectful, "시", False) if honoured and respectful else adjective.stem
    return _negated(clause, words, stem, ids, honoured)


def _existence(clause: Clause, honoured: bool) -> Chain:
    i = clause.id
    there = (
        (i + parts.THERE,)
        if clause.kind == "there"
        else (i + parts.VERB,)
        if clause.kind == "have"
        else (i + parts.AUX,)
    )
    return _negated(clause, [], _STAY if clause.kind == "located" and honoured else _HAVE, there, honoured)


def _with_modal(clause: Clause, words: list[Item], stem: Stem, ids: tuple[int, ...], honoured: bool) -> Chain:
    i = clause.id
    number = (i + parts.MODAL,)
    if clause.modal == "can" and clause.negative:
        return _cannot(words, stem, ids, (i + parts.NOT,), honoured)
    if clause.modal == "can":
        return [*words, (korean.will(_honorific(stem) if honoured else stem), ids), ("수", number)], _HAVE, number
    if clause.modal == "must":
        return [*words, (korean.infinitive(_honorific(stem) if honoured else stem) + "야", ids)], _DO, number
    words = [*words, (stem.text + "고", ids)]
    if clause.subject and clause.subject.noun.key not in ("I", "we", "you"):
        words, last = [*words, ("싶어", number)], _DO
    else:
        last = _WISH
    if clause.negative:
        words, last, number = [*words, (last.text + "지", number)], (_NOT if last is _DO else _NOT_SO), (i + parts.NOT,)
    return words, (korean.honorific(last) if honoured else last), number


def _cannot(words: list[Item], stem: Stem, ids: tuple[int, ...], number: tuple[int, ...], honoured: bool) -> Chain:
    if stem.kind == "하":
        return [*words, (stem.text + "지", ids)], (korean.honorific(_CANNOT) if honoured else _CANNOT), number
    return [*words, ("못", number)], (_honorific(stem) if honoured else stem), ids
