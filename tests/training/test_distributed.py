"""Two real processes: gradients as of one, one writer, and a restart that goes on from the last checkpoint."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from torch.distributed import HashStore

from jumok.training.distributed import Processes, agree_on_name

ROOT = Path(__file__).parents[2]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
TINY = [
    "data.phrasebook_size=200",
    "data.held_out=10",
    "model.dropout=0",
    "model.embedding=8",
    "model.encoder.size=8",
    "model.decoder.size=8",
    "train.batch_tokens=128",
    "train.validate_size=0",
    "train.pictures=0",
    "train.log_every=1",
    "runtime.threads=1",
    "runtime.prefetch=0",
]


def environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def jumok(*arguments: str, prefix: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [*(prefix or [sys.executable]), "-m", "jumok", "train", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment(), check=False)


@pytest.mark.slow
def test_two_processes_have_the_gradient_of_one(tmp_path):
    command = [*TORCHRUN, str(ROOT / "tests/training/two_processes.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment(), check=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ok-0", "ok-1"], done.stderr[-3000:]


@pytest.mark.slow
def test_a_parallel_run_is_the_single_run_to_rounding_and_has_one_writer(tmp_path):
    steps = ["train.max_steps=8", "train.save_every=4", "train.validate_every=4"]
    one = jumok("--out", str(tmp_path / "one"), *TINY, *steps)
    assert one.returncode == 0, one.stderr[-3000:]
    two = jumok("--out", str(tmp_path / "two"), *TINY, *steps, prefix=TORCHRUN)
    assert two.returncode == 0, two.stderr[-3000:]
    lines = [
        [json.loads(line) for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("one", "two")
    ]
    assert len(lines[0]) == len(lines[1]) == 10
    for single, parallel in zip(*lines, strict=True):
        assert single == pytest.approx(parallel, rel=1e-4)
    names = {path.name for path in (tmp_path / "two" / "checkpoints" / "8").iterdir()}
    assert {"random.safetensors", "random-1.safetensors"} <= names


@pytest.mark.parametrize("dead", [(), (1,), (1, 2, 3)])
def test_the_processes_of_a_restart_agree_on_a_new_name_whatever_dead_ones_left(dead):
    store = HashStore()
    for rank in dead:
        store.set(f"here/{rank}", f"word of the dead process {rank}")
    names = []
    for _ in range(2):
        with ThreadPoolExecutor(4) as pool:
            names.append(list(pool.map(lambda rank: agree_on_name(store, Processes(rank, 4)), range(4))))
    assert [len(set(round_)) for round_ in names] == [1, 1]
    assert names[0][0] != names[1][0]


@pytest.mark.slow
def test_an_elastic_restart_goes_on_from_the_checkpoint(tmp_path):
    run = tmp_path / "run"
    settings = [*TINY, "train.max_steps=4000", "train.save_every=5", "train.validate_every=4000"]
    command = [*TORCHRUN, "--max-restarts=1", "-m", "jumok", "train", "--out", str(run), *settings]
    with (tmp_path / "log").open("w") as log:
        group = subprocess.Popen(command, stdout=log, stderr=log, env=environment())
    try:
        _wait_for(run / "checkpoints" / "10", group)
        os.kill(_worker(group.pid), signal.SIGKILL)
        deadline = time.monotonic() + 200
        while "Going on from" not in (tmp_path / "log").read_text():
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()[-3000:]
            time.sleep(0.2)
    finally:
        group.terminate()
        group.wait(60)


def _wait_for(path: Path, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 200
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _worker(parent: int) -> int:
    """The last process that torchrun started."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return int(children[-1])
