"""Checked text on disk, memory-mapped: the pairs that training may use, found by number.

A folder holds `text.bin` (the lines in UTF-8, one after the other) and one index a part, `train.index` and
`dev.index`, with a row for each pair. Tokenizers are learned from it, ids are made from it, and with subword
sampling the sentences are segmented from it again in each epoch.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from jumok.data.bucketing import Segment
from jumok.data.checks import Clean
from jumok.errors import DataError

ROW = np.dtype(
    [
        ("start", "<u8"),
        ("source", "<u4"),
        ("target", "<u4"),
        ("alignment", "<u4"),
        ("line", "<u4"),
        ("corpus", "<u4"),
        ("source_key", "<u8"),
        ("pair_key", "<u8"),
    ]
)
BLOCK = 1 << 16


class TextWriter:
    """Appends pairs to `text.bin` and their rows to an index."""

    def __init__(self, text: BinaryIO, index: BinaryIO) -> None:
        self._text, self._index = text, index
        self._start = text.tell()
        self._rows: list[tuple[int, ...]] = []

    def add(self, pair: Clean, corpus: int) -> None:
        """Append a pair of the corpus with that number."""
        source, target = pair.source.encode("utf-8"), pair.target.encode("utf-8")
        alignment = (pair.alignment or "").encode("ascii")
        self._text.write(source + target + alignment)
        sizes = (len(source), len(target), len(alignment))
        self._rows.append((self._start, *sizes, pair.line, corpus, pair.source_key, pair.pair_key))
        self._start += sum(sizes)
        if len(self._rows) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        self._index.write(np.array(self._rows, dtype=ROW).tobytes())
        self._rows.clear()


def rows_of(path: Path) -> np.ndarray:
    """The memory-mapped rows of an index."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=ROW)
    # A plain array over the mapping: indexing a memmap object costs several times as much.
    return np.asarray(np.memmap(path, dtype=ROW, mode="r"))


def blocks(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The rows in blocks, each with the number of its first."""
    for start in range(0, len(rows), BLOCK):
        yield start, rows[start : start + BLOCK]


@dataclass(frozen=True, slots=True)
class TextPair:
    """A checked pair; without links of its own, its alignment is empty in an aligned store and None
    elsewhere."""

    source: str
    target: str
    alignment: str | None


class TextStore:
    """One part (`train` or `dev`) of a folder of checked text."""

    def __init__(self, folder: str | Path, part: str, meta: dict[str, Any]) -> None:
        self.folder, self.part = Path(folder), part
        self.identity = f"{meta['identity']}/{part}"
        self.aligned: bool = meta["aligned"][part]
        self.segments = [Segment(**values) for values in meta["segments"][part]]
        self._meta = meta
        self._rows = rows_of(self.folder / f"{part}.index")
        with (self.folder / "text.bin").open("rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __reduce__(self) -> tuple[type, tuple[Path, str, dict[str, Any]]]:
        return type(self), (self.folder, self.part, self._meta)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> TextPair:
        return self._pair(*self._rows[number].item()[:4])

    def __iter__(self) -> Iterator[TextPair]:
        for _, block in blocks(self._rows):
            for row in block.tolist():
                yield self._pair(*row[:4])

    def _pair(self, start: int, source: int, target: int, alignment: int) -> TextPair:
        middle, end = start + source, start + source + target
        return TextPair(
            self._text[start:middle].decode("utf-8"),
            self._text[middle:end].decode("utf-8"),
            self._text[end : end + alignment].decode("ascii") if self.aligned else None,
        )

    def sources(self) -> Iterator[str]:
        """The source lines in order."""
        return (pair.source for pair in self)

    def targets(self) -> Iterator[str]:
        """The target lines in order."""
        return (pair.target for pair in self)

    def where(self, number: int) -> str:
        """The corpus and line that a pair came from, for messages."""
        if not 0 <= number < len(self):
            raise DataError(f"there is no pair {number} among {len(self)}.")
        row = self._rows[number]
        return f"{self._meta['names'][self.part][int(row['corpus'])]}:{int(row['line'])}"
