"""Pictures with captions of your own: a folder or a tar, and a list of captions as TSV or JSONL.

TSV has the file's name and one or more captions per line; a file may have several lines. JSONL has `file` (or `image`)
and `captions` (or `caption`), and perhaps `split`. Either may be gzipped.
"""

import gzip
import json
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Protocol

from jumok.data.images.reading import MOST_BYTES, SUFFIXES
from jumok.errors import DataError
from jumok.text.normal import normalise


@dataclass(frozen=True)
class Captioned:
    """The name of a picture and its captions, at least one."""

    file: str
    captions: tuple[str, ...]


class Pictures(Protocol):
    """Where pictures are found by name."""

    name: str

    def files(self) -> list[str]:
        """The names of all pictures, sorted."""
        ...

    def content(self, file: str) -> bytes | None:
        """A picture's bytes, or None where there is no such file or it cannot be read."""
        ...


class FolderPictures:
    """The pictures below a folder, by their paths from it."""

    def __init__(self, root: Path) -> None:
        self.name, self._root = str(root), root

    def files(self) -> list[str]:
        """The names of all pictures, sorted."""
        found = (path for path in self._root.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
        return sorted(path.relative_to(self._root).as_posix() for path in found)

    def content(self, file: str) -> bytes | None:
        """A picture's bytes; a name that leads out of the folder is refused."""
        try:
            path = (self._root / file).resolve()
            if not path.is_relative_to(self._root.resolve()) or not path.is_file() or path.stat().st_size > MOST_BYTES:
                return None
            return path.read_bytes()
        except (OSError, ValueError, RuntimeError):  # no rights, a name that no file can have, links in a circle
            return None


class TarPictures:
    """The pictures in a tar file, read where they are: nothing is unpacked."""

    def __init__(self, path: Path) -> None:
        self.name, self._path = str(path), path
        try:
            with tarfile.open(path, "r:") as archive:
                self._places = {
                    one.name.removeprefix("./"): (one.offset_data, one.size) for one in archive if one.isreg()
                }
        except (tarfile.TarError, OSError) as error:
            raise DataError(f"{path} cannot be read as an uncompressed tar: {error}.") from None

    def files(self) -> list[str]:
        """The names of all pictures, sorted."""
        return sorted(name for name in self._places if name.lower().endswith(SUFFIXES))

    def content(self, file: str) -> bytes | None:
        """A picture's bytes."""
        start, size = self._places.get(file.removeprefix("./"), (0, MOST_BYTES + 1))
        if size > MOST_BYTES:
            return None
        with self._path.open("rb") as archive:
            archive.seek(start)
            return archive.read(size)


def open_pictures(path: Path | str) -> Pictures:
    """The pictures in a folder or tar."""
    path = Path(path)
    if path.is_dir():
        return FolderPictures(path)
    if path.is_file():
        return TarPictures(path)
    raise DataError(f"{path} is neither a folder nor a tar file; name where the pictures are.")


def read_captions(path: Path | str, split: str = "") -> list[Captioned]:
    """The captions of each picture in the order of the list; with `split`, of the rows of that split."""
    path = Path(path)
    found: dict[str, list[str]] = {}
    for number, line in _lines(path):
        file, captions, part = _row(path, number, line)
        if split and part != split:
            continue
        found.setdefault(file, []).extend(normalise(caption) for caption in captions if normalise(caption))
    if not found:
        of = f" of the split '{split}'" if split else ""
        raise DataError(f"{path} has no captions{of}; each line is a file name and a caption (TSV), or JSON.")
    return [Captioned(file, tuple(captions)) for file, captions in found.items()]


def has_splits(path: Path) -> bool:
    """Whether the rows of a list may name a split: those of JSONL may."""
    return ".jsonl" in path.name


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as raw:
            file = TextIOWrapper(raw, encoding="utf-8-sig")  # spreadsheets begin a file with a byte order mark
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error.reason}); convert it.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _row(path: Path, number: int, line: str) -> tuple[str, list[str], str]:
    if has_splits(path):
        return _json_row(path, number, line)
    file, *captions = line.split("\t")
    if not captions:
        raise DataError(f"{path}:{number} has no tab; a line is a file name, a tab and a caption.")
    return file.strip(), captions, ""


def _json_row(path: Path, number: int, line: str) -> tuple[str, list[str], str]:
    try:
        values: dict[str, Any] = json.loads(line)
        file = values.get("file", values.get("image"))
        captions = values.get("captions", values.get("caption", []))
        split = values.get("split", "")
    except (ValueError, AttributeError):
        raise DataError(f"{path}:{number} is not a JSON object.") from None
    captions = [captions] if isinstance(captions, str) else captions
    if not isinstance(file, str) or not isinstance(captions, list) or not all(isinstance(c, str) for c in captions):
        raise DataError(f'{path}:{number} needs "file" (a text) and "captions" (a list of texts).')
    return file, captions, str(split)
