"""A run folder has one owner: real processes, real kills."""

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jumok.errors import RunError
from jumok.run.lock import owned, owner_of
from jumok.run.names import LOCK
from jumok.run.status import status_of
from tests.test_cli_train import TINY

GOLDEN = Path(__file__).parents[1] / "golden"
ENDLESS = [*TINY, "train.max_steps=1000000", "runtime.threads=2"]
HOLDS = """
import os, sys, time
from pathlib import Path
from jumok.run.lock import owned
with owned(Path(sys.argv[1])):
    if len(sys.argv) > 2 and os.fork() == 0:
        time.sleep(600)
    print("holds", flush=True)
    time.sleep(600)
"""


def jumok(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "jumok", *map(str, arguments)]


def wait_for(condition) -> None:
    """Waits as long as the test may take: a busy machine is slow."""
    while not condition():
        time.sleep(0.05)


def lines(run: Path) -> list[dict]:
    path = run / "metrics.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


@pytest.fixture
def trainer(tmp_path):
    """A process that trains `run`, some steps done."""
    run = tmp_path / "run"
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(jumok("train", "--out", run, *ENDLESS), stderr=said, stdout=said)
    try:
        wait_for(lambda: process.poll() is not None or len(lines(run)) > 4)
        assert process.poll() is None, (tmp_path / "said").read_text()
        yield run, process
    finally:
        process.kill()
        process.wait()


def test_a_second_training_is_refused_and_the_first_is_unharmed(trainer):
    run, process = trainer
    assert status_of(run) == "running"
    config, before = (run / "config.json").read_bytes(), lines(run)
    for command in (
        jumok("train", "--resume", run),
        jumok("train", "--resume", run, "train.max_steps=7"),
        jumok("run", "verify", run, "--write"),
    ):
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        assert second.returncode == 2
        assert f"{run} is in use by process {process.pid} on {os.uname().nodename} since " in second.stderr
        assert len(second.stderr.strip().splitlines()) == 1
    assert (run / "config.json").read_bytes() == config
    reader = subprocess.run(jumok("translate", run), input="Hello.\n", capture_output=True, text=True, check=False)
    assert reader.returncode == 0, reader.stderr
    wait_for(lambda: len(lines(run)) > len(before) + 2)
    now = lines(run)
    assert now[: len(before)] == before
    steps = [line["step"] for line in now if "loss" in line]
    assert steps == sorted(set(steps))
    assert process.poll() is None


def test_a_killed_owner_leaves_no_lock(trainer):
    run, process = trainer
    wait_for(lambda: any(path.name.isdigit() for path in (run / "checkpoints").iterdir()))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert owner_of(run) is None
    assert status_of(run) == "stopped"
    reached = max(line["step"] for line in lines(run))
    done = subprocess.run(
        jumok("train", "--resume", run, f"train.max_steps={reached + 4}"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert status_of(run) == "finished"


@pytest.mark.parametrize("forks", [False, True])
def test_the_lock_ends_with_its_process_not_with_its_forked_copies(tmp_path, forks):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path), *(["fork"] if forks else [])],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"holds\n"
        owner = owner_of(tmp_path)
        assert owner is not None
        assert owner.pid == process.pid
        with pytest.raises(RunError, match=f"process {process.pid} on "), owned(tmp_path):
            pass
        process.kill()
        process.wait()
        assert owner_of(tmp_path) is None
        with owned(tmp_path):
            pass
    finally:
        os.killpg(process.pid, signal.SIGKILL) if forks else process.kill()
        process.stdout.close()


def _ask(folder: Path, answers) -> None:
    answers.put(owner_of(folder))


def test_to_ask_neither_takes_nor_gives_up_the_lock(tmp_path):
    assert owner_of(tmp_path) is None
    assert not (tmp_path / LOCK).exists()
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    with owned(tmp_path):
        assert owner_of(tmp_path) is not None  # in the owner itself, where closing the file would give up the lock
        with pytest.raises(RunError, match=f"process {os.getpid()} on "), owned(tmp_path):
            pass
        asking = context.Process(target=_ask, args=(tmp_path, answers))
        asking.start()
        found = answers.get()
        asking.join()
        assert found is not None
        assert found.pid == os.getpid()
    assert owner_of(tmp_path) is None
    with owned(tmp_path):
        pass


@pytest.mark.slow
def test_a_group_that_is_refused_ends_with_one_sentence(tmp_path):
    """The first process of a group asks for the lock; the others must not wait for it."""
    run = Path(shutil.copytree(GOLDEN / "rnnsearch-1", tmp_path / "run"))
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    group = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m", "jumok"]
    with owned(run):
        second = subprocess.run(
            [*group, "train", "--resume", str(run), "train.max_steps=7"], capture_output=True, text=True, check=False
        )
    assert second.returncode != 0
    assert second.stderr.count(f"error: {run} is in use by process {os.getpid()} on ") == 1
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.name != LOCK} == before
