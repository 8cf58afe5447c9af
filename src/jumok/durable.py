"""Files that are there whole or not at all: written aside, synced to the disk, then renamed into place."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from jumok.errors import WriteError

ASIDE = ".writing-"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns a full or failing disk into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise WriteError(
                f"The disk is full: {path} could not be written ({error.strerror}); what was saved before is intact. "
                "Free some space and try again; a training run resumes with `jumok train --resume`."
            ) from error
        raise WriteError(f"{path} could not be written: {error.strerror or error}.") from error


def write_file(path: Path, content: bytes) -> None:
    """As `replace_file`; what the disk refuses becomes one sentence."""
    with disk_errors(path):
        replace_file(path, content)


def replace_file(path: Path, content: bytes) -> None:
    """Replaces a file by new content, so that a reader or a crash sees the old or the new one, whole."""
    place = Path(os.path.realpath(path))
    aside = beside(place)
    try:
        write_synced(aside, content)
        os.replace(aside, place)
        sync_folder(place.parent)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def write_folder(path: Path, files: Mapping[str, bytes], publish: Callable[[Path, Path], None]) -> None:
    """Writes a folder of files aside and lets `publish(aside, path)` move it into place."""
    with disk_errors(path), new_folder(path, publish) as aside:
        for name, content in files.items():
            write_synced(aside / name, content)


@contextmanager
def new_folder(path: Path, publish: Callable[[Path, Path], None]) -> Iterator[Path]:
    """A folder aside to fill, which `publish(aside, path)` moves into place; after an error nothing is left of it."""
    aside = beside(path)
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        yield aside
        sync_folder(aside)
        publish(aside, path)
        sync_folder(path.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def replace_folder(aside: Path, path: Path) -> None:
    """Renames a folder into place; one that is there already moves out of the way first and is then removed."""
    if not path.exists():
        os.rename(aside, path)
        return
    old = beside(path.with_name(f"old-{path.name}"))
    shutil.rmtree(old, ignore_errors=True)
    os.rename(path, old)
    os.rename(aside, path)
    shutil.rmtree(old, ignore_errors=True)


def remove_asides(folder: Path) -> None:
    """Removes what killed processes left half-written in a folder; its owner calls this, who alone writes there."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.name.startswith(ASIDE):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """Where this process writes what will become `path`; another process that writes the same has another place."""
    return path.with_name(f"{ASIDE}{os.getpid()}-{path.name}")


def write_synced(path: Path, content: bytes) -> None:
    """Writes a file and waits until the disk has it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Waits until the disk has the folder's names (or a file's content)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(content).hexdigest()
