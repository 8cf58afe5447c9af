"""The paired bootstrap agrees with sacreBLEU's, and obeys the laws of a paired test."""

import pytest
from sacrebleu.significance import PairedTest

from jumok.errors import DataError, InputError
from jumok.evaluation.compare import compare_systems
from jumok.evaluation.metrics import METRICS, MetricOptions, build_metric, score_corpus

from .corpus import references, spoiled

GOLD = references()
SYSTEMS = {
    "base": spoiled(GOLD, 0.35, seed=1),
    "near": spoiled(GOLD, 0.32, seed=2),
    "best": spoiled(GOLD, 0.15, seed=3),
}
SAMPLES = 211


def test_agrees_with_sacrebleu(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    metrics = {name: build_metric(name, MetricOptions()) for name in METRICS}
    test = PairedTest(list(SYSTEMS.items()), metrics, [GOLD], test_type="bs", n_samples=SAMPLES)
    _, theirs = test()
    for ours in compare_systems(SYSTEMS, GOLD, samples=SAMPLES):
        key = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}[ours.metric]
        for system, result in zip(ours.systems, theirs[key], strict=True):
            assert system.score == pytest.approx(result.score, abs=1e-9)
            assert system.mean == pytest.approx(result.mean, abs=1e-4)
            assert (system.high - system.low) / 2 == pytest.approx(result.ci, abs=1e-4)
            if system.system != "base":
                assert ours.pair(system.system, "base").p_value == pytest.approx(result.p_value, abs=1e-12)


def test_every_pair_is_compared_and_the_better_one_wins():
    for comparison in compare_systems(SYSTEMS, GOLD, samples=SAMPLES):
        assert [(p.system, p.baseline) for p in comparison.pairs] == [
            ("near", "base"), ("best", "base"), ("best", "near"),
        ]  # fmt: skip
        clear = comparison.pair("best", "base")
        assert clear.p_value < 0.05
        assert clear.wins > 0.99
        assert (clear.difference > 0) == (comparison.metric != "ter")
        assert clear.low <= clear.difference <= clear.high


def test_a_system_against_itself():
    (same,) = compare_systems({"a": SYSTEMS["base"], "b": SYSTEMS["base"]}, GOLD, metrics=["bleu"], samples=53)
    pair = same.pairs[0]
    assert (pair.difference, pair.low, pair.high, pair.wins) == (0.0, 0.0, 0.0, 0.0)


def test_swapping_systems_turns_the_difference_round():
    there = compare_systems({"a": SYSTEMS["base"], "b": SYSTEMS["near"]}, GOLD, metrics=["chrf"], samples=53)[0].pairs[
        0
    ]
    back = compare_systems({"b": SYSTEMS["near"], "a": SYSTEMS["base"]}, GOLD, metrics=["chrf"], samples=53)[0].pairs[0]
    assert there.difference == -back.difference
    assert (there.low, there.high) == (-back.high, -back.low)
    assert there.p_value == back.p_value


def test_the_seed_decides_and_the_score_is_the_corpus_score():
    one, same, other = (
        compare_systems(SYSTEMS, GOLD, metrics=["bleu"], samples=67, seed=seed)[0] for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
    assert one.systems[0].score == pytest.approx(score_corpus(SYSTEMS["base"], GOLD).bleu.value)
    assert "bs:67|seed:1" in one.signature


def test_one_system_gets_its_interval():
    (single,) = compare_systems({"a": SYSTEMS["base"]}, GOLD, metrics=["bleu"], samples=41)
    assert single.pairs == ()
    assert single.systems[0].low < single.systems[0].score < single.systems[0].high


def test_bad_input():
    with pytest.raises(DataError, match="a: 61, b: 1"):
        compare_systems({"a": SYSTEMS["base"], "b": ["x"]}, GOLD)
    with pytest.raises(DataError, match="at least one"):
        compare_systems({"a": []}, [])
    with pytest.raises(InputError, match="no system"):
        compare_systems({}, GOLD)
    with pytest.raises(InputError, match="at least one sample"):
        compare_systems(SYSTEMS, GOLD, samples=0)
    with pytest.raises(InputError, match="not compared"):
        compare_systems(SYSTEMS, GOLD, samples=1)[0].pair("base", "best")
