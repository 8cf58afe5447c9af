"""Lines of text files, read as bytes so that nothing but `\\n` ends a line and every flaw has a line
number."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from jumok.errors import DataError

LONGEST_LINE = 1 << 20
LONGEST_TO_READ = 1 << 26
"""Bytes of the longest line that is read at all; what a model takes of it is another matter."""
_BLOCK = 1 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Flaw:
    """A line or unit that cannot be used, why, and where it stands."""

    reason: str
    where: str
    detail: str = ""


@dataclass(frozen=True)
class FileFacts:
    """What one pass over a file tells: its lines and the hash of its (unpacked) bytes."""

    lines: int
    sha256: str


def require_regular(path: Path) -> None:
    """Raises unless the path is a file that can be read more than once, as training does."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file.")
    if not path.exists():
        raise DataError(f"{path} does not exist; check the name and the folder.")
    if not path.is_file():
        raise DataError(f"{path} is not a regular file; it is read more than once, so save it to a file first.")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if its name ends in `.gz`; whatever goes wrong names the file."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is damaged or incomplete ({error}); download it again.") from error
    except FileNotFoundError as error:
        raise DataError(f"{path} does not exist; check the name and the folder.") from error
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder; name a file.") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error


def file_facts(path: Path, *, utf16: bool = False) -> FileFacts:
    """The file's line count and hash, in one pass of flat memory; UTF-16 is refused where lines are read."""
    digest = sha256()
    lines = 0
    last = b"\n"
    with opened(path) as file:
        while block := file.read(_BLOCK):
            if not utf16 and lines == 0 and last == b"\n" and block.startswith(_UTF16):
                raise DataError(f"{path} is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8).")
            digest.update(block)
            lines += block.count(b"\n")
            last = block[-1:]
    return FileFacts(lines + (last != b"\n"), digest.hexdigest())


def read_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[str | Flaw]:
    """Each line without its end (`\\n` or `\\r\\n`), or the flaw that stands in its place."""
    number = 0
    with opened(path) as file:
        while raw := file.readline(longest):
            number += 1
            if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                raw = raw[3:]
            if len(raw) == longest and not raw.endswith(b"\n"):
                _skip_line(file)
                yield Flaw("overlong", f"{path}:{number}", f"more than {longest} bytes")
                continue
            raw = raw.removesuffix(b"\n").removesuffix(b"\r")
            try:
                yield raw.decode("utf-8")
            except UnicodeDecodeError as error:
                detail = f"byte 0x{raw[error.start]:02x} at column {error.start + 1}"
                yield Flaw("bad UTF-8", f"{path}:{number}", detail)


def _skip_line(file: BinaryIO) -> None:
    while (raw := file.readline(LONGEST_LINE)) and not raw.endswith(b"\n"):
        pass


def file_lines(path: Path) -> Iterator[str]:
    """The lines of a file (also .gz); a line that is not UTF-8 is an error that names it."""
    for item in read_lines(path, LONGEST_TO_READ):
        if isinstance(item, Flaw):
            raise DataError(f"{item.where}: {item.reason}{f' ({item.detail})' if item.detail else ''}.")
        yield item


def pair_lines(source: Path, target: Path) -> list[tuple[str, str]]:
    """Line i of one file with line i of the other; they must have equally many."""
    sources, targets = list(file_lines(source)), list(file_lines(target))
    if len(sources) != len(targets):
        raise DataError(
            f"{source} has {len(sources)} lines, but {target} has {len(targets)}; they must match line by line."
        )
    return list(zip(sources, targets, strict=True))
