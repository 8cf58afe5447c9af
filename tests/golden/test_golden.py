"""Models saved by earlier versions load and translate as they did then."""

import json
from pathlib import Path

import pytest

import jumok

RUNS = sorted(path.parent for path in Path(__file__).parent.glob("*/expected.json"))


def test_there_are_golden_runs():
    assert {run.name for run in RUNS} >= {"rnnsearch-1", "transformer-1"}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_golden_run_translates_as_it_did(run):
    expected = json.loads((run / "expected.json").read_text(encoding="utf-8"))
    translator = jumok.load(run)
    assert translator.run.hash == expected["hash"]
    found = translator.translate([one["source"] for one in expected["translations"]], beam=expected["beam"])
    for now, then in zip(found, expected["translations"], strict=True):
        assert now.text == then["text"]
        assert list(now.ids) == then["ids"]
        assert now.score == pytest.approx(then["score"], abs=1e-3)
        assert [list(link) for link in now.alignment] == then["alignment"]
