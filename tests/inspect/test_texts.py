"""Both languages say everything, with the same values in it."""

import string

import pytest

from jumok.errors import UnknownNameError
from jumok.inspect import LANGUAGES, Texts, language_of_locale
from jumok.inspect.english import ENGLISH
from jumok.inspect.korean import KOREAN


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_all_strings():
    assert list(ENGLISH) == list(KOREAN)


@pytest.mark.parametrize("key", ENGLISH)
def test_both_languages_speak_of_the_same_values(key: str):
    assert fields(ENGLISH[key]) == fields(KOREAN[key])
    assert ENGLISH[key].strip() == ENGLISH[key] != ""
    assert KOREAN[key].strip() == KOREAN[key] != ""


def test_prose_is_korean():
    names = [key for key, text in KOREAN.items() if not any("가" <= letter <= "힣" for letter in text)]
    assert set(names) <= {"scale.size", "scale.gradient", "plot.unscaled", "plot.scaled"}


def test_unknown_language():
    with pytest.raises(UnknownNameError, match="one of en, ko"):
        Texts("fr")


@pytest.mark.parametrize(("value", "lang"), [("ko_KR.UTF-8", "ko"), ("en_US.UTF-8", "en"), ("C", "en")])
def test_language_of_locale(value: str, lang: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", value)
    assert language_of_locale() == lang
    assert lang in LANGUAGES
