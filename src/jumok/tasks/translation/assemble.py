"""Joins the rooms for a training run: model, batches, objective, and validation by decoding."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from jumok.attention import load_plugins
from jumok.config import Config, TrainConfig
from jumok.data.bucketing import Position, TokenBatches
from jumok.data.loader import load_batches, make_batch
from jumok.data.sources import Tokens
from jumok.data.store import PairSource, SampledPairs
from jumok.decoding.batches import by_length, pad_sources
from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import greedy
from jumok.errors import ConfigError
from jumok.evaluation.metrics import MetricOptions, score_metric
from jumok.models.build import build_model, check_model
from jumok.models.reach import least
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.task import Say
from jumok.tasks.translation.metrics import METRICS
from jumok.tasks.translation.prepare import Prepared
from jumok.tasks.translation.vocabularies import taken_tokenizers
from jumok.tasks.translation.warm_start import check_start, start_from
from jumok.training import teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.environment import find_device
from jumok.training.events import Validation, WordAlignment
from jumok.training.interrupt import Interrupts
from jumok.training.learner import Learner
from jumok.training.loop import Setup, Stream
from jumok.training.random_state import seed_everything
from jumok.training.sequence_objective import SequenceObjective
from jumok.training.validation import token_loss, word_alignments

DECODED_TOGETHER = 6000
# It warns of periods that stand apart, once a validation.
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


def check_config(config: Config, *, begins: bool = True) -> None:
    """Refuses what cannot work, before any data is read; a run that is resumed needs its first weights no more."""
    model = check_recipe(config)
    train, text = config.train, config.text
    find_device(config.runtime.device)
    if train.tensorboard and find_spec("tensorboard") is None:
        raise ConfigError("train.tensorboard needs tensorboard; install it with: pip install 'jumok[tensorboard]'.")
    if text.of_run and begins:
        taken_tokenizers(text)
    if train.init_from and begins:
        check_start(model, Path(train.init_from))


def check_recipe(config: Config) -> Seq2Seq:
    """Refuses what can work on no machine; gives the model without numbers."""
    load_plugins(config.plugins)
    with in_memory():
        model = check_model(config.model)
    train, text = config.train, config.text
    # Whether the text has links is known only when it is read.
    objective_of(train).check(model, has_links=True)
    if config.model.tie_source and not text.joint:
        raise ConfigError("model.tie_source needs one vocabulary for both sides; set text.joint=true.")
    if train.stop_metric != "loss" and train.validate_size == 0:
        raise ConfigError(f"train.stop_metric={train.stop_metric} needs decoding; set train.validate_size above 0.")
    if train.guided_alignment > 0 and config.model.decoder.attention == "none":
        raise ConfigError("train.guided_alignment needs attention; model.decoder.attention is none.")
    layers = config.model.decoder.cross_layers
    if not -layers <= train.guided_layer < layers:
        raise ConfigError(f"train.guided_layer is {train.guided_layer} but the decoder has {layers} layer(s).")
    _check_positions(config, model)
    return model


@contextmanager
def in_memory() -> Iterator[None]:
    """Says in one sentence that a model does not fit into memory; torch's own error is about bytes and source files."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        reason = " ".join(str(error).split("DefaultCPUAllocator: ")[-1].split()).rstrip(".") or "out of memory"
        raise ConfigError(
            f"The model cannot be built: {reason}; lower the sizes under model, or text.size for a smaller vocabulary."
        ) from error


def _check_positions(config: Config, model: Seq2Seq) -> None:
    """A position the model has no parameters for must not be met in the middle of training."""
    most, longest = least((model.reach.source, model.reach.target)), config.data.max_length + 1
    if most is not None and longest > most:
        raise ConfigError(
            f"data.max_length={config.data.max_length} needs {longest} positions but the model has {most}; lower "
            "data.max_length or raise model.decoder.max_positions."
        )


def build_setup(
    run: Prepared,
    processes: Processes,
    device: torch.device,
    interrupts: Interrupts,
    environment: dict[str, object],
    say: Say | None = None,
) -> Setup:
    """Everything that `train` needs, freshly seeded. `say` hears of weights taken from another run; without it the
    run goes on from a checkpoint, and none are taken.
    """
    config = run.config
    settings = config.train
    # The same start in every process; afterwards each draws its own dropout.
    seed_everything(config.seed)
    with in_memory():
        model = build_model(config.model, run.source_tokenizer.size, run.target_tokenizer.size)
    if settings.init_from and say is not None:
        say(start_from(model, Path(settings.init_from), run.source_tokenizer, run.target_tokenizer))
    model.to(device)
    seed_everything(config.seed, processes.rank)
    objective = objective_of(settings)
    objective.check(model, run.train_ids.aligned)
    learner = Learner.of_model(model, objective, settings, device, config.runtime.precision, processes, config.seed)
    batches = stream_of(run, processes)
    stop = next(metric for metric in METRICS if metric.name == settings.stop_metric)
    return Setup(learner, batches, Validator(run, device), run.folder, interrupts, environment, METRICS, stop)


def objective_of(settings: TrainConfig) -> SequenceObjective:
    """The loss that the settings describe."""
    return SequenceObjective(
        settings.label_smoothing,
        teacher_forcing.parse(settings.teacher_forcing),
        settings.guided_alignment,
        settings.guided_layer,
        settings.guided_heads,
        settings.reinforce,
        settings.r_drop,
    )


def stream_of(run: Prepared, processes: Processes) -> Callable[[Position], Stream]:
    """A function that streams this process's batches from a position on."""
    config = run.config
    pairs: PairSource = run.train_ids
    if config.text.sampling > 0:
        pairs = SampledPairs(run.train_ids, run.train_text, run.source_tokenizer, run.target_tokenizer, config.seed)
    order = TokenBatches(
        run.train_ids.lengths(),
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


class Validator:
    """Scores a model on the validation text: loss always, BLEU and chrF of greedy decoding, and pictures."""

    def __init__(self, run: Prepared, device: torch.device) -> None:
        self.run, self.device = run, device
        config = run.config
        lengths = run.dev_ids.lengths()
        self.batches = TokenBatches(
            lengths, max_tokens=config.train.batch_tokens, seed=0, max_length=config.data.max_length, shuffle=False
        )
        short = np.flatnonzero((lengths <= config.data.max_length).all(axis=1))
        self.decoded = [int(number) for number in short[: config.train.validate_size]]
        # Not the very short ones: a picture needs something to look at.
        wanted = [n for n in self.decoded or short.tolist() if lengths[n].min() >= 5 and lengths[n].max() <= 25]
        self.pictured = (wanted or [int(n) for n in short])[: config.train.pictures]

    def __call__(self, model: Seq2Seq) -> Validation:
        config = self.run.config
        batches = (make_batch(self.run.dev_ids, numbers, 0) for numbers in self.batches.epoch(0))
        metrics = {"loss": token_loss(model, batches, self.device, config.runtime.precision)}
        if self.decoded:
            sources = [self.run.dev_ids[number][0].tolist() for number in self.decoded]
            texts = [
                self.run.target_tokenizer.decode(ids)
                for ids in translate_ids(model, sources, config.data.max_length, self.device)
            ]
            references = [self.run.dev_text[number].target for number in self.decoded]
            if config.text.lowercase:
                references = [reference.lower() for reference in references]
            options = MetricOptions()
            metrics |= {name: score_metric(name, texts, references, options).value for name in ("bleu", "chrf")}
        return Validation(metrics, self._pictures(model))

    def _pictures(self, model: Seq2Seq) -> list[WordAlignment]:
        if not self.pictured:
            return []
        batch = make_batch(self.run.dev_ids, np.array(self.pictured), 0).to(self.device)
        pairs = [self.run.dev_text[number] for number in self.pictured]
        texts = [(pair.source, pair.target, _sure_links(pair.alignment)) for pair in pairs]
        return word_alignments(
            model,
            batch,
            texts,
            self.run.source_tokenizer.word_of_token,
            self.run.target_tokenizer.word_of_token,
            self.run.config.train.guided_layer,
        )


def _sure_links(alignment: str | None) -> list[tuple[int, int]] | None:
    from jumok.alignment.alignment import parse_pharaoh

    return sorted(parse_pharaoh(alignment).sure) if alignment else None


@torch.no_grad()
def translate_ids(
    model: Seq2Seq, sources: Sequence[Sequence[int]], longest: int, device: torch.device
) -> Iterator[tuple[int, ...]]:
    """The greedy translation of each source, in order; none is longer than `longest` tokens."""
    found: dict[int, tuple[int, ...]] = {}
    for numbers in by_length([len(ids) + 1 for ids in sources], DECODED_TOGETHER):
        source_BS, mask_BS = pad_sources([sources[number] for number in numbers], device)
        most_B = (2 * mask_BS.sum(1) + 10).clamp_max(longest)
        rules = Rules(max_length_B=most_B, min_length_B=torch.zeros_like(most_B))
        hypotheses = greedy(model, model.encode(Tokens(source_BS, mask_BS)), mask_BS, rules)
        found |= {number: one.ids for number, one in zip(numbers, hypotheses, strict=True)}
    return (found[number] for number in range(len(sources)))
