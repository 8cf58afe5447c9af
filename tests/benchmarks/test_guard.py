"""Our own path is not slower than it was, relative to a fixed computation; and the guard can tell."""

import sys

import pytest

from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def guard():
    sys.path.insert(0, str(ROOT / "benchmarks"))  # the program imports its neighbours
    yield load("guard")
    sys.path.pop(0)


def test_training_and_stepping_are_as_fast_as_they_were(guard):
    slow = [verdict for verdict in guard.verdicts() if not verdict.passed]
    # Once more before complaining: a machine may be busy for a moment, a lost optimisation stays.
    assert not slow or all(verdict.passed for verdict in guard.verdicts()), slow


def test_a_path_that_became_slower_is_noticed(guard):
    def count(times: int) -> int:
        return sum(number * number for number in range(times))

    fast = guard.compare("train rnn", lambda: count(30_000), lambda: count(60_000))
    slow = guard.compare("train rnn", lambda: count(120_000), lambda: count(60_000))
    assert fast.passed
    assert not slow.passed
