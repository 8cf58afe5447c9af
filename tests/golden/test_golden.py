"""Models saved by earlier versions load and translate as they did then."""

import json
from pathlib import Path

import pytest

import jumok
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2 import length_penalty
from tests.decoding.exact import exact_outcomes

RUNS = sorted(path.parent for path in Path(__file__).parent.glob("*/expected.json"))


def test_there_are_golden_runs():
    assert {run.name for run in RUNS} >= {"rnnsearch-1", "transformer-1"}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_golden_run_translates_as_it_did(run):
    expected = json.loads((run / "expected.json").read_text(encoding="utf-8"))
    translator = jumok.load(run)
    assert translator.run.hash == expected["hash"]
    found = translator.translate([one["source"] for one in expected["translations"]], beam=expected["beam"])
    exact = exact_outcomes(translator.model, found)
    for now, then, outcome in zip(found, expected["translations"], exact, strict=True):
        assert now.text == then["text"]
        assert list(now.ids) == then["ids"]
        for score in (now.score, then["score"]):
            outcome.assert_sum(score * length_penalty(Scoring(), len(now.ids) + 1))
        assert [list(link) for link in now.alignment] == then["alignment"]
