"""The token ids of captions on disk, memory-mapped, with the picture of each; a picture may have several captions."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from jumok.errors import DataError

NAMES = ("ids", "offsets", "pictures")


class CaptionIds:
    """What `write_ids` wrote: the ids of each caption, and the number of its picture."""

    def __init__(self, folder: Path) -> None:
        try:
            parts = [np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in NAMES]
        except (OSError, ValueError) as error:
            raise DataError(f"the captions in {folder} are missing or damaged ({error}); prepare them again.") from None
        self._ids, self._offsets, self.pictures = parts

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, number: int) -> np.ndarray:
        """The ids of one caption."""
        return np.asarray(self._ids[self._offsets[number] : self._offsets[number + 1]])

    def lengths(self) -> np.ndarray:
        """[N, 2]: 0 (pictures have no tokens) and the tokens of each caption without EOS."""
        sizes = np.diff(self._offsets)
        return np.stack([np.zeros_like(sizes), sizes], axis=1)


def write_ids(folder: Path, captions: Iterable[tuple[int, Sequence[int]]]) -> CaptionIds:
    """Stores the ids of captions, each given with the number of its picture, in a new folder."""
    ids: list[np.ndarray] = [np.zeros(0, np.int32)]
    offsets, pictures = [0], list[int]()
    for picture, caption in captions:
        ids.append(np.asarray(caption, np.int32))
        offsets.append(offsets[-1] + len(caption))
        pictures.append(picture)
    folder.mkdir(parents=True)
    values = (np.concatenate(ids), np.array(offsets, np.int64), np.array(pictures, np.int64))
    for name, value in zip(NAMES, values, strict=True):
        np.save(folder / f"{name}.npy", value, allow_pickle=False)
    return CaptionIds(folder)
