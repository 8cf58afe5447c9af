"""Joins the rooms for a training run: model, batches, objective and validation."""

from collections.abc import Callable
from pathlib import Path

import torch

from jumok.data.bucketing import Position, TokenBatches
from jumok.data.loader import load_batches
from jumok.data.store import PairSource, SampledPairs
from jumok.models.build import build_model
from jumok.tasks.task import Say
from jumok.tasks.translation.check import in_memory
from jumok.tasks.translation.objective import objective_of
from jumok.tasks.translation.prepare import Prepared, cut_pairs
from jumok.tasks.translation.validator import BLEU_AND_CHRF, TextScores, Validator
from jumok.tasks.translation.warm_start import start_from
from jumok.training.distributed import Processes
from jumok.training.interrupt import Interrupts
from jumok.training.learner import Learner
from jumok.training.loop import Setup, Stream
from jumok.training.random_state import seed_everything


def build_setup(
    run: Prepared,
    processes: Processes,
    device: torch.device,
    interrupts: Interrupts,
    environment: dict[str, object],
    say: Say | None = None,
    scores: TextScores = BLEU_AND_CHRF,
) -> Setup:
    """Everything that `train` needs, freshly seeded; `scores` is what it is validated by.

    `say` hears of weights taken from another run; without it the run resumes from a checkpoint, and none are taken.
    """
    config = run.config
    settings = config.train
    # The same start in every process; afterwards each draws its own dropout.
    seed_everything(config.seed)
    with in_memory():
        model = build_model(config.model, run.source_tokenizer.size, run.target_tokenizer.size, config.text.slots)
    if settings.init_from and say is not None:
        say(start_from(model, Path(settings.init_from), run.source_tokenizer, run.target_tokenizer))
    model.to(device)
    seed_everything(config.seed, processes.rank)
    objective = objective_of(settings)
    objective.check(model, run.train_ids.aligned)
    learner = Learner.of_model(model, objective, settings, device, config.runtime.precision, processes, config.seed)
    batches = stream_of(run, processes)
    stop = next(metric for metric in scores.metrics if metric.name == settings.stop_metric)
    validator = Validator(run, device, scores)
    return Setup(learner, batches, validator, run.folder, interrupts, environment, scores.metrics, stop)


def stream_of(run: Prepared, processes: Processes) -> Callable[[Position], Stream]:
    """A function that streams this process's batches from a position on."""
    config = run.config
    pairs: PairSource = run.train_ids
    if config.text.sampling > 0:
        pairs = SampledPairs(run.train_ids, run.train_text, run.source_tokenizer, run.target_tokenizer, config.seed)
    pairs = cut_pairs(config, pairs, run.target_tokenizer.size)
    order = TokenBatches(
        pairs.lengths(),
        max_tokens=config.train.batch_tokens,
        seed=config.seed,
        max_length=config.data.max_length,
        segments=run.train_ids.segments,
        rank=processes.rank,
        world=processes.world,
    )
    ahead = config.runtime.prefetch

    def stream(position: Position) -> Stream:
        worker = config.runtime.loader if ahead else "none"
        return load_batches(pairs, order, position, worker=worker, ahead=max(1, ahead))

    return stream
