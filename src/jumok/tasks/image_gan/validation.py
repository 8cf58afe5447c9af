"""How a run is validated: how far its pictures are from real ones, how they spread, and whether the game goes wrong."""

import numpy as np
import torch
from torch import Tensor, nn

from jumok.evaluation.generated import frechet_distance
from jumok.tasks.image_gan.pictures import Stored, as_pixels
from jumok.tasks.image_gan.sheets import sheet
from jumok.training.events import Validation

SHEET_ROWS = 8
NOISE_SEED = 20_261
TOGETHER = 100
COMPONENTS = 48
COLLAPSED = 0.35
"""Spread of samples, in times that of real pictures, below which they are called nearly equal."""
FEWEST = 20
"""Pictures by whose variance the spread within classes may be judged."""
APART = 15.0
"""Distance of the mean scores above which the discriminator is called too strong."""
LOST = 2.0
"""How far drawn pictures may score above real ones: it is about 0 where nobody can tell them apart."""
DRIFTED = 15.0
"""Middle of both mean scores, either way, beyond which they have left the 0 around which they are learned."""
EXPLODED = 200.0
"""A mean score, either way, that only a loss which runs away gives."""


class PixelSpace:
    """The first principal components of real pictures: a fixed space in which sets of pictures are compared."""

    def __init__(self, real_NP: np.ndarray) -> None:
        self.mean_P = real_NP.mean(0)
        _, _, axes = np.linalg.svd(real_NP - self.mean_P, full_matrices=False)
        self.axes_CP = axes[:COMPONENTS]
        self.real = self._described(real_NP)

    def _described(self, rows_NP: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        within = (rows_NP - self.mean_P) @ self.axes_CP.T
        return within.mean(0), np.atleast_2d(np.cov(within, rowvar=False))

    def distance(self, drawn_NP: np.ndarray) -> float:
        """The Fréchet distance of drawn pictures to the real ones."""
        return frechet_distance(*self.real, *self._described(drawn_NP))


def spread(rows_NP: np.ndarray, labels_N: np.ndarray | None) -> float:
    """The variance of pictures within their classes, over all pixels."""
    if labels_N is None:
        return float(rows_NP.var(0).sum())
    found = [rows_NP[labels_N == label] for label in np.unique(labels_N)]
    return float(sum(len(rows) * rows.var(0).sum() for rows in found) / len(rows_NP))


def relative_spread(drawn_NP: np.ndarray, real_NP: np.ndarray, labels_N: np.ndarray | None) -> float:
    """The spread of drawn pictures in times that of real ones of the same classes.

    A single picture of a class spreads nothing: classes are counted of which there are several, and where they are
    too few, all pictures together whatever their class.
    """
    if labels_N is not None:
        _, place_N, counts = np.unique(labels_N, return_inverse=True, return_counts=True)
        several_N = counts[place_N] > 1
        if several_N.sum() >= FEWEST:
            drawn_NP, real_NP, labels_N = drawn_NP[several_N], real_NP[several_N], labels_N[several_N]
        else:
            labels_N = None
    real = spread(real_NP, labels_N)
    return spread(drawn_NP, labels_N) / real if real > 0 else 1.0


class Validator:
    """Draws from noise that never changes, with the weights that are averaged over the steps."""

    def __init__(self, dev: Stored, noise: int, size: int, device: torch.device) -> None:
        self.device = device
        count = max(2, min(size, len(dev)))
        self.batch = dev.batch(range(count)).to(device)
        self.labels = None if dev.labels_N is None else dev.labels_N[:count]
        self.real_NP = _flat(self.batch.pictures_BCHW)
        self.space = PixelSpace(self.real_NP)
        coins = torch.Generator().manual_seed(NOISE_SEED)
        self.noise_NZ = torch.randn(count, noise, generator=coins).to(device)
        columns = min(10, dev.classes) if dev.classes else SHEET_ROWS
        self.columns = columns
        self.sheet_noise = torch.randn(SHEET_ROWS * columns, noise, generator=coins).to(device)
        self.sheet_labels = torch.arange(columns, device=device).repeat(SHEET_ROWS) if dev.classes else None

    @torch.no_grad()
    def __call__(self, model: nn.ModuleDict) -> Validation:
        generator, discriminator = model["generator"], model["discriminator"]
        pictures = self._drawn(generator)
        drawn_NP = _flat(pictures)
        shown = generator(self.sheet_noise, self.sheet_labels)
        labels_N = self.batch.labels_B
        metrics = {
            "distance": self.space.distance(drawn_NP),
            "spread": relative_spread(drawn_NP, self.real_NP, self.labels),
            "real_score": float(_scores(discriminator, self.batch.pictures_BCHW, labels_N).mean()),
            "drawn_score": float(_scores(discriminator, pictures, labels_N).mean()),
        }
        return Validation(metrics, sheet=sheet(as_pixels(shown), self.columns), warnings=tuple(warnings_of(metrics)))

    def _drawn(self, generator: nn.Module) -> Tensor:
        labels = self.batch.labels_B
        parts = [
            generator(self.noise_NZ[s : s + TOGETHER], None if labels is None else labels[s : s + TOGETHER])
            for s in range(0, len(self.noise_NZ), TOGETHER)
        ]
        return torch.cat(parts)


def warnings_of(metrics: dict[str, float]) -> list[str]:
    """What a person should know about the game, in plain words."""
    found = [_about_scores(metrics["real_score"], metrics["drawn_score"])]
    if metrics["spread"] < COLLAPSED:
        found.insert(
            0,
            f"the samples of a class are nearly equal to each other ({metrics['spread']:.0%} of the spread of real "
            "pictures): the generator is collapsing. Lower train.learning_rate, or raise data.batch.",
        )
    return [text for text in found if text]


def _about_scores(real: float, drawn: float) -> str:
    """What the discriminator's mean scores tell of the game; nothing where it is fine."""
    seen = f"(mean scores: drawn {drawn:.1f}, real {real:.1f})"
    if max(abs(real), abs(drawn)) > EXPLODED:
        return (
            f"the scores and with them the losses run away {seen}. Start from an earlier checkpoint with a lower "
            "train.learning_rate, or with train.clip=1."
        )
    if real - drawn > APART:
        return (
            f"the discriminator tells drawn from real by a wide margin {seen}: the generator learns little from it. "
            "Lower players.discriminator_rate, or give it more pictures."
        )
    if drawn - real > LOST:
        return (
            f"the discriminator holds drawn pictures for more real than pictures that it has not seen {seen}: the "
            "generator learns nothing right from it. Raise players.discriminator_rate or players.discriminator_steps; "
            "if there are few pictures, it knows them by heart: give it more."
        )
    if abs(real + drawn) / 2 > DRIFTED:
        return f"the scores of real and drawn pictures drift away from 0 together {seen}. Lower train.learning_rate."
    return ""


def _scores(discriminator: nn.Module, pictures: Tensor, labels: Tensor | None) -> Tensor:
    parts = [
        discriminator(pictures[s : s + TOGETHER], None if labels is None else labels[s : s + TOGETHER])
        for s in range(0, len(pictures), TOGETHER)
    ]
    return torch.cat(parts)


def _flat(pictures_BCHW: Tensor) -> np.ndarray:
    return pictures_BCHW.flatten(1).cpu().numpy().astype(np.float64)
