"""Jamo by arithmetic agree with Unicode's own decomposition; particles fit."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumok.errors import TextError
from jumok.text.korean import (
    BOTH_FORMS,
    FINALS,
    INITIALS,
    PARTICLES,
    VOWELS,
    final_sound,
    fit_particles,
    particle,
    split_syllable,
)


def test_every_syllable_comes_apart_as_unicode_says() -> None:
    for code in range(0xAC00, 0xD7A4):
        initial, vowel, final = split_syllable(chr(code))
        # Conjoining jamo have other code points, but the same order and a final only where there is one.
        conjoining = [0x1100 + INITIALS.index(initial), 0x1161 + VOWELS.index(vowel), 0x11A7 + FINALS.index(final)]
        assert [ord(jamo) for jamo in unicodedata.normalize("NFD", chr(code))] == conjoining[: 3 if final else 2]


def test_jamo() -> None:
    assert split_syllable("한") == ("ㅎ", "ㅏ", "ㄴ")
    assert split_syllable("값") == ("ㄱ", "ㅏ", "ㅄ")


@pytest.mark.parametrize(
    ("word", "kind", "expected"),
    [
        ("집", "topic", "집은"),
        ("나무", "topic", "나무는"),
        ("물", "subject", "물이"),
        ("학교", "subject", "학교가"),
        ("정원", "object", "정원을"),
        ("나무", "object", "나무를"),
        ("빵", "with", "빵과"),
        ("우유", "with", "우유와"),
        ("길", "towards", "길로"),
        ("집", "towards", "집으로"),
        ("학교", "towards", "학교로"),
        ("7", "object", "7을"),
        ("1", "towards", "1로"),
        ("2", "object", "2를"),
        ("10", "subject", "10이"),
        ("KBS", "topic", "KBS는"),
        ("ATM", "topic", "ATM은"),
        ("'정원'", "object", "'정원'을"),
        ("50%", "topic", "50%는"),
        ("garden", "object", "garden을"),
        ("mask", "object", "mask를"),
        ("dot", "topic", "dot은"),
        ("layout", "topic", "layout은"),
        ("general", "towards", "general로"),
        ("concat", "towards", "concat으로"),
        ("attention_dim", "topic", "attention_dim은"),
        ("--keys", "topic", "--keys는"),
        ("scores/mine.py", "topic", "scores/mine.py는"),
        ("looks.png", "object", "looks.png를"),
        ("table.html", "object", "table.html을"),
        ("config.json", "topic", "config.json은"),
        ("W_q", "topic", "W_q는"),
        ("σ", "topic", "σ는"),
        ("3(<s>)", "topic", "3(<s>)은"),
        ("어텐션(attention)", "with", "어텐션(attention)과"),
        ("(a, b)", "topic", "(a, b)는"),
        ("!?", "topic", "!?는"),
        ("", "topic", "는"),
    ],
)
def test_particles(word: str, kind: str, expected: str) -> None:
    assert word + particle(word, kind) == expected


def test_final_sounds() -> None:
    assert [final_sound(word) for word in ("강", "가", "값", "3", "L", "ㅋ", "ㅏ", "garden", "")] == [
        "ㅇ", "", "ㅄ", "ㅁ", "ㄹ", "ㅋ", "", "ㄴ", "",
    ]  # fmt: skip


def test_a_template_gets_the_particle_that_fits() -> None:
    assert fit_particles("'{name}'은(는) {kind}(으)로", name="dot", kind="길") == "'dot'은 길로"
    assert fit_particles("{a}과(와) {b}이(가), {a}(이)나 {b}을(를)", a="2", b="3") == "2와 3이, 2나 3을"
    assert fit_particles("{path}은(는) 폴더입니다.", path="나은(는)") == "나은(는)은 폴더입니다."
    assert fit_particles("그대로", path="") == "그대로"


@given(st.text(), st.sampled_from(sorted(BOTH_FORMS)))
def test_one_form_is_chosen_after_any_text(word: str, both: str) -> None:
    chosen = fit_particles("{word}" + both, word=word)
    assert chosen in [word + form for form in PARTICLES[BOTH_FORMS[both]]]


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(TextError, match="not a Hangul syllable"):
        split_syllable("a")
    with pytest.raises(TextError, match="no particle 'dative'"):
        particle("집", "dative")
