"""A tiny task: copy the source. Everything a run needs, in memory and in milliseconds."""

import numpy as np
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.data.bucketing import Position
from jumok.models.build import build_model
from jumok.training import teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.random_state import seed_everything
from jumok.training.sequence_objective import SequenceObjective
from tests.training.streams import repeated

VOCABULARY = 13
SMALL = ("model.embedding=12", "model.encoder.size=12", "model.decoder.size=12")


def copy_batch(number: int, sentences: int = 5, shortest: int = 2) -> Batch:
    """Batch `number` of the copying task."""
    random = np.random.Generator(np.random.PCG64(number))
    rows = [random.integers(4, VOCABULARY, random.integers(shortest, 7)) for _ in range(sentences)]
    return Batch.of(rows, rows, np.arange(sentences) + 100 * number)


def stream(position: Position):
    """Ten batches an epoch."""
    return repeated(position, 10, copy_batch)


def build_learner(*overrides: str, processes: Processes | None = None) -> Learner:
    """A learner of the copying task."""
    config = resolve({}, [*SMALL, "model.dropout=0.1", *overrides])
    seed_everything(config.seed)
    model = build_model(config.model, VOCABULARY, VOCABULARY)
    settings = config.train
    objective = SequenceObjective(settings.label_smoothing, teacher_forcing.parse(settings.teacher_forcing))
    device = torch.device("cpu")
    return Learner.of_model(model, objective, settings, device, "float32", processes or Processes(), config.seed)
