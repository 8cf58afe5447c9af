"""ROUGE against ROUGE-1.5.5.pl, in scripts that are not Latin, and beside what needs no model."""

import json
from pathlib import Path

import numpy as np
import pytest

from jumok.errors import DataError, InputError
from jumok.evaluation.baselines import baselines, oracle
from jumok.evaluation.rouge import rouge, tokeniser, usual_tokenisation, words
from jumok.evaluation.summaries import evaluate_summaries, habits
from jumok.text.sentences import sentences_of

STORED = json.loads((Path(__file__).parent / "rouge155.json").read_text(encoding="utf-8"))
THEIRS = {"rouge1": "rouge-1", "rouge2": "rouge-2", "rougeLsum": "rouge-l"}


@pytest.mark.parametrize("tokenisation", ["stemmed", "words"])
@pytest.mark.parametrize("measure", THEIRS)
def test_every_stored_score_of_rouge_155_is_ours(tokenisation: str, measure: str) -> None:
    found = rouge([row["summary"] for row in STORED], [row["reference"] for row in STORED], tokenisation)  # pyright: ignore
    expected = [100 * row[tokenisation].get(THEIRS[measure], [0, 0, 0])[2] for row in STORED]
    np.testing.assert_allclose(found.of_each[measure], expected, atol=0.0011)  # theirs are cut after five digits
    assert 0 < found.mean(measure) < 100


def test_stemming_matters_in_what_is_stored() -> None:
    assert any(row["stemmed"] != row["words"] for row in STORED)


@pytest.mark.parametrize(("tokenisation", "score"), [("words", 50.0), ("characters", 75.0), ("morphemes", 75.0)])
def test_hangul_counts(tokenisation: str, score: float) -> None:
    found = rouge(["비가 온다."], ["비는 온다"], tokenisation)  # pyright: ignore
    assert found.mean("rouge1") == pytest.approx(score)
    same = rouge(["도서관이 문을 열었다"], ["도서관이 문을 열었다"], tokenisation)  # pyright: ignore
    assert same.mean("rouge2") == same.mean("rougeLsum") == 100


def test_particles_are_morphemes_and_the_script_chooses_what_is_counted() -> None:
    assert tokeniser("morphemes")("도서관이 문을") == ["도서관", "이", "문", "을"]
    assert tokeniser("characters")("비가 A1!") == ["비", "가", "a", "1"]
    assert words("Été, 도서관_1") == ["été", "도서관", "1"]
    assert usual_tokenisation(["A fire in 2 markets."]) == "stemmed"
    assert usual_tokenisation(["시장에서 불이 났다 OK"]) == "characters"
    with pytest.raises(InputError, match="did you mean 'words'"):
        tokeniser("word")
    with pytest.raises(DataError, match="2 summaries"):
        rouge(["a", "b"], ["a"], "words")


def test_the_interval_holds_the_mean_and_narrows_with_more_summaries() -> None:
    few = rouge(["a b", "c d"] * 10, ["a b", "x y"] * 10, "words").score("rouge1")
    many = rouge(["a b", "c d"] * 200, ["a b", "x y"] * 200, "words").score("rouge1")
    assert few.low < few.value == 50.0 < few.high
    assert many.high - many.low < 0.4 * (few.high - few.low)


def test_the_oracle_is_the_best_sentence_and_no_baseline_beats_it() -> None:
    texts = ["It rained. Mayor Bo opened a library. People sang.", "Ann won a race! It was late."]
    references = ["Bo opened a library", "Ann won"]
    found = baselines(texts, references, "words")
    assert found["lead-1"] == ["It rained.", "Ann won a race!"]
    assert found["oracle"] == ["Mayor Bo opened a library.", "Ann won a race!"]
    assert all(one in sentences_of(text) for one, text in zip(found["random"], texts, strict=True))
    assert oracle(["a b", "c d", "e"], "a b c d", words) == "a b\nc d"
    table = evaluate_summaries({"mine": references}, texts, references)
    assert table.systems[0].rouge["rouge1"].value == 100
    scores = {one.name: one.rouge["rouge1"].value for one in table.baselines}
    assert scores["oracle"] == max(scores.values()) < 100
    assert [row[0] for row in table.tables()[0].rows] == ["mine", "lead-1", "random", "oracle"]
    assert table.tokenisation in table.tables()[0].title


def test_novelty_copying_and_repetition_are_counted() -> None:
    found = habits(["a b c a b c", "x"], ["a b c d", "a"])
    assert found.copied == pytest.approx(100 * 6 / 7)
    assert found.novel == pytest.approx((100 / 7, 100 * 1 / 5, 100 * 2 / 4))
    assert found.repeated == pytest.approx(100 * 1 / 4)
    assert found.words == 3.5


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("One. Two!", 2), ("Dr. Bo came. He left.", 2), ("비가 왔다. 그래서 갔다.", 2), ("a\nb", 2),
     ("It costs 3.5 crowns. No more.", 2), ("He said “go.” She went.", 2), ("see e.g. this one", 1)],
)  # fmt: skip
def test_sentences_end_where_they_should(text: str, count: int) -> None:
    assert len(sentences_of(text)) == count
    assert " ".join(sentences_of(text)) == " ".join(text.split())
