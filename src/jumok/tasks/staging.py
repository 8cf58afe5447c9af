"""A run folder in the making: filled aside and renamed, so that it is there whole or not at all."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jumok.errors import DataError, RunError


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `folder` at the end; after an error or a signal nothing is left."""
    _sweep(folder)
    staging = folder.with_name(f".{folder.name}.preparing-{os.getpid()}")
    try:
        staging.mkdir(parents=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be made: {error.strerror or error}.") from None
    try:
        with _terminable():
            yield staging
            _publish(staging, folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _publish(staging: Path, folder: Path) -> None:
    """Renames the prepared folder, unless another process has made one of that name meanwhile."""
    try:
        if folder.is_dir():
            folder.rmdir()
        os.rename(staging, folder)
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {error.strerror or error}; name another folder with --out.") from None


@contextmanager
def _terminable() -> Iterator[None]:
    """Lets SIGTERM end the program in order, with 143, so that what was begun is cleaned up."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _sweep(folder: Path) -> None:
    """Removes what a killed process left of this folder."""
    for path in folder.parent.glob(f".{folder.name}.preparing-*"):
        number = path.name.rpartition("-")[2]
        if number.isdigit() and not Path("/proc", number).exists():
            shutil.rmtree(path, ignore_errors=True)
