"""Our own path is not slower than it was, relative to a fixed computation; and the guard can tell."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def guard():
    return load("guard")


def run(*arguments: str) -> tuple[int, list[dict], str]:
    """The exit code, the verdicts and what was said, from a process of its own.

    Under pytest every shape is checked, which costs our path and not the fixed one.
    """
    command = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "guard.py"), "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


@pytest.mark.slow
def test_our_paths_are_as_fast_as_they_were(guard):
    code, verdicts, said = run()
    assert code == 0, said
    assert [one["name"] for one in verdicts] == can_be_compared(guard, guard.CASES)


@pytest.mark.slow
def test_real_paths_that_take_much_longer_are_noticed(guard):
    names = can_be_compared(guard, ["train rnn", "engine"])
    # Beyond the bound by more than the machine may move meanwhile.
    slower = 1.7 * max(guard.bounds()[name] / guard.BOUNDS[name] for name in names)
    # Once more before complaining: a neighbour may slow the fixed computation down more than ours.
    for _ in range(2):
        code, verdicts, said = run("--slower", str(slower), "--only", *names)
        if not any(one["passed"] for one in verdicts):
            break
    assert code == 1, said
    assert [(one["name"], one["passed"], one["tries"]) for one in verdicts] == [(name, False, 2) for name in names]


def can_be_compared(guard, names) -> list[str]:
    """Without the engine where there is no compiler."""
    return [name for name in names if guard.why_no_engine() is None or "engine" not in name]


def counting(times: int):
    """Work whose time is known: in proportion to the times, which squares that outgrow a machine word are not."""
    return lambda: sum(number & 7 for number in range(times))


def test_every_case_has_a_bound(guard):
    assert set(guard.CASES) == set(guard.USUAL) == set(guard.BOUNDS) == set(guard.ELSEWHERE)


@pytest.mark.parametrize(
    "name",
    ["train rnn", "train transformer", "output layer", "step rnn", "train pointer", "step pointer", "engine",
     "engine beam int8"],
)  # fmt: skip
def test_each_bound_lets_the_usual_pass_and_notices_more_than_half_as_long_again(guard, name, monkeypatch):
    monkeypatch.setattr(guard, "bounds", lambda: guard.BOUNDS)  # as on the processor of the bounds
    for usual in guard.USUAL[name]:
        fixed, ours = counting(20_000), counting(round(20_000 * usual))
        assert guard.compare(name, lambda ours=ours, fixed=fixed: (ours, fixed), 0.3).passed
        assert not guard.compare(name, lambda ours=ours, fixed=fixed: (guard.slowed(ours, 1.6), fixed), 0.3).passed


def test_what_fails_is_tried_once_more(guard, monkeypatch):
    slow_at_first = iter([40_000] * guard.TIMES_MADE + [10_000] * guard.TIMES_MADE)
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    monkeypatch.setattr(guard, "bounds", lambda: guard.BOUNDS)
    cases = {
        "train rnn": lambda: (counting(next(slow_at_first)), counting(20_000)),
        "step rnn": lambda: (counting(80_000), counting(20_000)),
        "engine": lambda: (counting(10_000), counting(20_000)),
    }
    monkeypatch.setattr(guard, "CASES", cases)
    found = guard.verdicts(list(cases))
    assert [(one.name, one.passed, one.tries) for one in found] == [
        ("train rnn", True, 2), ("step rnn", False, 2), ("engine", True, 1),
    ]  # fmt: skip
    assert 3.6 < found[1].ratio < 4.4


def test_without_a_compiler_the_engine_is_left_out_with_a_reason(guard, monkeypatch, capsys):
    def missing():
        raise guard.NoEngineError("there is no C compiler")

    monkeypatch.setattr(guard, "library", missing)
    monkeypatch.setattr(sys, "argv", ["guard.py", "--only", "engine"])
    assert guard.main() == 0
    assert "there is no C compiler" in capsys.readouterr().err
