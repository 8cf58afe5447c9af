"""An engine that translates with CTranslate2 what `ctranslate2_export` wrote."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from jumok.decoding.engine import Abilities
from jumok.decoding.features import PLAIN_SEARCH
from jumok.decoding.options import Options
from jumok.decoding.outcome import Hypothesis
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2_export import (
    LARGEST,
    NOTE,
    POSITIONS,
    Array,
    library,
    names_of,
    write,
)
from jumok.engine.packing import Precision
from jumok.engine.quick import Asked, QuickEngine
from jumok.engine.structures import WIDEST_BEAM
from jumok.engine.weights import Parts, load_parts
from jumok.errors import RunError
from jumok.run.integrity import check_listed
from jumok.run.names import EXPORTED
from jumok.shapes import BOS, EOS, PAD, UNK

Batch = TypeVar("Batch")
Result = TypeVar("Result")
THREADS_PER_WORKER = 2
Texts = Sequence[list[str]]
"""Hypotheses of one sentence as tokens, with EOS where they ended."""


def open_exported(folder: Path, *, precision: Precision, workers: int, shortlist: bool) -> QuickEngine:
    """The engine over what was exported from a run."""
    ctranslate2 = library()
    place = folder / EXPORTED
    run = load_parts(folder)
    try:
        note = json.loads((place / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise RunError(f"{folder} is not exported; run `jumok export {folder} --to ctranslate2` first.") from None
    if note.get("run") != run.sha256:
        raise RunError(f"{place} has other weights than {folder}; run `jumok export {folder} --to ctranslate2` again.")
    if shortlist and not note.get("shortlist"):
        raise RunError(f"{place} has no shortlist; make one with `jumok shortlist {folder}` and export again.")
    check_listed(place)

    def read(place: Path) -> Any:
        return ctranslate2.Translator(
            str(place), device="cpu", compute_type=precision, inter_threads=workers, intra_threads=1
        )

    if precision == "int8" and note.get("largest") != LARGEST:
        with TemporaryDirectory() as rounded:  # CTranslate2 itself would round to what its products cannot hold
            translator = read(write(run, Path(rounded), "int8"))
    else:
        translator = read(place)
    return QuickEngine(run, CTranslate2Searcher(translator, run, workers=workers, shortlist=shortlist))


@dataclass
class _Draft:
    """A hypothesis of CTranslate2 that fits its limit; `log_prob` is None until a cut one is scored."""

    rank: int
    """Its place in the result."""
    tokens: Sequence[str]
    """Without EOS."""
    log_prob: float | None

    def score(self, scoring: Scoring) -> float:
        """What it is ranked by."""
        assert self.log_prob is not None
        return self.log_prob / length_penalty(scoring, len(self.tokens) + 1)


class CTranslate2Searcher:
    """Searches with CTranslate2, which has workers of its own and gives the attention of the aligning heads only."""

    name = "ctranslate2"
    abilities = Abilities(PLAIN_SEARCH, WIDEST_BEAM)
    rows_together = 160

    def __init__(self, translator: Any, run: Parts, *, workers: int, shortlist: bool) -> None:
        self.translator, self.workers, self.shortlist = translator, workers, shortlist
        self.source, self.target = names_of(run.source_tokenizer), names_of(run.target_tokenizer)
        self.ids = {name: token for token, name in enumerate(self.target)}
        self.end = self.target[EOS]
        # Learned positions end where they end; the others were written out to a length.
        written = max(POSITIONS, run.config.data.max_length + 1) - 1
        self.longest = written if run.reach.target is None else run.reach.target_tokens

    def map(self, work: Callable[[Batch], Result], batches: Sequence[Batch]) -> Iterable[Result]:
        """The results of `work` on each batch, by as many workers as there are.

        Python's threads take turns at reading and writing text, so there are more of them than workers: while one
        waits for its turn, another's batch is in CTranslate2's queue and no worker is idle.
        """
        if self.workers < 2 or len(batches) < 2:
            return map(work, batches)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(THREADS_PER_WORKER * self.workers) as pool:
            return list(pool.map(work, batches))

    def search(self, asked: Asked) -> list[list[Hypothesis]]:
        """The hypotheses of each source of a batch, best first.

        CTranslate2 has one limit for a batch. With that of the longest an output would depend on its neighbours, and
        with that of the model one sentence without an end would hold up all. So sentences go by their own limit,
        raised so that few groups are made; a beam that went beyond its sentence's limit is searched again within.
        """
        options, weights = asked.options, asked.weights
        lines = [[self.source[token] for token in ids] for ids in asked.sources]
        longest = [min(limit, self.longest) for limit in asked.longest]
        near = longest if options.max_length is not None else raised(longest)

        def translate(numbers: Sequence[int], limits: Sequence[int]) -> Iterator[tuple[int, tuple[Any, Texts]]]:
            for limit in {limits[number]: None for number in numbers}:
                group = [number for number in numbers if limits[number] == limit]
                results = self._translate([lines[number] for number in group], limit, options, weights, asked.unknown)
                # Each of a result's lists is converted as a whole whenever it is asked for.
                yield from ((n, (result, result.hypotheses)) for n, result in zip(group, results, strict=True))

        found = dict(translate(range(len(lines)), near))
        if options.beam > 1:  # a greedy output is the same up to where it is cut
            beyond = [n for n, limit in enumerate(longest) if self._longest_of(found[n][1]) > limit]
            found |= translate(beyond, longest)
        drafts = [self._read(*found[number], limit) for number, limit in enumerate(longest)]
        self._score_unended(lines, drafts)
        ranked = (self._rank(its, limit, options) for its, limit in zip(drafts, longest, strict=True))
        return [self._hypotheses(its, found[n][0], weights, options) for n, its in enumerate(ranked)]

    def _translate(self, lines: list[list[str]], most: int, options: Options, weights: bool, unknown: bool) -> Any:
        """CTranslate2's results for lines that share a limit."""
        return self.translator.translate_batch(
            lines,
            beam_size=options.beam,
            num_hypotheses=options.beam,
            length_penalty=0,
            max_decoding_length=most,
            min_decoding_length=max(1, options.min_length),
            max_input_length=0,
            return_scores=True,
            return_attention=weights,
            return_end_token=True,
            disable_unk=not unknown,
            suppress_sequences=[[self.target[PAD]], [self.target[BOS]]],
            use_vmap=self.shortlist,
        )

    def _longest_of(self, hypotheses: Texts) -> int:
        """The tokens of the longest, without EOS."""
        return max(len(tokens) - self._ends(tokens) for tokens in hypotheses)

    def _ends(self, tokens: Sequence[str]) -> bool:
        """Whether a hypothesis wrote EOS."""
        return bool(tokens) and tokens[-1] == self.end

    def _read(self, result: Any, hypotheses: Texts, limit: int) -> list[_Draft]:
        """The hypotheses of one sentence, cut to its limit."""
        found: list[_Draft] = []
        for rank, (tokens, score) in enumerate(zip(hypotheses, result.scores, strict=True)):
            ended = self._ends(tokens) and len(tokens) <= limit + 1
            found.append(_Draft(rank, tokens[:-1] if ended else tokens[:limit], float(score) if ended else None))
        return found

    def _score_unended(self, lines: list[list[str]], drafts: list[list[_Draft]]) -> None:
        """Gives outputs that were cut off the log-probability of what is left of them, with EOS; over all words."""
        cut = [(line, one) for line, its in zip(lines, drafts, strict=True) for one in its if one.log_prob is None]
        if not cut:
            return
        targets = [list(one.tokens) for _, one in cut]
        results = self.translator.score_batch([line for line, _ in cut], targets, max_input_length=0)
        for (_, one), result in zip(cut, results, strict=True):
            one.log_prob = float(sum(result.log_probs))

    def _rank(self, drafts: list[_Draft], limit: int, options: Options) -> list[tuple[int, Hypothesis]]:
        """The best hypotheses of one sentence by our score, each with its place in the result."""
        best = sorted(drafts, key=lambda one: -one.score(options.scoring))[: options.nbest]
        return [(one.rank, self._hypothesis(one, limit, options.scoring)) for one in best]

    def _hypothesis(self, one: _Draft, limit: int, scoring: Scoring) -> Hypothesis:
        """A draft whose log-probability is known, in our ids."""
        assert one.log_prob is not None
        ids, truncated = tuple(map(self.ids.__getitem__, one.tokens)), len(one.tokens) >= limit
        return Hypothesis(ids, one.log_prob, one.score(scoring), token_log_probs=(), truncated=truncated)

    def _hypotheses(
        self, ranked: Sequence[tuple[int, Hypothesis]], result: Any, weights: bool, options: Options
    ) -> list[Hypothesis]:
        """The hypotheses, with their attention where somebody will look at it.

        To make Python numbers of it holds up every thread, so attention that only unknown words need is left where
        it is if there are none.
        """
        found = [one for _, one in ranked]
        if not weights or not (options.alignment or any(UNK in one.ids for one in found)):
            return found
        shown = result.attention
        return [
            replace(one, cross_TS=_with_end(np.array(shown[place], np.float32), len(one.ids) + 1))
            for place, one in ranked
        ]


def raised(limits: Sequence[int]) -> list[int]:
    """The limits, each raised to at most twice itself, so that as few as possible are different."""
    order = sorted(range(len(limits)), key=lambda number: -limits[number])
    found = list(limits)
    for before, number in pairwise(order):
        if found[before] <= 2 * limits[number]:
            found[number] = found[before]
    return found


def _with_end(shown_TS: Array, steps: int) -> Array:
    """The attention with the column of the source's EOS, which CTranslate2 leaves out, and a row for each step.

    Weights add up to one, so what is missing was on EOS. An output that was cut off has no step that wrote EOS.
    """
    shown_TS = shown_TS[:steps]
    cross_TS = np.concatenate([shown_TS, 1.0 - shown_TS.sum(axis=1, keepdims=True)], axis=1)
    return np.concatenate([cross_TS, cross_TS[-1:].repeat(steps - len(cross_TS), axis=0)])


def length_penalty(scoring: Scoring, length: int) -> float:
    """lp(Y) of a length that counts EOS: `Scoring.length_penalty` for one number."""
    if scoring.form == "gnmt":
        return ((5.0 + length) / 6.0) ** scoring.alpha
    return float(length) ** scoring.alpha if scoring.form == "power" else 1.0
