"""A trained generator in use: `jumok.load(RUN).generate(16, label="3", attention=True)`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from jumok.arguments import LARGEST_SEED, check_finite, check_text, check_whole
from jumok.config import ImageGanConfig
from jumok.errors import InputError, did_you_mean
from jumok.evaluation.generated import nearest
from jumok.models.layout import Grid
from jumok.models.sagan import Look
from jumok.models.stored import building, fill, tensors_of, usable_device
from jumok.run.folder import read_config, wrong_task
from jumok.run.integrity import check_listed, checked, steady
from jumok.run.names import WEIGHTS
from jumok.tasks.image_gan.build import build_players
from jumok.tasks.image_gan.pictures import Stored, as_pixels, stored_pictures

MOST_PICTURES = 100_000
MOST_LOOKED_AT = 256
"""Pictures whose attention is kept at once: a map of 32 × 32 has a million weights."""
TOGETHER = 64
COMPARED = 2048
"""Training pictures that are compared at once."""


@dataclass(frozen=True)
class MapLook:
    """Where every position of one map looked, in one player."""

    player: str
    side: int
    gamma: float
    weights_NN: np.ndarray
    """[side², side²]: row j is where position j looks, row by row over the picture."""

    @property
    def layout(self) -> Grid:
        """How positions lie in the picture."""
        return Grid(self.side, self.side)

    def from_pixel(self, row: float, column: float, picture_side: int) -> np.ndarray:
        """[side, side]: where the position that holds a pixel of the picture looks."""
        place = self._place(row, column, picture_side)
        return self.weights_NN[place[0] * self.side + place[1]].reshape(self.side, self.side)

    def far_share(self, row: float, column: float, picture_side: int) -> float:
        """The weight outside the 3 × 3 positions around it, which are all that a convolution sees."""
        top, left = (max(0, one - 1) for one in self._place(row, column, picture_side))
        below, right = (one + 2 for one in self._place(row, column, picture_side))
        weights = self.from_pixel(row, column, picture_side)
        return float(max(0.0, 1 - weights[top:below, left:right].sum()))

    def _place(self, row: float, column: float, picture_side: int) -> tuple[int, int]:
        first, second = (min(self.side - 1, int(one * self.side / picture_side)) for one in (row, column))
        return first, second


@dataclass(frozen=True)
class Drawn:
    """A generated picture: what it was drawn from, what the discriminator says, and where both looked."""

    pixels_HWC: np.ndarray
    noise_Z: np.ndarray
    label: str | None
    score: float
    looks: tuple[MapLook, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The picture's facts as JSON, without pixels and weights."""
        maps = [{"player": one.player, "side": one.side, "gamma": round(one.gamma, 6)} for one in self.looks]
        return {"label": self.label, "score": round(self.score, 6), "attention": maps}


@dataclass(frozen=True)
class Neighbour:
    """A training picture and how far a generated one is from it, in grey levels per pixel."""

    number: int
    distance: float
    label: str | None
    pixels_HWC: np.ndarray


class ImageGanModel:
    """The generator of a run, with its discriminator."""

    def __init__(self, folder: Path, config: ImageGanConfig, device: torch.device, weights: Path) -> None:
        self.folder, self.config, self.device = folder, config, device
        check_listed(folder, but=WEIGHTS)
        with checked(weights) as content:
            tensors = tensors_of(content.bytes, weights)
        self.names: tuple[str, ...] = self.pictures.names if self.pictures.classes else ()
        with building(folder, config.plugins):
            networks = build_players(config, self.pictures.classes)
        for name, network in zip(("generator", "discriminator"), networks, strict=True):
            own = {key.removeprefix(f"{name}."): value for key, value in tensors.items() if key.startswith(f"{name}.")}
            fill(network, own, weights)
            network.to(device).eval()
        self.generator, self.discriminator = networks

    @cached_property
    def pictures(self) -> Stored:
        """The pictures that it learned from."""
        return stored_pictures(self.folder, "train")

    def generate(
        self,
        count: int = 64,
        *,
        label: str | None = None,
        seed: int = 1,
        noise: np.ndarray | Sequence[Sequence[float]] | None = None,
        attention: bool = False,
        strength: float = 1.0,
    ) -> list[Drawn]:
        """Pictures from noise.

        count      how many; more of the same seed begin with the same pictures
        label      the class to draw; none: each class in turn
        noise      numbers to draw from, one row per picture, in place of `count` and `seed`
        attention  also where each position looked, in both players
        strength   what the generator's γ is multiplied by: 0 draws without what attention found
        """
        check_finite("strength", strength, 0, 10)
        noise_NZ = self.noise(count, seed) if noise is None else self._given(noise)
        most = MOST_LOOKED_AT if attention else MOST_PICTURES
        check_whole("count", len(noise_NZ), 1, most)
        classes = self._classes(len(noise_NZ), label)
        drawn: list[Drawn] = []
        for start in range(0, len(noise_NZ), TOGETHER):
            part = slice(start, start + TOGETHER)
            drawn += self._drawn(noise_NZ[part], None if classes is None else classes[part], attention, strength)
        return drawn

    def noise(self, count: int, seed: int = 1) -> np.ndarray:
        """[count, noise] of a seed; fewer rows are the first of more."""
        check_whole("count", count, 1, MOST_PICTURES)
        check_whole("seed", seed, 0, LARGEST_SEED)
        random = np.random.Generator(np.random.PCG64(seed))
        return random.standard_normal((count, self.config.model.noise)).astype(np.float32)

    def between(
        self, first: int, second: int, steps: int = 8, *, label: str | None = None, seed: int = 1
    ) -> list[Drawn]:
        """Pictures on the way from one noise to another (numbers of the seed's pictures), with where they look.

        The way goes along the sphere on which noise lies: the middle of a straight line is shorter than any noise.
        """
        check_whole("steps", steps, 2, MOST_LOOKED_AT)
        for number in (first, second):
            check_whole("the number of a picture", number, 0, MOST_PICTURES - 1)
        rows = self.noise(max(first, second) + 1, seed)
        way = np.stack([on_sphere(rows[first], rows[second], share) for share in np.linspace(0, 1, steps)])
        return self.generate(noise=way, label=label or (self.names[0] if self.names else None), attention=True)

    def nearest(self, drawn: Sequence[Drawn], count: int = 3) -> list[list[Neighbour]]:
        """The training pictures that are nearest to each generated one, pixel by pixel: does it copy?"""
        check_whole("the number of nearest pictures", count, 1, len(self.pictures))
        if not drawn:
            raise InputError("there is no picture to find the nearest ones of; draw some with generate().")
        asked = np.stack([one.pixels_HWC.reshape(-1) for one in drawn])
        places, far = self._nearest(asked, count)
        per_pixel = far / np.sqrt(asked.shape[1])
        return [
            [self._neighbour(int(place), float(off)) for place, off in zip(row, offs, strict=True)]
            for row, offs in zip(places, per_pixel, strict=True)
        ]

    def _nearest(self, asked_NP: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and distances [N, count] of the nearest training pictures, a block of those in memory at a time."""
        places, far = np.zeros((len(asked_NP), 0), np.int64), np.zeros((len(asked_NP), 0))
        for start in range(0, len(self.pictures), COMPARED):
            rows = range(start, min(start + COMPARED, len(self.pictures)))
            found, off = nearest(asked_NP, self.pictures.store.batch(rows).reshape(len(rows), -1), count)
            places, far = np.hstack([places, start + found]), np.hstack([far, off])
            order = np.argsort(far, axis=1, kind="stable")[:, :count]
            places, far = np.take_along_axis(places, order, 1), np.take_along_axis(far, order, 1)
        return places, far

    def _neighbour(self, number: int, distance: float) -> Neighbour:
        labels = self.pictures.labels_N
        label = None if labels is None else self.names[labels[number]]
        return Neighbour(number, distance, label, np.array(self.pictures.store[number]))

    @torch.no_grad()
    def _drawn(
        self, noise_BZ: np.ndarray, classes_B: list[int] | None, attention: bool, strength: float
    ) -> list[Drawn]:
        labels = None if classes_B is None else torch.tensor(classes_B, device=self.device)
        given = torch.from_numpy(np.ascontiguousarray(noise_BZ, dtype=np.float32)).to(self.device)
        pictures, own = self.generator.draw(given, labels, attention, strength)
        scores, others = self.discriminator.judge(pictures, labels, attention)
        pixels = as_pixels(pictures)
        return [
            Drawn(
                pixels[number],
                noise_BZ[number],
                None if classes_B is None else self.names[classes_B[number]],
                float(scores[number]),
                (*_looks("generator", own, number), *_looks("discriminator", others, number)),
            )
            for number in range(len(pixels))
        ]

    def _classes(self, count: int, label: str | None) -> list[int] | None:
        if not self.names:
            if label is not None:
                raise InputError(f"{self.folder} was trained without classes; leave the label out.")
            return None
        if label is None:
            return [number % len(self.names) for number in range(count)]
        check_text("the label", label)
        if label not in self.names:
            known = ", ".join(self.names[:12]) + (", …" if len(self.names) > 12 else "")
            raise InputError(f"Unknown class '{label}'{did_you_mean(label, self.names)}; one of {known}.")
        return [self.names.index(label)] * count

    def _given(self, noise: Any) -> np.ndarray:
        rows = np.asarray(noise, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.config.model.noise or not np.isfinite(rows).all():
            raise InputError(f"noise must be rows of {self.config.model.noise} finite numbers, got {[*rows.shape]}.")
        return rows


def on_sphere(first_Z: np.ndarray, second_Z: np.ndarray, share: float) -> np.ndarray:
    """The point at `share` of the way from one vector to another along the great circle, lengths interpolated."""
    lengths = np.linalg.norm(first_Z), np.linalg.norm(second_Z)
    cosine = float(np.clip(first_Z @ second_Z / (lengths[0] * lengths[1]), -1, 1))
    angle = np.arccos(cosine)
    if angle < 1e-6:
        return (1 - share) * first_Z + share * second_Z
    parts = np.sin((1 - share) * angle) / np.sin(angle), np.sin(share * angle) / np.sin(angle)
    length = (1 - share) * lengths[0] + share * lengths[1]
    return length * (parts[0] * first_Z / lengths[0] + parts[1] * second_Z / lengths[1])


def _looks(player: str, looks: Sequence[Look], number: int) -> list[MapLook]:
    return [MapLook(player, one.side, one.gamma, one.weights[number].cpu().numpy()) for one in looks]


def load(path: str | Path, device: str = "cpu", weights: Path | None = None) -> ImageGanModel:
    """The generator of a run folder; `weights` is a file of an earlier step."""
    folder, place = Path(path), usable_device(device)
    return steady(lambda: ImageGanModel(folder, _config(folder), place, weights or folder / WEIGHTS))


def _config(folder: Path) -> ImageGanConfig:
    config = read_config(folder)
    if not isinstance(config, ImageGanConfig):
        raise wrong_task(folder, config, "draw pictures")
    return config
