"""The workers that share a batch: copies of this process that read its weights and write gradients where it sees them.

A copy is made by `fork`, so the model, its loss and what a user registered are there without being sent. Weights and
gradients lie in memory that all copies share; a message carries the batch one way and a few sums the other. Threads
would do as well if Python and the libraries below it did not make them wait for each other.
"""

import io
import mmap
import os
import pickle
import signal
import sys
import weakref
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from jumok.errors import TrainingError
from jumok.training.shares import Work, WorkItem, WorkResult

READY = b"ready"
# A copy that was made while another thread held a lock may hang; nobody waits for it longer than this.
SECONDS_TO_START = 20.0
# How often an idle copy looks whether the process that made it is still there.
SECONDS_BETWEEN_LOOKS = 1.0
FLOAT_BYTES = 4


class CannotForkError(Exception):
    """A copy of this process cannot work here."""


class Workers:
    """Processes that do a task together; the weights of the model are theirs as well from now on."""

    def __init__(self, work: Work, count: int, parameters: Sequence[Parameter]) -> None:
        if not sys.platform.startswith("linux") or any(p.dtype != torch.float32 for p in parameters):
            raise CannotForkError
        self.count = count
        _share(parameters)
        self._gradients = [_shared_like(parameters) for _ in range(count)]
        self._lines: list[Connection] = []
        self._pids: list[int] = []
        self._end = weakref.finalize(self, _end, self._lines, self._pids)
        for rank in range(count):
            here, there = Pipe()
            pid = _fork()
            if pid == 0:
                for line in (*self._lines, here):
                    line.close()
                _serve(there, work, rank, count, self._gradients[rank])
            there.close()
            self._lines.append(here)
            self._pids.append(pid)
        for line in self._lines:
            if not line.poll(SECONDS_TO_START) or _heard(line) != READY:
                for pid in self._pids:
                    os.kill(pid, signal.SIGKILL)
                self._end()
                raise CannotForkError

    def learn(self, item: WorkItem) -> list[WorkResult]:
        """What each worker learned of its share, in order; its gradients hold until the next task."""
        message = _packed(item)
        waiting: list[Connection] = []
        try:
            for line in self._lines:
                try:
                    line.send_bytes(message)
                except OSError:
                    raise _was_killed() from None
                waiting.append(line)
            answers = [self._answer(line, waiting) for line in self._lines]
        finally:
            # A signal may end the step early; no worker may then still be busy.
            while waiting:
                self._answer(waiting[0], waiting)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return [
            WorkResult(tuple(part if there else None for part, there in zip(parts, present, strict=True)), sums)
            for parts, (present, sums) in zip(self._gradients, answers, strict=True)
        ]

    def _answer(self, line: Connection, waiting: list[Connection]) -> Any:
        try:
            answer = line.recv_bytes()
        except (EOFError, OSError):
            waiting.clear()
            raise _was_killed() from None
        waiting.remove(line)
        # From a copy of this process, through a pipe that nobody else holds; nothing of it is ever read from a file.
        return pickle.loads(answer)


def _was_killed() -> TrainingError:
    """What is said when a worker is gone, found out when it is told its task or when it should answer."""
    return TrainingError(
        "A process that learned a share of the batch was killed, perhaps because memory ran out; lower "
        "train.batch_tokens, or set runtime.threads=1, and resume from the last checkpoint."
    )


class _Pickler(pickle.Pickler):
    """Tensors as arrays: their own way takes a hundred times as long."""

    def reducer_override(self, obj: Any) -> Any:
        return (torch.from_numpy, (obj.numpy(),)) if isinstance(obj, Tensor) else NotImplemented


def _packed(message: object) -> bytes:
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(message)
    return written.getvalue()


def _share(parameters: Sequence[Parameter]) -> None:
    """Moves the parameters into memory that copies of this process share."""
    for parameter, place in zip(parameters, _shared_like(parameters), strict=True):
        parameter.data = place.copy_(parameter.data)


def _shared_like(parameters: Sequence[Parameter]) -> list[Tensor]:
    """A tensor for each parameter, all in one piece of memory that copies of this process share."""
    sizes = [parameter.numel() for parameter in parameters]
    memory = torch.frombuffer(mmap.mmap(-1, FLOAT_BYTES * max(1, sum(sizes))), dtype=torch.float32)
    parts = memory[: sum(sizes)].split(sizes)
    return [part.view(parameter.shape) for part, parameter in zip(parts, parameters, strict=True)]


def _fork() -> int:
    """As os.fork; the copy leaves signals to the process that made it."""
    deaf = {signal.SIGINT, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, deaf)
    pid = os.fork()
    if pid == 0:
        for number in deaf:
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid


def _serve(line: Connection, work: Work, rank: int, count: int, gradients: list[Tensor]) -> None:
    """The life of a copy: does tasks until nobody is left to send any."""
    code = 1
    try:
        maker = os.getppid()
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        # Where torch or a library below it cannot do this in a copy, it is known before anything depends on it.
        torch.ones(1, requires_grad=True).sum().backward()
        line.send_bytes(READY)
        while _wait(line, maker):
            item: WorkItem = pickle.loads(line.recv_bytes())
            line.send_bytes(pickle.dumps(_answer_to(item.share(rank, count), work, gradients)))
        code = 0
    except (EOFError, OSError):
        code = 0
    finally:
        os._exit(code)


def _answer_to(item: WorkItem, work: Work, gradients: list[Tensor]) -> Any:
    """Which gradients there are, and the sums; or what went wrong."""
    try:
        learned = work(item)
    except Exception as error:
        return error
    for place, gradient in zip(gradients, learned.gradients, strict=True):
        if gradient is not None:
            place.copy_(gradient)
    return [gradient is not None for gradient in learned.gradients], learned.sums


def _wait(line: Connection, maker: int) -> bool:
    """Waits for a task; False when the process that made us is gone."""
    while not line.poll(SECONDS_BETWEEN_LOOKS):
        if os.getppid() != maker:
            return False
    return True


def _heard(line: Connection) -> bytes:
    try:
        return line.recv_bytes()
    except (EOFError, OSError):
        return b""


def _end(lines: list[Connection], pids: list[int]) -> None:
    """Lets the copies go, and waits until they have."""
    for line in lines:
        line.close()
    for pid in pids:
        os.waitpid(pid, 0)
    lines.clear()
    pids.clear()
