"""Our numbers are sacreBLEU's numbers, with its signatures."""

import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from jumok.errors import ConfigError, DataError, UnknownNameError
from jumok.evaluation.metrics import MetricOptions, build_metric, score_corpus, score_metric

from .corpus import references, spoiled

GOLD = references()
HYPOTHESES = spoiled(GOLD, 0.3, seed=1)


def test_corpus_scores_equal_sacrebleu():
    scores = score_corpus(HYPOTHESES, GOLD)
    assert scores.bleu.value == sacrebleu.corpus_bleu(HYPOTHESES, [GOLD]).score
    assert scores.chrf.value == sacrebleu.corpus_chrf(HYPOTHESES, [GOLD]).score
    assert scores.ter.value == sacrebleu.corpus_ter(HYPOTHESES, [GOLD]).score
    assert scores.sentences == len(GOLD)


def test_options_equal_sacrebleu_with_the_same_options():
    options = MetricOptions(lowercase=True, tokenize="char", chrf_word_order=2, ter_case_sensitive=True)
    expected = {
        "bleu": BLEU(lowercase=True, tokenize="char"),
        "chrf": CHRF(lowercase=True, word_order=2),
        "ter": TER(case_sensitive=True),
    }
    shouted = [line.upper() for line in HYPOTHESES]
    for name, metric in expected.items():
        ours = score_metric(name, shouted, GOLD, options)
        assert ours.value == metric.corpus_score(shouted, [GOLD]).score
        assert ours.signature == str(metric.get_signature())


def test_signatures_say_how_it_was_computed():
    scores = score_corpus(HYPOTHESES, GOLD, MetricOptions(lowercase=True, tokenize="intl"))
    assert "case:lc" in scores.bleu.signature
    assert "tok:intl" in scores.bleu.signature
    assert f"version:{sacrebleu.__version__}" in scores.ter.signature
    as_dict = scores.as_dict()
    assert set(as_dict) == {"bleu", "chrf", "ter", "sentences", "signature"}
    assert as_dict["signature"]["bleu"] == scores.bleu.signature


def test_several_references():
    second = spoiled(GOLD, 0.5, seed=2)
    scores = score_corpus(HYPOTHESES, [GOLD, second])
    assert scores.bleu.value == sacrebleu.corpus_bleu(HYPOTHESES, [GOLD, second]).score
    assert "nrefs:2" in scores.bleu.signature


def test_a_perfect_translation():
    scores = score_corpus(GOLD, GOLD)
    assert (scores.bleu.value, scores.chrf.value, scores.ter.value) == (
        pytest.approx(100),
        pytest.approx(100),
        0.0,
    )


def test_the_metric_of_single_sentences_equals_sacrebleu():
    metric = build_metric("bleu", MetricOptions(), for_sentences=True)
    for hypothesis, gold in zip(HYPOTHESES, GOLD, strict=True):
        expected = BLEU(effective_order=True).sentence_score(hypothesis, [gold]).score
        assert metric.sentence_score(hypothesis, [gold]).score == expected
    assert metric.sentence_score("", [GOLD[1]]).score == 0.0


def test_empty_lines_are_scored_not_shifted():
    assert (
        score_corpus(["", GOLD[0]], [GOLD[1], GOLD[0]]).ter.value
        == TER().corpus_score(["", GOLD[0]], [[GOLD[1], GOLD[0]]]).score
    )
    assert score_corpus(["", ""], ["a b", "c"]).bleu.value == 0.0


def test_bad_input():
    with pytest.raises(DataError, match="2 translations are given, but 1 references"):
        score_corpus(["a", "b"], ["a"])
    with pytest.raises(DataError, match="references in set 2"):
        score_corpus(["a"], [["a"], []])
    with pytest.raises(DataError, match="nothing to score"):
        score_corpus([], [])
    with pytest.raises(ConfigError, match="did you mean 'ko-mecab'"):
        score_corpus(["a"], ["a"], MetricOptions(tokenize="komecab"))
    with pytest.raises(UnknownNameError, match="did you mean 'bleu'"):
        build_metric("blue", MetricOptions())
