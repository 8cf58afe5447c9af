"""Files of a run read and checked against the manifest beside them; large ones are hashed while they are unpacked."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from jumok.errors import ReplacedError, RunError
from jumok.run import manifest
from jumok.run.names import CONFIG, MANIFEST, WEIGHTS

Result = TypeVar("Result")
Stamp = tuple[int, int, int]
TRIES = 10
SMALL = 1 << 20
"""Bytes up to which a file is hashed at once: starting a thread would take longer."""
SETTLED = 2.0
"""Seconds after a change from which on a second change cannot have the same time stamp."""

_log = logging.getLogger("jumok.run")
_hashes: dict[Path, tuple[Stamp, Any]] = {}
_noted: set[Path] = set()


class Content:
    """The bytes of a file, whose hash is computed in a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes, self.stamp = read_stamped(path)
        self._hash: Any = None
        self._thread = threading.Thread(target=self._compute, daemon=True)
        self._thread.start() if len(self.bytes) > SMALL else self._compute()

    def _compute(self) -> None:
        self._hash = _hash_of(self.path, self.bytes, self.stamp)

    def sha256(self, *more: bytes) -> str:
        """The hash of the bytes, and of what is given behind them."""
        if self._thread.ident is not None:
            self._thread.join()
        hashed = self._hash.copy()
        for part in more:
            hashed.update(part)
        return hashed.hexdigest()

    def require_intact(self) -> None:
        """Raises unless the manifest beside the file knows its hash; without a manifest there is nothing to check."""
        entries = manifest.read(self.path.parent)
        if entries is None:
            return
        entry = entries.get(self.path.name)
        if entry is None and self.path.name != WEIGHTS:
            return  # a file that somebody put here
        if entry is None or not entry.accepts(self.sha256()):
            if stamp_of(self.path) != self.stamp:
                raise ReplacedError(f"{self.path} was replaced while it was being read; try again.")
            raise RunError(manifest.refusal(self.path))


@contextmanager
def checked(path: Path) -> Iterator[Content]:
    """A file's content to work with at once; at the end it is known to be intact, or an error is raised.

    What the manifest says goes before what was met while working with damaged content.
    """
    content = Content(path)
    try:
        yield content
    finally:
        content.require_intact()
    _note_missing(path.parent)


def check_listed(folder: Path, *, but: str = "") -> None:
    """Raises unless every file is the one the manifest lists, `but` one that is checked where it is read."""
    for name in manifest.read(folder) or ():
        if name != but:
            Content(folder / name).require_intact()


def check_file(path: Path) -> None:
    """Raises unless a file that is read by others than us is the one its manifest lists."""
    with checked(path):
        pass


def steady(load: Callable[[], Result]) -> Result:
    """What `load` gives, tried again while the files of a run are being replaced under it."""
    for _ in range(TRIES - 1):
        try:
            return load()
        except ReplacedError:
            time.sleep(0.02)
    return load()


def not_finite(path: Path, tensor: str) -> str:
    """What to say of weights that no search can use."""
    return (
        f"{path}: the tensor '{tensor}' holds NaN or infinite numbers, so the model is of no use; "
        "take another checkpoint, or train again with a lower train.learning_rate."
    )


def read_bytes(path: Path) -> bytes:
    """The content of a file that every trained run has."""
    return read_stamped(path)[0]


def read_stamped(path: Path) -> tuple[bytes, Stamp]:
    """The content of a file, and what tells it from another content of the same name."""
    try:
        with path.open("rb") as file:
            stamp = _stamp(os.fstat(file.fileno()))
            return file.read(), stamp
    except FileNotFoundError:
        raise RunError(f"{path} is missing; the run has not been trained, or was copied without it.") from None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}.") from None


def stamp_of(path: Path) -> Stamp | None:
    """What tells the content of a file from another one; None where there is no file."""
    try:
        return _stamp(path.stat())
    except OSError:
        return None


def run_hash(folder: Path, weights: Path | None = None) -> str | None:
    """The SHA-256 of weights and config together, which names a model; None where either is missing.

    `weights` takes those of a snapshot or checkpoint instead of the best ones.
    """
    try:
        hashed = _hash_on_disk(weights or folder / WEIGHTS).copy()
        hashed.update((folder / CONFIG).read_bytes())
    except (RunError, OSError):
        return None
    return hashed.hexdigest()


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_mtime_ns, found.st_size


def _hash_of(path: Path, content: bytes, stamp: Stamp) -> Any:
    """The hash of a file's content, computed once in a process for as long as the file stays as it is."""
    known = _known_hash(path, stamp)
    if known is not None:
        return known
    made = sha256(content)
    if time.time() - stamp[1] / 1e9 > SETTLED:
        _hashes[path.absolute()] = stamp, made
    return made


def _hash_on_disk(path: Path) -> Any:
    """The hash of a file, which is read only if it is not known yet."""
    return _known_hash(path, stamp_of(path)) or _hash_of(path, *read_stamped(path))


def _known_hash(path: Path, stamp: Stamp | None) -> Any:
    known = _hashes.get(path.absolute())
    return known[1] if known is not None and known[0] == stamp else None


def _note_missing(folder: Path) -> None:
    """Says once that a run of an earlier version cannot be checked."""
    if not (folder / MANIFEST).exists() and (folder / CONFIG).exists() and folder.absolute() not in _noted:
        _noted.add(folder.absolute())
        _log.warning(
            "note: %s has no %s, so its files are not checked; write one with `jumok run verify %s --write`.",
            folder,
            MANIFEST,
            folder,
        )
