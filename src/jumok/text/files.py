"""How tokenizers are stored in a run folder: `tokenizer.json` and one model file per side. Nothing is executed on
loading.

    tokenizer.json   {"format": 1, "sides": {"source": {"kind", "size", "options", "file", "sha256"}, …}}
    source.model     a SentencePiece model (bpe, unigram)
    source.vocab     a JSON list, in the order of the ids (words, characters)
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from jumok.durable import replace_file
from jumok.errors import TextError
from jumok.text.options import TokenizerOptions

FORMAT = 1
SIDES = ("source", "target", "joint")
INDEX = "tokenizer.json"


@dataclass(frozen=True)
class SavedSide:
    """One side of a saved tokenizer, its model file read and checked."""

    kind: str
    options: TokenizerOptions
    model: bytes


def save_side(
    folder: Path, side: str, kind: str, size: int, options: TokenizerOptions, name: str, model: bytes
) -> None:
    """Write the model file and add the side to `tokenizer.json`, each by renaming a finished file."""
    if side not in SIDES:
        raise TextError(f"a tokenizer is saved as one of {', '.join(SIDES)}, not as {side!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    index_path = folder / INDEX
    sides: dict[str, Any] = _index(folder)["sides"] if index_path.exists() else {}
    replace_file(folder / name, model)
    sides[side] = {
        "kind": kind,
        "size": size,
        "options": asdict(options),
        "file": name,
        "sha256": sha256(model).hexdigest(),
    }
    text = json.dumps({"format": FORMAT, "sides": sides}, indent=2, ensure_ascii=False, sort_keys=True)
    replace_file(index_path, text.encode("utf-8") + b"\n")


def load_side(folder: Path, side: str) -> SavedSide:
    """The saved side (a joint tokenizer serves both), or an error if its file is missing or another one's."""
    sides = _index(folder)["sides"]
    entry = sides.get(side, sides.get("joint") if side in SIDES else None)
    if entry is None:
        raise TextError(f"{folder / INDEX} has no {side} tokenizer; it holds {', '.join(sides) or 'none'}.")
    try:
        name, kind, expected, given = entry["file"], entry["kind"], entry["sha256"], entry["options"]
        known = {field.name for field in fields(TokenizerOptions)}
        options = TokenizerOptions(**{key: value for key, value in given.items() if key in known})
        if Path(name).name != name:
            raise ValueError(name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TextError(f"{folder / INDEX} is damaged at its {side} entry: {error}.") from error
    path = folder / name
    try:
        model = path.read_bytes()
    except OSError as error:
        raise TextError(f"the tokenizer file {path} cannot be read: {error.strerror}.") from error
    if sha256(model).hexdigest() != expected:
        raise TextError(
            f"{path} does not belong to {folder / INDEX} (its SHA-256 differs); restore the file the model "
            "was trained with."
        )
    return SavedSide(kind, options, model)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder's tokenizers by its name, the index among them."""
    sides = _index(folder)["sides"]
    found = {INDEX: (folder / INDEX).read_bytes()}
    for side in sides:
        found[sides[side]["file"]] = load_side(folder, side).model
    return found


def file_names(folder: Path) -> list[str]:
    """The names of the files of a folder's tokenizers, the index among them; none where there is no tokenizer."""
    if not (folder / INDEX).exists():
        return []
    sides = _index(folder)["sides"].values()
    return [INDEX, *(str(side["file"]) for side in sides if isinstance(side, dict) and "file" in side)]


def saved_kind(folder: Path) -> str | None:
    """The kind of a folder's tokenizer, of the source where there are two; None where none can be read."""
    try:
        sides = _index(folder)["sides"]
    except TextError:
        return None
    found = (sides[side].get("kind") for side in SIDES if isinstance(sides.get(side), dict))
    return next((kind for kind in found if isinstance(kind, str)), None)


def listed(kind: str, options: TokenizerOptions, entries: Sequence[str]) -> bytes:
    """A vocabulary as JSON, one entry per line."""
    head = {"kind": kind, "byte_fallback": options.byte_fallback, "lowercase": options.lowercase}
    if options.slots:
        head["slots"] = options.slots
    body = ",\n".join(json.dumps(entry, ensure_ascii=True) for entry in entries)
    return f'{json.dumps(head)[:-1]}, "entries": [\n{body}\n]}}\n'.encode("ascii")


def unlisted(model: bytes) -> list[str]:
    """The entries of a vocabulary file."""
    try:
        entries = json.loads(model)["entries"]
    except (ValueError, KeyError, TypeError) as error:
        raise TextError(f"a vocabulary file is damaged: {error}.") from error
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise TextError("a vocabulary file is damaged: its entries are not a list of strings.")
    return entries


def _index(folder: Path) -> dict[str, Any]:
    path = folder / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TextError(f"no tokenizer can be read from {path}: {error.strerror}.") from error
    except ValueError as error:
        raise TextError(f"{path} is damaged: {error}.") from error
    if not isinstance(index, dict) or not isinstance(index.get("sides"), dict):
        raise TextError(f"{path} is damaged: it holds no sides.")
    if index.get("format") != FORMAT:
        raise TextError(f"{path} has format {index.get('format')!r}; this version reads format {FORMAT}.")
    return index
