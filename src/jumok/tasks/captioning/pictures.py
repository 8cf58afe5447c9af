"""The pictures and captions of a run: drawn scenes or one's own, checked, fitted and stored."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jumok.config import CaptionDataConfig
from jumok.data.images import PixelStore, write_store
from jumok.data.images.captioned import Captioned, open_pictures, read_captions
from jumok.data.images.prepare import Prepared, picture_key, prepare_images, some_of
from jumok.data.picturebook import caption_of, generate
from jumok.data.picturebook.drawing import draw_blocks
from jumok.errors import ConfigError, DataError
from jumok.tasks.task import Say
from jumok.version import __version__

DEV_SCENES = 500
Place = tuple[Any, Any, str]
"""Where the pictures of a part are, the list of their captions, and which rows of it."""


@dataclass(frozen=True)
class Split:
    """Pictures in a store, and the captions of each."""

    pixels: PixelStore
    captions: Sequence[Sequence[str]]
    files: Sequence[str] = ()
    """What the pictures are called; drawn ones have no names."""

    @classmethod
    def of(cls, pixels: PixelStore, rows: Sequence[Captioned]) -> "Split":
        """Pictures with the captions and names of their rows."""
        return cls(pixels, [row.captions for row in rows], [row.file for row in rows])


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
    named = {part: named_part(data, part) for part in ("test", "dev")}
    places = {part: place for part, place in named.items() if place is not None}
    places["train"] = (data.images, data.captions, data.split)
    for part in places:
        found[part] = read_part(data, part, places, side, folder / f"pixels-{part}", held_out, say)
        held_out |= found[part].keys
    train = found["train"]
    if "dev" in found:
        return {name: Split.of(found[name].store, found[name].rows) for name in ("train", "dev")}
    return hold_out(train, data, folder, say)


def named_part(data: CaptionDataConfig, part: str) -> Place | None:
    """Pictures, list and rows of the validation or test set, where they are named; either may be the training set's."""
    images, captions, split = (getattr(data, f"{part}_{key}") for key in ("images", "captions", "split"))
    if not (images or captions or split):
        return None
    return images or data.images, captions or data.captions, split


def read_part(
    data: CaptionDataConfig,
    part: str,
    places: Mapping[str, Place],
    side: int,
    folder: Path,
    held_out: frozenset[str],
    say: Say,
) -> Prepared:
    """The pictures of one part, with what was dropped said by name."""
    images, captions, split = places[part]
    ready = prepare_images(
        open_pictures(images),
        read_captions(captions, split),
        folder,
        (side, side),
        how=data.fit,
        held_out=held_out,
        drop_duplicates=part == "train" and data.drop_duplicates,
        elsewhere=listed(places, images),
    )
    say(f"{part}, {ready.report}")
    return ready


def listed(places: Mapping[str, Place], images: str) -> frozenset[str]:
    """The files among these pictures that the list of any part names."""
    lists = {captions for where, captions, _ in places.values() if where == images}
    return frozenset(row.file for path in lists for row in read_captions(path))


def hold_out(train: Prepared, data: CaptionDataConfig, folder: Path, say: Say) -> dict[str, Split]:
    """A part of the training pictures as validation pictures, spread evenly over them."""
    count = len(train.rows)
    kept = min(data.held_out, count // 5)
    dev = sorted({round(number * count / kept) for number in range(kept)})
    again = [] if data.drop_duplicates else _equal_to(train.store, dev)
    rest = sorted(set(range(count)) - {*dev, *again})
    if not (dev and rest):
        raise DataError(f"{count} pictures are too few to hold some out; name others with data.dev_captions.")
    say(f"{kept:,} of {count:,} pictures are held out for validation.")
    if again:
        say(f"  dropped {len(again)}: the same picture as one held out: {some_of([train.rows[n].file for n in again])}")
    return {
        name: Split.of(_part(train.store, numbers, folder / f"pixels-{name}-part"), [train.rows[n] for n in numbers])
        for name, numbers in (("train", rest), ("dev", dev))
    }


def _equal_to(store: PixelStore, numbers: Sequence[int]) -> list[int]:
    """The other pictures of the store that equal one of these."""
    chosen, keys = set(numbers), {picture_key(store[number]) for number in numbers}
    return [number for number in range(len(store)) if number not in chosen and picture_key(store[number]) in keys]


def _part(store: PixelStore, numbers: Sequence[int], folder: Path) -> PixelStore:
    rows = (store[number] for number in numbers)
    identity = f"{store.identity} {len(numbers)} {numbers[0]} {numbers[-1]}"
    return write_store(folder, identity, store.shape, rows)


def write_texts(path: Path, captions: Sequence[Sequence[str]]) -> None:
    """The captions of each picture, a line of JSON for each."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for known in captions:
            file.write(json.dumps(list(known), ensure_ascii=False) + "\n")


def read_texts(path: Path) -> list[list[str]]:
    """What `write_texts` wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
