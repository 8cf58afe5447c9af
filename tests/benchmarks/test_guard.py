"""Our own path is not slower than it was, relative to a fixed computation; and the guard can tell."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def guard():
    return load("guard")


def test_training_and_stepping_are_as_fast_as_they_were():
    # A process of its own: under pytest every shape is checked, which costs our path and not the fixed one. Once more
    # before complaining: a machine may be busy for a moment, a lost optimisation stays.
    command = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "guard.py"), "--json"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stdout + done.stderr
    assert {verdict["name"] for verdict in json.loads(done.stdout)} == {"train rnn", "train transformer", "step rnn"}


def test_a_path_that_became_slower_is_noticed(guard):
    def count(times: int) -> int:
        return sum(number * number for number in range(times))

    fast = guard.compare("train rnn", lambda: count(30_000), lambda: count(120_000))
    slow = guard.compare("train rnn", lambda: count(240_000), lambda: count(60_000))
    assert fast.passed
    assert not slow.passed
