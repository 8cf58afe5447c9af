"""The program that measures how cost grows: its points are real, its tables and its picture hold them."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def scaling():
    return load("scaling")


def test_a_point_of_training_is_measured_in_its_own_process():
    case = {"size": 16, "length": 7, "tokens": 64, "words": 50}
    point = {"kind": "train", "model": "transformer", "case": case, "steps": 2, "threads": 1}
    command = [sys.executable, str(ROOT / "benchmarks" / "scaling.py"), "--point", json.dumps(point)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    measured = json.loads(done.stdout)
    assert measured["tokens_per_second"] > 0
    assert 50 < measured["peak_mb"] < 4000


@pytest.fixture
def points(scaling):
    return [
        scaling.Point(kind, model, over, value, {"tokens_per_second": 1000.0 * value, "peak_mb": 100.0 + value})
        for kind, growth in scaling.GROWTH.items()
        for over, values in growth.items()
        for model in scaling.MODELS
        for value in values
    ]


def test_tables_hold_every_point(scaling, points):
    text = scaling.markdown(points)
    rows = [line for line in text.splitlines() if line.startswith(("| rnnsearch", "| transformer"))]
    assert len(rows) == len(points)


def test_the_picture_is_drawn(scaling, points, tmp_path):
    scaling.draw(points, tmp_path / "scaling.svg")
    drawn = (tmp_path / "scaling.svg").read_text(encoding="utf-8")
    assert all(label in drawn for label in scaling.LABELS.values())
