"""The model at work: `jumok.load("runs/demo").translate("…")`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from jumok.alignment import Link, argmax_links, threshold_links
from jumok.arguments import MOST_TOKENS, check_finite, check_text, check_whole, each_line, lines_of, pairs_of, shown
from jumok.data.sources import Tokens
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.decoding.batches import by_length, pad_sources
from jumok.decoding.beam_search import beam_search
from jumok.decoding.ensemble import Ensemble
from jumok.decoding.forced import run_pairs, token_log_probs
from jumok.decoding.greedy import greedy
from jumok.decoding.hypothesis import BeamTree, Hypothesis, Keep, as_numpy, reduce_cross
from jumok.decoding.interface import Stepper
from jumok.decoding.jobs import Job, Reader, beam_for, longest_input, make_job
from jumok.decoding.lists import float_rows
from jumok.decoding.options import Options, checked_options, chosen_options
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.run import Run, load_run
from jumok.decoding.sampling import sample, sentence_keys
from jumok.decoding.trace import Change, Trace, removal_effects, trace
from jumok.decoding.translation import Matrix, PairAlignment, PairScore, Translation
from jumok.errors import InputError, RunError
from jumok.models.contract import Memory
from jumok.text.normal import words_of

Pairs = Sequence[tuple[str, str]]
Lines = list[str] | tuple[str, ...]
WINDOW = 1024


def load(path: str | Path, device: str = "cpu", *, ensemble: Sequence[str | Path] = ()) -> "Translator":
    """The translator of a run folder; `ensemble` names further runs that write together with it."""
    return Translator(load_run(path, device), [load_run(other, device) for other in ensemble])


class Translator:
    """A trained model with its tokenizers: translates, aligns, scores and encodes."""

    def __init__(self, run: Run, others: Sequence[Run] = ()) -> None:
        self.run = run
        self.runs = [run, *others]
        for other in others:
            if other.target_tokenizer.sha256 != run.target_tokenizer.sha256:
                raise RunError(
                    f"{run.path} and {other.path} write with different vocabularies; an ensemble needs runs that "
                    "share the target tokenizer."
                )
        self.model = run.model
        self.device = run.model.device
        self.choice = run.choice
        self._stepper: Stepper = Ensemble([r.model for r in self.runs]) if others else run.model
        self._maker = RuleMaker(run.config, run.source_tokenizer, run.target_tokenizer, run.reach, self.device)

    # ------------------------------------------------------------ translating

    @overload
    def translate(
        self, text: str, beam: int = 5, *, nbest: int = 1, attention: bool = False, tree: bool = False,
        prefix: str | None = None, forbid: Sequence[str] = (), require: Sequence[str] = (),
        options: Options | None = None,
    ) -> Translation: ...  # fmt: skip

    @overload
    def translate(
        self, text: Lines, beam: int = 5, *, nbest: int = 1, attention: bool = False, tree: bool = False,
        prefix: str | None = None, forbid: Sequence[str] = (), require: Sequence[str] = (),
        options: Options | None = None,
    ) -> list[Translation]: ...  # fmt: skip

    def translate(
        self,
        text: str | Lines,
        beam: int = 5,
        *,
        nbest: int = 1,
        attention: bool = False,
        tree: bool = False,
        prefix: str | None = None,
        forbid: Sequence[str] = (),
        require: Sequence[str] = (),
        options: Options | None = None,
    ) -> Translation | list[Translation]:
        """The translation of a line, or of each line of a list in its order.

        `options` holds every choice and replaces all other arguments.
        """
        options = chosen_options(options, beam, nbest, attention, tree, prefix, forbid, require)
        found = list(self.translate_stream(lines_of(text), options))
        if len(self.runs) == 1:
            found = [replace(one, run=self.run) for one in found]
        return found[0] if isinstance(text, str) else found

    def translate_stream(
        self, lines: Iterable[str], options: Options | None = None, *, window: int = WINDOW
    ) -> Iterator[Translation]:
        """The translation of each line in order, in memory that does not grow with their number.

        Lines are taken a window at a time; within it those of similar length are translated together.
        """
        options = checked_options(options)
        lines = each_line(lines)
        while taken := list(islice(lines, max(1, window))):
            yield from self._translate_window(taken, options)

    def _translate_window(self, lines: Sequence[str], options: Options) -> list[Translation]:
        """Some lines, in their order; empty ones stay empty."""
        jobs = [self._job(line, options) for line in lines]
        found = [Translation.empty(line, attention=options.attention, tree=options.tree) for line in lines]
        busy = [number for number, job in enumerate(jobs) if job.ids]
        width = options.nbest if options.sampling else options.beam
        reader = Reader(self.run.source_tokenizer, self.run.target_tokenizer, self.choice, options)
        budget = max(1, options.budget // width)
        for batch in by_length([len(jobs[n].ids) + 1 for n in busy], budget):
            numbers = [busy[place] for place in batch]
            batch_jobs = [jobs[n] for n in numbers]
            hypotheses, trees = self._search(batch_jobs, options)
            for place, number in enumerate(numbers):
                tree = None if trees is None else trees[place]
                found[number] = reader.translation(jobs[number], hypotheses[place], tree)
        return found

    def _job(self, line: str, options: Options) -> Job:
        job = make_job(line, self.run.source_tokenizer, longest_input(self.run.config, self.run.reach))
        for run in self.runs[1:]:
            over = len(run.source_tokenizer.encode(line)) - longest_input(run.config, run.reach)
            job = replace(job, cut=max(job.cut, over))
        if options.prefix:
            job = replace(job, prefix=self._maker.prefix(options.prefix, options))
        if options.require:
            job = replace(job, required=self._maker.required(options.require))
        return job

    def _keep(self, options: Options) -> Keep:
        copies = options.unknown == "copy" and self._maker.knows_unknown
        layer = self.choice.layer if options.alignment or copies else None
        return Keep(layer, self.choice.heads, options.attention)

    @torch.inference_mode()
    def _search(self, jobs: Sequence[Job], options: Options) -> tuple[list[list[Hypothesis]], list[BeamTree] | None]:
        """The hypotheses of each job, best first, and the trees when asked for."""
        keep = self._keep(options)
        if options.sampling is not None:
            draws = [job for job in jobs for _ in range(options.nbest)]
            memory, mask_BS, encoder = self._encode(draws, options.attention)
            order = list(range(options.nbest)) * len(jobs)
            keys = sentence_keys([list(job.ids) for job in draws], order, options.sampling.seed)
            drawn = sample(
                self._stepper, memory, mask_BS, self._maker.rules(draws, options), options.sampling, keys,
                scoring=options.scoring, keep=keep, encoder=encoder,
            )  # fmt: skip
            return [drawn[n * options.nbest : (n + 1) * options.nbest] for n in range(len(jobs))], None
        memory, mask_BS, encoder = self._encode(jobs, options.attention)
        rules = self._maker.rules(jobs, options)
        beam = beam_for(jobs, options.beam)
        if beam == 1 and not options.tree:
            paths = greedy(self._stepper, memory, mask_BS, rules, scoring=options.scoring, keep=keep, encoder=encoder)
            return [[path] for path in paths], None
        beams = beam_search(
            self._stepper, memory, mask_BS, rules, beam=beam, nbest=options.nbest, scoring=options.scoring,
            keep=keep, encoder=encoder, tree=options.tree,
        )  # fmt: skip
        return beams.best, beams.trees

    def _encode(self, jobs: Sequence[Job], need_weights: bool) -> tuple[Any, Tensor, list[Tensor]]:
        """The memory of every member, the first one's mask, and its encoder's attention."""
        first, mask_BS = self._memory(self.run, [job.ids for job in jobs], need_weights)
        # The encoder's own attention is kept here once per sentence, not carried along in every row.
        memory, encoder = replace(first, attention=[]), first.attention
        if len(self.runs) == 1:
            return memory, mask_BS, encoder
        members = [memory]
        for run in self.runs[1:]:
            longest = longest_input(run.config, run.reach)
            sources = [tuple(run.source_tokenizer.encode(job.line)[:longest]) for job in jobs]
            members.append(self._memory(run, sources, False)[0])
        return members, mask_BS, encoder

    def _memory(self, run: Run, sources: Sequence[Sequence[int]], need_weights: bool) -> tuple[Memory, Tensor]:
        source_BS, mask_BS = pad_sources(sources, self.device)
        return run.model.encode(Tokens(source_BS, mask_BS), need_weights), mask_BS

    # ------------------------------------------------------------ given pairs

    def align(
        self,
        pairs: Pairs,
        *,
        choice: AlignmentChoice | None = None,
        threshold: float | None = None,
    ) -> list[PairAlignment]:
        """The word alignment of each given pair by forced decoding; a `threshold` links all weights above it."""
        choice = self._checked_choice(choice)
        if threshold is not None:
            check_finite("the link threshold", threshold)
        pairs = pairs_of(pairs)
        sources, targets, cut = self._ids_of_pairs(pairs)
        found: list[PairAlignment | None] = [None] * len(pairs)
        for forced in run_pairs(self.model, sources, targets, self.device, need_weights=True):
            cross_BTS = reduce_cross(forced.attention.cross, choice.layer, choice.heads)
            if cross_BTS is None:
                raise RunError(f"The model of {self.run.path} has no attention between the two sides to align with.")
            for row, number in enumerate(forced.numbers):
                height, width = len(targets[number]) + 1, len(sources[number]) + 1
                matrix = as_numpy(cross_BTS[row, :height, :width])
                words = [words_of(side) for side in pairs[number]]
                weights = choice.words(
                    matrix,
                    self.run.source_tokenizer.word_of_token(sources[number]),
                    self.run.target_tokenizer.word_of_token(targets[number]),
                    len(words[0]),
                    len(words[1]),
                )
                links = self._links(weights, threshold)
                found[number] = PairAlignment(tuple(words[0]), tuple(words[1]), weights, links, cut[number])
        return [one for one in found if one is not None]

    def _checked_choice(self, choice: AlignmentChoice | None) -> AlignmentChoice:
        """The given choice of layer and heads, or the run's own."""
        if choice is None:
            return self.choice
        if not isinstance(choice, AlignmentChoice):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"choice must be an AlignmentChoice, not {shown(choice)}.")
        return choice

    @staticmethod
    def _links(weights: Matrix, threshold: float | None) -> list[Link]:
        return argmax_links(weights) if threshold is None else threshold_links(weights, threshold)

    def score(self, pairs: Pairs) -> list[PairScore]:
        """The log-probability of each given translation, token by token."""
        pairs = pairs_of(pairs)
        sources, targets, cut = self._ids_of_pairs(pairs)
        found: list[PairScore | None] = [None] * len(pairs)
        for forced in run_pairs(self.model, sources, targets, self.device, need_weights=False):
            log_prob_BT = float_rows(token_log_probs(self.model, forced))
            for row, number in enumerate(forced.numbers):
                steps = log_prob_BT[row][: len(targets[number]) + 1]
                tokens = tuple(self.run.target_tokenizer.token(token) for token in targets[number])
                found[number] = PairScore(sum(steps), tuple(steps), tokens, cut[number])
        return [one for one in found if one is not None]

    def _ids_of_pairs(self, pairs: Pairs) -> tuple[list[list[int]], list[list[int]], list[bool]]:
        """The ids of both sides, cut only where the model has no positions left."""
        read, written = self.run.reach.source_tokens, self.run.reach.target_tokens
        sources = [self.run.source_tokenizer.encode(source) for source, _ in pairs]
        targets = [self.run.target_tokenizer.encode(target) for _, target in pairs]
        cut = [len(s) > read or len(t) > written for s, t in zip(sources, targets, strict=True)]
        return [ids[:read] for ids in sources], [ids[:written] for ids in targets], cut

    def trace(self, text: str, *, change: Change | None = None, need_terms: bool = False, top: int = 10) -> Trace:
        """The line decoded greedily and in slow motion, under a change: what the model does instead, and why."""
        check_text("the text", text)
        check_whole("top", top, 1, MOST_TOKENS)
        job = make_job(text, self.run.source_tokenizer, longest_input(self.run.config, self.run.reach))
        if not job.ids:
            raise InputError("an empty line cannot be traced.")
        if change is not None:
            self._check_change(change)
        longest = max(self._maker.longest(job, Options()), len(change.forced) if change else 0)
        return trace(
            self.model, job.ids, change=change, longest=longest, top=top, need_terms=need_terms,
            allow_unknown=self._maker.knows_unknown,
        )  # fmt: skip

    def _check_change(self, change: Change) -> None:
        if not isinstance(change, Change):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"change must be made with Change(…), not {shown(change)}.")
        self._check_target(change.forced)

    def _check_target(self, ids: Sequence[int]) -> None:
        """Raises unless these are tokens of the target vocabulary, and not more than the model can take."""
        if isinstance(ids, str | bytes):
            raise InputError(f"the target must be a list of token numbers, not {shown(ids)}.")
        for token in ids:
            check_whole("a target token", token, 0, self.run.target_tokenizer.size - 1)
        most = self.run.reach.target_tokens + 1
        if len(ids) > most:
            raise InputError(f"the target has {len(ids)} tokens, more than the {most} that the model can take.")

    def removal_effects(self, text: str, target_ids: Sequence[int]) -> NDArray[np.float64]:
        """How much each target token (and EOS) loses without each source word: [T + 1, source words]."""
        check_text("the text", text)
        self._check_target(target_ids)
        job = make_job(text, self.run.source_tokenizer, longest_input(self.run.config, self.run.reach))
        words = self.run.source_tokenizer.word_of_token(job.ids)
        return removal_effects(self.model, job.ids, words, target_ids)

    def encode(self, text: str | Lines) -> NDArray[np.float32]:
        """The sentence vector [D] of a line, or [N, D] of a list of lines."""
        lines = lines_of(text)
        longest = self.run.reach.source_tokens
        sources = [self.run.source_tokenizer.encode(line)[:longest] for line in lines]
        if not all(sources):
            raise InputError(f"line {sources.index([]) + 1} is empty; an empty line has no sentence vector.")
        vectors: dict[int, NDArray[np.float32]] = {}
        with torch.inference_mode():
            for batch in by_length([len(source) + 1 for source in sources], 8_000):
                memory, _ = self._memory(self.run, [sources[n] for n in batch], False)
                summary = as_numpy(memory.summary)
                vectors |= {number: summary[row] for row, number in enumerate(batch)}
        stacked = np.stack([vectors[n] for n in range(len(lines))]) if lines else np.zeros((0, 0), np.float32)
        return stacked[0] if isinstance(text, str) else stacked
