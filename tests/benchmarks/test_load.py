"""The program that measures our share beside other work: its arithmetic, its processes, and a real short run."""

import json
import os
import subprocess
import sys
import time

import pytest

from jumok.waiting import WAITING
from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def program():
    return load("load")


@pytest.mark.parametrize(
    ("threads", "others", "share"),
    [(2, 1, 2 / 3), (2, 2, 0.5), (2, 3, 0.4), (1, 1, 1.0), (1, 2, 2 / 3), (1, 3, 0.5)],
)
def test_the_fair_share_of_two_cores(program, threads, others, share):
    """Loops that get all that is theirs leave us our part of the cores."""
    assert program.fair(threads, others, 2, share) == pytest.approx(share)


def test_the_fair_share_follows_what_loops_get_in_the_same_seconds(program):
    robbed = 0.25  # someone else computes too: we may expect no more than a loop got
    assert program.fair(2, 2, 2, robbed) == pytest.approx(0.25)
    generous = 0.9  # what we leave to the loops does not lower what we are asked for
    assert program.fair(2, 2, 2, generous) == pytest.approx(0.5)


def test_the_work_waits_as_every_command_of_ours_does(program, tmp_path):
    """Torch reads how threads wait when it is imported: what measures us must import us first."""
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); import load; load.MAKERS['none'] = lambda *_: lambda: "
        "print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules); load.serve('none', 1, None)"
    )
    free = {name: value for name, value in os.environ.items() if name not in WAITING}
    command = [sys.executable, "-c", code, str(ROOT / "benchmarks")]
    told = subprocess.run(command, env=free, input="", capture_output=True, text=True, check=True)
    assert told.stdout.split()[:2] == ["PASSIVE", "False"]


def test_a_row_has_medians_over_rounds(program):
    work = program.Work("training", program.training, 2)
    rounds = {1: [0.8, 0.9, 1.0], 2: [0.9, 0.9, 0.2], 3: [0.75, 0.7, 0.9], "quiet": [100.0, 200.0, 300.0]}
    found = program.summary(work, rounds | {"spinning": [1.0, 1.0, 1.2], "other threads": [2.0, 2.0, 2.0]})
    assert found.shares == pytest.approx({1: 0.9, 2: 0.9, 3: 0.75})
    assert (found.quiet, found.against_spinning, found.gain) == (200, 1.0, 2.0)
    assert not found.passed
    assert "FAILED" in program.row(found)


def test_busy_processes_count_their_turns_and_end_with_the_measurement(program):
    with program.busy(2, 30) as loops:
        assert [process.poll() for process in loops.processes] == [None, None]
        given, got = loops.during(lambda: time.sleep(0.5) or 7.0)
    assert given == 7.0
    assert 0 < got < 1.5
    assert all(process.poll() is not None for process in loops.processes)


def test_a_busy_process_ends_by_itself_when_its_time_is_over(program):
    with program.busy(1, 0.1) as loops:
        assert loops.processes[0].wait(timeout=60) == 0


def test_a_worker_does_its_work_for_as_long_as_it_is_told(program, tmp_path):
    worker = program.Worker("aligner", 1, tmp_path)
    try:
        assert worker.speed(0.1) > 0
        assert worker.speed(0.1) > 0
    finally:
        worker.close()
    assert worker.process.poll() is not None


def test_a_short_run_has_every_number():
    command = [sys.executable, str(ROOT / "benchmarks" / "load.py"), "--only", "aligner", "--rounds", "1"]
    done = subprocess.run([*command, "--seconds", "0.2", "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    (found,) = json.loads(done.stdout)
    assert set(found["shares"]) == {"1", "2", "3"}
    assert min(found["quiet"], found["against_spinning"], found["gain"], *found["shares"].values()) > 0
