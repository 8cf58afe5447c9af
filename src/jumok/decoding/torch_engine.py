"""The readable engine: searches with the model in torch. It can do everything, and everything in it can be seen."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from jumok.decoding.batches import by_length
from jumok.decoding.beam_search import beam_search
from jumok.decoding.engine import Abilities, Read
from jumok.decoding.ensemble import Ensemble
from jumok.decoding.features import EVERYTHING
from jumok.decoding.greedy import greedy, one_path
from jumok.decoding.hypothesis import BeamTree, Hypothesis, Keep
from jumok.decoding.intake import Intake, LineIntake
from jumok.decoding.interface import Stepper
from jumok.decoding.jobs import Job, beam_for, copies_unknown
from jumok.decoding.options import Options, Sampling
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.run import Run
from jumok.decoding.sampling import drawing, sentence_keys
from jumok.errors import RunError

Found = tuple[list[list[Hypothesis]], list[BeamTree] | None]


class TorchEngine:
    """Greedy search, beam search and sampling over one model, or over an ensemble that averages probabilities."""

    name = "torch"
    abilities = Abilities(EVERYTHING)

    def __init__(self, runs: Sequence[Run], intake: Intake | None = None) -> None:
        """`intake` says what is read; lines of text if not given."""
        self.runs, self.run, self.intake = runs, runs[0], intake or LineIntake()
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

    def search(self, inputs: Sequence[Any], options: Options, read: Read) -> None:
        """Calls `read` with what was found for each input; those of similar length are searched together."""
        jobs = [self._job(given, options) for given in inputs]
        busy = [number for number, job in enumerate(jobs) if job.length]
        width = options.nbest if options.sampling else options.beam
        for batch in by_length([jobs[n].length for n in busy], max(1, options.budget // width)):
            numbers = [busy[place] for place in batch]
            hypotheses, trees = self._search([jobs[n] for n in numbers], options)
            for place, number in enumerate(numbers):
                read(number, jobs[number], hypotheses[place], None if trees is None else trees[place])

    def _job(self, given: Any, options: Options) -> Job:
        """The job of an input, with its constraints."""
        job = self.intake.job(given, self.runs)
        if options.prefix:
            job = replace(job, prefix=self._maker.prefix(options.prefix, job.line, options))
        if options.require:
            job = replace(job, required=self._maker.required(options.require, job.line))
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
        keys = sentence_keys([list(job.key) for job in draws], order, sampling.seed)
        drawn = one_path(
            self._stepper, memory, mask_BS, self._maker.rules(draws, options), choose=drawing(sampling, keys),
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
        first = self.run.model.encode(self.intake.source(self.run, jobs, True), need_weights)
        # The encoder's own attention is kept here once per sentence, not carried along in every row.
        memory, encoder = replace(first, attention=[]), first.attention
        if len(self.runs) == 1:
            return memory, memory.mask_BS, encoder
        others = [run.model.encode(self.intake.source(run, jobs, False)) for run in self.runs[1:]]
        return [memory, *others], memory.mask_BS, encoder
