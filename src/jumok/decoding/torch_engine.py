"""The readable engine: searches with the model in torch. It can do everything, and everything in it can be seen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from jumok.data.sources import Tokens
from jumok.decoding.batches import by_length, pad_sources
from jumok.decoding.beam_search import beam_search
from jumok.decoding.engine import Abilities, Read
from jumok.decoding.ensemble import Ensemble
from jumok.decoding.features import EVERYTHING
from jumok.decoding.greedy import greedy
from jumok.decoding.hypothesis import BeamTree, Hypothesis, Keep
from jumok.decoding.interface import Stepper
from jumok.decoding.jobs import Job, beam_for, copies_unknown, make_job
from jumok.decoding.options import Options, Sampling
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.run import Run
from jumok.decoding.sampling import sample, sentence_keys
from jumok.errors import RunError
from jumok.models.contract import Memory

Found = tuple[list[list[Hypothesis]], list[BeamTree] | None]


class TorchEngine:
    """Greedy search, beam search and sampling over one model, or over an ensemble that averages probabilities."""

    name = "torch"
    abilities = Abilities(EVERYTHING)

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs, self.run = runs, runs[0]
        for other in runs[1:]:
            if other.target_tokenizer.sha256 != self.run.target_tokenizer.sha256:
                raise RunError(
                    f"{self.run.path} and {other.path} write with different vocabularies; an ensemble needs runs that "
                    "share the target tokenizer."
                )
        run, self.device = self.run, self.run.model.device
        self.visible = run if len(runs) == 1 else None
        self._stepper: Stepper = Ensemble([member.model for member in runs]) if len(runs) > 1 else run.model
        self._maker = RuleMaker(run.config, run.source_tokenizer, run.target_tokenizer, run.reach, self.device)

    def search(self, lines: Sequence[str], options: Options, read: Read) -> None:
        """Calls `read` with what was found for each line; lines of similar length are searched together."""
        jobs = [self._job(line, options) for line in lines]
        busy = [number for number, job in enumerate(jobs) if job.ids]
        width = options.nbest if options.sampling else options.beam
        for batch in by_length([len(jobs[n].ids) + 1 for n in busy], max(1, options.budget // width)):
            numbers = [busy[place] for place in batch]
            hypotheses, trees = self._search([jobs[n] for n in numbers], options)
            for place, number in enumerate(numbers):
                read(number, jobs[number], hypotheses[place], None if trees is None else trees[place])

    def _job(self, line: str, options: Options) -> Job:
        """The job of a line, with its constraints; cut to what the member that takes least can read."""
        job = make_job(line, self.run.source_tokenizer, self.run.longest_input)
        for run in self.runs[1:]:
            job = replace(job, cut=max(job.cut, len(run.source_tokenizer.encode(line)) - run.longest_input))
        if options.prefix:
            job = replace(job, prefix=self._maker.prefix(options.prefix, options))
        if options.require:
            job = replace(job, required=self._maker.required(options.require))
        return job

    @torch.inference_mode()
    def _search(self, jobs: Sequence[Job], options: Options) -> Found:
        """The hypotheses of each job, best first, and the trees when asked for."""
        if options.sampling is not None:
            return self._draws(jobs, options, options.sampling), None
        memory, mask_BS, encoder = self._encode(jobs, options.attention)
        rules, keep = self._maker.rules(jobs, options), self._keep(options)
        beam = beam_for(jobs, options.beam)
        if beam == 1 and not options.tree:
            paths = greedy(self._stepper, memory, mask_BS, rules, scoring=options.scoring, keep=keep, encoder=encoder)
            return [[path] for path in paths], None
        beams = beam_search(
            self._stepper, memory, mask_BS, rules, beam=beam, nbest=options.nbest, scoring=options.scoring,
            keep=keep, encoder=encoder, tree=options.tree,
        )  # fmt: skip
        return beams.best, beams.trees

    def _draws(self, jobs: Sequence[Job], options: Options, sampling: Sampling) -> list[list[Hypothesis]]:
        """As many draws for each job as hypotheses are asked for."""
        draws = [job for job in jobs for _ in range(options.nbest)]
        memory, mask_BS, encoder = self._encode(draws, options.attention)
        order = list(range(options.nbest)) * len(jobs)
        keys = sentence_keys([list(job.ids) for job in draws], order, sampling.seed)
        drawn = sample(
            self._stepper, memory, mask_BS, self._maker.rules(draws, options), sampling, keys,
            scoring=options.scoring, keep=self._keep(options), encoder=encoder,
        )  # fmt: skip
        return [drawn[n * options.nbest : (n + 1) * options.nbest] for n in range(len(jobs))]

    def _keep(self, options: Options) -> Keep:
        """What the search keeps of the attention."""
        choice = self.run.choice
        aligned = options.alignment or copies_unknown(self.run.target_tokenizer, options)
        return Keep(choice.layer if aligned else None, choice.heads, options.attention)

    def _encode(self, jobs: Sequence[Job], need_weights: bool) -> tuple[Any, Tensor, list[Tensor]]:
        """The memory of every member, the first one's mask, and its encoder's attention."""
        first, mask_BS = self._memory(self.run, [job.ids for job in jobs], need_weights)
        # The encoder's own attention is kept here once per sentence, not carried along in every row.
        memory, encoder = replace(first, attention=[]), first.attention
        if len(self.runs) == 1:
            return memory, mask_BS, encoder
        members = [memory]
        for run in self.runs[1:]:
            sources = [tuple(run.source_tokenizer.encode(job.line)[: run.longest_input]) for job in jobs]
            members.append(self._memory(run, sources, False)[0])
        return members, mask_BS, encoder

    def _memory(self, run: Run, sources: Sequence[Sequence[int]], need_weights: bool) -> tuple[Memory, Tensor]:
        source_BS, mask_BS = pad_sources(sources, self.device)
        return run.model.encode(Tokens(source_BS, mask_BS), need_weights), mask_BS
