"""Lines of standard input as they come, and lines in windows."""

import os
import select
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from jumok.errors import InputError

Item = TypeVar("Item")

STDIN = "standard input"
_BLOCK = 1 << 16


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


def windows(lines: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """Lists of at most `most` lines."""
    window: list[Item] = []
    for line in lines:
        window.append(line)
        if len(window) == most:
            yield window
            window = []
    if window:
        yield window
