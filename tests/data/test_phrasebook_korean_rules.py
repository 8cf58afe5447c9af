"""What a reader of Korean expects of the phrasebook's sentences, each rule over twenty thousand of them."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from random import Random
from typing import NamedTuple

import pytest

from jumok.data.phrasebook import concepts, generate, parts, say_english, say_french, say_korean
from jumok.data.phrasebook.lexicon import VERBS
from jumok.data.phrasebook.meaning import Clause, Segment, Sentence
from jumok.data.phrasebook.sampler import Sampler

RESPECT = concepts.words("eat drink sleep have_lunch have_dinner")  # verbs that have another word for respect


class Said(NamedTuple):
    """A meaning with its Korean and English."""

    meaning: Sentence
    korean: str
    english: str


@cache
def said() -> tuple[Said, ...]:
    sampler = Sampler(Random("a reader of Korean"))
    meanings = chain((sampler.sentence() for _ in range(20_011)), (sampler.sentence(3, 5) for _ in range(1_009)))
    return tuple(_said(meaning) for meaning in meanings)


def _said(meaning: Sentence) -> Said:
    english = " ".join(word for word, ids in say_english.say(meaning) if ids is not None)
    return Said(meaning, " ".join(word for word, _ in say_korean.say(meaning)), english)


@cache
def text() -> str:
    return "\n".join(line.korean for line in said())


def single() -> Iterator[tuple[Segment, Said]]:
    """The sentences of one segment."""
    return ((line.meaning.segments[0], line) for line in said() if len(line.meaning.segments) == 1)


def clauses_of(subject_is_respected: bool) -> Iterator[tuple[Clause, Said]]:
    """The clauses said of the main subject in sentences of one segment."""
    for segment, line in single():
        main = segment.main
        if main.subject is not None and main.subject.respected == subject_is_respected:
            own = [main, segment.second, segment.sub if segment.same else None, main.aim]
            yield from ((clause, line) for clause in own if clause is not None)


# never said · said
RULES = {
    "drink has a word of respect": (r"마시(세|셔|셨|십|시|실)", r"(차|물|커피|우유)를? .*드(세요|셨어요|실)"),
    "old is a state that came about": (r"낡(아|습니|고|지만|지 않(아|습|고|지))", r"낡았(어요|습니다|고|지만)"),
    "not old": (r"낡지 않[아습]", r"낡지 않았"),
    "names that end in a consonant take 이": (r"(서연|지훈)(?!이[가-힣]|아,)", r"(서연|지훈)이(는|가|를|와|의|에게)"),
    "foreign names do not": (r"폴이[는를와의]", r"폴(은|을|과|의) "),
    "the house is ours": (r"(^| )(제|내) 집[은이을보]", r"우리 집[은이을]"),
    "an auxiliary is written apart": (r"보여[주줘줬줄줍드]", r"보여 (줘요|줬어요|줄|드렸어요)"),
    "and follows its verb, which 안 and 못 precede": (r"(보여|가르쳐|보내) (안|못)", r" 안 보여 (줘|줬|줄)"),
    "soup is boiled": (r"수프를 (\w+게 )?요리[하했해한할]", r"수프를 (\w+ )?끓[였이여일]"),
    "soup is boiled in relative clauses too": (r"요리한 수프", r"끓인 수프"),
    "letters are torn open": (r"편지를 (\w+ )?(열어|열었|여는|열 거)", r"편지를 (\w+ )?뜯"),
    "gifts are untied": (r"선물을 (\w+ )?(열어|열었|열 거)", r"선물을 (\w+ )?풀"),
    "windows are smashed": (r"(창문|램프)[을를] 부[수쉈]", r"(창문|램프)[을를] 깼"),
    "umbrellas are put up": (r"우산을 사용", r"우산을 [쓰썼쓸써]"),
    "bridges are laid": (r"다리를 지[었을]", r"다리를 놓"),
    "not to know is another verb": (r"안 (알|아[는세십시]|압)", r"(모르|몰[라랐])"),
    "one goes back 로, since 에 돌아가시다 is to die": (r"에 (안 )?돌아가", r"(으로|로) (안 )?돌아가[셨세]"),
    "one rides what one goes by": (r"(버스|택시|지하철|기차|비행기|배)로 ", r"(버스|택시)를 타고 "),
    "one plants into a place": (r"원에서 (\w+ )?(꽃을|나무를) 심", r"원에 (\w+ )?(꽃을|나무를) 심"),
    "respected people are unwell": (r"께서는 (많이 )?아[프파팠플픕]", r"께서는 [^.]*편찮으[세셨시십]"),
    "help is humble": (r"(저|나|우리)는 (\w+ )?(선생님|사장님|손님)을 (돕|도왔|도와요)", r"(님|니|지)[을를] 도와드"),
    "the future joins as it ends": (r"[을ㄹ갈볼할] 것이(고|지만) .*(요|거야)[.]", r" 거(고|지만) "),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str) -> None:
    wrong, right = (re.compile(pattern) for pattern in RULES[name])
    for line in said():
        assert not wrong.search(line.korean), line.korean
    assert any(right.search(line.korean) for line in said()), right.pattern


def test_what_follows_a_way_happens_at_its_end() -> None:
    """가서, never 가고, before the second verb of the same subject."""
    found = 0
    for segment, line in single():
        if segment.second and segment.main.verb and segment.main.verb.frame == "goal":
            assert re.search(r"(가|와|도착해|[가오]셔|하셔)서 ", line.korean), line.korean
            assert not re.search(r"(가|오|도착하|시)고 ", line.korean), line.korean
            found += 1
    assert found > 30


def test_words_of_respect_are_kept_in_every_clause() -> None:
    found = 0
    for clause, line in clauses_of(subject_is_respected=True):
        if clause.verb and clause.verb.key in RESPECT:
            assert re.match("드|주무", _verb_word(clause, line.meaning)), line.korean
            found += 1
    assert found > 300


def _verb_word(clause: Clause, meaning: Sentence) -> str:
    return next(word for word, ids in say_korean.say(meaning) if clause.id + parts.VERB in ids)


def test_respected_people_own_with_another_word() -> None:
    found = 0
    for segment, line in single():
        thing = segment.main.object
        if thing is not None and thing.det == "own" and thing.owner is not None:
            said_of = "자신의" if thing.owner.respected else "자기"
            assert f" {said_of} " in line.korean, line.korean
            found += thing.owner.respected
    assert found > 10


@pytest.mark.parametrize(
    "form",
    [
        r"주무시고 계(세요|십니다|셔)",
        r"드시고 계(세요|십니다|셔)",
        r"드셔야 (해|합)",
        r"주무셔야 (해|합)",
        r"드실 수 있(어|습)",
        r"드시고 싶어 하(세|셨|십)",
        r"못 (드|주무)(세|십|셔)",
        r"안 (드|주무)(세|십|셔|셨|실)",
        r"드시기 전에",
        r"주무시기 전에",
        r"드신 후에",
        r"드실 때",
        r"드시러 ",
        r"읽으셔야 (해|합)",
        r"읽으실 수 있",
        r"(바쁘|피곤하|행복하)셔서 ",
        r"(바쁘|피곤하|행복하)시면 ",
        r"시간이 있으(세요|십니까)\?",
        r"께서는 의사시(고|지만)",
    ],
)  # fmt: skip
def test_respect_under_modals_and_in_inner_clauses(form: str) -> None:
    assert re.search(form, text())


@pytest.mark.parametrize(
    "form", [r"[어아]야 하(세요|십)", r"수 있으(세|십|셔)", r"(먹|마시|자)고 계", r"께서는? [^.]*(자|먹|마시)기 전에 "]
)
def test_respect_never_comes_too_late(form: str) -> None:
    found = [line for segment, line in single() if not segment.sub or segment.same if re.search(form, line.korean)]
    assert not found, found[0].korean


def test_two_verbs_of_a_respected_subject_are_both_honoured() -> None:
    found = 0
    for segment, line in single():
        subject = segment.main.subject
        if segment.second and subject and subject.respected:
            assert re.search(r"(시고|셔서) ", line.korean), line.korean
            found += 1
    assert found > 30


def test_who_is_met_is_respected() -> None:
    """뵙다, unless the subject is honoured itself."""
    found = 0
    for clause, line in clauses_of(subject_is_respected=False):
        you = clause.subject is not None and clause.subject.noun.key == "you"
        if clause.verb is VERBS["meet"] and clause.object and clause.object.respected and not you:
            assert re.match(r"[뵙뵐뵀봬뵌뵈]", _verb_word(clause, line.meaning)), line.korean
            found += 1
    assert found > 20
    assert {form for form in ("뵙고 ", "뵀어요", "뵐 ", "뵙습니다") if form in text()} >= {"뵙고 ", "뵀어요", "뵐 "}


def test_who_is_taught_shown_or_sent_something_is_respected() -> None:
    found: dict[str, int] = {}
    for segment, line in single():
        main = segment.main
        if main.verb and main.receiver and main.receiver.respected:
            assert re.search(r"드[리려렸릴린립]", line.korean), line.korean
            found[main.verb.key] = found.get(main.verb.key, 0) + 1
    assert set(found) == {"give", "send", "show", "lend", "teach"}


def test_a_time_in_front_does_not_date_the_reason() -> None:
    found = 0
    for segment, line in single():
        if segment.sub_kind == "because" and not segment.same and segment.main.time and segment.main.time_first:
            first = segment.main.time.korean[0][0]
            assert line.korean.index("때문에 " + first) > 0
            found += 1
    assert found > 30


def test_habits_and_states_are_said_of_a_topic() -> None:
    for line in said():
        for main in (segment.main for segment in line.meaning.segments if segment.main.kind == "verb"):
            if main.subject is not None and main.subject.det in ("a", "number"):
                assert main.tense != "present" or main.modal == "progressive", line.korean
                assert main.frequency is None, line.korean
                assert main.verb is None or main.verb.key not in concepts.STATES, line.korean
    assert re.search(r"(학생|의사|가수)[이가] .*(었|았|했|갔)어요", text())
    assert re.search(r"(학생|의사|가수)[은는] (매일|항상) ", text())


WELL_KNOWN = {
    "Are you free tomorrow?": ("내일 시간이 있으세요?", "Est-ce que vous êtes libre demain?"),
    "I go home.": ("저는 집에 가요.", "Je vais à la maison."),
    "She is eating a green apple.": (
        "그녀는 초록색 사과를 먹고 있어요.",
        "Elle est en train de manger une pomme verte.",
    ),
}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("pair", "side"), [("en-ko", 0), ("en-fr", 1)])
def test_well_known_sentences_occur_in_the_corpus(pair: str, side: int, seed: int) -> None:
    found = {example.source: example.target for example in generate(pair, "train", 101, seed)}
    assert {source: found.get(source) for source in WELL_KNOWN} == {
        source: targets[side] for source, targets in WELL_KNOWN.items()
    }


def test_links_of_the_well_known_sentences() -> None:
    links = {example.source: example.links for example in generate("en-ko", "train", 3)}
    assert links["Are you free tomorrow?"] == ((2, 1), (2, 2), (3, 0))
    assert links["I go home."] == ((0, 0), (1, 2), (2, 1))
    assert links["She is eating a green apple."] == ((0, 0), (1, 4), (2, 3), (4, 1), (5, 2))


@pytest.mark.parametrize(
    "pattern",
    [r"^Are you free ", r"^(Sir|Madam), are you free ", r"^She is eating ", r"\bgreen apple", r"^I go ", r"^He "],
)
def test_the_grammar_draws_sentences_like_them(pattern: str) -> None:
    assert any(re.search(pattern, line.english) for line in said())


def test_what_somebody_honoured_eats_and_drinks_can_be_told_apart() -> None:
    """드시다 is both, so that 무엇을 드셨어요 only asks about eating."""
    for line in said():
        if "무엇을" in line.korean and re.search(r" 드(세|셨|실|십)", line.korean):
            assert " eat" in line.english, line
    assert re.search(r"무엇을 마[실셨]", text())


def test_french_knows_he_and_she() -> None:
    sampler = Sampler(Random("he and she"))
    found = [" ".join(word for word, _ in say_french.say(sampler.sentence())) for _ in range(4_001)]
    assert any(re.search(r"^Elle est (allée|venue|arrivée|retournée) ", line) for line in found)
    assert any(re.search(r"est-ce qu'il ", line) for line in found)
