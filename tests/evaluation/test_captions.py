"""Scores of captions: equal to the reference scorer's, and laws of what they may be."""

import json
from pathlib import Path

import pytest

from jumok.errors import DataError
from jumok.evaluation.captions import cider_d, plain_words, rouge_l, score_captions

CASES = json.loads((Path(__file__).parent / "coco_captions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(len(case["captions"])))
def test_rouge_l_and_cider_d_are_those_of_the_coco_evaluation(case):
    captions, references = case["captions"], case["references"]
    assert rouge_l(captions, references) == pytest.approx(100 * case["rouge_l"], abs=1e-9)
    assert cider_d(captions, references) == pytest.approx(case["cider_d"], abs=1e-9)
    for number, value in enumerate(case["rouges"]):
        assert rouge_l([captions[number]], [references[number]]) == pytest.approx(100 * value, abs=1e-9)


def test_bleu_with_several_references_counts_each_n_gram_once():
    captions = ["the the the the", "a red star is here now"]
    references = [["the cat sat", "the end of the day"], ["a red star is here now"]]
    found = score_captions(captions, references)
    assert found.bleu[0] == pytest.approx(100 * 8 / 10)  # "the" counts twice at most
    assert found.exact == 50
    assert "nrefs:var" in found.signature
    assert "tok:none" in found.signature


def test_what_is_right_is_100_and_short_captions_pay_only_with_the_penalty():
    texts = [f"a small red star is left of circle number {n}" for n in range(7)]
    whole = score_captions(texts, [[text, "something else"] for text in texts])
    assert whole.bleu == pytest.approx((100,) * 4)
    assert whole.rouge_l == pytest.approx(100)
    assert whole.cider_d == pytest.approx(5), "one of two references agrees"
    short = score_captions([text.rsplit(" ", 3)[0] for text in texts], [[text] for text in texts])
    assert short.bleu[3] < 75
    assert short.bleu_unpenalised[3] == pytest.approx(100)


def test_what_does_not_match_is_refused():
    with pytest.raises(DataError, match="2 captions"):
        score_captions(["a", "b"], [["a"]])
    with pytest.raises(DataError, match="picture 1 has no reference"):
        score_captions(["a", "b"], [["a"], []])
    with pytest.raises(DataError, match="nothing to score"):
        score_captions([], [])
    assert plain_words("A dog, running — fast!") == "a dog running fast"
    assert plain_words("큰 빨간 별이 있어요.") == "큰 빨간 별이 있어요"
