"""A small classifier of pictures whose last layer is a space to compare pictures in: trained once, frozen, hashed.

Distances of generated pictures are only comparable in one and the same space. The classifier is therefore trained on
the real training pictures from a fixed seed, saved, and named by the SHA-256 of its weights where a distance is given.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

from jumok.durable import digest, write_file
from jumok.errors import RunError
from jumok.training.tensor_file import pack

FEATURES = 64
TOGETHER = 250


class PictureClassifier(nn.Module):
    """Three strided convolutions, a layer of features, and the scores of the classes."""

    def __init__(self, channels: int, classes: int, width: int = 16) -> None:
        super().__init__()
        sizes = [channels, width, 2 * width, 4 * width]
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Conv2d(inputs, outputs, 3, 2, 1), nn.BatchNorm2d(outputs), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.hidden = nn.Linear(16 * sizes[-1], FEATURES)
        self.classes = nn.Linear(FEATURES, classes)

    def features(self, pictures_BCHW: Tensor) -> Tensor:
        """[B, 64]: what it knows of each picture before it decides."""
        return self.hidden(self.layers(pictures_BCHW)).relu()

    def forward(self, pictures_BCHW: Tensor) -> Tensor:
        """The scores [B, classes]."""
        return self.classes(self.features(pictures_BCHW))

    @torch.no_grad()
    def space(self, batches: Iterable[Tensor]) -> np.ndarray:
        """[N, 64] of any number of pictures, frozen."""
        self.eval()
        return torch.cat([self.features(batch) for batch in batches]).double().numpy()


def train_classifier(
    batches: Iterator[tuple[Tensor, Tensor]], channels: int, classes: int, steps: int, seed: int = 1
) -> PictureClassifier:
    """A classifier trained on `steps` batches of pictures [B, C, H, W] from −1 to 1 and classes [B]."""
    torch.manual_seed(seed)
    model = PictureClassifier(channels, classes).train()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(steps):
        pictures, labels = next(batches)
        optimizer.zero_grad()
        F.cross_entropy(model(pictures), labels).backward()
        optimizer.step()
    return model.eval()


def save_classifier(model: PictureClassifier, path: Path) -> str:
    """Writes the weights and gives their SHA-256."""
    content = pack(dict(model.state_dict()))
    write_file(path, content)
    return digest(content)


def load_classifier(path: Path, channels: int, classes: int) -> tuple[PictureClassifier, str]:
    """The frozen classifier of a file, and the SHA-256 that names it."""
    model = PictureClassifier(channels, classes)
    try:
        model.load_state_dict(load_file(path))
    except RuntimeError:
        raise RunError(f"{path} is a classifier of other pictures; remove it, and it is trained again.") from None
    return model.eval(), digest(path.read_bytes())
