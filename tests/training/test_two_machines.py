"""Two "machines" (addresses of loopback) that train together over a rendezvous: one is lost and comes back."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.training.test_distributed import TINY, environment

# torchrun otherwise keeps the address of the first round's store, and a machine that comes back waits for it in vain.
REJOINING = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
STEPS = ["train.max_steps=60", "train.save_every=5", "train.validate_every=60"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def machine(number: int, port: int, run: Path, log: Path) -> subprocess.Popen[bytes]:
    """The launcher of one machine, in a process group of its own; the first one hosts the rendezvous."""
    conf = f"is_host={1 - number},keep_alive_interval=2,keep_alive_max_attempt=4"
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1", "--rdzv-backend=c10d",
        f"--rdzv-endpoint=127.0.0.1:{port}", f"--rdzv-conf={conf}", "--rdzv-id=two", "--max-restarts=3",
        "--monitor-interval=0.2", f"--local-addr=127.0.0.{number + 1}",
        "-m", "jumok", "train", "--out", str(run), *TINY, *STEPS,
    ]  # fmt: skip
    env = environment() | {"GLOO_SOCKET_IFNAME": "lo", **REJOINING}
    with log.open("ab") as file:
        return subprocess.Popen(command, stdout=file, stderr=file, env=env, start_new_session=True)


def wait_for(path: Path, machines: list[subprocess.Popen[bytes]], log: Path) -> None:
    until = time.monotonic() + 200
    while not path.exists():
        assert all(one.poll() is None for one in machines), log.read_text()[-3000:]
        assert time.monotonic() < until, log.read_text()[-3000:]
        time.sleep(0.05)


def lose(one: subprocess.Popen[bytes]) -> None:
    """Ends a machine at once: launcher and worker, which the launcher starts in sessions of their own."""
    workers = Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
    for process in (one.pid, *map(int, workers)):
        os.kill(process, signal.SIGKILL)
    one.wait()


def trained(folder: Path, name: str, lost: bool) -> bytes:
    """The weights of a run of two machines."""
    run, log, port = folder / name, folder / f"{name}.log", free_port()
    machines = [machine(number, port, run, log) for number in range(2)]
    try:
        if lost:
            wait_for(run / "checkpoints" / "10", machines, log)
            lose(machines[1])
            machines[1] = machine(1, port, run, log)
        assert [one.wait(300) for one in machines] == [0, 0], log.read_text()[-3000:]
    finally:
        for one in machines:
            if one.poll() is None:
                lose(one)
    if lost:
        assert "Going on from" in log.read_text() or "Resum" in log.read_text(), log.read_text()[-3000:]
    return (run / "model.safetensors").read_bytes()


@pytest.mark.slow
def test_a_machine_that_was_lost_and_came_back_changes_no_bit(tmp_path):
    assert trained(tmp_path, "interrupted", lost=True) == trained(tmp_path, "whole", lost=False)
