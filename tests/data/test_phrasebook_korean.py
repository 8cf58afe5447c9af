"""Korean forms against a table written by hand, and the rules of the final consonant over the whole lexicon."""

import pytest

from jumok.data.phrasebook import korean
from jumok.data.phrasebook.korean import Stem, finish, finish_noun, honorific, modifier, particle
from jumok.data.phrasebook.lexicon import NOUNS, korean_stem
from tests.data.forms import forms_of


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("책", "책은 책이 책을 책과 책으로"),
        ("사과", "사과는 사과가 사과를 사과와 사과로"),
        ("물", "물은 물이 물을 물과 물로"),  # ㄹ takes 로
        ("지하철", "지하철은 지하철이 지하철을 지하철과 지하철로"),
        ("트럭", "트럭은 트럭이 트럭을 트럭과 트럭으로"),
        ("학교", "학교는 학교가 학교를 학교와 학교로"),
        ("꽃", "꽃은 꽃이 꽃을 꽃과 꽃으로"),
        ("부엌", "부엌은 부엌이 부엌을 부엌과 부엌으로"),
        ("여왕", "여왕은 여왕이 여왕을 여왕과 여왕으로"),
        ("의사", "의사는 의사가 의사를 의사와 의사로"),
    ],
)
def test_particles(word: str, forms: str) -> None:
    assert [particle(word, name) for name in ("topic", "subject", "object", "and", "by")] == forms.split()


def test_the_vocative_follows_the_final_consonant() -> None:
    assert particle("민수", "calling") == "민수야"
    assert particle("지훈", "calling") == "지훈아"


@pytest.mark.parametrize("key", sorted(NOUNS))
def test_every_noun_takes_the_particles_its_last_sound_asks_for(key: str) -> None:
    word = NOUNS[key].korean
    closed = (ord(word[-1]) - 0xAC00) % 28 != 0
    for name, (consonant, vowel) in korean.PARTICLES.items():
        if name != "by":
            assert particle(word, name) == word + (consonant if closed else vowel)


# dictionary form → -아/어요, -았/었어요, -(으)ㄹ 거예요, -ㅂ/습니다, -는, -(으)ㄴ, -(으)면, -(으)세요
VERBS = forms_of("korean_verbs")


@pytest.mark.parametrize(("entry", "forms"), VERBS.items())
def test_verbs(entry: str, forms: str) -> None:
    stem = korean_stem(entry)[1]
    said = [
        finish(stem, "present", "polite")[0],
        finish(stem, "past", "polite")[0],
        korean.will(stem),
        finish(stem, "present", "formal")[0],
        modifier(stem, "present"),
        modifier(stem, "past"),
        korean.if_form(stem),
        finish(honorific(stem), "present", "polite")[0],
    ]
    assert said == forms.replace(" ", "\n").replace("|", " ").splitlines()


# dictionary form → before a noun, -아/어요, -았/었어요, -ㅂ/습니다
ADJECTIVES = forms_of("korean_adjectives")


@pytest.mark.parametrize(("entry", "forms"), ADJECTIVES.items())
def test_adjectives(entry: str, forms: str) -> None:
    stem = korean_stem(entry, action=False)[1]
    said = [modifier(stem, "present"), finish(stem, "present", "polite")[0]]
    said += [finish(stem, "past", "polite")[0], finish(stem, "present", "formal")[0]]
    assert said == forms.split()


def test_levels_tenses_and_questions() -> None:
    go = Stem("가")
    assert finish(go, "future", "polite") == ("갈", "거예요")
    assert finish(go, "future", "formal") == ("갈", "겁니다")
    assert finish(go, "future", "formal", question=True) == ("갈", "겁니까")
    assert finish(go, "future", "casual") == ("갈", "거야")
    assert finish(go, "past", "casual") == ("갔어",)
    assert finish(go, "present", "casual") == ("가",)
    assert finish(go, "past", "formal", question=True) == ("갔습니까",)
    assert finish(honorific(go), "past", "polite") == ("가셨어요",)
    assert finish(honorific(go), "present", "formal") == ("가십니다",)
    assert finish(honorific(go), "present", "casual") == ("가셔",)


@pytest.mark.parametrize(
    ("noun", "forms"),
    [
        ("의사", "의사예요 의사였어요 의사입니다 의사야 의사세요"),
        ("학생", "학생이에요 학생이었어요 학생입니다 학생이야 학생이세요"),
    ],
)
def test_a_noun_as_predicate(noun: str, forms: str) -> None:
    said = [finish_noun(noun, "present", "polite", False), finish_noun(noun, "past", "polite", False)]
    said += [finish_noun(noun, "present", "formal", False), finish_noun(noun, "present", "casual", False)]
    said.append(finish_noun(noun, "present", "polite", True))
    assert said == forms.split()


def test_purpose_and_connectives() -> None:
    assert korean.purpose(Stem("읽")) == "읽으러"
    assert korean.purpose(Stem("만들")) == "만들러"
    assert korean.infinitive(Stem("오")) + "서" == "와서"
    assert korean.infinitive(Stem("춥", "ㅂ", False)) + "서" == "추워서"
