"""Korean forms against a table written by hand, and the rules of the final consonant over the whole lexicon."""

import pytest

from jumok.data.phrasebook import korean
from jumok.data.phrasebook.korean import Stem, finish, finish_noun, honorific, modifier, particle
from jumok.data.phrasebook.lexicon import NOUNS, korean_stem


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
VERBS = {
    "읽다": "읽어요 읽었어요 읽을 읽습니다 읽는 읽은 읽으면 읽으세요",
    "먹다": "먹어요 먹었어요 먹을 먹습니다 먹는 먹은 먹으면 먹으세요",
    "가다": "가요 갔어요 갈 갑니다 가는 간 가면 가세요",
    "오다": "와요 왔어요 올 옵니다 오는 온 오면 오세요",
    "보다": "봐요 봤어요 볼 봅니다 보는 본 보면 보세요",
    "배우다": "배워요 배웠어요 배울 배웁니다 배우는 배운 배우면 배우세요",
    "주다": "줘요 줬어요 줄 줍니다 주는 준 주면 주세요",
    "마시다": "마셔요 마셨어요 마실 마십니다 마시는 마신 마시면 마시세요",
    "가르치다": "가르쳐요 가르쳤어요 가르칠 가르칩니다 가르치는 가르친 가르치면 가르치세요",
    "보내다": "보내요 보냈어요 보낼 보냅니다 보내는 보낸 보내면 보내세요",
    "만나다": "만나요 만났어요 만날 만납니다 만나는 만난 만나면 만나세요",
    "쉬다": "쉬어요 쉬었어요 쉴 쉽니다 쉬는 쉰 쉬면 쉬세요",
    "쓰다": "써요 썼어요 쓸 씁니다 쓰는 쓴 쓰면 쓰세요",
    "심다": "심어요 심었어요 심을 심습니다 심는 심은 심으면 심으세요",
    "닫다": "닫아요 닫았어요 닫을 닫습니다 닫는 닫은 닫으면 닫으세요",
    "웃다": "웃어요 웃었어요 웃을 웃습니다 웃는 웃은 웃으면 웃으세요",
    "씻다": "씻어요 씻었어요 씻을 씻습니다 씻는 씻은 씻으면 씻으세요",
    "살다": "살아요 살았어요 살 삽니다 사는 산 살면 사세요",
    "만들다": "만들어요 만들었어요 만들 만듭니다 만드는 만든 만들면 만드세요",
    "울다": "울어요 울었어요 울 웁니다 우는 운 울면 우세요",
    "공부하다": "공부해요 공부했어요 공부할 공부합니다 공부하는 공부한 공부하면 공부하세요",
    "듣다:ㄷ": "들어요 들었어요 들을 듣습니다 듣는 들은 들으면 들으세요",
    "걷다:ㄷ": "걸어요 걸었어요 걸을 걷습니다 걷는 걸은 걸으면 걸으세요",
    "돕다:ㅂ": "도와요 도왔어요 도울 돕습니다 돕는 도운 도우면 도우세요",
    "굽다:ㅂ": "구워요 구웠어요 구울 굽습니다 굽는 구운 구우면 구우세요",
    "짓다:ㅅ": "지어요 지었어요 지을 짓습니다 짓는 지은 지으면 지으세요",
    "부르다:르": "불러요 불렀어요 부를 부릅니다 부르는 부른 부르면 부르세요",
    "고르다:르": "골라요 골랐어요 고를 고릅니다 고르는 고른 고르면 고르세요",
    "자르다:르": "잘라요 잘랐어요 자를 자릅니다 자르는 자른 자르면 자르세요",
    "모르다:르": "몰라요 몰랐어요 모를 모릅니다 모르는 모른 모르면 모르세요",
    "뵙다:뵙": "봬요 뵀어요 뵐 뵙습니다 뵙는 뵌 뵈면 뵈세요",
    "보여_주다": "보여|줘요 보여|줬어요 보여|줄 보여|줍니다 보여|주는 보여|준 보여|주면 보여|주세요",
}


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
ADJECTIVES = {
    "크다": "큰 커요 컸어요 큽니다",
    "작다": "작은 작아요 작았어요 작습니다",
    "예쁘다": "예쁜 예뻐요 예뻤어요 예쁩니다",
    "아프다": "아픈 아파요 아팠어요 아픕니다",
    "바쁘다": "바쁜 바빠요 바빴어요 바쁩니다",
    "길다": "긴 길어요 길었어요 깁니다",
    "재미있다": "재미있는 재미있어요 재미있었어요 재미있습니다",
    "아름답다:ㅂ": "아름다운 아름다워요 아름다웠어요 아름답습니다",
    "쉽다:ㅂ": "쉬운 쉬워요 쉬웠어요 쉽습니다",
    "무겁다:ㅂ": "무거운 무거워요 무거웠어요 무겁습니다",
    "빨갛다:ㅎ": "빨간 빨개요 빨갰어요 빨갛습니다",
    "하얗다:ㅎ": "하얀 하얘요 하얬어요 하얗습니다",
    "피곤하다": "피곤한 피곤해요 피곤했어요 피곤합니다",
}


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
