"""Folders that appear whole or not at all, and are found again by what they were made of."""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jumok.durable import sync_folder
from jumok.errors import DataError

META = "meta.json"


def cached(folder: Path, identity: str, format_: int) -> dict[str, Any] | None:
    """The meta data of a finished folder of that identity whose files have their sizes, or None."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
        if meta["identity"] != identity or meta["format"] != format_:
            return None
        whole = all((folder / name).stat().st_size == size for name, size in meta["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return meta if whole else None


@contextmanager
def new_folder(folder: Path, meta: dict[str, Any]) -> Iterator[Path]:
    """A temporary folder to fill; on success it gets `meta.json` and is renamed to `folder`, on failure it
    goes.

    `meta` may be filled until the end. If another process finished the same folder first, that one stays.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise DataError(f"{folder} cannot be created: {error.strerror or error}.") from error
    try:
        yield temporary
        meta["files"] = {file.name: file.stat().st_size for file in sorted(temporary.iterdir())}
        text = json.dumps(meta, indent=2, ensure_ascii=False)
        (temporary / META).write_text(text + "\n", encoding="utf-8")
        for file in temporary.iterdir():
            sync_folder(file)
        _put_in_place(temporary, folder, meta)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DataError(
                f"the disk is full while {folder} is written; free some space or set data.cache."
            ) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put_in_place(temporary: Path, folder: Path, meta: dict[str, Any]) -> None:
    os.chmod(temporary, 0o755)
    if folder.exists():
        if cached(folder, meta["identity"], meta["format"]) is not None:
            return
        # A damaged or outdated folder: moved aside in one step, so that the name is never half a folder.
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
        with suppress(FileNotFoundError):
            folder.rename(old / "x")
        shutil.rmtree(old, ignore_errors=True)
    try:
        temporary.rename(folder)
    except OSError:
        if cached(folder, meta["identity"], meta["format"]) is None:
            raise
    sync_folder(folder.parent)
