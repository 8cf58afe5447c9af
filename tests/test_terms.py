"""Every Korean text of the project uses the terms of `docs/terms.md`, one register, and none of the words it avoids."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from jumok.attention import catalog
from jumok.cli.korean import FRAME, HELP
from jumok.cli.korean_errors import ERRORS, in_korean
from jumok.inspect.korean import KOREAN
from jumok.text.korean import BOTH_FORMS
from tests.attention.test_term_axes import CASES, terms_of

ROOT = Path(__file__).resolve().parent.parent
HANGUL = re.compile("[가-힣]")
# A string of TypeScript, Python or JSON, and the value of an entry of ko.ts with its key.
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ENTRY = re.compile(r'^  "([\w.]+)": "(.*)",$', re.MULTILINE)
# What a term of a step is called in English and Korean: `keys: say("keys", "키")`.
NAMED = re.compile(r'(?:"([^"]+)"|(\w+)): say\("([^"]+)", "([^"]+)"\)')
KOREAN_SOURCES = (
    "src/jumok/studio/*.py", "web/src/lessons/**/*.ts", "web/src/lessons/texts/*.json", "web/src/term-names.ts",
    "web/src/views/titles.ts", "web/src/components/*.ts",
)  # fmt: skip

# What a rejected word looks like in a sentence; innocent words that contain it must not match.
WORD = r"(?<![가-힣])"
REJECTED = {
    "곧 (즉)": WORD + r"곧(?![가-힣])|[이가] 곧 ",
    "저마다 (각각)": "저마다",
    "까닭 (이유)": "까닭",
    "몫 (비율)": "몫",
    "견주다 (비교하다)": "견[주줘준줄줍]",
    "재다 (측정하다)": WORD + r"(?:재어|재서|재기|재면|재다|재는|재고|잰|잽니다|잰다|재 보)",
    "주목 (어텐션)": r"주목(?! 스튜디오)",
    "시선 (어텐션)": "시선",
    "질의 (쿼리)": WORD + "질의|열쇠",
    "부호기 (인코더)": "부호기|복호기",
    "값 (밸류)": r"키[와,]? 값|값 y_i|값이라고",
    "정렬 함수 (정규화)": "정렬 함수",
    "문맥 (컨텍스트 벡터)": "문맥",
    "컨텍스트 (컨텍스트 벡터)": r"컨텍스트(?! 벡터)",
    "상태 (은닉 상태)": r"(?:인코더|디코더|이전|다음|마지막|정방향|역방향|이후의|전의)(?:의)? 상태",
    "자기 어텐션 (셀프 어텐션)": r"(?:자기|교차) ?어텐션",
    "멀티 헤드 (멀티헤드)": r"멀티 헤드|다중 ?헤드",
    "전역 (글로벌)": WORD + "(?:전역|국소)",
    "창 (윈도)": WORD + r"창(?:은|이|을|의|에|만| )|윈도우",
    "추첨, 뽑기 (샘플링)": "추첨|뽑",
    "티처 포싱 (교사 강요)": r"티처 ?포싱|교사 강제",
    "그리디 (탐욕적 탐색)": "그리디",
    "빔 탐색 (빔 서치)": "빔 탐색",
    "기울기 (그래디언트)": "기울기|그라디언트",
    "코퍼스 (말뭉치)": "코퍼스",
    "만약에 (바꿔 보기)": "만약",
    "쓸모, 쓰임새 (용도)": "쓸모|쓰임새",
    "타임스텝 (시점)": r"타임 ?스텝",
    "태스크 (과제)": "태스크",
}
PLAIN_ENDING = re.compile(r"(?<!니)다[.:](?=\s|$)|(?<![니])다$")


BOTH = re.compile("|".join(map(re.escape, BOTH_FORMS)) + r"|는\(은\)|가\(이\)|를\(을\)|와\(과\)")
# A blank and a particle that depends on the last sound of what fills it. 입니다 and 이고 fit any sound, 로 after a
# bracket belongs to the word before it.
_VARYING = "은|는|이|가|을|를|과|와|으로|로|이나|나|라고|이라고|여야|였"
AFTER_BLANK = re.compile(r"(?<!\})\}(?!\})['’”\"」]*(?:" + _VARYING + ")(?![가-힣])")


def korean_strings(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for text in QUOTED.findall(line):
            if HANGUL.search(text):
                yield f"{path.relative_to(ROOT)}:{number}", text


def readme() -> Iterator[tuple[str, str]]:
    path = ROOT / "README.ko.md"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if HANGUL.search(line) and line != "# Jumok 주목":
            yield f"README.ko.md:{number}", line


def page() -> dict[str, str]:
    return dict(ENTRY.findall((ROOT / "web/src/i18n/ko.ts").read_text(encoding="utf-8")))


def texts() -> list[tuple[str, str]]:
    """Every Korean text with the place it comes from."""
    found = [*readme(), *KOREAN.items(), *(("ko.ts " + key, text) for key, text in page().items())]
    for files in KOREAN_SOURCES:
        found += [one for path in sorted(ROOT.glob(files)) for one in korean_strings(path)]
    found += [(f"cli {english}", korean) for table in (HELP, FRAME, ERRORS) for english, korean in table.items()]
    found += korean_strings(ROOT / "src/jumok/cli/in_korean.py")
    return found + [(f"catalogue {entry.name}", entry.good_for_ko) for entry in catalog() if entry.good_for_ko]


def test_there_is_something_to_read():
    places = [place for place, _ in texts()]
    for part in (
        "README.ko.md",
        "ko.ts ",
        "web/src/lessons/texts/",
        "src/jumok/studio/arithmetic.py",
        "web/src/term-names.ts",
        "web/src/views/titles.ts",
        "catalogue ",
        "cli ",
    ):
        assert any(place.startswith(part) for place in places), part
    assert len(page()) > 250


def unnamed(terms: Iterable[str]) -> set[str]:
    """The terms that the page would show by the name they have in the code; layers of a network share one name."""
    found = NAMED.findall((ROOT / "web/src/term-names.ts").read_text(encoding="utf-8"))
    known = {quoted or bare for quoted, bare, english, korean in found if english and HANGUL.search(korean)}
    return {name for name in terms if name not in known and re.sub(r" \d+$", " n", name) not in known}


@pytest.mark.parametrize(("mechanism", "options"), CASES, ids=str)
def test_what_a_mechanism_computes_has_a_name_in_both_languages(mechanism: str, options: dict[str, str]):
    assert unnamed(terms_of(mechanism, **options)) == set()
    assert unnamed(["no such term"]) == {"no such term"}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected_words_are_not_used(name: str):
    found = [f"{place}: {text}" for place, text in texts() if re.search(REJECTED[name], text)]
    assert found == []


# rejected word → a text that has it, and an innocent one that looks like it
TRIED = {
    "곧 (즉)": ("정렬, 곧 대응", "곧바로 학습합니다"),
    "견주다 (비교하다)": ("가중치와 견주어 보세요", "발견한 주어"),
    "재다 (측정하다)": ("아래에서 재어 봅니다", "존재하는 현재 재생"),
    "창 (윈도)": ("창 밖은 계산하지 않습니다", "주소창에서 복사하세요"),
    "주목 (어텐션)": ("셀프 주목", "주목 스튜디오"),
    "값 (밸류)": ("쿼리, 키, 값", "값이 클수록"),
    "상태 (은닉 상태)": ("인코더 상태", "인코더 은닉 상태"),
    "컨텍스트 (컨텍스트 벡터)": ("컨텍스트를 넘깁니다", "컨텍스트 벡터를 넘깁니다"),
}


@pytest.mark.parametrize("name", TRIED)
def test_patterns_hit_what_they_mean(name: str):
    bad, good = TRIED[name]
    assert re.search(REJECTED[name], bad)
    assert not re.search(REJECTED[name], good)


def test_every_sentence_is_in_one_register():
    assert PLAIN_ENDING.search("점수를 구한다.")
    assert not PLAIN_ENDING.search("점수를 구합니다.")
    found = [f"{place}: {text}" for place, text in texts() if PLAIN_ENDING.search(text)]
    assert found == []


def test_what_a_person_reads_has_one_form_of_each_particle():
    assert BOTH.search("'{name}'은(는) 없습니다")
    templates = {f"cli {english}" for english in ERRORS}
    assert [f"{place}: {text}" for place, text in texts() if place not in templates and BOTH.search(text)] == []
    for english in ERRORS:
        for filling in ("dot", "mask", "3", "2", "층", "나무", "config.json", "'x'"):
            said = in_korean(re.sub(r"\{\w+\}", filling, english))
            assert HANGUL.search(said), english
            assert not BOTH.search(said), said


def test_no_particle_is_guessed_after_a_blank():
    for bad in ("층 {n}은 없습니다", "‘{a}’와 ‘{b}’", "{word}를 씁니다", "분산은 {v}로 d에"):
        assert AFTER_BLANK.search(bad)
    for good in ("모델 '{run}'에는", "{n}개는", "단어(“{word}”)를", "{word}입니다", "{n}번 예시를"):
        assert not AFTER_BLANK.search(good), good
    found = [(place, BOTH.sub("", text)) for place, text in texts()]
    assert [f"{place}: {text}" for place, text in found if AFTER_BLANK.search(text)] == []


def test_weights_on_the_page_say_whose_they_are():
    bare = re.compile(r"(?<!어텐션 )(?<!모델 )(?<!가우시안 )가중치")
    assert [f"{key}: {text}" for key, text in page().items() if bare.search(text)] == []


def test_decoding_and_training_steps_have_their_own_words():
    decoding = ("steps.", "whatif.", "edit.", "chances.", "beam.")
    found = [key for key, text in page().items() if key.startswith(decoding) and "스텝" in text]
    found += [key for key, text in page().items() if key.startswith(("learn.", "subject.", "job.")) and "시점" in text]
    assert [*found, *(key for key, text in KOREAN.items() if "스텝" in text)] == []


def test_the_list_names_every_rejected_word():
    listed = (ROOT / "docs/terms.md").read_text(encoding="utf-8")
    for name in REJECTED:
        for word in re.sub(r" \(.*\)| 함수", "", name).split(", "):
            assert word in listed, word
