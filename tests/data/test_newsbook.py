"""The newsbook keeps its promises."""

import re

import pytest

from jumok.data.newsbook import generate
from jumok.data.newsbook.names import split_of
from jumok.errors import DataError


@pytest.mark.parametrize("language", ["en", "ko"])
def test_names_and_numbers_are_words_of_the_report_and_of_its_split(language: str) -> None:
    for split in ("train", "dev", "test"):
        for report in generate(language, split, 300):
            words, headline = report.text.split(), report.headline.split()
            assert 3 <= len(report.sentences) <= 8
            assert len(report.copied) == 3
            for j in report.copied:
                sources = [i for i, k in report.links if k == j]
                assert [words[i] for i in sources] == [headline[j]], report
                assert split_of(headline[j]) == split
            assert all(i < len(words) and j < len(headline) for i, j in report.links)


JOINING = {"en": {"with", "to", "against", "of", "by", "in", "over", "near", ":"}, "ko": {"…", "제쳐"}}


@pytest.mark.parametrize("language", JOINING)
def test_every_word_of_a_headline_that_says_something_comes_from_the_report(language: str) -> None:
    for report in generate(language, "train", 500):
        linked = {j for _, j in report.links}
        left = {word for j, word in enumerate(report.headline.split()) if j not in linked}
        assert left <= JOINING[language], report


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_template_mark_is_left(language: str) -> None:
    for report in generate(language, "train", 500):
        assert not set("{}/") & set(report.text + report.headline), report


def test_nothing_bound_stands_alone_in_korean() -> None:
    """Particles, endings and suffixes are written with their word: 55,599 자 이다 is none, nor is 60 명 가량."""
    bound = re.compile(r"(이|였|이었|은|는|을|를|에|의|도|가량|쯤|이라)(다|고|이|의)?[.]?")
    for report in generate("ko", "train", 2_000):
        alone = [word for word in f"{report.text} {report.headline}".split() if bound.fullmatch(word)]
        assert set(alone) <= {"이"}, report.text  # 이 열차, 이 회사, 이 마을


def test_the_same_arguments_give_the_same_reports() -> None:
    assert list(generate("ko", "dev", 20)) == list(generate("ko", "dev", 50))[:20]


def test_what_it_does_not_have_is_refused() -> None:
    with pytest.raises(DataError, match="no language 'fr'"):
        generate("fr")
