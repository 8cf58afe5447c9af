"""What the tests of training share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.translation.metrics import METRICS
from jumok.training.events import Validation
from jumok.training.interrupt import Interrupts
from jumok.training.loop import Setup
from tests.training import points_gan
from tests.training.copying import build_learner, copy_batch, stream


@pytest.fixture
def make_setup(tmp_path: Path) -> Callable[..., Setup]:
    """A whole setup in a temporary folder."""

    def make(*overrides: str, folder: str = "run", validate: Any = None) -> Setup:
        where = tmp_path / folder
        where.mkdir(exist_ok=True)

        def loss_of_one_batch(model: Seq2Seq) -> Validation:
            batch = copy_batch(77)
            with torch.no_grad():
                logits, _ = model(batch)
            nll = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out_BT.flatten(), ignore_index=0)
            return Validation({"loss": float(nll)})

        learner = build_learner(*overrides)
        stop = next(metric for metric in METRICS if metric.name == learner.settings.stop_metric)
        score = validate or loss_of_one_batch
        return Setup(learner, stream, score, where, Interrupts(), {}, METRICS, stop)

    return make


@pytest.fixture
def make_gan(tmp_path: Path) -> Callable[..., Setup]:
    """A whole setup with two players."""

    def make(*overrides: str, folder: str = "run", validate: Any = None) -> Setup:
        where = tmp_path / folder
        where.mkdir(exist_ok=True)
        learner, score = points_gan.build_learner(*overrides), validate or points_gan.distance
        metrics = (points_gan.DISTANCE,)
        return Setup(learner, points_gan.stream, score, where, Interrupts(), {}, metrics, metrics[0])

    return make


@pytest.fixture(params=["make_setup", "make_gan"])
def make_any(request: pytest.FixtureRequest) -> Callable[..., Setup]:
    """A setup of each kind: one player and sentence pairs, two players and points."""
    return request.getfixturevalue(request.param)
