"""Files that are there whole or not at all: written aside, synced to the disk, then renamed into place."""

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from safetensors.torch import load as read_tensors
from safetensors.torch import save as pack_tensors
from torch import Tensor

from jumok.errors import CheckpointError

ASIDE = ".writing-"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def disk_errors(path: Path):
    """Turns a full or failing disk into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise CheckpointError(
                f"The disk is full: {path} could not be written ({error.strerror}); what was saved before is intact. "
                "Make room and go on with `jumok train --resume`."
            ) from error
        raise CheckpointError(f"{path} could not be written: {error.strerror or error}.") from error


def write_file(path: Path, content: bytes) -> None:
    """Replaces a file by new content, so that a reader or a crash sees the old or the new one, whole."""
    aside = path.with_name(f"{ASIDE}{path.name}")
    with disk_errors(path):
        try:
            write_synced(aside, content)
            os.replace(aside, path)
            sync_folder(path.parent)
        except OSError:
            aside.unlink(missing_ok=True)
            raise


def write_folder(path: Path, files: Mapping[str, bytes], publish: Callable[[Path, Path], None]) -> None:
    """Writes a folder of files aside and lets `publish(aside, path)` move it into place."""
    aside = path.with_name(f"{ASIDE}{path.name}")
    with disk_errors(path):
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            for name, content in files.items():
                write_synced(aside / name, content)
            sync_folder(aside)
            publish(aside, path)
            sync_folder(path.parent)
        except OSError:
            shutil.rmtree(aside, ignore_errors=True)
            raise


def write_synced(path: Path, content: bytes) -> None:
    """Writes a file and waits until the disk has it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Waits until the disk has the folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def pack(tensors: Mapping[str, Tensor]) -> bytes:
    """Tensors as the bytes of a safetensors file; the same tensors give the same bytes."""
    # One key only: the order of several is not fixed.
    whole = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    return pack_tensors(whole, metadata={"format": "pt"})


def unpack(content: bytes, where: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file."""
    try:
        return read_tensors(content)
    except Exception as error:
        raise CheckpointError(f"{where} is no readable safetensors file: {error}.") from None


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(content).hexdigest()
