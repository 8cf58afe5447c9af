"""Soft alignments in files: the words of both sides and the matrix between them, as JSON or NPZ.

JSON is one object, `{"format": 1, "alignments": [{"source": […], "target": […], "weights": [[…], …]}, …]}`,
weights one row per target word. NPZ holds the matrices as arrays `0`, `1`, … and the words as one array `words`
of UTF-8 JSON, so that it opens in numpy without pickle. Both keep float32 exactly.
"""

import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from jumok.alignment.alignment import checked_matrix
from jumok.durable import replace_file
from jumok.errors import DataError, InputError, JumokError
from jumok.output import require_file_place

FORMAT = 1


@dataclass(frozen=True, eq=False)
class SoftAlignment:
    """The weights [target words, source words] between two sentences, as float32."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", tuple(self.source))
        object.__setattr__(self, "target", tuple(self.target))
        weights = checked_matrix(self.weights, len(self.source), len(self.target))
        object.__setattr__(self, "weights", weights.astype(np.float32))


def write_soft(path: str | Path, alignments: Iterable[SoftAlignment]) -> None:
    """Writes the alignments in order, as JSON or NPZ by the suffix of the path."""
    path = Path(path)
    require_soft_place(path)
    pack = _packed_json if path.suffix.lower() == ".json" else _packed_npz
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, pack(list(alignments)))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def require_soft_place(path: Path) -> None:
    """Raises unless soft alignments can be written there: .json or .npz, and nothing but such a file is replaced."""
    suffix = path.suffix.lower()
    if suffix not in (".json", ".npz"):
        raise InputError(f"soft alignments are written as .json or .npz, not as {path.name!r}")
    if suffix == ".json":
        require_file_place(path, "a file of soft alignments", lambda head: b'"alignments"' in head[:100])
    else:
        require_file_place(path, "a file of soft alignments", _is_ours)


def _is_ours(head: bytes) -> bool:
    """Whether the first entry of an archive is called as ours is: its name stands at byte 30, after the lengths."""
    return head.startswith(b"PK") and head[30:].startswith((b"0.npy", b"words.npy"))


def read_soft(path: str | Path) -> list[SoftAlignment]:
    """The alignments of a file that `write_soft` (or another program, in the same form) has written."""
    path = Path(path)
    reader = {".json": _read_json, ".npz": _read_npz}.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"soft alignments are read from .json or .npz, not from {path.name!r}")
    try:
        return reader(path)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None
    except JumokError as error:
        raise DataError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} does not hold soft alignments of format {FORMAT}: {error}") from None


def _packed_json(alignments: list[SoftAlignment]) -> bytes:
    rows = [{"source": a.source, "target": a.target, "weights": a.weights.tolist()} for a in alignments]
    text = json.dumps({"format": FORMAT, "alignments": rows}, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def _read_json(path: Path) -> list[SoftAlignment]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return [_alignment(row, np.asarray(row["weights"], dtype=np.float32)) for row in _rows(document)]


def _packed_npz(alignments: list[SoftAlignment]) -> bytes:
    rows = [{"source": a.source, "target": a.target} for a in alignments]
    words = json.dumps({"format": FORMAT, "alignments": rows}).encode("ascii")
    arrays: dict[str, NDArray[Any]] = {str(number): a.weights for number, a in enumerate(alignments)}
    arrays["words"] = np.frombuffer(words, dtype=np.uint8)
    packed = BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def _read_npz(path: Path) -> list[SoftAlignment]:
    with np.load(path, allow_pickle=False) as archive:
        document = json.loads(archive["words"].tobytes())
        return [_alignment(row, archive[str(number)]) for number, row in enumerate(_rows(document))]


def _rows(document: Any) -> list[dict[str, Any]]:
    """The list inside the document, once its format is known to be ours."""
    if not isinstance(document, dict) or "alignments" not in document:
        raise ValueError("the key 'alignments' is missing")
    found = cast("dict[str, Any]", document).get("format")
    if found != FORMAT:
        raise ValueError(f"it is of format {found!r}")
    return cast("list[dict[str, Any]]", document["alignments"])


def _alignment(row: dict[str, Any], weights: NDArray[Any]) -> SoftAlignment:
    source, target = ([str(word) for word in cast("list[Any]", row[side])] for side in ("source", "target"))
    # In JSON an empty matrix loses its shape; the words still know it.
    shaped = weights.reshape(len(target), len(source)) if weights.size == 0 else weights
    return SoftAlignment(tuple(source), tuple(target), shaped)
