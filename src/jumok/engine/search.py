"""Our own engine: greedy and beam search with a recurrent model, compiled, on threads that are real workers.

Python's lock is not held while the compiled part searches.
"""

import ctypes
import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from jumok.decoding.engine import Abilities
from jumok.decoding.features import PLAIN_SEARCH, Feature
from jumok.decoding.options import Options
from jumok.decoding.outcome import Hypothesis, SentenceAttention, Weights
from jumok.engine import structures as native
from jumok.engine.library import library
from jumok.engine.packing import Packed
from jumok.engine.quick import Asked
from jumok.engine.shortlist import Shortlist
from jumok.errors import JumokError
from jumok.shapes import EOS

Batch = TypeVar("Batch")
Result = TypeVar("Result")
Arrays = dict[str, NDArray[Any]]


class FastSearcher:
    """Searches with a packed model, by `workers` threads."""

    name = "fast"
    abilities = Abilities(PLAIN_SEARCH | {Feature.EVERY_HEAD}, native.WIDEST_BEAM)
    rows_together = 128

    def __init__(self, packed: Packed, *, workers: int = 1, shortlist: Shortlist | None = None) -> None:
        self.packed, self.workers, self.shortlist = packed, workers, shortlist
        self.reverse = packed.reverse_source
        self._library = library()
        self._list, self._list_arrays = (None, ()) if shortlist is None else shortlist.native()
        self._own = local()
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    def map(self, work: Callable[[Batch], Result], batches: Sequence[Batch]) -> Iterable[Result]:
        """The results of `work` on each batch, by as many workers as there are."""
        return map(work, batches) if self._pool is None or len(batches) < 2 else self._pool.map(work, batches)

    def search(self, asked: Asked) -> list[list[Hypothesis]]:
        """The hypotheses of each source of a batch, best first."""
        sources, options, weights = asked.sources, asked.options, asked.weights
        order = sorted(range(len(sources)), key=lambda n: -len(sources[n]))
        ends = [self._with_end(sources[n]) for n in order]
        arrays = self._arrays(ends, [asked.longest[n] for n in order], options.nbest, weights)
        request = self._request(arrays, options, weights, asked.unknown)
        model, space = ctypes.byref(self.packed.model), self._workspace()
        if self._library.jumok_search(model, ctypes.byref(request), space):
            raise JumokError("there is not enough memory to search; lower the beam or translate fewer lines at once.")
        found = self._read(arrays, [len(end) for end in ends], options, weights)
        return [one for _, one in sorted(zip(order, found, strict=True), key=lambda both: both[0])]

    def _with_end(self, ids: Sequence[int]) -> list[int]:
        """A source as the encoder reads it; attention over it does not ask for the order."""
        return [EOS, *reversed(ids)] if self.reverse else [*ids, EOS]

    def _workspace(self) -> int:
        """The memory of the thread that asks; given back when the thread's own things are."""
        keeper = getattr(self._own, "keeper", None)
        if keeper is None:
            keeper = self._own.keeper = _Workspace(self._library.jumok_workspace())
            weakref.finalize(keeper, self._library.jumok_free, keeper.address)
        return keeper.address

    def _arrays(self, ends: list[list[int]], longest: list[int], nbest: int, weights: bool) -> Arrays:
        """What the engine reads, and room for what it writes."""
        lengths = [len(end) for end in ends]
        shape = (len(ends), nbest, max(longest) + 1)
        return {
            "ids": np.fromiter((token for end in ends for token in end), np.int32, sum(lengths)),
            "begins": np.cumsum([0, *lengths], dtype=np.int32),
            "longest": np.array(longest, np.int32),
            "tokens": np.empty(shape, np.int32),
            "steps": np.empty(shape[:2], np.int32),
            "truncated": np.empty(shape[:2], np.int32),
            "sums": np.empty(shape, np.float64),
            "scores": np.empty(shape[:2], np.float64),
            "weights": np.empty((*shape, lengths[0]) if weights else (0,), np.float32),
        }

    def _request(self, arrays: Arrays, options: Options, weights: bool, unknown: bool) -> native.Request:
        request = native.Request(
            sentences=len(arrays["steps"]),
            beam=options.beam,
            nbest=options.nbest,
            shortest=options.min_length,
            allow_unknown=int(unknown),
            keep_weights=int(weights and self.packed.model.score != native.NO_SCORE),
            form=native.FORMS[options.scoring.form],
            alpha=options.scoring.alpha,
            most_steps=arrays["tokens"].shape[2],
            most_source=int(arrays["begins"][1]),
        )
        for name, array in arrays.items():
            setattr(request, name, array.ctypes.data_as(_KINDS[name]))
        if self._list is not None:
            request.shortlist = ctypes.pointer(self._list)
        return request

    def _read(self, arrays: Arrays, lengths: list[int], options: Options, weights: bool) -> list[list[Hypothesis]]:
        """The hypotheses of each sentence."""
        # Lists, once per batch: numbers of an array one by one are many times slower.
        steps, truncated, scores, tokens, sums = (
            arrays[name].tolist() for name in ("steps", "truncated", "scores", "tokens", "sums")
        )
        weights = weights and self.packed.model.score != native.NO_SCORE
        found: list[list[Hypothesis]] = []
        for n, length in enumerate(lengths):
            ranks = [rank for rank in range(options.nbest) if steps[n][rank]]
            found.append([])
            for rank in ranks:
                count = steps[n][rank]
                totals = sums[n][rank][:count]
                cross = self._cross(arrays["weights"][n, rank, :count, :length]) if weights else None
                maps = SentenceAttention([], [], [] if cross is None else [cross[None]])
                found[-1].append(
                    Hypothesis(
                        ids=tuple(tokens[n][rank][: count - 1]),
                        log_prob=totals[-1],
                        score=scores[n][rank],
                        token_log_probs=tuple(
                            now - before for now, before in zip(totals, [0.0, *totals], strict=False)
                        ),
                        truncated=bool(truncated[n][rank]),
                        cross_TS=cross,
                        attention=maps if options.attention else None,
                    )
                )
        return found

    def _cross(self, weights_TS: Weights) -> Weights:
        """A copy of its own, so that no batch stays in memory behind one sentence; in the order of the source."""
        return (weights_TS[:, ::-1] if self.reverse else weights_TS).copy()


class _Workspace:
    """The address of a worker's memory; a thing whose end can be waited for."""

    def __init__(self, address: int) -> None:
        self.address = address


_KINDS: dict[str, Any] = {field[0]: field[1] for field in native.Request._fields_}
