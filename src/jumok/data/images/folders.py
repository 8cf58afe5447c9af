"""Class folders: each folder that holds pictures is a class, named by its path (`cat/`, `Greek/alpha/`)."""

import os
from pathlib import Path

from jumok.data.images.reading import SUFFIXES
from jumok.errors import DataError


def class_folders(root: Path | str, *, least: int = 1) -> dict[str, tuple[Path, ...]]:
    """The pictures of every class below a folder, both in the order of their names.

    Hidden files and files of other kinds are passed over. A class with fewer than `least` pictures is an error, and
    so is a folder without classes or with pictures of no class.
    """
    root = Path(root)
    if not root.is_dir():
        raise DataError(f"{root} is not a folder; name one that holds a folder for each class.")
    found = {name: files for name, files in _walk(root) if files}
    if "." in found:
        raise DataError(
            f"{found['.'][0]} belongs to no class; put the pictures of each class into a folder of its own."
        )
    if not found:
        raise DataError(f"{root} holds no pictures ({', '.join(SUFFIXES)}) in folders; make a folder for each class.")
    few = [name for name, files in found.items() if len(files) < least]
    if few:
        more = f" and {len(few) - 1} more" if len(few) > 1 else ""
        raise DataError(f"{root / few[0]} has {len(found[few[0]])} pictures{more}; each class needs {least}.")
    return dict(sorted(found.items()))


def empty_folders(root: Path) -> list[Path]:
    """The folders, by name, that hold no pictures and no further folders."""
    found = {root / name: files for name, files in _walk(root)}
    inner = {path.parent for path in found}
    return sorted(path for path, files in found.items() if not files and path not in inner)


def image_files(folder: Path) -> tuple[Path, ...]:
    """The pictures directly in a folder, by name."""
    return tuple(sorted(path for path in folder.iterdir() if _is_picture(path.name) and path.is_file()))


def _walk(root: Path) -> list[tuple[str, tuple[Path, ...]]]:
    found: list[tuple[str, tuple[Path, ...]]] = []
    for place, folders, names in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        files = tuple(Path(place) / name for name in sorted(names) if _is_picture(name))
        found.append((Path(place).relative_to(root).as_posix(), files))
    return found


def _is_picture(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(SUFFIXES)
