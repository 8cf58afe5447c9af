"""The picturebook as plain files."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jumok.data.images.reading import png_bytes
from jumok.data.picturebook.drawing import draw, number_map
from jumok.data.picturebook.generation import DEFAULT_SEED, caption_of, generate
from jumok.data.picturebook.scene import Scene
from jumok.data.picturebook.telling import LANGUAGES
from jumok.errors import DataError


def write(folder: Path | str, split: str = "train", size: int = 20_000, seed: int = DEFAULT_SEED) -> tuple[Path, ...]:
    """The paths written: `train/` (PNGs), `train-masks/` (PNGs: 0 background, n thing n), `train.en.tsv` and so on
    (file, caption) and `train.jsonl` (things, words, and which words speak of which things).

    folder   where to write
    split    train, dev, test or compose
    size     number of scenes
    seed     another seed gives other scenes

    All appear together when they are finished. A book may grow: what is there already must be its beginning.
    """
    folder = Path(folder)
    names = (split, f"{split}-masks", *(f"{split}.{language}.tsv" for language in LANGUAGES), f"{split}.jsonl")
    scenes = generate(split, size, seed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".picturebook-", dir=folder) as draft:
            _write(Path(draft), split, scenes)
            for name in names:
                _require_earlier(folder / name, Path(draft) / name)
            for name in names:
                if (folder / name).is_dir():
                    shutil.rmtree(folder / name)
                os.replace(Path(draft) / name, folder / name)
    except OSError as error:
        raise DataError(f"the picturebook cannot be written to {folder}: {error.strerror or error}") from error
    return tuple(folder / name for name in names)


def _require_earlier(old: Path, new: Path) -> None:
    """Raises unless the old file, or each of the old folder, is the beginning of the new one, or missing."""
    if old.is_dir() and new.is_dir():
        for one in old.iterdir():
            _require_earlier(one, new / one.name)
    elif old.exists() and not (old.is_file() and new.is_file() and _begins(new, old.read_bytes())):
        raise DataError(f"{old} would be lost; name another folder with --out, or move it away")


def _begins(path: Path, content: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(content)) == content


def _write(folder: Path, split: str, scenes: Iterator[Scene]) -> None:
    (folder / split).mkdir()
    (folder / f"{split}-masks").mkdir()
    captions = {one: (folder / f"{split}.{one}.tsv").open("w", encoding="utf-8", newline="\n") for one in LANGUAGES}
    with (folder / f"{split}.jsonl").open("w", encoding="utf-8", newline="\n") as facts:
        for number, scene in enumerate(scenes):
            file = f"{split}/{number:06}.png"
            (folder / file).write_bytes(png_bytes(draw([scene])[0]))
            (folder / f"{split}-masks" / f"{number:06}.png").write_bytes(png_bytes(number_map(scene)))
            for language, out in captions.items():
                out.write(f"{file}\t{caption_of(scene, language).text}\n")
            facts.write(json.dumps(facts_of(file, scene), ensure_ascii=False) + "\n")
    for out in captions.values():
        out.close()


def facts_of(file: str, scene: Scene) -> dict[str, Any]:
    """A scene as JSON: its things in the order of their masks, and the captions word by word."""
    things = [
        thing.look._asdict() | {"x": round(thing.x, 2), "y": round(thing.y, 2), "radius": round(thing.radius, 2)}
        for thing in scene.things
    ]
    words: dict[str, Any] = {}
    for language in LANGUAGES:
        caption = caption_of(scene, language)
        rows = zip(caption.words, caption.things, caption.classes, strict=True)
        words[language] = [{"word": w, "things": [n + 1 for n in numbers], "class": c} for w, numbers, c in rows]
    return {"file": file, "things": things, "words": words}
