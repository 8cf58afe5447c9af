"""The manifest of a folder: SHA-256 and size of its files, checked whenever they are read.

    manifest.json   {"format": 1, "files": {"model.safetensors": {"sha256", "bytes", "previous": [sha256, …]}, …}}

The manifest is written before a file that it lists, and keeps the hashes of what the file was before. So at every
moment, also after a kill between the two, the file that is there is one that the manifest knows; a reader who reads
the file first and the manifest second sees no false alarm while the run is being trained.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from jumok.durable import digest, write_file
from jumok.errors import RunError
from jumok.run.names import CALIBRATION, CHECKPOINTS, CONFIG, EXPORTED, MANIFEST, SNAPSHOTS, WEIGHTS, steps_in
from jumok.text.files import file_names

FORMAT = 1
KEPT = 3
"""Earlier hashes of a file that are still accepted."""
FileState = Literal["intact", "changed", "missing"]


@dataclass(frozen=True)
class Entry:
    """What the manifest knows of a file."""

    sha256: str
    bytes: int
    previous: tuple[str, ...] = ()

    @classmethod
    def of(cls, content: bytes, before: "Entry | None" = None) -> "Entry":
        """The entry of new content, which may replace what was there before."""
        new = digest(content)
        earlier = (before.sha256, *before.previous) if before else ()
        return cls(new, len(content), tuple(one for one in earlier if one != new)[:KEPT])

    def accepts(self, sha256: str) -> bool:
        """Whether a file with that hash is intact."""
        return sha256 == self.sha256 or sha256 in self.previous

    def tree(self) -> dict[str, Any]:
        """As JSON keeps it."""
        tree: dict[str, Any] = {"sha256": self.sha256, "bytes": self.bytes}
        return tree | {"previous": list(self.previous)} if self.previous else tree


Entries = dict[str, Entry]


def read(folder: Path) -> Entries | None:
    """The entries of a folder's manifest, or None where there is no manifest."""
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}.") from None
    return parse(content, path)


def parse(content: bytes, path: Path) -> Entries:
    """The entries in the content of a manifest."""
    try:
        tree = cast("dict[str, Any]", json.loads(content))
        if tree["format"] != FORMAT:
            raise RunError(f"{path} has format {tree['format']}; this version of Jumok reads format {FORMAT}.")
        return {
            str(name): Entry(str(one["sha256"]), int(one["bytes"]), tuple(map(str, one.get("previous", ()))))
            for name, one in tree["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise RunError(f"{path} is damaged: it does not list the files correctly; {_advice(path.parent)}.") from None


def content_of(files: Mapping[str, bytes], **facts: Any) -> bytes:
    """The manifest of new files, with further facts at its top."""
    return _packed({name: Entry.of(content) for name, content in files.items()}, facts)


def replace(folder: Path, name: str, content: bytes) -> None:
    """Replaces a file that the manifest lists, the manifest first; a folder without one gets one."""
    entries = read(folder)
    if entries is None:
        entries = _as_found(folder)
    entries[name] = Entry.of(content, entries.get(name))
    write_file(folder / MANIFEST, _packed(entries, {}))
    write_file(folder / name, content)


def write(folder: Path) -> list[str]:
    """Writes the manifest of a run folder as it is now, and of snapshots that have none; gives what it lists."""
    for step in steps_in(folder / SNAPSHOTS):
        if (step / WEIGHTS).is_file() and read(step) is None:
            write_file(step / MANIFEST, content_of({WEIGHTS: (step / WEIGHTS).read_bytes()}))
    entries = _as_found(folder)
    write_file(folder / MANIFEST, _packed(entries, {}))
    return list(entries)


def verify(folder: Path) -> dict[Path, FileState]:
    """Whether each file is intact that a manifest of the run, its checkpoints, snapshots or export lists.

    folder   the run folder
    """
    found: dict[Path, FileState] = {}
    for place in (folder, *steps_in(folder / CHECKPOINTS), *steps_in(folder / SNAPSHOTS), folder / EXPORTED):
        for name, entry in (read(place) or {}).items():
            found[place / name] = _state(place / name, entry)
    return found


def refusal(path: Path) -> str:
    """What is said of a file that is not the one its manifest lists."""
    return f"{path} is damaged or was changed: its SHA-256 is not the one in {MANIFEST}; {_advice(path.parent)}."


def _advice(folder: Path) -> str:
    if (folder / CONFIG).is_file() and (folder / WEIGHTS).is_file():
        return f"restore it from a copy, or accept it as it is with `jumok run verify {folder} --write`"
    return f"restore it from a copy, or remove {folder}"


def _state(path: Path, entry: Entry) -> FileState:
    try:
        return "intact" if entry.accepts(digest(path.read_bytes())) else "changed"
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}.") from None


def _as_found(folder: Path) -> Entries:
    """Entries of what makes up the model of a run folder: config, weights, tokenizers, and their calibration."""
    names = (CONFIG, WEIGHTS, *file_names(folder), CALIBRATION)
    return {name: Entry.of((folder / name).read_bytes()) for name in names if (folder / name).is_file()}


def _packed(entries: Entries, facts: Mapping[str, Any]) -> bytes:
    files = {name: entry.tree() for name, entry in sorted(entries.items())}
    tree = {"format": FORMAT, **facts, "files": files}
    return (json.dumps(tree, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode("utf-8")
