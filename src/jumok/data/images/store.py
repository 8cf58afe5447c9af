"""Pixels on disk, memory-mapped: any number of pictures of one size in flat memory.

A folder holds `rows.bin` (the pictures one after the other) and `meta.json`. It appears whole or not at all, and is
found again by its identity: a text that names everything the pixels were made of.
"""

import mmap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jumok.data.folders import cached, new_folder
from jumok.errors import DataError

FORMAT = 1
ROWS = "rows.bin"
_RESIDENT = 1 << 27
"""Bytes read before the pages are given back: what the disk has need not count as memory of the process."""


class PixelStore:
    """The rows that `write_store` wrote: uint8 pixels [H, W, C] unless another type and shape were given."""

    def __init__(self, folder: str | Path, meta: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self.identity: str = meta["identity"]
        self.shape: tuple[int, ...] = tuple(meta["shape"])
        self.notes: dict[str, Any] = meta["notes"]
        self._meta, self._count, self._read = meta, int(meta["count"]), 0
        self._map, self._rows = _mapped(self.folder / ROWS, self._count, self.shape, meta["dtype"])

    def __reduce__(self) -> tuple[type, tuple[Path, dict[str, Any]]]:
        return type(self), (self.folder, self._meta)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> np.ndarray:
        """A read-only view of one picture."""
        return self._rows[number]

    def batch(self, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """A copy [B, *shape] of the pictures of these numbers."""
        rows = self._rows[np.asarray(numbers, dtype=np.int64)]
        self._read += rows.nbytes
        if self._read > _RESIDENT and self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)
            self._read = 0
        return rows


def open_store(folder: str | Path, identity: str) -> PixelStore | None:
    """The finished store of that identity, or None."""
    meta = cached(Path(folder), identity, FORMAT)
    return None if meta is None else PixelStore(folder, meta)


def write_store(
    folder: str | Path,
    identity: str,
    shape: Sequence[int],
    rows: Iterable[np.ndarray],
    *,
    dtype: str = "|u1",
    notes: dict[str, Any] | None = None,
    progress: Callable[[int], None] | None = None,
) -> PixelStore:
    """The store of these rows, written once; if one of that identity is there already, that one.

    Rows are taken one by one, so that a generator needs no memory; an array [N, *shape] of several rows is a row
    too. `notes` are kept in `meta.json`; `progress` hears how many rows are written.
    """
    found = open_store(folder, identity)
    if found is not None:
        return found
    meta: dict[str, Any] = {"identity": identity, "format": FORMAT, "shape": [*shape], "dtype": dtype}
    meta["notes"] = {} if notes is None else notes  # may be filled until the last row is written
    with new_folder(Path(folder), meta) as draft:
        meta["count"] = _write(draft / ROWS, tuple(shape), np.dtype(dtype), rows, progress or (lambda _: None))
    written = open_store(folder, identity)
    if written is None:
        raise DataError(f"{folder} was changed while it was written; try again.")
    return written


def _write(
    path: Path, shape: tuple[int, ...], dtype: np.dtype, rows: Iterable[np.ndarray], progress: Callable[[int], None]
) -> int:
    count = 0
    with path.open("wb") as file:
        for row in rows:
            if row.shape[-len(shape) :] != shape or row.ndim > len(shape) + 1 or row.dtype != dtype:
                raise DataError(f"row {count} of {path.parent} is {row.dtype} {row.shape}, not {dtype} {shape}.")
            file.write(np.ascontiguousarray(row).data)
            count += 1 if row.ndim == len(shape) else len(row)
            progress(count)
    return count


def _mapped(path: Path, count: int, shape: tuple[int, ...], dtype: str) -> tuple[mmap.mmap | None, np.ndarray]:
    if count == 0:
        return None, np.zeros((0, *shape), dtype)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    # A plain array over the mapping: indexing a memmap object costs several times as much.
    return mapped, np.frombuffer(mapped, dtype).reshape(count, *shape)
