"""Trainings that are given so many minutes, of the clock on the wall or of the processor."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def finished(command: list[str], minutes: float) -> bool:
    """Whether the command ended well within so many minutes; otherwise it is told to save a checkpoint and to end."""
    process = subprocess.Popen(command)
    try:
        return process.wait(60 * minutes) == 0
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        process.wait()
        return False


@dataclass(frozen=True)
class Budget:
    """Minutes of training; with one thread those of the processor, so that other programs do not shorten them."""

    minutes: float
    threads: int = 0

    @property
    def processor(self) -> bool:
        """Whether processor time counts."""
        return self.threads == 1

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that uses so many threads."""
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        return {**os.environ, **{name: str(self.threads) for name in names if self.threads}}

    def __str__(self) -> str:
        if self.processor:
            return f"{self.minutes:g} processor minutes of one thread"
        return f"{self.minutes:g} minutes on {self.threads or 'all'} threads"


def processor_seconds(pid: int) -> float:
    """What all threads of a running process have used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spend(
    command: list[str], budget: Budget, log: Path, begins: str, saved: Callable[[float], bool], every: float = 0.25
) -> None:
    """Runs a command until its budget is spent and it has saved something once more; its talk goes into `log`.

    Seconds count from the moment at which the log has the words `begins`: what is loaded before is not training.
    `saved` is asked after every look, with the seconds that were spent, whether a checkpoint has just been written.
    """
    part = log.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=budget.environment)
    start: float | None = None
    try:
        while process.poll() is None:
            time.sleep(every)
            now = processor_seconds(process.pid) if budget.processor else time.monotonic()
            if start is None:
                start = now if begins in part.read_text(encoding="utf-8") else None
            elif saved(now - start) and now - start >= 60 * budget.minutes:
                process.terminate()
                process.wait()
                part.rename(log)
                return
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    raise SystemExit(f"The training ended by itself with code {process.returncode}; see {part}.")
