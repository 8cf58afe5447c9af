"""`benchmarks/previous.py`: what both commits measure is compared, each in turn first."""

from tests.benchmarks.programs import load


def test_what_only_one_commit_measures_is_left_out(tmp_path, monkeypatch):
    program = load("previous")
    now, then = tmp_path / "now", tmp_path / "then"
    told = {now: {"guard, old": 3.0, "guard, new": 1.0}, then: {"guard, old": 2.0}}
    monkeypatch.setattr(program, "guard", lambda tree: told[tree])
    monkeypatch.setattr(program, "training", lambda tree: {})
    monkeypatch.setattr(program, "starts", lambda tree, run: {})
    monkeypatch.setattr(program, "make_run", lambda folder, variables: folder)
    assert program.compared(now, then, 2) == {"guard, old": [1.5, 1.5]}
