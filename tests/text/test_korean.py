"""Jamo by arithmetic agree with Unicode's own decomposition; particles fit."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.errors import TextError
from jumok.text.korean import final_sound, join_syllable, particle, split_syllable, to_jamo, with_particle


def test_every_syllable_comes_apart_and_together_as_unicode_says() -> None:
    for code in range(0xAC00, 0xD7A4):
        parts = split_syllable(chr(code))
        assert join_syllable(*parts) == chr(code)
        # Conjoining jamo have other code points, but the same order and a final only where there is one.
        assert len("".join(parts)) == len(unicodedata.normalize("NFD", chr(code)))


def test_jamo() -> None:
    assert split_syllable("한") == ("ㅎ", "ㅏ", "ㄴ")
    assert split_syllable("값") == ("ㄱ", "ㅏ", "ㅄ")
    assert to_jamo("한글 abc!") == "ㅎㅏㄴㄱㅡㄹ abc!"


@given(st.text())
def test_text_without_hangul_stays(text: str) -> None:
    kept = "".join(c for c in text if not "가" <= c <= "힣")
    assert to_jamo(kept) == kept


PARTICLES = {
    "topic": {"집": "집은", "나무": "나무는", "KBS": "KBS는", "ATM": "ATM은", "!?": "!?은(는)"},
    "subject": {"물": "물이", "학교": "학교가", "10": "10이"},
    "object": {
        "정원": "정원을",
        "나무": "나무를",
        "7": "7을",
        "2": "2를",
        "'정원'": "'정원'을",
        "garden": "garden을(를)",
    },
    "with": {"빵": "빵과", "우유": "우유와"},
    "towards": {"길": "길로", "집": "집으로", "학교": "학교로", "1": "1로"},
}


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in PARTICLES.items() for word in words])
def test_particles(kind: str, word: str) -> None:
    assert with_particle(word, kind) == PARTICLES[kind][word]


def test_final_sounds() -> None:
    assert [final_sound(word) for word in ("강", "가", "값", "3", "L", "ㅋ", "ㅏ", "garden", "")] == [
        "ㅇ", "", "ㅄ", "ㅁ", "ㄹ", "ㅋ", "", None, None,
    ]  # fmt: skip


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(TextError, match="not a Hangul syllable"):
        split_syllable("a")
    with pytest.raises(TextError, match="do not form a Hangul syllable"):
        join_syllable("ㅏ", "ㄱ")
    with pytest.raises(TextError, match="needs an initial"):
        join_syllable("", "ㅏ")
    with pytest.raises(TextError, match="no particle 'dative'"):
        particle("집", "dative")
