"""Token ids on disk, memory-mapped: any number of sentence pairs in flat memory.

A folder holds for each side `ids` (uint16 where the vocabulary allows it, else int32) and `offsets` (int64,
one more than sentences), the `lengths` of both sides (int32), and `links` with their offsets when the corpus
is aligned.
"""

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from jumok.data.bucketing import Segment
from jumok.data.checks import parse_links
from jumok.data.folders import META, cached, new_folder
from jumok.data.text_store import TextStore
from jumok.errors import DataError
from jumok.text.seeds import stable_seed
from jumok.text.slots import encode_beside
from jumok.text.tokenizer import Tokenizer

FORMAT = 1
_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class TokenPair:
    """The ids of a pair without BOS and EOS, and its links [L, 2] between token positions if it has any."""

    source: np.ndarray | Sequence[int]
    target: np.ndarray | Sequence[int]
    links: np.ndarray | None = None


class PairSource(Protocol):
    """Tokenised pairs by number, as they are to be read in an epoch."""

    def __len__(self) -> int: ...

    def lengths(self) -> np.ndarray:
        """[N, 2] tokens of source and target without EOS."""
        ...

    def pair(self, number: int, epoch: int) -> TokenPair:
        """The pair of that number in that epoch."""
        ...


class PairStore:
    """The ids in a folder that `build_store` made."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        meta = _meta(self.folder)
        count = meta["count"]
        self.identity: str = meta["identity"]
        self.segments = [Segment(**values) for values in meta["segments"]]
        self._source = _mapped(self.folder / "source.ids", meta["source_dtype"])
        self._target = _mapped(self.folder / "target.ids", meta["target_dtype"])
        self._source_offsets = _mapped(self.folder / "source.offsets", "<i8")
        self._target_offsets = _mapped(self.folder / "target.offsets", "<i8")
        self._lengths = _mapped(self.folder / "lengths", "<i4").reshape(count, 2)
        self._links = self._link_offsets = None
        if meta["aligned"]:
            self._links = _mapped(self.folder / "links", "<i4").reshape(-1, 2)
            self._link_offsets = _mapped(self.folder / "links.offsets", "<i8")

    def __reduce__(self) -> tuple[type, tuple[Path]]:
        return type(self), (self.folder,)

    @property
    def aligned(self) -> bool:
        """Whether the pairs have gold links."""
        return self._links is not None

    def __len__(self) -> int:
        return len(self._lengths)

    def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Views of the source and target ids of a pair."""
        if not -len(self) <= number < len(self):
            raise IndexError(f"pair {number} of {len(self)}")
        number %= len(self)
        source, target = self._source_offsets, self._target_offsets
        return (
            self._source[source[number] : source[number + 1]],
            self._target[target[number] : target[number + 1]],
        )

    def links(self, number: int) -> np.ndarray | None:
        """The links [L, 2] between source and target token positions of a pair, if the corpus is aligned."""
        if self._links is None or self._link_offsets is None:
            return None
        return self._links[self._link_offsets[number] : self._link_offsets[number + 1]]

    def pair(self, number: int, epoch: int = 0) -> TokenPair:
        """The pair, the same in every epoch."""
        source, target = self[number]
        return TokenPair(source, target, self.links(number))

    def lengths(self) -> np.ndarray:
        """[N, 2] tokens of source and target without EOS, memory-mapped."""
        return self._lengths

    def longer_than(self, length: int) -> int:
        """How many pairs have a side with more tokens than that."""
        starts = range(0, len(self), 1 << 20)
        return sum(int((self._lengths[s : s + (1 << 20)] > length).any(axis=1).sum()) for s in starts)


class SampledPairs:
    """Pairs segmented again in each epoch from the mapped text, as a pure function of seed, epoch and number.

    `store` holds the best segmentation of the same text; its lengths are used for those of the samples.
    """

    def __init__(
        self,
        store: PairStore,
        text: TextStore,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        seed: int,
    ) -> None:
        if len(store) != len(text):
            raise DataError(f"a store of {len(store)} pairs does not belong to a text of {len(text)}.")
        self._store, self._text = store, text
        self._source_tokenizer, self._target_tokenizer = source_tokenizer, target_tokenizer
        self._seed = seed

    def __len__(self) -> int:
        return len(self._store)

    def lengths(self) -> np.ndarray:
        """[N, 2] tokens of the best segmentations; a sample may have more."""
        return self._store.lengths()

    def pair(self, number: int, epoch: int) -> TokenPair:
        """The pair as it is segmented in that epoch."""
        text = self._text[number]
        source_seed = stable_seed(self._seed, epoch, number, "source")
        target_seed = stable_seed(self._seed, epoch, number, "target")
        source = self._source_tokenizer.encode(text.source, sample_seed=source_seed)
        target = self._target_tokenizer.encode(text.target, sample_seed=target_seed)
        if text.alignment is None:
            return TokenPair(source, target)
        links = token_links(text.alignment, source, target, self._source_tokenizer, self._target_tokenizer)
        return TokenPair(source, target, links)


def build_store(
    text: TextStore, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer, cache: str | Path
) -> PairStore:
    """Tokenise the text into a folder of `cache`, or find it there from an earlier time."""
    facts = f"{text.identity}\n{source_tokenizer.sha256}\n{target_tokenizer.sha256}\n{FORMAT}"
    identity = sha256(facts.encode("utf-8")).hexdigest()
    folder = Path(cache) / f"ids-{identity[:16]}"
    if cached(folder, identity, FORMAT) is None:
        meta: dict[str, Any] = {
            "format": FORMAT,
            "identity": identity,
            "count": len(text),
            "aligned": text.aligned,
            "source_dtype": _id_dtype(source_tokenizer.size),
            "target_dtype": _id_dtype(target_tokenizer.size),
            "segments": [vars(segment) for segment in text.segments],
        }
        with new_folder(folder, meta) as temporary:
            _write(temporary, text, source_tokenizer, target_tokenizer, meta)
    return PairStore(folder)


def token_links(
    alignment: str,
    source: Sequence[int],
    target: Sequence[int],
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
) -> np.ndarray:
    """Sure word links carried over to tokens [L, 2]: each token of one word to each token of the other."""
    source_tokens = _tokens_of_words(source_tokenizer.word_of_token(source))
    target_tokens = _tokens_of_words(target_tokenizer.word_of_token(target))
    links = [
        (s, t)
        for i, j, sure in parse_links(alignment, "stored links")
        if sure
        for s in source_tokens.get(i, ())
        for t in target_tokens.get(j, ())
    ]
    return np.array(links, dtype=np.int32).reshape(-1, 2)


def _tokens_of_words(word_of_token: Sequence[int]) -> dict[int, list[int]]:
    tokens: dict[int, list[int]] = {}
    for token, word in enumerate(word_of_token):
        tokens.setdefault(word, []).append(token)
    return tokens


class _Ragged:
    """Rows of different lengths, appended to a file of values and a file of offsets."""

    def __init__(self, values: BinaryIO, offsets: BinaryIO, dtype: str) -> None:
        self._values, self._offsets, self._dtype = values, offsets, dtype
        self._end = 0
        self._waiting_values: list[int] = []
        self._waiting_offsets = array("q", [0])

    def add(self, row: Sequence[int], length: int) -> None:
        self._waiting_values += row
        self._end += length
        self._waiting_offsets.append(self._end)

    def flush(self) -> None:
        self._values.write(np.array(self._waiting_values, dtype=self._dtype).tobytes())
        self._offsets.write(np.array(self._waiting_offsets, dtype="<i8").tobytes())
        self._waiting_values, self._waiting_offsets = [], array("q")


def _write(
    folder: Path,
    text: TextStore,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    meta: dict[str, Any],
) -> None:
    names = (
        "source.ids",
        "source.offsets",
        "target.ids",
        "target.offsets",
        "links",
        "links.offsets",
        "lengths",
    )
    files = [(folder / name).open("wb") for name in (names if text.aligned else (*names[:4], names[6]))]
    try:
        source = _Ragged(files[0], files[1], meta["source_dtype"])
        target = _Ragged(files[2], files[3], meta["target_dtype"])
        links = _Ragged(files[4], files[5], "<i4") if text.aligned else None
        columns = [source, target] + ([links] if links else [])
        lengths = array("i")
        for number, pair in enumerate(text, 1):
            source_ids, target_ids = (
                source_tokenizer.encode(pair.source),
                encode_beside(target_tokenizer, pair.target, pair.source),
            )
            source.add(source_ids, len(source_ids))
            target.add(target_ids, len(target_ids))
            lengths.extend((len(source_ids), len(target_ids)))
            if links is not None:
                found = token_links(pair.alignment or "", source_ids, target_ids, source_tokenizer, target_tokenizer)
                links.add(found.ravel().tolist(), len(found))
            if number % _BLOCK == 0 or number == len(text):
                for column in columns:
                    column.flush()
                files[-1].write(np.array(lengths, dtype="<i4").tobytes())
                lengths = array("i")
    finally:
        for file in files:
            file.close()


def _id_dtype(size: int) -> str:
    return "<u2" if size < 1 << 16 else "<i4"


def _meta(folder: Path) -> dict[str, Any]:
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
        identity = meta["identity"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{folder} is not a store of token ids; build it again.") from error
    if cached(folder, identity, FORMAT) is None:
        raise DataError(f"{folder} is damaged or of another format; delete it and build it again.")
    return meta


def _mapped(path: Path, dtype: str) -> np.ndarray:
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=dtype)
    # A plain array over the mapping: indexing a memmap object costs several times as much.
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
