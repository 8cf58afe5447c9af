"""A tiny task with two players: a GAN that draws points in the plane, with batch norm and spectral norms.

The generator learns to put its points on a circle around (2, 1); the discriminator moves twice per step and faster.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from jumok.config import resolve
from jumok.data.bucketing import Position
from jumok.data.numbered import NumberedBatch
from jumok.metric import Metric
from jumok.training.distributed import Processes
from jumok.training.events import Validation
from jumok.training.learner import Learner
from jumok.training.objective import Average, BatchLoss, Objective
from jumok.training.player import Player
from jumok.training.random_state import seed_everything
from tests.training.streams import repeated

NOISE = 3
DISTANCE = Metric("distance", higher_is_better=False, digits=3)
TURNS = ("discriminator", "discriminator", "generator")


@dataclass(frozen=True)
class Points(NumberedBatch):
    """Points of the plane."""

    unit: ClassVar[str] = "points"
    points_N2: Tensor

    @property
    def counts(self) -> dict[str, int]:
        return {"points": len(self), "on_the_right": int((self.points_N2[:, 0] > 2).sum())}


def points(number: int, count: int = 16) -> Points:
    """Batch `number` of points on the circle."""
    angle = 6.3 * torch.rand(count, generator=torch.Generator().manual_seed(number))
    return Points(list(range(100 * number, 100 * number + count)), torch.stack([2 + angle.cos(), 1 + angle.sin()], 1))


def stream(position: Position):
    """Seven batches per epoch, so that epochs end within steps."""
    return repeated(position, 7, points)


class DiscriminatorLoss(Objective):
    """Σ max(0, 1 − D(x)) + max(0, 1 + D(G(z))), the hinge loss."""

    losses: ClassVar[dict[str, Average]] = {"loss": "unit", "right": "unit", "largest": "batch"}

    def __call__(self, model: nn.ModuleDict, batch: Points, step, coins, carried) -> BatchLoss:
        drawn_N2 = model["generator"](torch.randn(len(batch), NOISE))
        real_N, false_N = model["discriminator"](batch.points_N2), model["discriminator"](drawn_N2)
        total = (1 - real_N).relu().sum() + (1 + false_N).relu().sum()
        right = ((real_N > 0).sum() + (false_N < 0).sum()) / 2
        return BatchLoss(total, {"loss": total.detach(), "right": right, "largest": real_N.detach().max()})


class GeneratorLoss(Objective):
    """Σ −D(G(z)) less its moving mean, with noise of the run's own generator."""

    losses: ClassVar[dict[str, Average]] = {"loss": "unit"}

    def __call__(self, model: nn.ModuleDict, batch: Points, step, coins, carried) -> BatchLoss:
        drawn_N2 = model["generator"](torch.randn(len(batch), NOISE, generator=coins))
        total = -model["discriminator"](drawn_N2).sum() - len(batch) * carried.get("mean", 0.0)
        return BatchLoss(total, {"loss": total.detach()})

    def carry(self, carried: Mapping[str, float], means: Mapping[str, float], step: int) -> dict[str, float]:
        return {"mean": 0.9 * carried.get("mean", 0.0) + 0.1 * means["loss"]}

    def settings_at(self, step: int) -> dict[str, float]:
        return {"half_steps": step / 2}


def networks() -> dict[str, nn.Module]:
    """Both networks."""
    generator = nn.Sequential(nn.Linear(NOISE, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2))
    judging = (spectral_norm(nn.Linear(2, 12)), nn.ReLU(), spectral_norm(nn.Linear(12, 1)), nn.Flatten(0))
    return {"generator": generator, "discriminator": nn.Sequential(*judging)}


def build_learner(*overrides: str, processes: Processes | None = None) -> Learner:
    """A learner of both players; only the generator's weights are averaged."""
    config = resolve({}, ["train.learning_rate=0.003", "train.betas=[0.5,0.9]", "train.warmup=3", *overrides])
    seed_everything(config.seed)
    settings, made = config.train, networks()
    faster = settings.model_copy(update={"learning_rate": 4 * settings.learning_rate, "ema": 0.0})
    players = [
        Player.of("generator", made["generator"], GeneratorLoss(), settings),
        Player.of("discriminator", made["discriminator"], DiscriminatorLoss(), faster),
    ]
    place = processes or Processes()
    return Learner(players, settings, torch.device("cpu"), "float32", place, config.seed, TURNS)


@torch.no_grad()
def distance(model: nn.ModuleDict) -> Validation:
    """How far drawn points lie from the circle, in the mean."""
    drawn_N2 = model["generator"](torch.randn(256, NOISE, generator=torch.Generator().manual_seed(5)))
    radius_N = (drawn_N2 - torch.tensor([2.0, 1.0])).norm(dim=1)
    return Validation({"distance": float((radius_N - 1).abs().mean())})
