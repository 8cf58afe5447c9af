"""DCGAN (Radford, Metz, Chintala 2016, arXiv:1511.06434), to compare with: strided convolutions and batch norm alone.

    G   [z; e_y] → 4 × 4 transposed convolutions of stride 2, batch norm, relu; tanh at the end
    D   [x; a plane of the class] → 4 × 4 convolutions of stride 2, batch norm, leaky relu; a score at the end

The paper has no classes; they enter as Mirza and Osindero (2014) add them. Weights are drawn from N(0, 0.02²).
"""

from itertools import pairwise

import torch
from torch import Tensor, nn

from jumok.models.sagan import Look, channels_at, map_sides

_SPREAD = 0.02
_LEAK = 0.2


class PlainGenerator(nn.Module):
    """Pictures [B, channels, side, side] from −1 to 1 of noise [B, noise] and classes [B]."""

    def __init__(self, side: int, channels: int, width: int, noise: int, classes: int) -> None:
        super().__init__()
        sides = map_sides(side)
        # The map before the last doubling is as wide as a residual network's last one.
        sizes = [channels_at(one, side // 2, width) for one in sides[:-1]]
        self.noise, self.classes, self.side, self.channels = noise, classes, side, channels
        self.first_side = sides[0]
        self.names = nn.Embedding(classes, noise) if classes else None
        self.first = nn.Linear(noise * (2 if classes else 1), sizes[0] * sides[0] ** 2, bias=False)
        self.norm = nn.BatchNorm2d(sizes[0])
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.ConvTranspose2d(sizes[-1], channels, 4, 2, 1))
        self.apply(_drawn)

    def forward(self, noise_BZ: Tensor, labels_B: Tensor | None = None) -> Tensor:
        """The pictures."""
        given = noise_BZ
        if self.names is not None and labels_B is not None:
            given = torch.cat([noise_BZ, self.names(labels_B)], 1)
        first = self.first_side
        x = self.first(given).view(len(given), first, first, -1).permute(0, 3, 1, 2)
        return self.layers(self.norm(x).relu()).tanh()

    def draw(
        self, noise_BZ: Tensor, labels_B: Tensor | None = None, need_weights: bool = True, strength: float = 1.0
    ) -> tuple[Tensor, list[Look]]:
        """The pictures; nothing here attends."""
        return self(noise_BZ, labels_B), []


class PlainDiscriminator(nn.Module):
    """A score [B] of pictures [B, channels, side, side]."""

    mixes = True
    """Whether the score of a picture depends on the others of its batch: by way of the batch norm, while it learns."""

    def __init__(self, side: int, channels: int, width: int, classes: int) -> None:
        super().__init__()
        sides = map_sides(side)[-2::-1]
        sizes = [channels_at(one, side // 2, width) for one in sides]
        self.side, self.classes = side, classes
        self.names = nn.Embedding(classes, side * side) if classes else None
        layers: list[nn.Module] = [nn.Conv2d(channels + (1 if classes else 0), sizes[0], 4, 2, 1), nn.LeakyReLU(_LEAK)]
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Conv2d(inputs, outputs, 4, 2, 1, bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(_LEAK)]
        self.layers = nn.Sequential(*layers)
        self.score = nn.Linear(sizes[-1] * sides[-1] ** 2, 1)
        self.apply(_drawn)

    def forward(self, pictures_BCHW: Tensor, labels_B: Tensor | None = None) -> Tensor:
        """The scores."""
        x = pictures_BCHW
        if self.names is not None and labels_B is not None:
            x = torch.cat([x, self.names(labels_B).view(-1, 1, self.side, self.side)], 1)
        return self.score(self.layers(x.contiguous(memory_format=torch.channels_last)).flatten(1)).squeeze(1)

    def judge(
        self, pictures_BCHW: Tensor, labels_B: Tensor | None = None, need_weights: bool = True
    ) -> tuple[Tensor, list[Look]]:
        """The scores; nothing here attends."""
        return self(pictures_BCHW, labels_B), []


def _drawn(part: nn.Module) -> None:
    if isinstance(part, nn.Conv2d | nn.ConvTranspose2d | nn.Linear | nn.Embedding):
        nn.init.normal_(part.weight, 0, _SPREAD)
    if isinstance(part, nn.BatchNorm2d):
        nn.init.normal_(part.weight, 1, _SPREAD)
