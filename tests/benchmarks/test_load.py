"""The program that measures our share beside other work: its arithmetic, its processes, and a real short run."""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.programs import ROOT, load


@pytest.fixture(scope="module")
def program():
    return load("load")


@pytest.mark.parametrize(
    ("threads", "others", "share"),
    [(2, 0, 1.0), (2, 1, 2 / 3), (2, 2, 0.5), (2, 3, 0.4), (1, 1, 1.0), (1, 2, 2 / 3), (1, 3, 0.5)],
)
def test_the_fair_share_of_two_cores(program, threads, others, share):
    assert program.fair(threads, others, 2) == pytest.approx(share)


def test_shares_are_ratios_within_a_round(program):
    work = program.Work("training", program.training, 2)
    speeds = {0: [100.0, 200.0, 300.0], "spinning": [100.0, 200.0, 250.0], "other threads": [50.0, 100.0, 150.0]}
    speeds |= {n: [share * quiet for quiet in speeds[0]] for n, share in ((1, 0.6), (2, 0.45), (3, 0.3))}
    found = program.summary(work, speeds, cores=2)
    assert found.shares == pytest.approx({1: 0.9, 2: 0.9, 3: 0.75})
    assert (found.quiet, found.against_spinning, found.gain) == (200, 1.0, 2.0)
    assert not found.passed
    assert "FAILED" in program.row(found)


def test_busy_processes_run_and_end_with_the_measurement(program):
    with program.busy(2, 30) as started:
        assert [process.poll() for process in started] == [None, None]
    assert all(process.poll() is not None for process in started)


def test_a_busy_process_ends_by_itself_when_its_time_is_over(program):
    with program.busy(1, 0.1) as (process,):
        assert process.wait(timeout=60) == 0


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
