"""Pictures of your own, checked and stored before training: what cannot be used is named."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from jumok.data.images.captioned import Captioned, Pictures
from jumok.data.images.fitting import fit
from jumok.data.images.reading import read_image
from jumok.data.images.store import PixelStore, open_store, write_store
from jumok.errors import DataError

NAMED = 20
"""Names in a message; the report has all of them."""


@dataclass
class ImageReport:
    """How many pictures were read and kept, and the names of those that were dropped, by reason."""

    name: str
    read: int = 0
    kept: int = 0
    dropped: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, reason: str, file: str) -> None:
        """Name a picture that is not used."""
        self.dropped.setdefault(reason, []).append(file)

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.kept} of {self.read} pictures kept"]
        for reason, files in self.dropped.items():
            lines.append(f"  dropped {len(files)}: {reason}: {some_of(files)}")
        return "\n".join(lines)


def some_of(files: Sequence[str]) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


@dataclass(frozen=True)
class Prepared:
    """Stored pictures with the captions of each, in one order, and what was dropped."""

    store: PixelStore
    rows: tuple[Captioned, ...]
    report: ImageReport
    keys: frozenset[str]
    """Hashes of the pictures' pixels, to find overlaps with another set."""


def prepare_images(
    pictures: Pictures,
    captions: Sequence[Captioned],
    folder: Path | str,
    size: tuple[int, int],
    *,
    how: str = "crop",
    grey: bool = False,
    held_out: frozenset[str] = frozenset(),
    drop_duplicates: bool = True,
    elsewhere: frozenset[str] = frozenset(),
    progress: Callable[[int], None] | None = None,
) -> Prepared:
    """The pictures that can be used, fitted to `size` (height, width) in a store, with their captions.

    Pictures that are missing or broken or have no caption go; so do the second of equal ones (in training sets) and
    those whose pixels are in `held_out`, the keys of a test set. Pictures without a line in the list are reported,
    unless they are in `elsewhere`, the files of the list's other splits.
    """
    identity = _identity(pictures, captions, size, how, grey, held_out, drop_duplicates)
    shape = (*size, 1 if grey else 3)
    work = _Work(pictures, captions, ImageReport(pictures.name), held_out, drop_duplicates, elsewhere)
    store = open_store(folder, identity)
    if store is None:
        rows = (fit(pixels, *size, how, grey=grey) for pixels in work.pixels())
        notes = work.notes()  # filled while the rows are written, and saved after the last
        store = write_store(folder, identity, shape, rows, notes=notes, progress=progress)
    if not len(store):
        raise DataError(f"no picture of {pictures.name} can be used:\n{ImageReport(**store.notes['report'])}")
    by_name = {one.file: one for one in captions}
    kept = tuple(by_name[file] for file in store.notes["files"])
    return Prepared(store, kept, ImageReport(**store.notes["report"]), frozenset(store.notes["keys"]))


def picture_key(pixels: np.ndarray) -> str:
    """A hash of a decoded picture: the same pixels in another format or file have the same one."""
    shape = "×".join(map(str, pixels.shape)).encode()
    return blake2b(shape + np.ascontiguousarray(pixels).tobytes(), digest_size=12).hexdigest()


@dataclass
class _Work:
    pictures: Pictures
    captions: Sequence[Captioned]
    report: ImageReport
    held_out: frozenset[str]
    drop_duplicates: bool
    elsewhere: frozenset[str]
    files: list[str] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    _notes: dict[str, Any] = field(default_factory=dict)

    def notes(self) -> dict[str, Any]:
        """What is kept beside the pixels; complete when the pixels are."""
        return self._notes

    def pixels(self) -> Iterator[np.ndarray]:
        """The pictures that can be used, one after another; the others are reported."""
        for one in self.captions:
            self.report.read += 1
            found = self._usable(one)
            if found is not None:
                self.report.kept += 1
                self.files.append(one.file)
                yield found
        listed = {file.removeprefix("./") for file in (*(one.file for one in self.captions), *self.elsewhere)}
        for file in self.pictures.files():
            if file not in listed:
                self.report.drop("no line in the list of captions", file)
        self._notes |= {"files": self.files, "keys": [*self.keys], "report": self.report.to_json()}

    def _usable(self, one: Captioned) -> np.ndarray | None:
        if not one.captions:
            return self._dropped("without a caption", one.file)
        content = self.pictures.content(one.file)
        if content is None:
            return self._dropped("listed, but not there (or not readable, or larger than a picture may be)", one.file)
        try:
            pixels = read_image(content, name=one.file)
        except DataError as error:
            return self._dropped("cannot be read", f"{one.file} ({_reason(error, one.file)})")
        key = picture_key(pixels)
        if key in self.held_out:
            return self._dropped("in the test or validation set too", one.file)
        if key in self.keys and self.drop_duplicates:
            return self._dropped("the same picture as another", f"{one.file} ({self.keys[key]})")
        self.keys.setdefault(key, one.file)
        return pixels

    def _dropped(self, reason: str, file: str) -> None:
        self.report.drop(reason, file)


def _reason(error: DataError, file: str) -> str:
    return str(error).removeprefix(file).strip().split(";")[0]


def _identity(pictures: Pictures, captions: Sequence[Captioned], *settings: Any) -> str:
    """A hash of everything that the store is made of: list, settings, and the bytes of every picture."""
    total = blake2b(digest_size=16)
    for part in settings:
        total.update(repr(sorted(part) if isinstance(part, frozenset) else part).encode() + b"\0")
    for one in captions:
        content = pictures.content(one.file) or b""
        total.update(one.file.encode() + b"\0" + str(bool(one.captions)).encode() + blake2b(content).digest())
    return total.hexdigest()
