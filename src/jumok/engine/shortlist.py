"""The lexical shortlist: which target tokens a source token may become, learned from the training pairs.

Scoring every word of the vocabulary is most of the work of a small model. For one sentence nearly all of it is in vain:
the words that may follow are the frequent ones and the translations of its own words (Jean et al. 2015, "On Using Very
Large Target Vocabulary for Neural Machine Translation"). Translations come from IBM model 1 (Brown et al. 1993), fitted
to the token pairs by expectation maximisation:

    p(t | s) ∝ Σ_pairs  c(s, t; pair),      c = p(t | s) / Σ_s' p(t | s')

The tables are over distinct pairs of tokens that occur together, in numpy.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile
from zlib import error as CompressionError

import numpy as np
from numpy.typing import NDArray

from jumok.durable import write_file
from jumok.engine import structures as native
from jumok.errors import RunError
from jumok.run.names import SHORTLIST
from jumok.shapes import EOS, UNK

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Shortlist:
    """`common` target tokens for every sentence, and for source token s those from begins[s] to begins[s + 1]."""

    common: Ids
    begins: Ids
    words: Ids

    @property
    def source_size(self) -> int:
        """How many source tokens it knows."""
        return len(self.begins) - 1

    def of(self, source: Sequence[int]) -> list[int]:
        """The tokens that a source (with its EOS) may become, as the engine lists them."""
        found = dict.fromkeys(self.common.tolist())
        for token in source:
            found |= dict.fromkeys(self.words[self.begins[token] : self.begins[token + 1]].tolist())
        return list(found)

    def native(self) -> tuple[native.Shortlist, tuple[Any, ...]]:
        """The engine's structure, and the arrays that must live as long as it does."""
        arrays = tuple(np.ascontiguousarray(part, np.int32) for part in (self.common, self.begins, self.words))
        pointers = [array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)) for array in arrays]
        return native.Shortlist(pointers[0], pointers[1], pointers[2], len(self.common)), arrays

    def save(self, folder: Path) -> Path:
        """Keeps it with a run."""
        path = folder / SHORTLIST
        packed = BytesIO()
        np.savez_compressed(packed, common=self.common, begins=self.begins, words=self.words)
        write_file(path, packed.getvalue())
        return path


def load_shortlist(folder: Path, source_size: int, target_size: int) -> Shortlist | None:
    """The shortlist that was kept with a run, or None; it must be of the run's vocabularies."""
    path = folder / SHORTLIST
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as content:
            found = Shortlist(*(np.asarray(content[name], np.int32) for name in ("common", "begins", "words")))
    except (OSError, ValueError, KeyError, NotImplementedError, BadZipFile, CompressionError) as error:
        raise RunError(f"{path} is damaged: {error}; remove it, or make it again with `jumok shortlist`.") from None
    fits = found.source_size == source_size and max(found.common.max(), found.words.max(initial=0)) < target_size
    if not fits or found.begins[-1] != len(found.words) or (np.diff(found.begins) < 0).any():
        raise RunError(f"{path} was made for other vocabularies; make it again with `jumok shortlist {folder}`.")
    return found


def learn_shortlist(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    source_size: int,
    target_size: int,
    *,
    common: int = 100,
    each: int = 50,
    iterations: int = 4,
) -> Shortlist:
    """The `common` most frequent target tokens, and the `each` likeliest of every source token."""
    link_source, link_target, link_pair_target = _links(pairs)
    key = link_source.astype(np.int64) * target_size + link_target
    cells, cell_of_link = np.unique(key, return_inverse=True)
    cell_source = (cells // target_size).astype(np.int32)
    cell_target = (cells % target_size).astype(np.int32)
    probability = np.ones(len(cells))
    for _ in range(iterations):
        weight = probability[cell_of_link]
        share = weight / np.bincount(link_pair_target, weight)[link_pair_target]
        count = np.bincount(cell_of_link, share, minlength=len(cells))
        probability = count / np.maximum(np.bincount(cell_source, count, minlength=source_size)[cell_source], 1e-12)
    frequency = np.bincount(link_target[_first_of(link_pair_target)], minlength=target_size)
    order = np.lexsort((-probability, cell_source))
    rank = np.arange(len(order)) - np.searchsorted(cell_source[order], cell_source[order])
    kept = order[rank < each]
    begins = np.searchsorted(cell_source[kept], np.arange(source_size + 1)).astype(np.int32)
    often = np.argsort(-frequency, kind="stable")[:common]
    often = np.concatenate([[EOS, UNK], often[(frequency[often] > 0) & (often > EOS)]])
    return Shortlist(often.astype(np.int32), begins, cell_target[kept])


def _links(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> tuple[Ids, Ids, Ids]:
    """Every source token with every target token of its pair, and which target position of all it belongs to."""
    sources: list[Ids] = []
    targets: list[Ids] = []
    places: list[Ids] = []
    place = 0
    for source_ids, target_ids in pairs:
        source = np.unique(np.append(np.asarray(source_ids, np.int32), np.int32(EOS)))
        target = np.asarray(target_ids, np.int32)
        if not len(target):
            continue
        sources.append(np.tile(source, len(target)))
        targets.append(np.repeat(target, len(source)))
        places.append(np.repeat(np.arange(place, place + len(target), dtype=np.int32), len(source)))
        place += len(target)
    if not sources:
        raise RunError("there are no training pairs to learn a shortlist from.")
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(places)


def _first_of(places: Ids) -> NDArray[np.intp]:
    """The first link of each target position."""
    return np.flatnonzero(np.diff(places, prepend=-1))
