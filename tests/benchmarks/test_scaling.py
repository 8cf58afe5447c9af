"""The program that measures how cost grows: its points are real, its tables and its pictures hold them."""

import json
import subprocess
import sys
import time

import pytest

from tests.benchmarks.programs import ROOT, load

MEASURED = {"tokens_per_second", "peak_mb", "start_seconds"}


@pytest.fixture(scope="module")
def scaling():
    return load("scaling")


@pytest.fixture(scope="module")
def page():
    return load("scaling_page")


def test_a_point_of_training_is_measured_in_its_own_process():
    case = {"size": 16, "length": 7, "tokens": 64, "words": 50}
    point = {"kind": "train", "model": "transformer", "case": case, "steps": 2, "threads": 1, "begun": time.time()}
    command = [sys.executable, str(ROOT / "benchmarks" / "scaling.py"), "--point", json.dumps(point)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    measured = json.loads(done.stdout)
    assert set(measured) == MEASURED
    assert measured["tokens_per_second"] > 0
    assert 50 < measured["peak_mb"] < 4000
    assert 0 < measured["start_seconds"] < 200


def test_a_point_of_translation_has_its_speed_memory_and_start(scaling, tmp_path, monkeypatch):
    monkeypatch.setattr(scaling, "OUT", tmp_path)
    case = {"size": 16, "length": 5, "batch": 3, "beam": 2, "words": 60}
    measured = scaling.measure("translate", "rnnsearch", "words", case, quick=True, threads=1)
    assert set(measured) == MEASURED
    assert all(number > 0 for number in measured.values())
    assert [file.name for file in tmp_path.iterdir()] == ["untrained-rnnsearch-16-60"]


def test_sentences_are_drawn_from_the_whole_vocabulary_and_change(scaling):
    case = {"length": 20, "batch": 64, "words": 500}
    rounds, again = scaling.drawn_lines(case), scaling.drawn_lines(case)
    first, second = next(rounds), next(rounds)
    assert first == next(again)
    assert first != second
    assert [len(line.split()) for line in first] == [20] * 64
    met = {word for line in first for word in line.split()}
    assert len(met) > 400
    assert met <= {f"w{number}" for number in range(500)}


def test_slow_cases_end_soon_and_quick_ones_go_on(scaling):
    assert not scaling.is_enough([])
    assert not scaling.is_enough([0.1] * 8)
    assert not scaling.is_enough([3.0, 3.0])
    assert scaling.is_enough([2.0, 2.0, 2.0])
    assert scaling.is_enough([15.0])


@pytest.fixture
def points(page):
    return [
        page.Point(
            kind, model, over, value,
            {"tokens_per_second": 1000.0 * value, "peak_mb": 100.0 + value, "start_seconds": 1 + value / 9000},
        )
        for kind, growth in page.GROWTH.items()
        for over, values in growth.items()
        for model in page.MODELS
        for value in values
    ]  # fmt: skip


def test_tables_hold_every_point_and_the_processes(page, points):
    rounds = [{"one": 2000.0, "two": 3500.0, "gained": 1.75, "machine": 1.9, "share": 0.92}]
    processes = {"rounds": rounds, "share": 0.92, "least": 0.85, "passed": True}
    text = page.markdown({"processes": processes}, points[1:])
    assert text.count(" MB · ") == len(points) - 1
    assert text.count("| – |") == 1
    assert "| 2,000 | 3,500 | 1.75 | 1.90 | 0.92 |" in text
    assert "at least 0.85 is asked for: reached" in text


@pytest.mark.parametrize("kind", ["train", "translate"])
def test_a_picture_is_drawn(page, points, kind, tmp_path):
    page.draw(kind, points, tmp_path / "scaling.svg")
    drawn = (tmp_path / "scaling.svg").read_text(encoding="utf-8")
    assert all(page.LABELS[over] in drawn for over in page.GROWTH[kind])
    assert all(label in drawn for _, label in page.ROWS)


def test_a_point_is_kept_at_once_and_what_is_not_measured_again_stays(scaling, points, tmp_path, monkeypatch):
    monkeypatch.setattr(scaling, "OUT", tmp_path / "out" / "scaling")
    kept, new = [p for p in points if p.over == "beam"], [p for p in points if (p.kind, p.over) == ("train", "size")]
    path = tmp_path / "out" / "scaling.json"
    scaling.save(path, {"processes": {"passed": True}}, [*kept, *new])

    def fails_after_one(kind, axes, quick, threads):
        yield new[0]
        raise KeyboardInterrupt

    monkeypatch.setattr(scaling, "points", fails_after_one)
    monkeypatch.setattr(sys, "argv", ["scaling.py", "--parts", "train", "--over", "size"])
    with pytest.raises(KeyboardInterrupt):
        scaling.main()
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["points"] == [vars(p) for p in [*kept, new[0]]]
    assert found["processes"] == {"passed": True}


def test_a_point_that_fails_is_left_out(scaling, monkeypatch, capsys):
    def measure(kind, model, over, case, quick, threads):
        if case["beam"] == 1:
            raise scaling.NotMeasuredError("exit code 137: killed")
        return {"tokens_per_second": 1.0}

    monkeypatch.setattr(scaling, "measure", measure)
    found = list(scaling.points("translate", ["beam"], quick=True, threads=1))
    assert [(p.model, p.value) for p in found] == [("rnnsearch", 10), ("transformer", 10)]
    assert "beam 1 was not measured: exit code 137: killed" in capsys.readouterr().err
