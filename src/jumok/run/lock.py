"""The lock of a run folder: one process writes a run at a time, readers are never blocked.

The lock is a POSIX record lock on `RUN/.lock`. The kernel releases it when the process that took it dies, whatever
kills it, so nothing stale is left after a kill or a reboot, and processes that the owner forks do not inherit it. The
file says who holds the lock, for the sentence that refuses a second process; that counts only while the lock is held.

On a network file system the lock holds between machines if the server supports locks (NFS 4, NFS 3 with lockd, most
cluster file systems). Where a file system refuses to lock at all, a note is logged and training runs unlocked.
"""

import json
import logging
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from jumok.errors import RunError
from jumok.run.names import LOCK

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has other locks
    fcntl = None

_log = logging.getLogger("jumok.run")
# Closing any descriptor of the file gives up the process's lock: while we hold it, nobody here may open it again.
_held: dict[Path, int] = {}
_guard = threading.Lock()


@dataclass(frozen=True)
class Owner:
    """The process that writes a run."""

    pid: int
    host: str
    command: str
    started: str

    def __str__(self) -> str:
        since = f" since {self.started}" if self.started else ""
        return f"process {self.pid or '?'} on {self.host or 'another machine'}{since}"


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Holds the lock of a run folder; refuses with one sentence while another process holds it."""
    place = (folder / LOCK).resolve()
    handle = _take(folder, place)
    try:
        yield
    finally:
        with _guard:
            _held.pop(place, None)
            if handle is not None:
                os.close(handle)


def owner_of(folder: Path) -> Owner | None:
    """The process that holds the lock of a run folder, or None; the lock itself is not touched."""
    place = (folder / LOCK).resolve()
    with _guard:
        if place in _held:
            return _this_process()
        try:
            handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return _read_owner(handle) if _is_locked(handle) else None
        finally:
            os.close(handle)


def _take(folder: Path, place: Path) -> int | None:
    with _guard:
        if place in _held:
            raise _refusal(folder, _this_process())
        try:
            handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RunError(f"{folder} cannot be written: {error.strerror or error}.") from None
        try:
            _lock(handle)
        except (BlockingIOError, PermissionError):
            owner = _read_owner(handle)
            os.close(handle)
            raise _refusal(folder, owner) from None
        except OSError as error:
            _log.warning("note: %s cannot be locked here (%s); train it in one process only.", folder, error.strerror)
        _held[place] = handle
        _write_owner(handle, _this_process())
        return handle


def _refusal(folder: Path, owner: Owner) -> RunError:
    return RunError(f"{folder} is in use by {owner}; wait until it has ended, or stop it first.")


def _lock(handle: int) -> None:
    if fcntl is None:
        raise OSError(0, "this system has no record locks")
    fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_locked(handle: int) -> bool:
    """Whether another process holds the lock, asked without taking it: an owner who comes just now is not refused."""
    if fcntl is None:
        return False
    # struct flock: (start, length, pid, type, whence) on macOS, (type, whence, start, length, pid) on Linux.
    mac = sys.platform == "darwin"
    form = "qqihh" if mac else "hhqqi"
    asked = struct.pack(form, *((0, 0, 0, fcntl.F_WRLCK, 0) if mac else (fcntl.F_WRLCK, 0, 0, 0, 0)))
    try:
        answer = struct.unpack(form, fcntl.fcntl(handle, fcntl.F_GETLK, asked))
    except OSError:
        return False
    return answer[3 if mac else 0] != fcntl.F_UNLCK


def _this_process() -> Owner:
    command = " ".join(("jumok", *sys.argv[1:])) if sys.argv else "python"
    return Owner(os.getpid(), socket.gethostname(), command, time.strftime("%Y-%m-%d %H:%M:%S"))


def _write_owner(handle: int, owner: Owner) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, (json.dumps(asdict(owner), ensure_ascii=False) + "\n").encode("utf-8"), 0)


def _read_owner(handle: int) -> Owner:
    """Who wrote the file; somebody unknown where it cannot be read (the owner may just be writing it)."""
    try:
        tree = json.loads(os.pread(handle, 1 << 16, 0))
        return Owner(int(tree["pid"]), str(tree["host"]), str(tree["command"]), str(tree["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Owner(0, "", "", "")


def _forget() -> None:
    """In a forked copy: the locks stay with the process that took them."""
    for handle in _held.values():
        os.close(handle)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
