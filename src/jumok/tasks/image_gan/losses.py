"""What the two players minimise.

    hinge      L_D = Σ max(0, 1 − D(x, y)) + max(0, 1 + D(G(z, y), y))        L_G = Σ −D(G(z, y), y)
    logistic   L_D = Σ −log σ(D(x, y)) − log(1 − σ(D(G(z, y), y)))            L_G = Σ −log σ(D(G(z, y), y))

Drawn pictures are of the classes of the real ones in the batch.
"""

from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.tasks.image_gan.pictures import ImageBatch
from jumok.training.objective import Average, BatchLoss, Objective

Sum = Callable[[Tensor], Tensor]


def hinge(score_B: Tensor) -> Tensor:
    """Σ max(0, 1 − score)."""
    return (1 - score_B).relu().sum()


def logistic(score_B: Tensor) -> Tensor:
    """Σ −log σ(score)."""
    return F.softplus(-score_B).sum()


def unbounded(score_B: Tensor) -> Tensor:
    """Σ −score: the generator's side of the hinge loss."""
    return -score_B.sum()


# name of `players.loss` → the discriminator's loss of a score that should be high, and the generator's
LOSSES: dict[str, tuple[Sum, Sum]] = {"hinge": (hinge, unbounded), "logistic": (logistic, logistic)}


def drawn(model: nn.ModuleDict, batch: ImageBatch, coins: torch.Generator) -> Tensor:
    """Pictures of the batch's classes from new noise."""
    generator = model["generator"]
    noise = torch.randn(len(batch), int(generator.noise), generator=coins)  # type: ignore[arg-type]
    return generator(noise.to(batch.pictures_BCHW.device), batch.labels_B)


def scored(discriminator: nn.Module, batch: ImageBatch, false_BCHW: Tensor) -> tuple[Tensor, Tensor]:
    """The scores of the real and of the drawn pictures."""
    if discriminator.mixes:  # a batch norm must not see both kinds at once
        return discriminator(batch.pictures_BCHW, batch.labels_B), discriminator(false_BCHW, batch.labels_B)
    labels = None if batch.labels_B is None else torch.cat([batch.labels_B, batch.labels_B])
    real_B, false_B = discriminator(torch.cat([batch.pictures_BCHW, false_BCHW]), labels).chunk(2)
    return real_B, false_B


class DiscriminatorLoss(Objective):
    """High scores for real pictures, low ones for drawn ones."""

    def __init__(self, name: str) -> None:
        self.of_real = LOSSES[name][0]

    @property
    def losses(self) -> Mapping[str, Average]:
        return {"loss": "unit", "right": "unit"}

    def __call__(
        self, model: nn.ModuleDict, batch: ImageBatch, step: int, coins: torch.Generator, carried: Mapping[str, float]
    ) -> BatchLoss:
        with torch.no_grad():
            false = drawn(model, batch, coins)
        real_B, false_B = scored(model["discriminator"], batch, false)
        total = self.of_real(real_B) + self.of_real(-false_B)
        right = 50 * ((real_B > 0).sum() + (false_B < 0).sum())
        return BatchLoss(total, {"loss": total.detach(), "right": right})


class GeneratorLoss(Objective):
    """High scores for drawn pictures."""

    def __init__(self, name: str) -> None:
        self.of_drawn = LOSSES[name][1]

    @property
    def losses(self) -> Mapping[str, Average]:
        return {"loss": "unit"}

    def __call__(
        self, model: nn.ModuleDict, batch: ImageBatch, step: int, coins: torch.Generator, carried: Mapping[str, float]
    ) -> BatchLoss:
        total = self.of_drawn(model["discriminator"](drawn(model, batch, coins), batch.labels_B))
        return BatchLoss(total, {"loss": total.detach()})
