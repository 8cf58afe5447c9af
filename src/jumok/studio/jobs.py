"""Training in the background: a process of its own (`jumok train`), followed through its run folder.

Jobs run one after the other, because they would only slow each other down. The studio never trains by itself.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import IO, Literal

from jumok.run.names import CONFIG, METRICS
from jumok.run.status import read_lines, status_of
from jumok.studio import payload_views as payload
from jumok.studio.problems import RefusedError
from jumok.studio.runs import Runs, last_step

State = Literal["waiting", "preparing", "training", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")


@dataclass
class Training:
    """A job: what is trained, where to, and how it stands."""

    id: str
    kind: Literal["demo", "lesson"]
    model: str
    folder: Path
    overrides: Sequence[str]
    max_steps: int
    state: State = "waiting"
    message: str = ""
    run: str | None = None
    began: float = 0.0
    first_step: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    stopping: bool = False
    changed: threading.Event = field(default_factory=threading.Event)


class Jobs:
    """The studio's trainings, one at a time, oldest first."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._jobs: dict[str, Training] = {}
        self._queue: Queue[Training | None] = Queue()
        self._lock = threading.RLock()
        self._worker: threading.Thread | None = None
        self._closed = False

    def start(
        self, kind: Literal["demo", "lesson"], model: str, folder: Path, overrides: Sequence[str], max_steps: int
    ) -> Training:
        """The job that trains the folder: the one under way, or a new one; done at once if it is trained already."""
        with self._lock:
            for job in self._jobs.values():
                if job.folder == folder and job.state not in OVER:
                    return job
            name = f"{kind}-{model}-{len(self._jobs) + 1}"
            job = Training(name, kind, model, folder, overrides, max_steps)
            self._jobs[name] = job
            if status_of(folder) == "finished":
                job.state = "done"
                job.run = self.runs.add(folder, wanted=run_name(kind, model)).id
                return job
            self._queue.put(job)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="studio-jobs", daemon=True)
                self._worker.start()
            return job

    def get(self, job_id: str) -> Training:
        """The job of that id."""
        with self._lock:
            if job_id not in self._jobs:
                raise RefusedError(404, "unknown_job", f"There is no job '{job_id}'.")
            return self._jobs[job_id]

    def all(self) -> list[Training]:
        """Every job, oldest first."""
        with self._lock:
            return list(self._jobs.values())

    def of(self, folder: Path) -> Training | None:
        """The job under way that trains the folder."""
        return next((job for job in self.all() if job.folder == folder and job.state not in OVER), None)

    def cancel(self, job: Training) -> None:
        """Ends a job; what it has trained so far is saved and can be resumed."""
        with self._lock:
            if job.state in OVER:
                return
            job.stopping = True
            if job.process is None:
                job.state = "cancelled"
            elif job.process.poll() is None:
                job.process.terminate()

    def close(self) -> None:
        """Ends every job of the studio; none is left behind."""
        self._closed = True
        for job in self.all():
            self.cancel(job)
        self._queue.put(None)
        if self._worker is not None:
            self._worker.join(timeout=30)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None and not self._closed:
            if job.state == "waiting":
                try:
                    self._train(job)
                except OSError as error:
                    job.state, job.message = "failed", f"Training could not be started: {error.strerror or error}."
                job.changed.set()

    def _train(self, job: Training) -> None:
        """Runs one training to its end."""
        with tempfile.TemporaryFile() as talk:
            with self._lock:
                if job.stopping:
                    job.state = "cancelled"
                    return
                job.folder.parent.mkdir(parents=True, exist_ok=True)
                job.began, job.first_step = time.monotonic(), last_step(job.folder) or 0
                job.process = subprocess.Popen(
                    command(job), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=talk,
                    start_new_session=True, env={**os.environ, "NO_COLOR": "1"},
                )  # fmt: skip
                job.state = "preparing"
            while job.process.poll() is None:
                self._follow(job)
                time.sleep(0.25)
            self._follow(job)
            self._finish(job, job.process.returncode, talk)

    def _follow(self, job: Training) -> None:
        """Makes the run known as soon as its folder is there."""
        if job.run is None and (job.folder / CONFIG).is_file():
            job.run = self.runs.add(job.folder, wanted=run_name(job.kind, job.model)).id
        if job.state == "preparing" and (last_step(job.folder) or 0) > job.first_step:
            job.state = "training"

    def _finish(self, job: Training, code: int, talk: IO[bytes]) -> None:
        if code == 0:
            job.state = "done"
        elif job.stopping:
            job.state = "cancelled"
        else:
            talk.seek(0)
            lines = talk.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
            said = next((line for line in reversed(lines) if line.startswith("error:")), lines[-1] if lines else "")
            job.state, job.message = (
                "failed",
                said.removeprefix("error:").strip() or f"Training ended with code {code}.",
            )


def run_name(kind: str, model: str) -> str:
    """The id that a job's run is given."""
    return "demo" if kind == "demo" else f"lesson-{model}"


def command(job: Training) -> list[str]:
    """`jumok train`, from the start or from where a job before it was ended."""
    start = [sys.executable, "-m", "jumok", "train"]
    if (job.folder / CONFIG).is_file():
        return [*start, "--resume", str(job.folder)]
    return [*start, *job.overrides, "--out", str(job.folder)]


def describe(job: Training) -> payload.Job:
    """The job as answers tell it."""
    lines = read_lines(job.folder / METRICS)
    step = next((int(line["step"]) for line in reversed(lines) if isinstance(line.get("step"), int)), 0)
    loss = next((line["loss"] for line in reversed(lines) if isinstance(line.get("loss"), float)), None)
    most = max(1, job.max_steps)
    done = step - job.first_step
    left = None
    if job.state == "training" and done > 0:
        left = (time.monotonic() - job.began) / done * max(0, most - step)
    return payload.Job(
        id=job.id,
        kind=job.kind,
        model=job.model,
        state=job.state,
        progress=1.0 if job.state == "done" else min(0.99, step / most),
        step=step,
        max_steps=job.max_steps,
        loss=None if loss is None else round(loss, 5),
        seconds_left=None if left is None else round(left, 1),
        message=job.message,
        run=job.run,
    )
