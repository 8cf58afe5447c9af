"""The two players of a self-attention GAN (Zhang et al. 2019), and of the SNGAN that it is without attention.

    G(z, y)   noise → residual blocks that double the side, with batch norm whose gain and shift depend on the class
    D(x, y)   residual blocks that halve the side → φ(x);  D = ψᵀφ(x) + e_yᵀφ(x)      (projection, Miyato, Koyama 2018)

Both have a spectral norm on every weight (Miyato et al. 2018). Self-attention may stand after the block that gives a
map of a certain side, in both players. Without classes the batch norm is an ordinary one and e_y falls away.

A map of side s has `width` · S / s channels in a picture of side S, at most 8 · width: each block costs the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from jumok.errors import ShapeError
from jumok.models.grid_attention import GridSelfAttention

LEAST_SIDE, MOST_FIRST_SIDE = 16, 7
WIDEST = 8


@dataclass(frozen=True)
class Look:
    """Where each position of a map looked: weights [B, side², side²], and how much of it is used (γ)."""

    side: int
    weights: Tensor
    gamma: float


def map_sides(side: int) -> list[int]:
    """The sides of the maps from the first to the whole picture: 32 → 4, 8, 16, 32."""
    sides = [side]
    while sides[0] > MOST_FIRST_SIDE and sides[0] % 2 == 0:
        sides.insert(0, sides[0] // 2)
    if side < LEAST_SIDE or sides[0] > MOST_FIRST_SIDE:
        raise ShapeError(f"A picture of side {side} cannot be halved down to 4–7; use 28, 32, 48, 56 or 64.")
    return sides


def channels_at(map_side: int, side: int, width: int) -> int:
    """The channels of a map."""
    return width * min(WIDEST, side // map_side)


def check_attention(at: Sequence[int], side: int) -> None:
    """Refuses attention on maps that no block gives."""
    known = map_sides(side)[1:-1]
    for one in at:
        if one not in known:
            listed = ", ".join(map(str, known))
            raise ShapeError(f"There is no map of side {one} in pictures of side {side}; attention may be at {listed}.")


class ClassNorm(nn.Module):
    """Batch norm with a gain and shift of each class; with one of each where there are no classes."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, affine=False)
        self.gain = nn.Parameter(torch.ones(max(1, classes), channels))
        self.shift = nn.Parameter(torch.zeros(max(1, classes), channels))

    def forward(self, features_BCHW: Tensor, labels_B: Tensor | None) -> Tensor:
        rows = torch.zeros_like(features_BCHW[:, 0, 0, 0], dtype=torch.long) if labels_B is None else labels_B
        gain_BC11, shift_BC11 = (F.embedding(rows, part)[..., None, None] for part in (self.gain, self.shift))
        return torch.addcmul(shift_BC11, gain_BC11, self.norm(features_BCHW))


def _conv(inputs: int, outputs: int, size: int = 3) -> nn.Module:
    return spectral_norm(_orthogonal(nn.Conv2d(inputs, outputs, size, padding=size // 2)))


def _orthogonal(layer: nn.Conv2d | nn.Linear) -> nn.Conv2d | nn.Linear:
    nn.init.orthogonal_(layer.weight)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def _attention(map_side: int, side: int, width: int, mechanism: str) -> GridSelfAttention:
    layer = GridSelfAttention(channels_at(map_side, side, width), mechanism, positions=map_side**2)
    for name in ("f", "g", "h", "v"):
        setattr(layer, name, spectral_norm(_orthogonal(getattr(layer, name))))
    return layer


class UpBlock(nn.Module):
    """norm → relu → twice the side → conv → norm → relu → conv, beside a 1 × 1 shortcut."""

    def __init__(self, inputs: int, outputs: int, classes: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = ClassNorm(inputs, classes), ClassNorm(outputs, classes)
        self.conv1, self.conv2 = _conv(inputs, outputs), _conv(outputs, outputs)
        self.shortcut = _conv(inputs, outputs, 1)

    def forward(self, x: Tensor, labels_B: Tensor | None) -> Tensor:
        inner = self.conv1(_doubled(self.norm1(x, labels_B).relu()))
        inner = self.conv2(self.norm2(inner, labels_B).relu())
        # A 1 × 1 convolution and doubling commute; this order is a quarter of the work.
        return inner + _doubled(self.shortcut(x))


class DownBlock(nn.Module):
    """(relu →) conv → relu → conv → half the side, beside a shortcut; `halves` False keeps the side."""

    def __init__(self, inputs: int, outputs: int, *, first: bool = False, halves: bool = True) -> None:
        super().__init__()
        self.first, self.halves = first, halves
        hidden = outputs // 2 if first else inputs
        self.conv1, self.conv2 = _conv(inputs, hidden), _conv(hidden, outputs)
        self.shortcut = _conv(inputs, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.conv2(self.conv1(x if self.first else x.relu()).relu())
        if not self.halves:
            return inner + self.shortcut(x)
        return F.avg_pool2d(inner, 2) + self.shortcut(F.avg_pool2d(x, 2))


class Generator(nn.Module):
    """Pictures [B, channels, side, side] from −1 to 1 of noise [B, noise] and classes [B]."""

    def __init__(
        self, side: int, channels: int, width: int, noise: int, classes: int, at: Sequence[int], mechanism: str = "dot"
    ) -> None:
        super().__init__()
        check_attention(at, side)
        sides = map_sides(side)
        sizes = [channels_at(one, side, width) for one in sides]
        self.noise, self.classes, self.side, self.channels = noise, classes, side, channels
        self.sides = sides
        self.first = spectral_norm(_orthogonal(nn.Linear(noise, sizes[0] * sides[0] ** 2)))
        self.blocks = nn.ModuleList(UpBlock(inputs, outputs, classes) for inputs, outputs in pairwise(sizes))
        self.looks = nn.ModuleDict({str(one): _attention(one, side, width, mechanism) for one in sides if one in at})
        self.norm = ClassNorm(sizes[-1], 0)
        self.last = _conv(sizes[-1], channels)

    def forward(self, noise_BZ: Tensor, labels_B: Tensor | None = None) -> Tensor:
        """The pictures."""
        return self.draw(noise_BZ, labels_B, need_weights=False)[0]

    def draw(
        self, noise_BZ: Tensor, labels_B: Tensor | None = None, need_weights: bool = True, strength: float = 1.0
    ) -> tuple[Tensor, list[Look]]:
        """The pictures, and where each attention layer looked, from the coarsest map on; `strength` multiplies γ."""
        first = self.sides[0]
        x = self.first(noise_BZ).view(len(noise_BZ), first, first, -1).permute(0, 3, 1, 2)  # channels last
        found: list[Look] = []
        for side, block in zip(self.sides[1:], self.blocks, strict=True):
            x = block(x, labels_B)
            x = _looked(self.looks, side, x, need_weights, found, strength)
        return self.last(self.norm(x, None).relu()).tanh(), found


class Discriminator(nn.Module):
    """A score [B] of pictures [B, channels, side, side]: high for real ones, low for drawn ones."""

    mixes = False
    """Whether the score of a picture depends on the others of its batch."""

    def __init__(
        self, side: int, channels: int, width: int, classes: int, at: Sequence[int], mechanism: str = "dot"
    ) -> None:
        super().__init__()
        check_attention(at, side)
        sides = map_sides(side)[-2::-1]
        sizes = [channels_at(one, side, width) for one in sides]
        self.sides, self.classes = sides, classes
        blocks = [DownBlock(channels, sizes[0], first=True)]
        blocks += [DownBlock(inputs, outputs) for inputs, outputs in pairwise(sizes)]
        self.blocks = nn.ModuleList(blocks)
        self.deep = DownBlock(sizes[-1], sizes[-1], halves=False)
        self.looks = nn.ModuleDict({str(one): _attention(one, side, width, mechanism) for one in sides if one in at})
        self.score = spectral_norm(_orthogonal(nn.Linear(sizes[-1], 1)))
        self.classify = spectral_norm(nn.Embedding(classes, sizes[-1])) if classes else None

    def forward(self, pictures_BCHW: Tensor, labels_B: Tensor | None = None) -> Tensor:
        """The scores."""
        return self.judge(pictures_BCHW, labels_B, need_weights=False)[0]

    def judge(
        self, pictures_BCHW: Tensor, labels_B: Tensor | None = None, need_weights: bool = True
    ) -> tuple[Tensor, list[Look]]:
        """The scores, and where each attention layer looked, from the finest map on."""
        x = pictures_BCHW.contiguous(memory_format=torch.channels_last)
        found: list[Look] = []
        for side, block in zip(self.sides, self.blocks, strict=True):
            x = block(x)
            x = _looked(self.looks, side, x, need_weights, found)
        features_BF = self.deep(x).relu().sum((2, 3))
        score_B = self.score(features_BF).squeeze(1)
        if self.classify is None or labels_B is None:
            return score_B, found
        return score_B + (self.classify(labels_B) * features_BF).sum(1), found


def _looked(
    looks: nn.ModuleDict, side: int, x: Tensor, need_weights: bool, found: list[Look], strength: float = 1.0
) -> Tensor:
    """The map after its attention layer, if it has one; what that saw is added to `found` where it is asked for."""
    if str(side) not in looks:
        return x
    layer = looks[str(side)]
    assert isinstance(layer, GridSelfAttention)
    attended = layer.look(x, need_weights, strength)
    if attended.weights is not None:
        found.append(Look(side, attended.weights, float(layer.gamma.detach())))
    return attended.features


def _doubled(x_BCHW: Tensor) -> Tensor:
    return F.interpolate(x_BCHW, scale_factor=2, mode="nearest")
