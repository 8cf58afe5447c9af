"""The pictures and captions of a run: drawn scenes or one's own, checked, fitted and stored."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jumok.config import CaptionDataConfig
from jumok.data.images import PixelStore, write_store
from jumok.data.images.captioned import Captioned, open_pictures, read_captions
from jumok.data.images.prepare import Prepared, prepare_images
from jumok.data.picturebook import caption_of, generate
from jumok.data.picturebook.drawing import draw_blocks
from jumok.errors import ConfigError, DataError
from jumok.tasks.task import Say
from jumok.version import __version__

DEV_SCENES = 500


@dataclass(frozen=True)
class Split:
    """Pictures in a store, and the captions of each."""

    pixels: PixelStore
    captions: Sequence[Sequence[str]]


def make_splits(data: CaptionDataConfig, side: int, folder: Path, say: Say) -> dict[str, Split]:
    """The splits `train` and `dev`, stored in the folder."""
    check_names(data)
    if data.is_picturebook:
        sizes = {"train": data.picturebook_size, "dev": min(DEV_SCENES, data.held_out)}
        return {split: draw_split(data.picturebook, split, size, side, folder, say) for split, size in sizes.items()}
    return own_splits(data, side, folder, say)


def check_names(data: CaptionDataConfig) -> None:
    """Refuses keys that do not go together."""
    if (data.images is None) != (data.captions is None):
        raise ConfigError("data.images and data.captions belong together; name both, or neither for the picturebook.")
    for part in ("dev", "test"):
        named = [key for key in (f"{part}_images", f"{part}_captions", f"{part}_split") if getattr(data, key)]
        if named and data.is_picturebook:
            raise ConfigError(f"data.{named[0]} is set but data.images is not; name the training pictures too.")


def draw_split(language: str, split: str, size: int, side: int, folder: Path, say: Say) -> Split:
    """Scenes of the picturebook."""
    from jumok.data.images import fit
    from jumok.data.picturebook import SIDE

    def rows() -> Iterator[np.ndarray]:
        for block in draw_blocks(generate(split, size)):
            yield block if side == SIDE else np.stack([fit(one, side, side) for one in block])

    identity = f"picturebook {split} {size} {side} {__version__}"
    store = write_store(folder / f"pixels-{split}", identity, (side, side, 3), rows())
    captions = [(caption_of(scene, language).text,) for scene in generate(split, size)]
    say(f"picturebook {language} {split}: {size:,} scenes.")
    return Split(store, captions)


def own_splits(data: CaptionDataConfig, side: int, folder: Path, say: Say) -> dict[str, Split]:
    """Pictures of one's own: the validation and test pictures are read first, so that none of them is trained on."""
    held_out: frozenset[str] = frozenset()
    found: dict[str, Prepared] = {}
    for part in ("test", "dev"):
        place = named_part(data, part)
        if place is not None:
            found[part] = read_part(data, place, side, folder / f"pixels-{part}", held_out, say)
            held_out |= found[part].keys
    train = read_part(data, (data.images, data.captions, data.split), side, folder / "pixels-train", held_out, say)
    if "dev" in found:
        return {
            "train": Split(train.store, _texts(train.rows)),
            "dev": Split(found["dev"].store, _texts(found["dev"].rows)),
        }
    return hold_out(train, data.held_out, folder, say)


def named_part(data: CaptionDataConfig, part: str) -> tuple[Any, Any, str] | None:
    """Pictures, list and rows of the validation or test set, where they are named; either may be the training set's."""
    images, captions, split = (getattr(data, f"{part}_{key}") for key in ("images", "captions", "split"))
    if not (images or captions or split):
        return None
    return images or data.images, captions or data.captions, split


def read_part(
    data: CaptionDataConfig, place: tuple[Any, Any, str], side: int, folder: Path, held_out: frozenset[str], say: Say
) -> Prepared:
    """The pictures of one part, with what was dropped said by name."""
    images, captions, split = place
    rows = read_captions(captions, split)
    elsewhere = frozenset(row.file for row in read_captions(captions)) if split else frozenset[str]()
    training = folder.name == "pixels-train"
    ready = prepare_images(
        open_pictures(images),
        rows,
        folder,
        (side, side),
        how=data.fit,
        held_out=held_out,
        drop_duplicates=training and data.drop_duplicates,
        elsewhere=elsewhere,
    )
    say(str(ready.report))
    return ready


def hold_out(train: Prepared, most: int, folder: Path, say: Say) -> dict[str, Split]:
    """A part of the training pictures as validation pictures, spread evenly over them."""
    count = len(train.rows)
    kept = min(most, count // 5)
    if not kept:
        raise DataError(f"{count} pictures are too few to hold some out; name others with data.dev_captions.")
    dev = sorted({round(number * count / kept) for number in range(kept)})
    rest = sorted(set(range(count)) - set(dev))
    say(f"{kept:,} of {count:,} pictures are held out for validation.")
    texts = _texts(train.rows)
    return {
        name: Split(_part(train.store, numbers, folder / f"pixels-{name}-part"), [texts[n] for n in numbers])
        for name, numbers in (("train", rest), ("dev", dev))
    }


def _part(store: PixelStore, numbers: Sequence[int], folder: Path) -> PixelStore:
    rows = (store[number] for number in numbers)
    identity = f"{store.identity} {len(numbers)} {numbers[0]} {numbers[-1]}"
    return write_store(folder, identity, store.shape, rows)


def _texts(rows: Sequence[Captioned]) -> list[tuple[str, ...]]:
    return [row.captions for row in rows]


def write_texts(path: Path, captions: Sequence[Sequence[str]]) -> None:
    """The captions of each picture, a line of JSON for each."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for known in captions:
            file.write(json.dumps(list(known), ensure_ascii=False) + "\n")


def read_texts(path: Path) -> list[list[str]]:
    """What `write_texts` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
