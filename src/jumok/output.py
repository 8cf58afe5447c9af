"""What a command may replace: an empty place, or its own kind of output. Everything else is refused before any work.

A file that we made (told by its content, not by its name alone) may be replaced, because a command that is run again
writes its result again; pictures carry a mark for this, since a PNG may as well be the user's photograph. A folder may
be replaced if it holds our mark of that kind and nothing that we do not write.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from jumok.errors import InputError

HEAD = 4096
"""Bytes of a file by which its kind is told."""
MAKER = "Jumok"
"""Who made a picture, as its `Software` says."""
SVG_MARK = f"<!-- {MAKER} -->"


def takes_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal with colours that its user has not turned off."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def require_file_place(path: Path, kind: str, is_ours: Callable[[bytes], bool]) -> None:
    """Raises unless nothing but a file of this kind would be replaced; `is_ours` is asked of the file's first bytes."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file to write {kind} to.")
    parent = next((folder for folder in path.parents if folder.exists()), None)
    if parent is not None and not parent.is_dir():
        raise InputError(f"{parent} is a file; name another folder for {path.name}.")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path} cannot be replaced: {error.strerror or error}.") from None
    if head and not is_ours(head):
        raise InputError(f"{path} is not {kind} and would be lost; name another file, or move it away.")


def require_folder_place(path: Path, kind: str, foreign: Callable[[Path], str | None]) -> None:
    """Raises unless the place is free, empty or of this kind; `foreign` names what a folder holds that is not ours."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; name another folder with --out.")
    parent = next((folder for folder in path.parents if folder.exists()), None)
    if parent is not None and not parent.is_dir():
        raise InputError(f"{parent} is a file; name another folder with --out.")
    if not path.is_dir() or not any(path.iterdir()):
        return
    other = foreign(path)
    if other is not None:
        raise InputError(f"{path} is not {kind} ({other}); name a new folder with --out, or move it away.")


def require_picture_place(path: Path) -> None:
    """Raises unless a picture can be saved there: .svg or .png, and nothing but such a picture is replaced."""
    suffix = path.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise InputError(
            f"a picture is saved as .svg or .png, not as {path.name!r}: give the path one of these endings"
        )
    mark = SVG_MARK if suffix == ".svg" else f"Software\0{MAKER}"
    start = b"<" if suffix == ".svg" else b"\x89PNG\r\n\x1a\n"
    require_file_place(path, "a picture that Jumok drew", lambda head: head.startswith(start) and mark.encode() in head)
