"""A task of one's own: the estimator of 1964 with a kernel that is learned.

Points (x, y) of a noisy curve are known; a query x is compared with every other x by any attention mechanism, and the
estimate is the weighted mean of the y: what Nadaraya and Watson wrote down, except that the similarity is trained.

    jumok --plugin docs/examples/curve_task.py train task=curve --out runs/curve
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from safetensors.torch import load as read_tensors
from torch import Tensor, nn

from jumok.attention import build
from jumok.config import Config, Field, Section
from jumok.data.bucketing import Position
from jumok.data.numbered import NumberedBatch
from jumok.metric import Metric
from jumok.run.folder import read_config
from jumok.run.integrity import checked
from jumok.run.names import WEIGHTS
from jumok.tasks import Task, add_task
from jumok.tasks.task import Opened, Place, Say
from jumok.training.events import Validation
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.objective import Average, BatchLoss, Objective
from jumok.training.random_state import seed_everything

ERROR = Metric("error", higher_is_better=False, digits=3, training_loss="loss")


class CurveData(Section):
    """Where the points come from."""

    points: int = Field(default=80, ge=4, description="known points")
    noise: float = Field(default=0.3, ge=0, description="standard deviation of y")


class CurveModel(Section):
    """What compares a query with the known points."""

    attention: str = Field(default="bahdanau", description="a name of `jumok mechanisms`")
    size: int = Field(default=16, ge=1, description="size of what each x is turned into")


class CurveConfig(Config):
    """Keys of `jumok train task=curve`."""

    task: str = Field(default="curve", description="what is learned: curve")
    data: CurveData = CurveData()
    model: CurveModel = CurveModel()


@dataclass(frozen=True)
class Points(NumberedBatch):
    """Queries with their true y, by number; the other points are in the model."""

    unit: ClassVar[str] = "points"
    y_N: Tensor


def curve(x: np.ndarray) -> np.ndarray:
    """The curve without noise."""
    return 2 * np.sin(x) + np.abs(x) ** 0.8


def draw_points(config: CurveConfig) -> tuple[Tensor, Tensor]:
    """The known points, the same for a seed."""
    random = np.random.default_rng(config.seed)
    x = np.sort(random.uniform(0, 5, config.data.points))
    y = curve(x) + random.normal(0, config.data.noise, len(x))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class Estimator(nn.Module):
    """ŷ(x) = Σ_i α(x, x_i) y_i."""

    def __init__(self, config: CurveConfig) -> None:
        super().__init__()
        size = config.model.size
        x_S, y_S = draw_points(config)
        self.register_buffer("x_S", x_S)
        self.register_buffer("y_S", y_S)
        self.turn = nn.Sequential(nn.Linear(1, size), nn.Tanh())
        self.attention = build(config.model.attention, query_dim=size, key_dim=size)

    def forward(self, x_T: Tensor, mask_TS: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The estimates and the weights [T, S]; `mask_TS` says which points each query may look at."""
        query, keys = self.turn(x_T[None, :, None]), self.turn(self.x_S[None, :, None])
        mask = None if mask_TS is None else mask_TS[None]
        found = self.attention(query, keys, self.y_S[None, :, None], mask)
        return found.context[0, :, 0], found.weights[0]


class SquaredError(Objective):
    """Σ (ŷ − y)², each point estimated from all others."""

    losses: ClassVar[dict[str, Average]] = {"loss": "unit"}

    def __call__(self, model: Estimator, batch: Points, step, coins, carried) -> BatchLoss:
        at = torch.tensor(batch.numbers, device=batch.y_N.device)
        others_NS = torch.arange(len(model.x_S), device=at.device) != at[:, None]
        estimates_N, _ = model(model.x_S[at], others_NS)
        total = (estimates_N - batch.y_N).square().sum()
        return BatchLoss(total, {"loss": total.detach()})


class Curve(Task[CurveConfig]):
    """From points to an estimator."""

    name = "curve"

    def title(self, config: CurveConfig) -> str:
        return f"curve-{config.model.attention}"

    def check_recipe(self, config: CurveConfig) -> Estimator:
        return Estimator(config)

    def setup(self, opened: Opened[CurveConfig], place: Place, say: Say | None) -> Setup:
        config = opened.config
        seed_everything(config.seed)
        model = Estimator(config).to(place.device)
        learner = Learner.of_model(
            model, SquaredError(), config.train, place.device, config.runtime.precision, place.processes, config.seed
        )

        def batches(position: Position) -> Iterator[tuple[Position, Points]]:
            whole = Points(list(range(len(model.y_S))), model.y_S.cpu())
            epoch = position.epoch + position.batch  # an epoch is one batch
            while True:
                yield Position(epoch), whole.share(place.processes.rank, place.processes.world)
                epoch += 1

        def validate(model: Estimator) -> Validation:
            x = np.linspace(0, 5, 50)
            with torch.no_grad():
                estimates, _ = model(torch.tensor(x, dtype=torch.float32, device=place.device))
            error = np.square(estimates.cpu().numpy() - curve(x)).mean()
            return Validation({"error": float(error)})

        return Setup(learner, batches, validate, opened.folder, place.interrupts, place.environment, (ERROR,), ERROR)


class CurveModelInUse:
    """What `jumok.load` gives for a run of this task."""

    def __init__(self, path: str | Path) -> None:
        config = read_config(Path(path))
        assert isinstance(config, CurveConfig)
        self.model = Estimator(config)
        with checked(Path(path) / WEIGHTS) as content:
            self.model.load_state_dict(read_tensors(content.bytes))

    @torch.no_grad()
    def estimate(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """ŷ at each x, and the weight of every known point."""
        estimates, weights = self.model(torch.as_tensor(x, dtype=torch.float32))
        return estimates.numpy(), weights.numpy()


add_task(CurveConfig, Curve, CurveModelInUse, ERROR)
