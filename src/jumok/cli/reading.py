"""Lines from files and from standard input, each with its number, as they come."""

import os
import select
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from jumok.data.lines import Flaw, read_lines
from jumok.errors import DataError, InputError

STDIN = "standard input"
_BLOCK = 1 << 16
LONGEST = 1 << 26
"""Bytes of the longest line that is read at all; what the model takes of it is another matter."""


def file_lines(path: Path) -> Iterator[str]:
    """The lines of a file (also .gz); a line that is not UTF-8 is an error that names it."""
    for item in read_lines(path, LONGEST):
        if isinstance(item, Flaw):
            raise DataError(f"{item.where}: {item.reason}{f' ({item.detail})' if item.detail else ''}.")
        yield item


def stdin_windows(most: int) -> Iterator[list[str]]:
    """The lines of standard input in windows: what is there already, at most `most`, never waiting for more.

    A file piped in comes in full windows, which are translated together; a program that writes a line and waits for
    its translation gets it.
    """
    number = 0
    for raw in _available(sys.stdin.fileno(), most):
        lines: list[str] = []
        for line in raw:
            number += 1
            lines.append(_decoded(line, number))
        yield lines


def _decoded(line: bytes, number: int) -> str:
    try:
        text = line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{STDIN}, line {number} is not UTF-8 (byte {error.start + 1}); convert it and try again."
        ) from None
    return text.removeprefix("\ufeff") if number == 1 else text


def _available(handle: int, most: int) -> Iterator[list[bytes]]:
    """Complete lines as bytes, as many as can be had without waiting; the first of each window is waited for."""
    waiting: list[bytes] = []
    rest = b""
    while True:
        while waiting and (len(waiting) >= most or not _ready(handle)):
            yield waiting[:most]
            waiting = waiting[most:]
        block = os.read(handle, _BLOCK)
        if not block:
            break
        *lines, rest = (rest + block).split(b"\n")
        waiting += lines
    if rest:
        waiting.append(rest)
    while waiting:
        yield waiting[:most]
        waiting = waiting[most:]


def _ready(handle: int) -> bool:
    """Whether something can be read without waiting; where that cannot be asked, no."""
    try:
        return bool(select.select([handle], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def windows(lines: Iterable[str], most: int) -> Iterator[list[str]]:
    """Lists of at most `most` lines."""
    window: list[str] = []
    for line in lines:
        window.append(line)
        if len(window) == most:
            yield window
            window = []
    if window:
        yield window


def pair_lines(source: Path, target: Path) -> list[tuple[str, str]]:
    """Line i of one file with line i of the other; they must have equally many."""
    sources, targets = list(file_lines(source)), list(file_lines(target))
    if len(sources) != len(targets):
        raise DataError(
            f"{source} has {len(sources)} lines, but {target} has {len(targets)}; they must match line by line."
        )
    return list(zip(sources, targets, strict=True))
